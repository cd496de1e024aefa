"""Judgements: columns from both ends, whole numbers, no csv, nothing twice."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragaliq.errors import InputError
from ragaliq.formats.trec.qrels import (
    has_nuggets,
    read_nugget_qrels,
    read_qrels,
    sum_nuggets,
    write_beir_qrels,
    write_nugget_qrels,
    write_qrels,
)

INNER = st.characters(exclude_categories=["Cs"], exclude_characters="\n")
SOLID = st.text(st.characters(exclude_categories=["Cs", "Z", "Cc"]), min_size=1, max_size=6)
WORDS = SOLID.filter(lambda text: text[0] not in "#\ufeff")
DOC_IDS = st.builds("{}{}{}".format, SOLID, st.text(INNER, max_size=6), SOLID) | SOLID
CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\t\r\n"), min_size=1, max_size=8)
GRADES = st.integers(-3, 10**12)
JUDGED = st.dictionaries(DOC_IDS, GRADES, min_size=1, max_size=4)


def write(folder: Path, text: str) -> Path:
    path = folder / "qrels.txt"
    path.write_bytes(text.encode())
    return path


@settings(max_examples=20, deadline=None)
@given(st.dictionaries(WORDS, JUDGED, max_size=4))
def test_b2_judgements_survive_trec_columns(qrels: dict[str, dict[str, int]]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "qrels"
        write_qrels(path, qrels)
        assert read_qrels(path) == qrels
        assert list(read_qrels(path)) == sorted(qrels)
        assert not has_nuggets(path)


@settings(max_examples=20, deadline=None)
@given(st.dictionaries(CELLS, st.dictionaries(CELLS, GRADES, min_size=1, max_size=4), max_size=4))
def test_b2_judgements_survive_the_beir_table(qrels: dict[str, dict[str, int]]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "test.tsv"
        write_beir_qrels(path, qrels)
        assert read_qrels(path) == qrels


@settings(max_examples=20, deadline=None)
@given(
    st.dictionaries(WORDS, st.dictionaries(WORDS, JUDGED, min_size=1, max_size=3), max_size=3),
)
def test_nuggets_survive_the_file(nuggets: dict[str, dict[str, dict[str, int]]]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "qrels"
        write_nugget_qrels(path, nuggets)
        assert read_nugget_qrels(path) == nuggets
        named = {nugget for by_nugget in nuggets.values() for nugget in by_nugget}
        assert has_nuggets(path) == bool(named - {"0", "Q0"})


def test_columns_comments_tabs_spaces_and_odd_ids(tmp_path: Path) -> None:
    text = (
        "\ufeff# judged in 2024\r\n301 0 CR#93E 0\r\n\n  301\tQ0\tdocs/my file.md 3\t 1.0 \n# more\n"
        "10020#0 0 über/文 档#2 -1\nप्रश्न 0 दस्तावेज़ +2\n"
    )
    assert read_qrels(write(tmp_path, text)) == {
        "301": {"CR#93E": 0, "docs/my file.md 3": 1},
        "10020#0": {"über/文 档#2": -1},
        "प्रश्न": {"दस्तावेज़": 2},
    }


def test_a_beir_table_is_known_by_its_header_and_is_no_csv(tmp_path: Path) -> None:
    text = 'query-id\tcorpus-id\tscore\r\n1\t"quoted\t1\n1\tquoted"\t2.0\n#3\t a b \t0\n007\t7\t1\n'
    path = write(tmp_path, text)
    assert read_qrels(path) == {"1": {'"quoted': 1, 'quoted"': 2}, "#3": {" a b ": 0}, "007": {"7": 1}}
    assert not has_nuggets(path)


def test_a_bad_judgement_is_named(tmp_path: Path) -> None:
    cases = [
        ("q1 0 d2", "four columns are expected"),
        ("q1\td2\t1", "four columns are expected"),
        ("q1 0 d2 1.5", "judgement '1.5' is not a whole number"),
        ("q1 0 d2 nan", "judgement 'nan' is not a whole number"),
        ("q1 0 d2 1_0", "judgement '1_0' is not a whole number"),
        ("q1 0 d2 １", "judgement '１' is not a whole number"),
        ("q1 0 d2 " + "9" * 5000, "judgement '999"),
        ("q1 0 d1 1", "document 'd1' is judged twice for query 'q1'; remove one"),
        ("q1 n2 d1 1", "document 'd1' is judged twice for query 'q1'; subtopic qrels"),
    ]
    for line, message in cases:
        path = write(tmp_path, f"q1 0 d1 1\n\n{line}\n")
        with pytest.raises(InputError) as caught:
            read_qrels(path)
        assert str(caught.value).startswith(f"{path}:3: {message}"), line


def test_a_bad_row_of_a_beir_table_is_named(tmp_path: Path) -> None:
    cases = [
        ("q1\td2", "three columns apart by tabs"),
        ("q1\t\t1", "three columns apart by tabs"),
        ("q1\td2\t0.5", "judgement '0.5' is not a whole number"),
        ("q1\td1\t1", "document 'd1' is judged twice"),
    ]
    for line, message in cases:
        path = write(tmp_path, f"query-id\tcorpus-id\tscore\nq1\td1\t1\n{line}\n")
        with pytest.raises(InputError) as caught:
            read_qrels(path)
        assert str(caught.value).startswith(f"{path}:3: {message}"), line


def test_a_document_is_judged_once_for_each_nugget(tmp_path: Path) -> None:
    path = write(tmp_path, "q1 q1_0 d1 1\nq1 q1_1 d1 0\nq1 q1_0 d1 1\n")
    with pytest.raises(InputError, match=r"qrels\.txt:3: document 'd1' is judged twice for nugget 'q1_0' of"):
        read_nugget_qrels(path)


def test_a_whole_query_is_judged_by_the_sum_of_its_nuggets() -> None:
    nuggets: dict[str, dict[str, dict[str, int]]] = {}
    nuggets |= {"q": {"q_0": {"a": 1, "b": 0, "c": 2}, "q_1": {"a": 1, "b": 0, "c": -1}, "q_2": {}}, "p": {"p_0": {}}}
    assert sum_nuggets(nuggets) == {"q": {"a": 1 + 1, "b": 0, "c": 2 + 0}, "p": {}}


def test_a_query_id_that_the_columns_cannot_hold_is_refused(tmp_path: Path) -> None:
    for query_id in ["", "a b", "#1", "a\u3000b", "\ufeffq", "q\n"]:
        with pytest.raises(InputError, match="cannot stand in TREC's columns"):
            write_qrels(tmp_path / "qrels", {query_id: {"d": 1}})
        with pytest.raises(InputError, match=r"nugget id .* cannot stand in TREC's columns"):
            write_nugget_qrels(tmp_path / "qrels", {"q": {query_id: {"d": 1}}})
        assert list(tmp_path.iterdir()) == [], query_id


def test_a_doc_id_that_the_columns_cannot_hold_is_refused(tmp_path: Path) -> None:
    for doc_id in ["", " d", "d ", "a\nb"]:
        with pytest.raises(InputError, match=r"doc id .* cannot stand in TREC's columns"):
            write_qrels(tmp_path / "qrels", {"q": {doc_id: 1}})


def test_ids_that_tables_cannot_hold_and_nuggets_without_rows_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="an id with a tab or a line end"):
        write_beir_qrels(tmp_path / "qrels", {"q": {"a\tb": 1}})
    with pytest.raises(InputError, match="nugget 'q_0' of query 'q' has no row"):
        write_nugget_qrels(tmp_path / "qrels", {"q": {"q_0": {}}})


@pytest.mark.shared
def test_the_judgements_of_trec_beir_and_miracl(shared_data: Path) -> None:
    """Counts as the publishers state them: SciFact 300 queries, NFCorpus 323, MIRACL de 305, yo 119."""
    folder = shared_data / "ir" / "qrels-and-topics"
    counts = {}
    for name in ("beir-v1.0.0-scifact.test.txt", "beir-v1.0.0-nfcorpus.test.txt", "miracl-v1.0-de-dev.tsv"):
        qrels = read_qrels(folder / f"qrels.{name}")
        counts[name] = (len(qrels), sum(map(len, qrels.values())))
    assert list(counts.values()) == [(300, 339), (323, 12334), (305, 3144)]
    assert read_qrels(folder / "qrels.miracl-v1.0-yo-dev.tsv")["10020#0"]["10020#1"] == 1


@pytest.mark.shared
def test_comments_are_passed_over_as_the_reference_tool_does(shared_data: Path) -> None:
    folder = shared_data / "ir" / "trec_eval"
    plain, commented = read_qrels(folder / "qrels.test"), read_qrels(folder / "qrels.test.with-comments")
    # The commented file also puts a '#' into one document number.
    plain["301"]["CR#93E-1860"] = plain["301"].pop("CR93E-1860")
    assert commented == plain


@pytest.mark.shared
def test_subtopics_of_the_web_track(shared_data: Path) -> None:
    path = shared_data / "ir" / "qrels-and-topics" / "qrels.web.201-250.ndeval.txt"
    assert has_nuggets(path)
    nuggets = read_nugget_qrels(path)
    assert sum(len(docs) for by_nugget in nuggets.values() for docs in by_nugget.values()) == 44_814
    assert len(sum_nuggets(nuggets)) == len(nuggets) == 50
    with pytest.raises(InputError, match="subtopic qrels are for measures of nuggets alone"):
        read_qrels(path)
