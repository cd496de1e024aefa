"""From a corpus and queries to a run on disk: resumption, reranking, other people's parts."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ragaliq.config import Component
from ragaliq.errors import ConfigError, InputError, Stopped
from ragaliq.experiment import retrieving
from ragaliq.experiment.chunked import token_windows
from ragaliq.experiment.corpus import read_corpus
from ragaliq.experiment.retrieving import RetrievalTask, retrieve
from ragaliq.experiment.run_file import RunFile
from ragaliq.experiment.search import Search, index
from ragaliq.experiment.settings.queries import Mode
from ragaliq.experiment.settings.system import Parts, System
from ragaliq.experiment.tasks import plan_task
from ragaliq.formats.reading.collection import Collection, document
from ragaliq.formats.trec.run import read_run
from ragaliq.llm import LLMSession
from ragaliq.types import Query
from unit.experiment.small import (
    GOLD,
    BrokenRetriever,
    OneFailsReranker,
    StoppingRetriever,
    WordRetriever,
    collection,
)

WORDS = Component("python", "unit.experiment.small:WordRetriever")


@pytest.fixture(autouse=True)
def anew() -> Iterator[None]:
    """Forget what the parts of earlier tests were asked."""
    WordRetriever.asked.clear()
    OneFailsReranker.failing = True
    BrokenRetriever.fault = ""
    yield
    WordRetriever.asked.clear()


def part(name: str) -> Component:
    return Component("python", f"unit.experiment.small:{name}")


def task(system: System, own: Collection | None = None) -> RetrievalTask:
    data = own or collection()
    return plan_task(data, read_corpus(data), system)[0]


def run(path: Path, system: System, own: Collection | None = None, **more: Any) -> list[str]:
    return retrieve(task(system, own), RunFile(path), more.pop("parts", Parts()), **more)


def timed(path: Path) -> int:
    """Return how many queries were timed."""
    n: int = json.loads(path.with_name(f"{path.name}.json").read_text(encoding="utf-8"))["seconds"]["queries"]
    return n


def ranking(path: Path) -> dict[str, list[str]]:
    return {query_id: [doc.doc_id for doc in docs] for query_id, docs in read_run(path).items()}


@pytest.mark.parametrize(("kind", "lang"), [("bm25", "ru"), ("char", "zh"), ("dense", "en"), ("hybrid", "zh")])
def test_every_retriever_finds_the_gold_first(kind: str, lang: str, tmp_path: Path) -> None:
    own = collection(lang)
    file = RunFile(tmp_path / "r.trec")
    retrieve(task(System(Component(kind)), own), file, Parts())
    assert {query_id: docs[0] for query_id, docs in ranking(file.path).items()} == GOLD
    assert file.seconds.queries == 3
    assert file.seconds.per_query is not None


def test_the_manifest_says_what_decided_the_run(tmp_path: Path) -> None:
    path = tmp_path / "r.trec"
    run(path, System(Component("bm25", options={"k1": 1.2}), reranker=Component("lexical"), rerank_depth=2, top_k=7))
    value = json.loads((tmp_path / "r.trec.json").read_text(encoding="utf-8"))
    assert value["data"]["name"] == "small"
    assert (value["data"]["lang"], value["data"]["n_docs"], value["data"]["n_queries"]) == ("en", 3, 3)
    assert len(value["data"]["hash"]) == len(value["data"]["queries_hash"]) == 64
    assert value["system"]["retriever"] == {"kind": "bm25", "model": "", "options": {"k1": 1.2}}
    assert (value["system"]["rerank_depth"], value["system"]["top_k"], value["system"]["queries"]) == (2, 7, "question")
    assert value["finished"] is True
    assert set(value["seconds"]) == {"index", "retrieve", "rerank", "queries"}
    assert value["versions"]["python"]


def test_a_finished_run_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "r.trec"
    run(path, System(WORDS))
    before = path.read_bytes()
    run(path, System(WORDS))
    assert WordRetriever.asked == ["q1", "q2", "q3"]
    assert path.read_bytes() == before
    assert timed(path) == 3


def test_a_stopped_run_goes_on_and_ends_with_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retrieving, "BATCH", 2)
    run(tmp_path / "whole.trec", System(WORDS))
    WordRetriever.asked.clear()
    StoppingRetriever.signal = (parts := Parts()).session.signal
    path = tmp_path / "r.trec"
    with pytest.raises(Stopped, match="enough"):
        run(path, System(part("StoppingRetriever")), parts=parts)
    assert json.loads((tmp_path / "r.trec.json").read_text())["finished"] is False
    assert WordRetriever.asked == ["q1", "q2"]
    run(path, System(part("StoppingRetriever")))
    assert timed(path) == 3
    assert WordRetriever.asked == ["q1", "q2", "q3"]
    assert path.read_bytes() == (tmp_path / "whole.trec").read_bytes()


def test_what_a_kill_left_of_a_ranking_is_made_again(tmp_path: Path) -> None:
    path = tmp_path / "r.trec"
    run(path, System(WORDS))
    whole = path.read_bytes()
    manifest = json.loads((tmp_path / "r.trec.json").read_text())
    first = b"".join(line + b"\n" for line in whole.splitlines() if line.startswith(b"q1 "))
    for torn in (b"q2 Q0 kitch", b"\xd0", b"q2 Q0 boat 1 0.5 ragaliq\n"):
        (tmp_path / "r.trec.json").write_text(json.dumps({**manifest, "finished": False}))
        path.write_bytes(b"\n\n" + first + b"\n" + torn)
        WordRetriever.asked.clear()
        run(path, System(WORDS))
        assert WordRetriever.asked == ["q2", "q3"], torn
        assert path.read_bytes() == whole, torn


def test_another_configuration_is_refused_and_fresh_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "r.trec"
    for changes, says in (
        ({"top_k": 5}, r"system.top_k: 100 then, 5 now"),
        ({"retriever": Component("char")}, r"system.retriever.kind: 'python' then, 'char' now"),
        ({"title": False}, r"system.title"),
    ):
        run(path, System(WORDS), fresh=True)
        before = path.read_bytes()
        other = System(**{"retriever": WORDS, **changes})  # type: ignore[arg-type]
        with pytest.raises(InputError, match=rf"another configuration \({says}.*--fresh"):
            run(path, other)
        assert path.read_bytes() == before, says
        run(path, other, fresh=True)


def test_a_call_that_came_to_nothing_holds_up_no_other(tmp_path: Path) -> None:
    path, manifest = tmp_path / "r.trec", tmp_path / "r.trec.json"
    BrokenRetriever.fault = "raises"
    with pytest.raises(InputError):
        run(path, System(part("BrokenRetriever")))
    assert sorted(os.listdir(tmp_path)) == []
    run(path, System(WORDS, top_k=5))
    # As a kill before the first ranking leaves it, with or without an empty run.
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "finished": False}))
    for empty in (True, False):
        path.unlink()
        if empty:
            path.touch()
        run(path, System(WORDS, top_k=3 if empty else 2))
        manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "finished": False}))
    assert ranking(path)["q1"][0] == "boat"


def test_other_data_is_another_configuration(tmp_path: Path) -> None:
    path = tmp_path / "r.trec"
    run(path, System(WORDS))
    more = [*collection().chunks(), document("new", "en", "text")]
    with pytest.raises(InputError, match=r"data.hash"):
        run(path, System(WORDS), collection(chunks=lambda: iter(more)))
    with pytest.raises(InputError, match=r"data.queries_hash"):
        run(path, System(WORDS), collection(queries=(Query("q1", "en", "other"), *collection().queries[1:])))


def test_a_file_that_is_no_run_of_ours_is_never_touched(tmp_path: Path) -> None:
    path = tmp_path / "r.trec"
    path.write_text("q1 Q0 d 1 1.0 other\n")
    with pytest.raises(InputError, match="is there already, without its manifest"):
        run(path, System(WORDS), fresh=True)
    (tmp_path / "r.trec.json").write_text('{"kind": "other"}')
    with pytest.raises(InputError, match="not the manifest of a retrieval run"):
        run(path, System(WORDS), fresh=True)
    assert path.read_text() == "q1 Q0 d 1 1.0 other\n"


def test_two_processes_do_not_write_one_run(tmp_path: Path) -> None:
    file = RunFile(tmp_path / "r.trec")
    with file.locked(), pytest.raises(InputError, match="another process is at work on this run"):
        run(tmp_path / "r.trec", System(WORDS))
    assert os.listdir(tmp_path) == []
    with pytest.raises(InputError, match="cannot be written"):
        run(Path("/proc/none/r.trec"), System(WORDS))


def test_a_query_whose_text_is_a_document_does_not_find_itself(tmp_path: Path) -> None:
    queries = (Query("boat", "en", "the supply boat leaves the harbour at nine"),)
    own = collection(queries=queries, qrels={"boat": {"dogs": 1}}, nuggets=())
    run(tmp_path / "r.trec", System(WORDS, top_k=2), own)
    assert ranking(tmp_path / "r.trec") == {"boat": ["dogs", "kitchen"]}
    run(tmp_path / "kept.trec", System(WORDS, top_k=2, keep_self_match=True), own)
    assert ranking(tmp_path / "kept.trec") == {"boat": ["boat", "dogs"]}


def test_reranking_reorders_the_first_hits_and_loses_none(tmp_path: Path) -> None:
    OneFailsReranker.failing = False
    run(tmp_path / "plain.trec", System(WORDS))
    run(tmp_path / "r.trec", System(WORDS, reranker=part("OneFailsReranker"), rerank_depth=2))
    for query_id, docs in ranking(tmp_path / "plain.trec").items():
        # The reranker keeps the second alone; the first follows it, and the third was not shown to it.
        assert ranking(tmp_path / "r.trec")[query_id] == [docs[1], docs[0], docs[2]]


def test_a_reranker_that_fails_for_a_query_stops_and_the_same_call_tries_it_again(tmp_path: Path) -> None:
    path, system = tmp_path / "r.trec", System(WORDS, reranker=part("OneFailsReranker"))
    with pytest.raises(Stopped, match=r"1 of 3 queries could not be reranked \(.*the endpoint is busy\)"):
        run(path, system)
    assert set(ranking(path)) == {"q1", "q3"}
    OneFailsReranker.failing = False
    WordRetriever.asked.clear()
    run(path, system)
    assert WordRetriever.asked == ["q2"]
    assert set(ranking(path)) == {"q1", "q2", "q3"}


def test_a_reranker_with_a_depth_of_its_own_is_given_the_system_s() -> None:
    system = System(WORDS, reranker=Component("llm", "m"), rerank_depth=7)
    assert vars(Parts(LLMSession(planned=True)).reranker(system))["depth"] == 7


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("raises", r"retriever 'python:unit.experiment.small:BrokenRetriever': ZeroDivisionError: no vector; fix it"),
        ("twice", r"returned a document twice for query 'q1'"),
        ("nan", r"query 'q1' has a score that is not a finite number"),
        ("foreign", r"returned 'elsewhere', which is no chunk of this corpus"),
    ],
)
def test_what_a_retriever_may_not_do_is_told_in_one_line(fault: str, says: str, tmp_path: Path) -> None:
    BrokenRetriever.fault = fault
    with pytest.raises(InputError, match=says) as caught:
        run(tmp_path / "r.trec", System(part("BrokenRetriever")))
    assert "\n" not in str(caught.value)


def test_results_out_of_order_are_sorted_with_a_warning(tmp_path: Path) -> None:
    (note,) = run(tmp_path / "r.trec", System(part("UnsortedRetriever")))
    run(tmp_path / "sorted.trec", System(WORDS))
    assert (tmp_path / "r.trec").read_bytes() == (tmp_path / "sorted.trec").read_bytes()
    assert note.startswith("warning[unsorted-run]: ") and "3 rankings" in note


def test_a_query_without_hits_has_no_line_and_the_run_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "r.trec"
    for _ in range(2):
        # Asked again it would be timed again.
        run(path, System(part("SilentRetriever")))
        assert timed(path) == 3
        assert set(ranking(path)) == {"q2", "q3"}
        assert json.loads((tmp_path / "r.trec.json").read_text())["finished"] is True


def test_query_ids_with_white_space_are_refused(tmp_path: Path) -> None:
    own = collection(queries=(Query("q 1", "en", "x"),), qrels={"q 1": {"boat": 1}}, nuggets=())
    with pytest.raises(InputError, match="query id 'q 1' cannot stand in TREC's columns"):
        run(tmp_path / "r.trec", System(WORDS), own)
    assert os.listdir(tmp_path) == []


def test_document_ids_that_no_run_can_hold_are_refused(tmp_path: Path) -> None:
    own = collection(chunks=lambda: iter([document(" a", "en", "text")]), qrels={}, nuggets=())
    with pytest.raises(InputError, match="doc id ' a' cannot stand"):
        run(tmp_path / "r.trec", System(WORDS), own)


def test_document_ids_with_spaces_and_of_any_script_survive(tmp_path: Path) -> None:
    ids = ["docs/a file.md_0_10", "文档 #1", "ड‍ा"]
    own = collection(chunks=lambda: iter([document(name, "en", "boat") for name in ids]), qrels={}, nuggets=())
    run(tmp_path / "r.trec", System(WORDS), own)
    assert ranking(tmp_path / "r.trec")["q1"] == sorted(ids, reverse=True)


def test_sizes_that_find_nothing_are_refused() -> None:
    for key in ("top_k", "rerank_depth", "chunk_tokens"):
        with pytest.raises(ConfigError, match=f"'{key}' must be at least 1"):
            replace(System(WORDS), **{key: 0})  # type: ignore[arg-type]


def many(n: int) -> Collection:
    texts = [" ".join(f"{chr(97 + (n * k + j) % 26)}{j % 3}" for j in range(12)) for n in range(n) for k in (7,)]
    chunks = [document(f"d{number:02d}", "en", text) for number, text in enumerate(texts)]
    queries = tuple(Query(f"q{j}", "en", f"{chr(97 + j)}{j % 3} {chr(98 + j)}1") for j in range(6))
    return collection(chunks=lambda: iter(chunks), queries=queries, qrels={}, nuggets=())


@pytest.mark.parametrize(("tokens", "top_k"), [(1, 3), (2, 1), (2, 50), (5, 3), (100, 3)])
def test_windows_give_the_same_documents_as_looking_at_all_windows(tokens: int, top_k: int, tmp_path: Path) -> None:
    own = many(20)
    run(tmp_path / "r.trec", System(WORDS, chunk_tokens=tokens, top_k=top_k), own)
    cut = token_windows(list(own.chunks()), tokens)
    retriever = WordRetriever()
    retriever.index(cut.chunks)
    found = ranking(tmp_path / "r.trec")
    for query in own.queries:
        best: dict[str, float] = {}
        for hit in retriever.retrieve(query, 10_000):
            doc = cut.documents[hit.chunk.doc_id][0].doc_id
            best[doc] = max(best.get(doc, 0.0), hit.score)
        expected = sorted(best, key=lambda doc: (best[doc], doc), reverse=True)[:top_k]
        assert found[query.query_id] == expected


def test_a_batch_gives_what_one_query_at_a_time_gives() -> None:
    own = many(20)
    corpus = read_corpus(own)
    for kind in ("bm25", "char", "hybrid"):
        search = index(corpus, System(Component(kind)), Parts())
        together = search.batch(own.queries, 5)
        assert together == [search.batch([query], 5)[0] for query in own.queries]


def test_a_retriever_that_forgets_a_query_is_told() -> None:
    class Short(WordRetriever):
        def retrieve_batch(self, queries: list[Query], top_k: int) -> list[Any]:
            return []

    with pytest.raises(InputError, match="returned 0 rankings for 1 queries"):
        Search(Short(), "retriever 'mine'").batch([Query("q", "en", "x")], 3)


def test_texts_of_a_file_decide_the_run(tmp_path: Path) -> None:
    rows = [{"query_id": query_id, "text": text} for query_id, text in
            (("q1", "kitchen closed Sunday"), ("q2", "kitchen closed"), ("q3", "kitchen"))]  # fmt: skip
    texts = tmp_path / "texts.jsonl"
    texts.write_text("".join(json.dumps(row) + "\n" for row in rows))
    system = System(Component("bm25"), queries=Mode.parse(str(texts)))
    run(tmp_path / "r.trec", system)
    assert {docs[0] for docs in ranking(tmp_path / "r.trec").values()} == {"kitchen"}
    texts.write_text(texts.read_text().replace("closed", "open"))
    with pytest.raises(InputError, match=r"data.queries_hash"):
        run(tmp_path / "r.trec", system)


@pytest.mark.hf
@pytest.mark.slow
def test_local_models_retrieve_and_rerank_to_a_depth(tmp_path: Path) -> None:
    from models import tiny_bert, tiny_cross_encoder

    embedder = Component("transformers", tiny_bert(tmp_path / "bert"), {"pooling": "mean"})
    reranker = Component("cross-encoder", tiny_cross_encoder(tmp_path / "cross"), {"threshold": 0.99, "keep": 1})
    plain, reranked = tmp_path / "plain.trec", tmp_path / "r.trec"
    run(plain, System(Component("dense"), embedder))
    run(reranked, System(Component("dense"), embedder, reranker, rerank_depth=2))
    for query_id, docs in ranking(plain).items():
        # The threshold drops what it likes: the first two are the same two, and the third stays third.
        assert sorted(ranking(reranked)[query_id][:2]) == sorted(docs[:2])
        assert ranking(reranked)[query_id][2:] == docs[2:]
