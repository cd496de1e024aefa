"""The certificate of a judge: written, read, cited, never of two judges."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragaliq.aggregate.grades.graded import load_graded
from ragaliq.compare.agreement.certificate import FORMAT, certify, cite, read_certificates
from ragaliq.compare.agreement.labels import LabelComparison, compare_with_labels
from ragaliq.errors import InputError
from ragaliq.report.markdown.certificate import write_certificate
from ragaliq.storage.files import write_json, write_jsonl

VERDICTS = [5, 4, 3, 2, 1, 0, 5, 5, 4, 5]
LABELS = [5, 5, 3, 1, 1, 0, 5, 4, 4, 5]


def grades(path: Path, values: list[int], n: int, langs: tuple[str, ...] = ("en",), **more: Any) -> Path:
    write_jsonl(path, [{"query_id": f"q{i}", "lang": lang, "grade": values[i % len(values)], **more}
                       for lang in langs for i in range(n)])  # fmt: skip
    return path


def compared(folder: Path, n: int = 40, judge: str = "qwen", prompt: str = "h1", **labels: Any) -> LabelComparison:
    folder.mkdir(parents=True, exist_ok=True)
    verdicts = grades(folder / "v.jsonl", VERDICTS, n + 60, ("en", "zh"), judge=judge, prompt_hash=prompt)
    own = grades(folder / "l.jsonl", LABELS, n, ("en",), **labels)
    rows = own.read_text() + grades(folder / "z.jsonl", LABELS, 12, ("zh",), **labels).read_text()
    own.write_text(rows)
    return compare_with_labels(load_graded(verdicts), load_graded(own))


def write(folder: Path, found: LabelComparison, note: str = "") -> Path:
    write_certificate(folder, certify(folder, found, note))
    return folder


def test_a_certificate_holds_the_comparison_and_names_no_path(tmp_path: Path) -> None:
    found = compared(tmp_path / "in")
    folder = write(tmp_path / "certificates" / "qwen", found, "Labelled by two librarians.")
    content = json.loads((folder / "certificate.json").read_text())
    assert (content["format"], content["judge"], content["prompt_hash"]) == (FORMAT, "qwen", "h1")
    assert (content["labels"]["source"], content["labels"]["n"], content["labels"]["raters"]) == ("l.jsonl", 52, 0)
    assert content["agreement"] == json.loads(json.dumps(found.figures))
    assert content["ppi"] == content["agreement"]["ppi"] and content["ppi"]["n_labelled"] == 52
    assert content["note"] == "Labelled by two librarians."
    for name in ("certificate.json", "certificate.md"):
        text = (folder / name).read_text()
        assert str(tmp_path) not in text and "/in" not in text


def test_the_text_says_what_a_stranger_needs(tmp_path: Path) -> None:
    folder = write(tmp_path / "c", compared(tmp_path / "in"), "Labelled by two librarians.")
    text = (folder / "certificate.md").read_text()
    assert text.startswith("# Certificate of the judge qwen\n\nPrompt `h1`. QWK .9")
    assert "52 items of 40 queries, 148 left out" in text and "with 52 labels." in text
    for head in (
        "Figures",
        "Languages",
        "Verdicts (rows) and labels (columns)",
        "Weak spots",
        "Mean weight w̄",
        "Sources",
    ):
        assert f"\n## {head}\n" in text
    assert "- zh: 12 items, fewer than 30" in text
    assert "- 5 labels of grade 0: how refusals are graded is hardly known" in text
    assert "Labelled by two librarians." in text and text.count("sha256 `") == 2


def test_the_same_input_makes_the_same_bytes(tmp_path: Path) -> None:
    one = write(tmp_path / "one", compared(tmp_path / "a"))
    other = write(tmp_path / "other", compared(tmp_path / "b"))
    for name in ("certificate.json", "certificate.md"):
        assert (one / name).read_bytes() == (other / name).read_bytes()


def test_a_certificate_of_another_judge_or_prompt_is_not_overwritten(tmp_path: Path) -> None:
    folder = write(tmp_path / "c", compared(tmp_path / "in"))
    before = (folder / "certificate.json").read_bytes()
    for judge, prompt in (("gemini", "h1"), ("qwen", "h2")):
        with pytest.raises(InputError, match=r"certificate\.json: is of another judge \(qwen h1\); give"):
            write(folder, compared(tmp_path / judge, judge=judge, prompt=prompt))
    assert (folder / "certificate.json").read_bytes() == before
    write(folder, compared(tmp_path / "more", n=50))
    assert read_certificates(tmp_path)[0].n == 62


def content_with(qwk: Any, interval: Any, **labels: Any) -> dict[str, Any]:
    figures = {"qwk": qwk, "ci": {"qwk": interval}}
    return {"format": FORMAT, "judge": "a", "prompt_hash": "b", "labels": {"n": 3, **labels}, "agreement": figures}


def test_what_is_no_certificate_is_refused_and_kept(tmp_path: Path) -> None:
    cases: list[Any] = [
        {}, [], "x", {"format": "x"}, {"format": FORMAT, "judge": "a", "prompt_hash": "b"},
        content_with("high", None), content_with(0.5, [0.1]), content_with(0.5, ["a", "b"]), content_with(None, 3),
        content_with(0.5, None, raters="2"), content_with(0.5, None, judges=[1]), content_with(0.5, None, judges="ab"),
    ]  # fmt: skip
    path, found = tmp_path / "c" / "certificate.json", compared(tmp_path / "in")
    for content in cases:
        write_json(path, content)
        with pytest.raises(InputError, match=r"c/certificate\.json: "):
            read_certificates(tmp_path)
        with pytest.raises(InputError, match=r"c/certificate\.json: "):
            write(tmp_path / "c", found)
        assert json.loads(path.read_text()) == content


def test_a_certificate_is_of_one_judge(tmp_path: Path) -> None:
    unnamed = grades(tmp_path / "v.jsonl", VERDICTS, 20)
    labels = grades(tmp_path / "l.jsonl", LABELS, 20)
    with pytest.raises(InputError, match="a certificate is of one judge, here is none"):
        write(tmp_path / "c", compare_with_labels(load_graded(unnamed), load_graded(labels)))
    rows = [{"query_id": f"q{i}", "lang": "en", "grade": 3, "judge": "ab"[i % 2], "prompt_hash": "h"} for i in range(9)]
    write_jsonl(tmp_path / "m.jsonl", rows)
    with pytest.raises(InputError, match="here are a h, b h; choose one, as in --judge 'a h'"):
        write(tmp_path / "c", compare_with_labels(load_graded(tmp_path / "m.jsonl"), load_graded(labels)))
    assert not (tmp_path / "c").exists()


def test_certificates_are_found_in_a_folder_and_one_below_and_cited_by_the_most_labels(tmp_path: Path) -> None:
    folder = tmp_path / "certificates"
    assert read_certificates(folder) == ()
    write(folder / "qwen", compared(tmp_path / "a", n=70))
    write(folder / "qwen-few", compared(tmp_path / "b", n=30))
    write(folder, compared(tmp_path / "c", judge="gemini", rater="ana"))
    write(folder / "far" / "away", compared(tmp_path / "d", n=99))
    found = read_certificates(folder)
    assert [(one.judge, one.name, one.n) for one in found] == [
        ("gemini", "certificates", 52), ("qwen", "certificates/qwen", 82), ("qwen", "certificates/qwen-few", 42),
    ]  # fmt: skip
    line = cite(found, "qwen", "h1")
    assert line.startswith("QWK .9") and line.endswith("] with 82 labels (certificates/qwen)")
    assert cite(found, "qwen", "h2") == "" and cite((), "qwen", "h1") == ""


@pytest.mark.parametrize(("n", "other", "told"), [
    (12, {"judge": "qwen", "prompt_hash": "h1"}, r"l\.jsonl: no certificate, both sides hold grades by the same judge"),
    (9, {}, r"l\.jsonl: no certificate, 9 labelled items are fewer than 10; label more .*, 60 or better"),
])  # fmt: skip
def test_no_certificate_of_next_to_nothing(tmp_path: Path, n: int, other: dict[str, Any], told: str) -> None:
    verdicts = load_graded(grades(tmp_path / "v.jsonl", VERDICTS, 40, judge="qwen", prompt_hash="h1"))
    labels = load_graded(grades(tmp_path / "l.jsonl", LABELS, n, **other))
    with pytest.raises(InputError, match=told):
        write(tmp_path / "c", compare_with_labels(verdicts, labels))
    with pytest.raises(InputError, match=r"v\.jsonl: no certificate, VERDICTS and LABELS are the same file"):
        write(tmp_path / "c", compare_with_labels(verdicts, verdicts))
    assert not (tmp_path / "c").exists()
    enough = load_graded(grades(tmp_path / "l.jsonl", LABELS, 10, judge="gemini"))
    write(tmp_path / "c", compare_with_labels(verdicts, enough))
    assert read_certificates(tmp_path)[0].n == 10


def test_labels_are_called_human_where_people_are_named(tmp_path: Path) -> None:
    folder = write(tmp_path / "c", compared(tmp_path / "in", judge="offline", rater="ana"))
    assert "with 52 human labels" in cite(read_certificates(folder), "offline", "h1")
    # A log whose judge is not known looks just like labels of people who gave no name.
    folder = write(tmp_path / "d", compared(tmp_path / "in", judge="offline"))
    assert "with 52 labels" in cite(read_certificates(folder), "offline", "h1")
    half = compared(tmp_path / "in", judge="offline", rater="ana")
    unnamed = (tmp_path / "in" / "l.jsonl").read_text().replace(', "rater": "ana"', "", 1)
    (tmp_path / "in" / "l.jsonl").write_text(unnamed)
    half = compare_with_labels(half.verdicts, load_graded(tmp_path / "in" / "l.jsonl"))
    folder = write(tmp_path / "half", half)
    assert half.figures["labels"]["n_unnamed"] == 1
    assert "with 52 labels" in cite(read_certificates(folder), "offline", "h1")
    labels = tmp_path / "in" / "l.jsonl"
    rows = [{**json.loads(line), "judge": "gemini", "prompt_hash": "g"} for line in labels.read_text().splitlines()]
    write_jsonl(labels, rows)
    by_judge = compare_with_labels(load_graded(tmp_path / "in" / "v.jsonl"), load_graded(labels))
    folder = write(tmp_path / "e", by_judge)
    assert cite(read_certificates(folder), "offline", "h1").endswith("with 52 grades by gemini (e)")


def test_a_certificate_with_what_the_form_asks_for_is_enough_to_be_cited(tmp_path: Path) -> None:
    write_json(tmp_path / "x" / "certificate-a.json", content_with(0.8449, [0.8, 1]))
    line = cite(read_certificates(tmp_path), "a", "b")
    assert line == f"QWK .84 [.80, 1.00] with 3 labels ({tmp_path.name}/x)"


def test_undefined_figures_are_cited_as_such(tmp_path: Path) -> None:
    verdicts = grades(tmp_path / "v.jsonl", [4], 12, judge="j", prompt_hash="h")
    same = compare_with_labels(load_graded(verdicts), load_graded(grades(tmp_path / "l.jsonl", [4], 12)))
    folder = write(tmp_path / "c", same)
    assert cite(read_certificates(folder), "j", "h") == "QWK undefined with 12 labels (c)"
    assert json.loads((folder / "certificate.json").read_text())["agreement"]["qwk"] is None
