"""Sources of a comparison: what is read of each kind, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from graded_runs import write_graded_run
from ragaliq.aggregate.grades.query_grades import QueryKey
from ragaliq.compare.sources import opened
from ragaliq.compare.sources.read import read_sources
from ragaliq.compare.sources.settings import Group, ReadSettings
from ragaliq.compare.sources.tables import source_tables
from ragaliq.errors import ConfigError, InputError
from ragaliq.formats.results.rows import ResultFile, ResultRow, Scale
from ragaliq.storage.files import write_jsonl


def rows(system: str, values: list[float | None], lang: str = "de", metric: str = "acc") -> list[ResultRow]:
    return [
        ResultRow(f"log:{n}", f"q{n}", {metric: value}, system, lang, "" if value is not None else "timeout",
                  f"Frage {n}?", fields={"doc": f"d{n % 2}"})
        for n, value in enumerate(values)
    ]  # fmt: skip


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, ResultFile]:
    """Results of another tool, by the name of their file."""
    files: dict[str, ResultFile] = {}
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(opened, "read_results", lambda path, columns: files.get(path.name))
    return files


def add(
    log: dict[str, ResultFile], name: str, *results: ResultRow, scale: Scale | None = None, judge: str = ""
) -> Path:
    log[name] = ResultFile("tool 2", results, {"acc": scale or Scale(0, 1), "cost": Scale()}, judge)
    Path(name).touch()
    return Path(name)


def test_a_file_with_several_systems_is_several_systems(log: dict[str, ResultFile]) -> None:
    path = add(log, "a.log", *rows("m1", [1, 0, None]), *rows("m2", [1, 1, 1]), *rows("m1", [0, 0, 0], "zh"))
    sources = read_sources([path], ReadSettings())
    assert [list(system) for system in sources.systems] == [["de", "zh"], ["de"]]
    own = sources.systems[0]["de"]
    assert own.values == {QueryKey("q0"): 1, QueryKey("q1"): 0, QueryKey("q2"): None}
    assert (own.failures, own.n_valued, sources.metric.name) == ({"timeout": 1}, 2, "acc")
    assert sources.notes == ("a.log (tool 2): 'acc' is compared; --metric takes cost too",)
    named = read_sources([path], ReadSettings(baseline="m2"))
    assert [next(iter(system.values())).name for system in named.systems] == ["m2", "m1"]
    with pytest.raises(ConfigError, match="no system 'm3'; known: m1, m2"):
        read_sources([path], ReadSettings(baseline="m3"))


def test_several_answers_to_an_item_count_as_their_mean(log: dict[str, ResultFile]) -> None:
    path = add(log, "a.log", *rows("m", [1, 0, None]), *rows("m", [0, 0, None]), *rows("m", [1, None, None]))
    sources = read_sources([path], ReadSettings())
    assert list(sources.systems[0]["de"].values.values()) == [pytest.approx(2 / 3), 0, None]
    assert "a.log (tool 2): 3 of 3 items have several answers (up to 3), which count as their mean" in sources.notes
    assert "a.log (tool 2): 4 of 9 answers have no value; an item counts with its other answers" in sources.notes


def test_a_range_that_nobody_names_is_that_of_the_values(log: dict[str, ResultFile]) -> None:
    path = add(log, "a.log", *rows("m", [3, 8]), scale=Scale())
    metric = read_sources([path], ReadSettings()).metric
    assert (metric.least, metric.greatest, metric.known) == (3, 8, False)
    add(log, "a.log", *rows("m", [3, 8]), scale=Scale(0, 5))
    with pytest.raises(InputError, match="log:1: 'acc' is 8, outside of 0 to 5; fix it, or give --range"):
        read_sources([path], ReadSettings())
    other = add(log, "b.log", *rows("n", [3]), scale=Scale(0, 9))
    with pytest.raises(InputError, match=r"another range in another file \(5, 9\)"):
        read_sources([path, other], ReadSettings())


def test_a_path_counts_once_and_no_language_is_called_all(log: dict[str, ResultFile]) -> None:
    path = add(log, "a.log", *rows("m", [1, 0]))
    again = Path(".") / ".." / Path.cwd().name / path
    with pytest.raises(InputError, match=r"a\.log: named twice; name each run or file once"):
        read_sources([path, again], ReadSettings())
    add(log, "a.log", *rows("m", [1, 0], lang="all"))
    with pytest.raises(InputError, match="a language is called 'all'"):
        read_sources([path], ReadSettings())


def test_grades_beside_a_tools_values_keep_their_range(log: dict[str, ResultFile]) -> None:
    write_graded_run(Path("run"), {"ru": [5, 4]})
    graded = tuple(rows("m", [2, 4], metric="grade"))
    path = add(log, "a.log", *graded)
    log["a.log"] = ResultFile("tool 2", graded, {"grade": Scale(2, 4)})
    metric = read_sources([Path("run"), path], ReadSettings("grade")).metric
    assert (metric.least, metric.greatest, metric.known) == (0, 5, True)
    log["a.log"] = ResultFile("tool 2", tuple(rows("m", [7], metric="grade")), {"grade": Scale()})
    with pytest.raises(InputError, match="log:0: 'grade' is 7, outside of 0 to 5"):
        read_sources([Path("run"), path], ReadSettings("grade"))


def test_one_metric_and_one_judge(log: dict[str, ResultFile]) -> None:
    write_graded_run(Path("run"), {"ru": [5, 4]})
    path = add(log, "a.log", *rows("m", [1, 1]), judge="gpt")
    with pytest.raises(InputError, match=r"run holds grades and a\.log no 'mean_weight' \(known: acc, cost\)"):
        read_sources([Path("run"), path], ReadSettings())
    with pytest.raises(InputError, match=r"a.log: no metric 'f1'; known: acc, cost"):
        read_sources([path], ReadSettings(metric="f1"))
    other = add(log, "b.log", *rows("n", [1, 1]), judge="claude")
    with pytest.raises(InputError, match=r"different judges \(m: gpt, n: claude\)"):
        read_sources([path, other], ReadSettings())
    mixed = read_sources([path, other], ReadSettings(mixed=True))
    assert not mixed.ranked and mixed.warnings == ("de: graded by different judges (m: gpt, n: claude)",)


def test_rows_of_several_runs_in_a_graded_file_are_several_systems(tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    write_jsonl(path, [{"query_id": f"q{n}", "lang": "es", "run": run, "grade": n} for run in "xy" for n in range(4)])
    sources = read_sources([path], ReadSettings())
    assert [own["es"].name for own in sources.systems] == ["x", "y"]
    assert [own["es"].n_valued for own in sources.systems] == [4, 4]


def test_scores_of_0_and_1_alone_are_right_and_wrong(tmp_path: Path) -> None:
    """Of the rubric, 1 is wrong and 0 an abstention, which weighs more."""
    scores, grades = tmp_path / "scores.jsonl", tmp_path / "grades.jsonl"
    write_jsonl(scores, [{"query_id": f"q{n}", "score": n % 2} for n in range(4)])
    write_jsonl(grades, [{"query_id": f"q{n}", "grade": n % 2} for n in range(4)])
    sources = read_sources([scores], ReadSettings())
    assert (sources.metric.name, list(sources.systems[0][""].values.values())) == ("score", [0, 1, 0, 1])
    assert "score: range 0..1, as all values lie in it; --range names another" in sources.notes[1]
    sources = read_sources([grades], ReadSettings())
    assert (sources.metric.name, list(sources.systems[0][""].values.values())) == ("mean_weight", [0.4, 0, 0.4, 0])


def test_a_wrong_grade_is_no_value_of_another_tool(log: dict[str, ResultFile]) -> None:
    write_jsonl(Path("a.jsonl"), [{"query_id": "q", "grade": 7}])
    log["a.jsonl"] = ResultFile("table", tuple(rows("m", [1])), {"acc": Scale(0, 1)})
    with pytest.raises(InputError, match=r"a.jsonl:1: 'grade' must be a whole number from 0 to 5 or null, not 7"):
        read_sources([Path("a.jsonl")], ReadSettings())


def test_runs_of_a_group_count_as_their_mean(tmp_path: Path) -> None:
    # Weights: 5 is 1, 3 is .6, 1 is 0; q03 has no grade in either run of the group.
    for name, grades in (("a", [5, 5, 5]), ("b1", [5, 1, None]), ("b2", [3, None, None])):
        write_graded_run(tmp_path / name, {"fr": grades})
    paths = [tmp_path / name for name in ("b1", "a", "b2")]
    groups = (Group("B", (str(paths[0]), str(paths[2]))),)
    sources = read_sources(paths, ReadSettings(groups=groups))
    assert [own["fr"].name for own in sources.systems] == ["B", "a"]
    pooled = sources.systems[0]["fr"]
    assert list(pooled.values.values()) == [pytest.approx(0.8), 0.0, None]
    assert (pooled.failures, pooled.n_expected) == ({"unparseable": 1}, 3)
    named = read_sources([tmp_path / "a", Path("B")], ReadSettings(groups=groups))
    assert [own["fr"].name for own in named.systems] == ["a", "B"]
    with pytest.raises(ConfigError, match="--group B: no run or system 'c'"):
        read_sources(paths, ReadSettings(groups=(Group("B", ("c",)),)))
    with pytest.raises(ConfigError, match="in two groups, or twice in one"):
        read_sources(paths, ReadSettings(groups=(*groups, Group("C", (str(paths[0]),)))))


def test_clusters_of_a_field(log: dict[str, ResultFile]) -> None:
    path = add(log, "a.log", *rows("m1", [1, 0, 1, 0]), *rows("m2", [1, 1, 1, 1]))
    (table,) = source_tables(read_sources([path], ReadSettings(cluster="doc"))).families[0]
    assert table.clusters == ["q0", "q1", "q0", "q1"] and table.n_clusters == 2
    with pytest.raises(InputError, match="--cluster page: no such field; known: doc"):
        read_sources([path], ReadSettings(cluster="page"))
    write_jsonl(Path("g.jsonl"), [{"query_id": f"q{n}", "grade": 5, "page": n // 3} for n in range(5)])
    (own,) = read_sources([Path("g.jsonl")], ReadSettings(cluster="page")).systems
    assert list(own[""].clusters.values()) == ["q0", "q0", "q0", "q3", "q3"]
    with pytest.raises(InputError, match="--cluster gold is for run folders"):
        read_sources([Path("g.jsonl")], ReadSettings(cluster="gold"))


def test_a_table_of_several_systems_keeps_all_rows(tmp_path: Path) -> None:
    """Its columns are those of grades as well; read as grades of one system, two of three rows would be lost."""
    path = tmp_path / "scores.csv"
    lines = [f"{query},{system},{score}" for system, scores in (("a", "545"), ("б", "102")) for query, score in
             enumerate(scores, start=1)]  # fmt: skip
    path.write_text("\n".join(["query_id,system,score", *lines]), encoding="utf-8")
    systems = read_sources([path], ReadSettings()).systems
    assert {own[""].name: list(own[""].values.values()) for own in systems} == {"a": [5, 4, 5], "б": [1, 0, 2]}
