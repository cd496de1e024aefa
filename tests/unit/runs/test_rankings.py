"""Rankings of a run in a TREC file: whole or not there, in the order and with the scores that were given."""

from __future__ import annotations

import errno
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fakes import chunk
from ragaliq.errors import InputError
from ragaliq.formats.trec.run import ScoredDoc, read_run
from ragaliq.runs.rankings import Rankings
from ragaliq.types import Hit

CHUNKS = {name: chunk(name, f"Text of {name}.") for name in ("d1", "d2", "my file#2.md:3", "über/文 档", "a\u2028b")}
DOCS = list(CHUNKS)


def hits(*ranked: tuple[str, float]) -> list[Hit]:
    return [Hit(CHUNKS[doc], score, rank) for rank, (doc, score) in enumerate(ranked, start=1)]


ONE = hits(("d2", 0.1 + 0.2), ("d1", 1e-300), ("my file#2.md:3", -5.0))
TWO = hits(("über/文 档", 1.0), ("a\u2028b", 0.5))


def rankings(path: Path) -> Rankings:
    return Rankings(path, CHUNKS)


def test_a_missing_file_ranks_nothing(tmp_path: Path) -> None:
    found = rankings(tmp_path / "run" / "retrieval.en.trec")
    assert "q1" not in found
    found.rewrite()
    assert list(tmp_path.iterdir()) == []


def test_rankings_come_back_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "run" / "retrieval.en.trec"
    found = rankings(path)
    assert found.append("q2", ONE) == ONE
    assert found.append("q1", [replace(hit, rank=7) for hit in TWO]) == TWO, "ranks are places in the list"
    for kept in (found, rankings(path)):
        assert kept.hits("q2") == ONE and kept.hits("q1") == TWO
        assert "q1" in kept and "q2" in kept and "q3" not in kept


def test_sync_writes_through_to_the_disk(tmp_path: Path, synced: list[int]) -> None:
    found = rankings(tmp_path / "retrieval.en.trec")
    found.sync()
    found.append("q1", ONE)
    assert synced == []
    found.sync()
    assert len(synced) == 1


def test_the_finished_file_is_plain_and_sorted(tmp_path: Path) -> None:
    path = tmp_path / "retrieval.en.trec"
    found = rankings(path)
    found.append("q2", ONE[:2])
    found.append("q10", TWO[:1])
    found.rewrite()
    assert path.read_text(encoding="utf-8") == (
        "q10 Q0 über/文 档 1 1.0 ragaliq\n"
        "q2 Q0 d2 1 0.30000000000000004 ragaliq\n"
        "q2 Q0 d1 2 1e-300 ragaliq\n"
    )  # fmt: skip
    assert found.hits("q2") == ONE[:2] and rankings(path).hits("q10") == TWO[:1]


def test_an_unfinished_file_is_a_run_like_others(tmp_path: Path) -> None:
    path = tmp_path / "retrieval.en.trec"
    rankings(path).append("q1", TWO)
    assert read_run(path) == {"q1": [ScoredDoc(hit.chunk.doc_id, hit.score) for hit in TWO]}


def test_a_query_without_hits_is_ranked_as_long_as_the_process_lives(tmp_path: Path) -> None:
    path = tmp_path / "retrieval.en.trec"
    found = rankings(path)
    found.append("q1", [])
    found.append("q2", TWO)
    assert "q1" in found and found.hits("q1") == []
    found.rewrite()
    assert rankings(path).hits("q2") == TWO


def test_numpy_scores_are_numbers_like_others(tmp_path: Path) -> None:
    path = tmp_path / "retrieval.en.trec"
    rankings(path).append("q1", [Hit(CHUNKS["d1"], np.float32(0.1), 1)])  # type: ignore[arg-type]
    assert rankings(path).hits("q1") == hits(("d1", float(np.float32(0.1))))


@pytest.mark.parametrize("score", [float("nan"), float("inf"), float("-inf")])
def test_a_score_that_is_no_number_is_refused_and_nothing_is_written(tmp_path: Path, score: float) -> None:
    path = tmp_path / "retrieval.en.trec"
    with pytest.raises(InputError, match="query 'q1' has a score that is not a finite number"):
        rankings(path).append("q1", hits(("d2", 1.0), ("d1", score)))
    assert not path.exists()


def test_a_document_that_the_corpus_lacks_is_named(tmp_path: Path) -> None:
    path = tmp_path / "retrieval.en.trec"
    path.write_text("q1 Q0 d1 1 1.0 t\nq1 Q0 d9 2 0.5 t\n")
    with pytest.raises(InputError, match=r"retrieval\.en\.trec: 'd9' is no chunk of this corpus; begin anew"):
        rankings(path)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"q1 Q0 d1 1 high t\n", ":3: score 'high' is not a finite number"),
        (b"q1 Q0 d1 1\n", ":3: a run line has six columns"),
        (b"q1 Q0 caf\xe9 1 1.0 t\n", ": not UTF-8"),
    ],
)
def test_a_line_that_is_none_is_named(tmp_path: Path, line: bytes, why: str) -> None:
    path = tmp_path / "retrieval.en.trec"
    path.write_bytes(b"q0 Q0 d1 1 1.0 t\nq0 Q0 d2 2 0.5 t\n" + line + b"q2 Q0 d1 1 1.0 t\n")
    with pytest.raises(InputError) as caught:
        rankings(path)
    assert str(caught.value).startswith(f"{path}{why}")


