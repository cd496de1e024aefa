"""`ragaliq.compare`: frames, dicts and paths, the figures of the command, its table, its text and its HTML."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import ragaliq
from graded_runs import write_graded_run
from ragaliq.cli import main
from ragaliq.errors import RagaliqError
from ragaliq.metrics.weights import WEIGHTS

A = [5, 5, 4, 3, 5, 2, 5, 5, 4, 5, 0, 5] * 3
B = [5, 3, 4, 1, 3, 2, 0, 5, 3, 4, 0, 3] * 3
X, Y = [WEIGHTS[grade] for grade in A], [WEIGHTS[grade] for grade in B]
LANGS = ("en", "de", "fr", "es", "ru", "zh")


def frame() -> pd.DataFrame:
    rows = [
        {"query": n, "model": name, "f1": value, "language": lang}
        for lang in LANGS
        for name, own in (("a", X), ("б", Y))
        for n, value in enumerate(own)
    ]
    return pd.DataFrame(rows)


COLUMNS: dict[str, Any] = {"id": "query", "system": "model", "value": "f1", "lang_field": "language"}


@pytest.mark.parametrize("both", [(X, Y), (np.array(X), np.array(Y)), (pd.Series(X), pd.Series(Y))])
def test_a_dict_of_values_is_compared_and_equals_the_difference(both: Any) -> None:
    table = ragaliq.compare({"a": both[0], "б": both[1]}, range=(0, 1)).to_frame()
    found = ragaliq.difference(X, Y)
    assert table.system.tolist() == ["a", "б"] and table.outcome.tolist() == ["baseline", "worse"]
    row = table.iloc[1]
    # Rounding: the items of a table are sorted by their names.
    assert (row.difference, row.ci95_low, row.ci95_high, row.p) == pytest.approx(tuple(found), abs=1e-12)
    sets = ragaliq.rank_sets([X, Y])
    assert list(zip(table.rank_best, table.rank_worst, strict=True)) == sets


def test_a_long_frame_is_compared_in_each_language_and_in_all() -> None:
    table = ragaliq.compare(frame(), **COLUMNS).to_frame()
    assert table.lang.unique().tolist() == [*sorted(LANGS), "all"]
    assert set(table.n) == {36, 216}
    everything = table[(table.lang == "all") & (table.system == "б")].iloc[0]
    # The six languages of a query are one cluster.
    found = ragaliq.difference(X * 6, Y * 6, clusters=[*range(36)] * 6)
    assert (everything.difference, everything.ci95_low, everything.ci95_high, everything.p) == tuple(found)
    one = ragaliq.compare(frame(), **COLUMNS, lang="zh", baseline="б").to_frame()
    assert one.lang.unique().tolist() == ["zh"] and one.outcome.tolist() == ["baseline", "better"]


def test_the_figures_are_those_of_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two graded files through the command, as paths, and their weights through the functions."""
    for name, grades in (("a", A), ("b", B)):
        rows = [{"query_id": f"q{n}", "lang": "ru", "question": f"в{n}", "grade": own} for n, own in enumerate(grades)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    paths = [str(tmp_path / "a.jsonl"), str(tmp_path / "b.jsonl")]
    assert main(["compare", *paths, "--format", "json"]) == 0
    (section,) = json.loads(capsys.readouterr().out)["sections"]
    (told,) = section["comparisons"]
    found = ragaliq.difference(X, Y)
    assert (told["difference"], *told["ci"], told["p_permutation"]) == pytest.approx(tuple(found), abs=1e-12)
    assert [tuple(own["rank_ci"]) for own in section["systems"]] == ragaliq.rank_sets([X, Y])
    compared = ragaliq.compare(paths)
    row = compared.to_frame().iloc[1]
    assert (row.difference, row.ci95_low, row.ci95_high, row.p) == (
        told["difference"],
        *told["ci"],
        told["p_permutation"],
    )
    assert main(["compare", *paths]) == 0
    assert capsys.readouterr().out == f"{compared}\n"


def test_runs_are_compared_and_pooled(tmp_path: Path) -> None:
    for name, grades in (("one", A), ("two", B), ("three", B)):
        write_graded_run(tmp_path / name, {"de": grades, "zh": grades})
    pooled = ragaliq.compare(
        [tmp_path / "one", tmp_path / "two", tmp_path / "three"],
        groups={"both": [str(tmp_path / "two"), str(tmp_path / "three")]},
        margin=0.05,
    )
    table = pooled.to_frame()
    assert table.system.unique().tolist() == ["one", "both"]
    assert table[table.system == "both"]["mean"].iloc[0] == pytest.approx(sum(Y) / 36)


def test_the_html_has_the_verdict_and_the_table_and_no_markup_of_others() -> None:
    shown = ragaliq.compare({"<script>alert(1)</script>": X, "好 & <i>": Y})._repr_html_()
    assert "<script" not in shown and "<i>" not in shown
    assert shown.startswith("<p>好 &amp; &lt;i&gt; is worse than &lt;script&gt;alert(1)&lt;/script&gt;: ")
    assert "<table" in shown and "<td>worse</td>" in shown and "NaN" not in shown


def test_an_item_that_a_system_lacks_is_missing() -> None:
    table = ragaliq.compare({"a": X, "b": [*Y[:-1], None]}).to_frame()
    assert table.n.tolist() == [35, 35] and table.n_asked.tolist() == [36, 36]


@pytest.mark.parametrize(
    ("systems", "options", "message"),
    [
        (3, {}, "compare: a pandas DataFrame with .* is wanted, not int"),
        ([], {}, "not an empty list"),
        ([1, 2], {}, "is wanted, not list"),
        (None, {}, "is wanted, not NoneType"),
        ({}, {}, "and it holds no row"),
        (pd.DataFrame(), {}, "and it holds no row"),
        ({"a": X}, {}, "there is one system alone, a; give at least two"),
        ({"a": X, "b": "text"}, {}, "compare: system 'b': a list, a tuple"),
        ({"a": X, "b": Y}, {"metrik": "f1"}, "compare: no option 'metrik', did you mean 'metric'?"),
        (["nowhere"], {}, "nowhere: no such file or folder"),
        (frame(), {"id": "nix"}, "the data frame has no column 'nix'"),
        ({"a": X, "b": Y}, {"range": (0, 0.5)}, "outside"),
    ],
)
def test_what_cannot_be_compared_says_what_is_wanted(systems: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(RagaliqError, match=message.replace("?", r"\?")):
        ragaliq.compare(systems, **options)


def test_the_name_is_a_function_before_and_after_the_folder_is_imported() -> None:
    code = (
        "import ragaliq, sys; first = ragaliq.compare; one = first({'a': [0, 1, 1], 'b': [1, 0, 1]});"
        "import ragaliq.compare.standings; two = ragaliq.compare({'a': [0, 1, 1], 'b': [1, 0, 1]});"
        "print(str(one) == str(two), ragaliq.compare.standings.ALL)"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "True all\n"
    )


def test_lists_of_unlike_lengths_are_refused() -> None:
    with pytest.raises(RagaliqError, match=r"lists of unlike lengths \(a: 3, б: 2\); write None for what is missing"):
        ragaliq.compare({"a": [1, 0, 1], "б": [1, 0]})
