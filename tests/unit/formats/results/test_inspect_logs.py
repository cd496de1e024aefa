"""Logs of inspect_ai: real ones, made by `studies/other_tools/inspect/make_logs.py`, and made ones that are broken."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from ragaliq.errors import InputError
from ragaliq.formats.reading import members
from ragaliq.formats.results.inspect_logs import is_inspect_log, read_inspect_log
from ragaliq.formats.results.reading import read_results
from ragaliq.formats.results.rows import ResultColumns, ResultFile, Scale
from ragaliq.storage.files import Row, read_json

LOGS = Path(__file__).resolve().parents[4] / "studies" / "other_tools" / "inspect"
# What inspect itself reads from its logs.
EXPECTED = read_json(LOGS / "expected.json")
METRICS = ["match", "length_ratio", "parts/exact", "parts/nonempty"]


def read(path: Path) -> ResultFile:
    file = read_results(path, ResultColumns())
    assert file is not None
    return file


@pytest.mark.parametrize("name", ["first.eval", "first.json", "second.eval", "crashed.eval"])
def test_each_sample_of_a_real_log_has_inspects_values(name: str) -> None:
    file, theirs = read(LOGS / name), EXPECTED[name.partition(".")[0]]["samples"]
    ours = {f"{row.item} {row.draw}": row for row in file.rows}
    # 15 samples in two epochs; the run that stopped lacks most of them, and they are there without a value.
    assert len(ours) == len(file.rows) == 30
    assert theirs.keys() <= ours.keys()
    assert list(file.scales) == METRICS
    for key, row in ours.items():
        values = theirs.get(key, {"values": {}})["values"]
        assert dict(row.values) == {**dict.fromkeys(METRICS), **values}
        assert bool(row.error) == (None in row.values.values())
    assert file.tool == "inspect_ai 0.3.285"
    assert file.data == "facts"


@pytest.mark.parametrize("name", ["first", "second"])
def test_the_mean_over_items_is_the_accuracy_that_inspect_reports(name: str) -> None:
    file, metrics = read(LOGS / f"{name}.eval"), EXPECTED[name]["metrics"]
    pairs = [("match", "match/accuracy"), ("length_ratio", "length_ratio/mean"), ("parts/exact", "exact/mean")]
    for ours, theirs in pairs:
        values = defaultdict(list)
        for row in file.rows:
            if (value := row.values[ours]) is not None:
                values[row.item].append(value)
        assert len(values) == metrics[theirs]["n"]
        assert fmean(fmean(draws) for draws in values.values()) == pytest.approx(metrics[theirs]["value"], rel=1e-12)


def test_a_real_log_says_language_question_time_and_why_a_value_is_missing() -> None:
    file = read(LOGS / "first.eval")
    rows = {(row.item, row.draw): row for row in file.rows}
    assert {row.lang for row in file.rows} == {"en", "de", "fr", "es", "ru", "zh"}
    assert rows["de-4", 1].error == "RuntimeError('the search index is gone')"
    assert rows["es-8", 2].error == "grader_failed"
    assert rows["es-8", 2].values["match"] == 1.0
    chinese = rows["zh-13", 1]
    assert (chinese.question, chinese.system, chinese.lang) == ("法国的首都是哪里?", "mockllm/first", "zh")
    assert chinese.fields == {"lang": "zh", "number": "13"}
    assert all(row.seconds is not None and row.seconds > 0 for row in file.rows)
    # Letters and truth values have a range; of numbers it is not known.
    assert [file.scales[name] for name in METRICS] == [Scale(0, 1), Scale(), Scale(0, 1), Scale()]


def test_a_run_that_stopped_counts_what_it_lacks() -> None:
    file = read(LOGS / "crashed.eval")
    assert file.notes == (
        f"{LOGS / 'crashed.eval'}: the run ended with status error; samples that it lacks have no value",
    )
    lacking = [row for row in file.rows if row.error == "not run (error)"]
    # en-0, en-1, en-2, de-3 have a second epoch to come, as de-4 and de-5, which broke off; nine have none at all.
    assert len(lacking) == 6 + 9 * 2
    assert sum(row.values["match"] is not None for row in file.rows) == 4


def log(samples: Any, **more: Any) -> Row:
    """A log of two samples a and b, in one epoch unless `more` says otherwise."""
    spec = {"task": "facts", "model": "m", "dataset": {"samples": 2, "sample_ids": ["a", "b"]}, "config": {}}
    return {"status": "success", "eval": {**spec, **more}, "samples": samples}


def scored(name: str, value: Any, **more: Any) -> Row:
    return {"id": name, "epoch": 1, "scores": {"s": {"value": value, **more}}, "metadata": {"language": "ru"}}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("C", 1.0), ("P", 0.5), ("I", 0.0), ("N", 0.0), (True, 1.0), (False, 0.0), (3, 3.0), (0.25, 0.25), (-1, -1.0),
        ("yes", 1.0), ("False", 0.0), ("0.5", 0.5), ("c", None), ("good", None), ("nan", None), (None, None),
        (10**400, None),
    ],
)  # fmt: skip
def test_values_are_taken_as_inspect_takes_them(value: Any, expected: float | None) -> None:
    file = read_inspect_log(log([scored("a", value), scored("b", "C")]), Path("l.json"))
    row = file.rows[0]
    assert (row.values, row.lang, file.n_expected) == ({"s": expected}, "ru", 2)
    assert bool(row.error) == (expected is None)


def test_dictionaries_and_lists_are_several_metrics() -> None:
    file = read_inspect_log(log([scored("a", {"x": "C", "y": 2}), scored("b", [1, "I"])]), Path("l.json"))
    assert file.rows[0].values == {"s/x": 1.0, "s/y": 2.0, "s/1": None, "s/2": None}
    assert file.rows[1].values == {"s/x": None, "s/y": None, "s/1": 1.0, "s/2": 0.0}
    assert file.rows[0].error == "not scored"


def test_nan_in_a_json_log_is_a_sample_without_a_score(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text(json.dumps(log([scored("a", float("nan"), reason="refusal"), scored("b", 1)])))
    rows = read(path).rows
    assert [(row.values["s"], row.error) for row in rows] == [(None, "refusal"), (1.0, "")]


def test_errors_invalidations_and_samples_that_are_not_there_have_no_value() -> None:
    broken = {"id": "a", "epoch": 1, "error": {"message": "Boom\nat line 3"}, "scores": None}
    invalid = {**scored("b", "C"), "invalidation": {"author": "x", "reason": "wrong reference"}}
    file = read_inspect_log(log([broken, invalid]), Path("l.json"))
    assert [(row.values, row.error) for row in file.rows] == [
        ({"s": None}, "Boom"),
        ({"s": None}, "invalidated: wrong reference"),
    ]
    alone = read_inspect_log(log([scored("a", "C")], config={"epochs": 2}), Path("l.json"))
    assert [(row.item, row.draw, row.values["s"], row.lang) for row in alone.rows] == [
        ("a", 1, 1.0, "ru"), ("a", 2, None, "ru"), ("b", 1, None, "ru"), ("b", 2, None, "ru"),
    ]  # fmt: skip


def test_what_is_taken_for_something_is_noted() -> None:
    late = {**scored("b", "C"), "error": {"message": "late"}}
    file = read_inspect_log(log([scored("a", "N"), late]), Path("l.json"))
    assert file.notes == (
        "l.json: scores 'N' (no answer), which inspect counts as 0: 1",
        "l.json: samples that ended with an error and were scored all the same: 1",
    )
    assert file.rows[1].values == {"s": 1.0}


def test_main_scorer_judge_range_and_cost_come_from_the_header() -> None:
    sample = scored("a", 4)
    sample["scores"]["main"] = {"value": 0.5}
    sample["model_usage"] = {"m": {"total_cost": 0.25}, "other": {"total_cost": 9}}
    scorers = [{"name": "s", "metadata": {"low": 0, "high": 5}}, {"name": "main", "options": {"model": "judge/a"}}]
    value = log([sample], scorers=scorers, model_roles={"grader": {"model": "judge/b"}}, task_args={"lang": "fr"})
    value["results"] = {"headline": {"scorer": "main"}}
    sample["metadata"] = {}
    file = read_inspect_log(value, Path("l.json"))
    assert list(file.scales.items()) == [("main", Scale()), ("s", Scale(0, 5))]
    assert (file.judge, file.rows[0].cost, file.rows[0].lang) == ("judge/b + judge/a", 0.25, "fr")


BROKEN = [
    (log(None, dataset={}), "holds no sample"),
    (log([1]), "sample 1: a sample with an 'id' is expected"),
    (log([{"id": None}]), "a sample with an 'id' is expected"),
    (log({"a": 1}), "'samples' is not a list"),
    (log([{"id": "a", "scores": [1]}]), "'scores' is not an object"),
    (log([{"id": "a", "scores": {"s": "C"}}]), "the score 's' is not an object"),
    (log([], model=None), "names no 'model'"),
]


@pytest.mark.parametrize(("value", "message"), BROKEN)
def test_a_broken_log_is_refused_in_one_line(value: Row, message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        read_inspect_log(value, Path("l.json"))
    assert "l.json" in str(error.value)
    assert "\n" not in str(error.value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["id", "epoch", "value"]), inner),
    max_leaves=8,
)
SAMPLE_KEYS = ["id", "epoch", "scores", "metadata", "error", "invalidation", "input", "model_usage", "working_time"]


@given(st.dictionaries(st.sampled_from(SAMPLE_KEYS), JSON), st.dictionaries(st.sampled_from(["s", "t"]), JSON))
def test_any_sample_is_read_or_refused(sample: Row, scores: Row) -> None:
    for one in (sample, {**sample, "id": "a", "scores": scores}):
        try:
            rows = read_inspect_log(log([one]), Path("l.json")).rows
        except InputError:
            continue
        assert {"a", "b"} <= {row.item for row in rows}


@given(st.dictionaries(st.sampled_from(["task", "model", "dataset", "config", "scorers", "packages"]), JSON), JSON)
def test_any_header_is_read_or_refused(spec: Row, results: Any) -> None:
    value = {"eval": {"task": "t", "model": "m", **spec}, "results": results, "samples": [scored("a", 1)]}
    assert is_inspect_log(value)
    try:
        rows = read_inspect_log(value, Path("l.json")).rows
    except InputError:
        return
    assert rows[0].values == {"s": 1.0}


def packed(path: Path, contents: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            archive.writestr(name, data)
    return path


def test_older_archives_and_runs_that_were_killed_are_read(tmp_path: Path) -> None:
    start = json.dumps({"version": 2, "eval": log(None)["eval"]}).encode()
    sample = json.dumps(scored("a", "C")).encode()
    path = packed(tmp_path / "x.eval", {"_journal/start.json": start, "samples/a_epoch_1.json": sample})
    file = read(path)
    assert [(row.item, row.values["s"], row.error) for row in file.rows] == [
        ("a", 1.0, ""),
        ("b", None, "not run (started)"),
    ]


def test_of_two_members_with_one_name_the_last_counts(tmp_path: Path) -> None:
    header = json.dumps(log(None)).encode()
    path = packed(tmp_path / "x.eval", {"header.json": header})
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning):
        for value in ("I", "C"):
            archive.writestr("samples/a_epoch_1.json", json.dumps(scored("a", value)))
    assert read(path).rows[0].values == {"s": 1.0}


def test_archives_that_are_none_or_not_safe_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.eval"
    path.write_bytes(b"no archive")
    with pytest.raises(InputError, match="not a zip archive that can be read"):
        read(path)
    with pytest.raises(InputError, match=r"x\.eval: has neither header\.json nor"):
        read(packed(path, {"other.json": b"{}"}))
    with pytest.raises(InputError, match="its header is not that of a log"):
        read(packed(path, {"header.json": b"[]"}))
    with pytest.raises(InputError, match=r"header\.json: not valid JSON"):
        read(packed(path, {"header.json": b"{"}))
    with pytest.raises(InputError, match="JSON nested too deeply"):
        read(packed(path, {"header.json": b"[" * 200_000}))
    with pytest.raises(InputError, match="grows more than 200 times"):
        read(packed(path, {"header.json": b" " * 3_000_000}))
    monkeypatch.setattr(members, "MAX_MEMBER", 10)
    with pytest.raises(InputError, match=r"x\.eval/header\.json: larger than"):
        read(packed(path, {"header.json": b"{}" + b" " * 20}))


def test_a_damaged_member_is_refused(tmp_path: Path) -> None:
    data = bytearray((LOGS / "first.eval").read_bytes())
    with zipfile.ZipFile(LOGS / "first.eval") as archive:
        info = archive.getinfo("header.json")
    assert info.compress_type == 93
    for place in (40, info.compress_size // 2, info.compress_size - 2):
        broken = bytearray(data)
        broken[info.header_offset + 30 + len("header.json") + place] ^= 0xFF
        path = tmp_path / "broken.eval"
        path.write_bytes(broken)
        with pytest.raises(InputError, match="damaged"):
            read(path)


def test_a_member_in_several_frames_is_read_whole(tmp_path: Path) -> None:
    # Large samples are written as one frame after another.
    text = json.dumps(log([])).encode()
    frames = b"".join(zstandard.compress(part) for part in (text[:50], text[50:]))
    path = packed(tmp_path / "x.eval", {"samples/a.json": json.dumps(scored("a", 1)).encode()})
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(zipfile.ZipInfo("header.json"), frames)
    raw = bytearray(path.read_bytes())
    local, central = raw.index(b"header.json"), raw.rindex(b"header.json")
    for method, size in ((local - 22, local - 8), (central - 36, central - 22)):
        raw[method : method + 2] = (93).to_bytes(2, "little")
        raw[size : size + 4] = len(text).to_bytes(4, "little")
        # The checksum stands eight bytes before the size.
        raw[size - 8 : size - 4] = zlib.crc32(text).to_bytes(4, "little")
    path.write_bytes(raw)
    assert [row.item for row in read(path).rows] == ["a", "b"]
