from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from ragaliq.build.plan import EarlierPlan, Wanted, plan_candidates
from ragaliq.build.settings import TYPES, GenerateSettings
from ragaliq.types import Chunk


def chunk(name: str, number: int, lang: str = "en") -> Chunk:
    """Return a chunk that shares one rare word with the next of its document."""
    pair = f"{name}{number // 2}".translate({47: None, 46: None})
    text = f"The box with the number {number} of {pair} is kept in the store below the workshop, near the hall."
    return Chunk(f"{name}:{number}-{number + 1}", lang, text, name, number, number + 1)


def chunks(sizes: dict[str, int]) -> list[Chunk]:
    return [chunk(name, number) for name, size in sizes.items() for number in range(size)]


def plan(sizes: dict[str, int], n: int, seed: int = 0, per_chunk: int = 3, **types: float) -> list[Wanted]:
    settings = GenerateSettings(queries=n, per_chunk=per_chunk, types=types or dict.fromkeys(TYPES, 1.0))
    return plan_candidates(chunks(sizes), settings, seed)


def test_types_come_in_their_proportions_spread_over_the_plan() -> None:
    wanted = plan({"a/x.md": 40, "a/y.md": 40}, 70)
    assert Counter(one.type for one in wanted) == dict.fromkeys(TYPES, 10)
    some = plan({"a/x.md": 40}, 12, single=2, numeric=1)
    assert Counter(one.type for one in some) == {"single": 8, "numeric": 4}
    # Of each part of the plan as well: that for fewer queries is its beginning.
    assert Counter(one.type for one in plan({"a/x.md": 40}, 6, single=2, numeric=1)) == {"single": 4, "numeric": 2}
    assert all(one.type != "list" for one in plan({"a/x.md": 40}, 12, single=1, list=0))


def test_sources_take_turns_and_within_them_documents() -> None:
    sizes = {"big/1.md": 60, "big/2.md": 60, "big/3.md": 3, "small/1.md": 10, "one.md": 10}
    wanted = plan(sizes, 27, single=1)
    assert Counter(one.chunks[0].source_id.partition("/")[0] for one in wanted) == {"big": 9, "small": 9, "one.md": 9}
    assert Counter(one.chunks[0].source_id for one in wanted if one.chunks[0].source_id.startswith("big")) == {
        "big/1.md": 3, "big/2.md": 3, "big/3.md": 3,
    }  # fmt: skip


def test_no_chunk_is_shown_more_often_than_allowed_and_each_time_for_another_type() -> None:
    for per_chunk in (1, 2, 3, 6):
        wanted = plan({"a/x.md": 4, "b/y.md": 3}, 100, per_chunk=per_chunk)
        shown = Counter(one.doc_id for each in wanted for one in each.chunks)
        assert max(shown.values()) <= per_chunk
        first = [(each.type, frozenset(one.doc_id for one in each.chunks)) for each in wanted]
        assert len(first) == len(set(first))
    # Six rounds over seven types of which two take two passages: 7 chunks x 6 = 42 showings, each pair takes two.
    assert sum(len(each.chunks) for each in wanted) == 42