def test_a_run_of_another_hand_is_read(tmp_path: Path) -> None:
    path = tmp_path / "retrieval.en.trec"
    path.write_bytes(b"\xef\xbb\xbfq2\tQ0\td1\t1\t2.0\tt\r\nq2 Q0 d2 2 1.0 t\r\nq1 Q0 d1 1 1.0 t")
    found = rankings(path)
    assert found.hits("q2") == hits(("d1", 2.0), ("d2", 1.0)) and found.hits("q1") == hits(("d1", 1.0))
    found.append("q3", TWO)
    again = rankings(path)
    assert (again.hits("q1"), again.hits("q3")) == (hits(("d1", 1.0)), TWO)
    again.rewrite()
    assert [line.split()[0] for line in path.read_text().split("\n")[:-1]] == ["q1", "q2", "q2", "q3", "q3"]


@pytest.mark.skipif(os.name != "posix", reason="file sizes are limited on POSIX alone")
def test_a_full_disk_leaves_no_part_of_a_ranking(tmp_path: Path) -> None:
    import resource

    path = tmp_path / "retrieval.en.trec"
    found = rankings(path)
    found.append("q1", ONE)
    before = path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 20, hard))
    try:
        with pytest.raises(OSError) as error:
            found.append("q2", TWO)
        assert error.value.errno == errno.EFBIG
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == before and "q2" not in found
    found.append("q3", TWO)
    again = rankings(path)
    assert ("q2" not in again) and again.hits("q1") == ONE and again.hits("q3") == TWO


RANKINGS: Mapping[str, Sequence[Hit]] = {"q1": ONE, "q2": TWO, "q10": ONE[:1], "站": hits(("a\u2028b", 0.5))}


@pytest.mark.parametrize("finished", [0, 1, 2], ids=lambda n: f"{n} rewritten before")
def test_a_file_cut_anywhere_holds_whole_rankings_and_takes_new_ones(tmp_path: Path, finished: int) -> None:
    path = tmp_path / "retrieval.en.trec"
    names = list(RANKINGS)
    found = rankings(path)
    for name in names[:finished]:
        found.append(name, RANKINGS[name])
    found.rewrite()
    safe = path.read_bytes() if finished else b""
    for name in names[finished:]:
        found.append(name, RANKINGS[name])
    whole = path.read_bytes()
    for end in {*range(len(safe) + finished, len(whole), 3), len(whole) - 1, len(whole)}:
        path.write_bytes(whole[:end])
        cut = rankings(path)
        assert path.read_bytes() == whole[:end], "who only reads changes nothing"
        kept = [name for name in names if name in cut]
        assert kept == names[: len(kept)] and len(kept) >= finished
        assert end < len(whole) or kept == names
        assert all(cut.hits(name) == RANKINGS[name] for name in kept)
        for name in names[len(kept) :]:
            cut.append(name, RANKINGS[name])
        cut.rewrite()
        assert path.read_text(encoding="utf-8") == "".join(
            f"{name} Q0 {hit.chunk.doc_id} {hit.rank} {hit.score!r} ragaliq\n"
            for name in sorted(names)
            for hit in RANKINGS[name]
        )


@dataclass(frozen=True)
class Session:
    """What one process does with the next queries; killed, it has written the share `torn` of the last one."""

    ranked: Sequence[Sequence[tuple[str, float]]]
    rewrites: bool
    torn: float | None


SCORES = st.floats(allow_nan=False, allow_infinity=False)
LISTS = st.lists(st.tuples(st.sampled_from(DOCS), SCORES), min_size=1, max_size=4, unique_by=lambda pair: pair[0])
SESSIONS = st.builds(Session, st.lists(LISTS, min_size=1, max_size=4), st.booleans(), st.none() | st.floats(0.0, 0.99))


@settings(max_examples=30, deadline=None)
@given(st.lists(SESSIONS, min_size=1, max_size=4))
@example([Session([[("d1", 1.0), ("d2", 0.5)]], False, 0.6), Session([[("d2", 1.0)]], True, None)])
def test_any_life_leaves_whole_rankings(sessions: Sequence[Session]) -> None:
    expected: dict[str, list[Hit]] = {}
    with TemporaryDirectory() as folder:
        path = Path(folder) / "retrieval.en.trec"
        for session in sessions:
            found = rankings(path)
            for number, ranked in enumerate(session.ranked):
                name = f"q{len(expected)}"
                before = path.read_bytes() if path.exists() else b""
                kept = found.append(name, hits(*ranked))
                if session.torn is not None and number == len(session.ranked) - 1:
                    data = path.read_bytes()
                    # What an earlier kill left is cut off first.
                    alike = (one == two for one, two in zip(before, data, strict=False))
                    same = sum(1 for _ in takewhile(bool, alike))
                    path.write_bytes(data[: same + int(session.torn * (len(data) - same))])
                    break
                assert [hit.chunk for hit in kept] == [CHUNKS[doc] for doc, _ in ranked]
                expected[name] = kept
            else:
                if session.rewrites:
                    found.rewrite()
            again = rankings(path)
            assert {f"q{n}": again.hits(f"q{n}") for n in range(len(expected) + 1) if f"q{n}" in again} == expected


def test_an_order_against_its_scores_gets_scores_of_its_own(tmp_path: Path) -> None:
    """As when a reranker of one's own sorts hits anew: programs read a run by its scores."""
    path = tmp_path / "run.trec"
    against = [replace(hit, score=score) for hit, score in zip(ONE, (0.5, 0.5, 0.9, 0.1), strict=False)]
    found = rankings(path)
    kept = found.append("q1", against)
    assert [hit.score for hit in kept] == [float(len(against) - place) for place in range(len(against))]
    assert [hit.chunk for hit in kept] == [hit.chunk for hit in against] and found.hits("q1") == kept
    falling = [replace(hit, score=1.0 - place) for place, hit in enumerate(ONE)]
    assert [hit.score for hit in found.append("q2", falling)] == [hit.score for hit in falling]
