"""TREC runs: exact floats, doc ids as they come."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragaliq.errors import InputError
from ragaliq.formats.trec.run import ScoredDoc, read_ranked_run, read_run, read_run_lines
from unit.formats.trec.run_file import write_run

# White space at an end of a doc id, or a line feed in it, cannot be told from the format's own.
INNER = st.characters(exclude_categories=["Cs"], exclude_characters="\n")
SOLID = st.text(st.characters(exclude_categories=["Cs", "Z", "Cc"]), min_size=1, max_size=6)
DOC_IDS = st.builds("{}{}{}".format, SOLID, st.text(INNER, max_size=6), SOLID) | SOLID
SCORES = st.floats(allow_nan=False, allow_infinity=False)
RUNS = st.dictionaries(
    SOLID.filter(lambda text: not text.startswith("\ufeff")),
    st.lists(st.builds(ScoredDoc, DOC_IDS, SCORES), min_size=1, max_size=4, unique_by=lambda doc: doc.doc_id),
    max_size=4,
)


@settings(max_examples=25, deadline=None)
@given(RUNS)
def test_a_run_survives_the_file(run: dict[str, list[ScoredDoc]]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.trec"
        write_run(path, run, "tag")
        back = read_run(path)
        assert back == run
        assert list(back) == sorted(run)
        # -0.0 == 0.0, but they are written apart.
        assert [repr(doc.score) for docs in back.values() for doc in docs] == [
            repr(doc.score) for query_id in sorted(run) for doc in run[query_id]
        ]


def test_odd_ids_and_scores_come_back_exactly(tmp_path: Path) -> None:
    doc_ids = ["my file#2.md:3", "a  b", "#", "1 2 3 4", "Q0", "über/文 档", "a\u2028b", "a\rb"]
    for score in (0.1 + 0.2, 1e-300, -5e-324, 1.7976931348623157e308):
        run = {"q1": [ScoredDoc(doc_id, score) for doc_id in doc_ids]}
        write_run(tmp_path / "run.trec", run, "tag")
        assert read_run(tmp_path / "run.trec") == run


def test_the_columns() -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.trec"
        write_run(path, {"q2": [ScoredDoc("a", 1.5), ScoredDoc("b c", 0.5)], "q1": [ScoredDoc("d", 3)]}, "mine")
        assert path.read_text() == "q1 Q0 d 1 3 mine\nq2 Q0 a 1 1.5 mine\nq2 Q0 b c 2 0.5 mine\n"


def test_tabs_blank_lines_and_the_order_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "run.trec"
    path.write_bytes(b"\xef\xbb\xbfq1\tQ0\td2\t1\t0.5\tt\r\n\n  q1   Q0  d1 7  1e1 t  \nq0 Q0 d1 1 -2 t")
    assert read_run(path) == {"q1": [ScoredDoc("d2", 0.5), ScoredDoc("d1", 10.0)], "q0": [ScoredDoc("d1", -2.0)]}


def test_a_bad_line_is_named(tmp_path: Path) -> None:
    cases = [
        ("q1 Q0 d2 2 0.5", "a run line has six columns"),
        ("q1 Q0 d2 2 high t", "score 'high' is not a finite number"),
        ("q1 Q0 d2 2 nan t", "score 'nan' is not a finite number"),
        ("q1 Q0 d2 2 -inf t", "score '-inf' is not a finite number"),
        ("q1 Q0 d1 2 0.5 t", "document 'd1' occurs twice under query 'q1'"),
    ]
    for line, message in cases:
        path = tmp_path / "run.trec"
        path.write_text(f"q1 Q0 d1 1 1.0 t\n\n{line}\n")
        with pytest.raises(InputError) as caught:
            read_run(path)
        assert str(caught.value).startswith(f"{path}:3: {message}"), line


def test_what_stands_behind_the_tag_is_ignored_as_in_trec_eval(tmp_path: Path) -> None:
    path = tmp_path / "run.trec"
    path.write_text(
        "q1 Q0 d1 1 2.5 t more junk\nq1\tQ0\tmy file 3 2 1.5 t\nq1 Q0 odd id x 0.5 t\nq1 Q0 d4 9 1 t 2020\n"
    )
    assert read_run(path) == {
        "q1": [ScoredDoc("d1", 2.5), ScoredDoc("my file 3", 1.5), ScoredDoc("odd id", 0.5), ScoredDoc("d4", 1.0)]
    }


def test_ranks_stand_beside_the_scores_that_they_were_written_for(tmp_path: Path) -> None:
    path = tmp_path / "run.trec"
    path.write_text(
        "q1 Q0 d1 2 2.5 t\nq2 Q0 a 1 1 t\nq1 Q0 my file 1 1.5 t\nq1 Q0 d3 - 1 t\nq1 Q0 d4 ٣ 1_0 t x\n"
        "q1 Q0 d5 5 0.5 t more\n",
        encoding="utf-8",
    )
    with pytest.raises(InputError, match=r"run.trec:5: score .* is not a finite number"):
        read_ranked_run(path)
    path.write_text(path.read_text(encoding="utf-8").replace("1_0 t x", "1 t"), encoding="utf-8")
    run = read_ranked_run(path)
    assert list(run.scores["q1"].items()) == [("d1", 2.5), ("my file", 1.5), ("d3", 1), ("d4", 1), ("d5", 0.5)]
    assert list(map(str, run.ranks["q1"])) == ["2.0", "1.0", "nan", "3.0", "5.0"]
    assert run.scores["q2"] == {"a": 1} and list(run.ranks["q2"]) == [1]
    path.write_text("q1\td1\t1\nq1\td2\t2\n")
    assert list(map(str, read_ranked_run(path).ranks["q1"])) == ["nan", "nan"]


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.sampled_from(["q1", "q2", "Q0", "d 1", "d2", "1", "2", "0.5", "1_0", "nan", "t", "\t", "  "]), max_size=9
    )
)
def test_plain_lines_are_read_as_the_careful_reader_does(words: list[str]) -> None:
    line = " ".join(words)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "run.trec"
        path.write_text(f"q0 Q0 d0 1 1 t\n{line}\n", encoding="utf-8")

        def read(reader: Callable[[], object]) -> object:
            try:
                return reader()
            except InputError as error:
                return str(error)

        careful = read(lambda: dict(list(read_run_lines(path.read_text().splitlines(), str(path)))))
        plain = read(lambda: {query_id: docs[0] for query_id, docs in read_run(path).items()})
        assert plain == careful


def test_b2_a_run_of_ms_marco_has_ranks_for_scores(tmp_path: Path) -> None:
    for text in (
        "1048585\t7187158\t1\n1048585\tmy file\t2\n2\t0\t1\r\n",
        "1048585 7187158 1\n1048585\tmy file\t2\n2 0 1",
    ):
        (tmp_path / "run.tsv.gz").write_bytes(gzip.compress(text.encode()))
        run = read_run(tmp_path / "run.tsv.gz")
        assert run == {
            "1048585": [ScoredDoc("7187158", -1.0), ScoredDoc("my file", -2.0)],
            "2": [ScoredDoc("0", -1.0)],
        }


def test_a_bad_line_of_ms_marco_is_named(tmp_path: Path) -> None:
    cases = [
        ("q1\td2", "a run line of MS MARCO has three columns"),
        ("q1\td2\t1.5", "a run line of MS MARCO has three columns"),
        ("q1\td2\t-1", "a run line of MS MARCO has three columns"),
        ("q1\t\t1", "a run line of MS MARCO has three columns"),
        ("q1 Q0 d2 1 1.0 t", "a run line of MS MARCO has three columns"),
        ("q1\td1\t2", "document 'd1' occurs twice under query 'q1'"),
    ]
    for line, message in cases:
        path = tmp_path / "run.tsv"
        path.write_text(f"q1\td1\t1\n{line}\n")
        with pytest.raises(InputError) as caught:
            read_run(path)
        assert str(caught.value).startswith(f"{path}:2: {message}"), line


@pytest.mark.shared
def test_the_runs_of_the_reference_tool(shared_data: Path) -> None:
    for name, n in (("results.test", 1500), ("results.trunc", 584), ("results-302.test", 500)):
        path = shared_data / "ir" / "trec_eval" / name
        run = read_run(path)
        rows = [line.split()[:5] for line in path.read_text().splitlines()]
        docs = [(query_id, doc.doc_id, doc.score) for query_id in run for doc in run[query_id]]
        assert sorted(docs) == sorted((row[0], row[2], float(row[4])) for row in rows), name
        assert len(rows) == n, name