def test_questions_over_two_passages_take_the_chunk_that_shares_the_rarest_words() -> None:
    wanted = plan({"a/x.md": 20}, 10, per_chunk=1, comparative=1)
    assert len(wanted) == 10
    assert all(one.chunks[0].start // 2 == one.chunks[1].start // 2 for one in wanted)


def test_a_rare_word_binds_more_than_a_frequent_one() -> None:
    def part(number: int, word: str) -> Chunk:
        text = f"The {word} is kept in the store below the workshop, near the hall of the station, box{number}."
        return Chunk(f"a.md:{number}-{number + 1}", "en", text, "a.md", number, number + 1)

    # Four chunks name the anchor, two the beacon; the tenth part of forty is the most that counts as rare.
    parts = [part(n, "anchor") for n in (0, 1, 2)] + [part(n, f"tool{n}") for n in range(3, 38)]
    parts += [part(38, "anchor and the beacon"), part(39, "beacon")]
    partners = set()
    for seed in range(200):
        (first,) = plan_candidates(parts, GenerateSettings(queries=1, types={"multi-hop": 1.0}), seed)
        if first.chunks[0].start == 38:
            partners.add(first.chunks[1].start)
    assert partners == {39}


def test_chinese_chunks_find_partners_by_what_words_share() -> None:
    texts = ["实验室的氦气瓶放在二号仓库里" * 5, "领取氦气以前必须先登记姓名" * 5, "周末食堂不供应任何热的早餐" * 5]
    parts = [Chunk(f"a.md:{n}-{n + 1}", "zh", text, "a.md", n, n + 1) for n, text in enumerate(texts)]
    settings = GenerateSettings(queries=1, types={"multi-hop": 1.0})
    pairs = {tuple(each.start for each in plan_candidates(parts, settings, seed)[0].chunks) for seed in range(9)}
    # The third shares but the commonest character of all.
    assert pairs == {(0, 1), (1, 0), (2, 0)}


def test_a_type_without_a_partner_gives_way_to_another() -> None:
    (alone,) = [one for one in chunks({"a/x.md": 1})]
    settings = GenerateSettings(queries=2, types={"comparative": 1.0, "single": 1.0})
    assert [one.type for one in plan_candidates([alone], settings, 0)] == ["single"]


def test_chunks_that_say_too_little_are_not_asked_about() -> None:
    heading = Chunk("a.md:0-9", "en", "# Heading", "a.md", 0, 9)
    assert plan_candidates([heading], GenerateSettings(), 0) == []
    assert plan_candidates([], GenerateSettings(), 0) == []


@given(st.permutations(range(12)), st.integers(0, 5), st.integers(1, 40), st.integers(0, 10))
def test_more_queries_keep_the_earlier_candidates_in_any_order_of_chunks(
    order: list[int], seed: int, n: int, more: int
) -> None:
    parts = chunks({"a/x.md": 5, "a/y.md": 4, "b.md": 3})
    shuffled = [parts[place] for place in order]
    few = plan_candidates(parts, GenerateSettings(queries=n), seed)
    many = plan_candidates(shuffled, GenerateSettings(queries=n + more), seed)
    assert {one.candidate_id: one for one in few}.items() <= {one.candidate_id: one for one in many}.items()
    assert len(few) == len({one.candidate_id for one in few}) <= n
    assert plan_candidates(shuffled, GenerateSettings(queries=n), seed) == few


def test_another_seed_draws_another_plan() -> None:
    ids = [{one.candidate_id for one in plan({"a/x.md": 40}, 10, seed)} for seed in (0, 1)]
    assert ids[0] != ids[1]


def test_what_stays_from_an_earlier_version_counts_and_new_chunks_come_first() -> None:
    sizes = {"a/x.md": 6}
    before = plan(sizes, 6, per_chunk=2, single=1, numeric=1)
    known = {one.doc_id for one in chunks(sizes)}
    settings = GenerateSettings(queries=6, per_chunk=2, types={"single": 1.0, "numeric": 1.0})
    gone, *staying = before
    asked = {(gone.type, frozenset(one.doc_id for one in gone.chunks))}
    more = chunks({**sizes, "b/y.md": 4})
    now = plan_candidates(more, settings, 0, EarlierPlan(staying, asked, known))
    new = [one for one in now if one not in staying]
    assert len(now) == 6 and all(one in now for one in staying)
    assert [one.chunks[0].source_id for one in new] == ["b/y.md"]
    # No new chunk: nothing is added, unless the settings ask for more; never what was retired.
    assert plan_candidates(chunks(sizes), settings, 0, EarlierPlan(staying, asked, known)) == staying
    refilled = plan_candidates(chunks(sizes), settings, 0, EarlierPlan(staying, asked, known, known_too=True))
    assert len(refilled) == 6 and gone not in refilled
    closed = plan_candidates(more, settings, 0, EarlierPlan(staying, asked, known, {one.doc_id for one in more[6:]}))
    assert closed == staying
