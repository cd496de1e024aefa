"""Data sets from one format into another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from ragaliq.benchmark.collections import detect_format, load_collections
from ragaliq.benchmark.convert.losses import Collections, article_titles_left_out, labels_left_out, lost_parts, unjudged
from ragaliq.benchmark.convert.own_writer import write_benchmark
from ragaliq.benchmark.convert.upstream_writer import write_upstream
from ragaliq.benchmark.document_checks import DocumentScan, id_notes, spaced_ids
from ragaliq.benchmark.judgements import binary_qrels
from ragaliq.benchmark.trec_folder import write_trec
from ragaliq.errors import ConfigError, InputError, listed, nearest
from ragaliq.formats.beir import write_beir
from ragaliq.formats.freshstack import judged_nuggets, write_freshstack
from ragaliq.formats.miracl import write_miracl
from ragaliq.formats.mmarco import write_mmarco
from ragaliq.formats.reading.collection import Collection
from ragaliq.formats.squad import write_squad
from ragaliq.formats.trec.qrels import sum_nuggets
from ragaliq.storage.new_folder import new_folder

# The splits of MIRACL and mMARCO.
_DEV = ("dev", "train")
# Their judgements are columns apart by white space.
_COLUMNS = ("miracl", "mmarco", "trec")
# What can hold queries in another language than the documents.
_PAIRED = ("beir", "mmarco", "squad")


@dataclass(frozen=True, slots=True)
class Conversion:
    """What to convert.

    Attributes:
        source: folder, file or `hub:NAME`.
        source_format: one of `collections.FORMATS`; empty tells it from the content.
        target_format: one of `TARGETS`.
        langs: languages; None takes all.
        split: part of the queries; empty takes the format's own choice.
        min_rel: relevance from which on a judgement counts as relevant, where the target is binary or wants gold.
        max_docs: a part of the corpus, with all judged documents; None takes the whole.
    """

    source: str
    source_format: str
    target_format: str
    langs: tuple[str, ...] | None = None
    split: str = ""
    min_rel: int = 1
    max_docs: int | None = None


@dataclass(frozen=True, slots=True)
class _Target:
    """How a format is written, and which parts of a collection it cannot hold.

    Attributes:
        write: writes the collections below a folder, and returns what else is to be said.
        lacks: names of `losses.PARTS`.
        unjudged: what becomes of queries without judgements; empty where they stay what they are.
        with_gold: gold tells, too, that a query was judged.
    """

    write: Callable[[Collections, Path, Conversion], list[str]]
    lacks: frozenset[str]
    unjudged: str = ""
    with_gold: bool = False


def convert(job: Conversion, out: Path) -> list[str]:
    """Write a data set in another format, whole or not at all; return a line for each thing left out on the way.

    Corpora pass row by row, so that memory does not grow with them; SQuAD's form alone is one value, and takes it.

    Raises:
        ConfigError: if a format is unknown.
        InputError: if the source cannot be read, or an id, a judgement or a language does not fit the target, or if a
            document id occurs twice or there is no document; or if `out` holds something that the same conversion did
            not make.
    """
    if job.target_format not in _TARGETS:
        raise ConfigError(f"--to: unknown format '{job.target_format}'; {nearest(job.target_format, TARGETS)}")
    target = _TARGETS[job.target_format]
    collections = load_collections(
        job.source, fmt=job.source_format, langs=job.langs, split=job.split, max_docs=job.max_docs
    )
    for lang, collection in collections.items():
        if lang != collection.lang and job.target_format not in _PAIRED:
            raise ConfigError(
                f"--lang {lang}: {job.target_format} holds queries and documents in one language; {listed(_PAIRED)}"
            )
    notes = [note for collection in collections.values() for note in collection.notes]
    source = Path(job.source)
    notes += labels_left_out(collections)
    if (job.source_format or detect_format(source)) == "squad" and source.exists():
        notes += article_titles_left_out(source, collections)
    notes += lost_parts(target.lacks, collections, job.target_format)
    if target.unjudged:
        notes += unjudged(collections, job.target_format, target.unjudged, target.with_gold)
    scans = {lang: DocumentScan(collection) for lang, collection in collections.items()}
    passing = {lang: replace(collection, chunks=scans[lang].chunks) for lang, collection in collections.items()}
    with new_folder(out, asdict(job)) as draft:
        notes += target.write(passing, draft, job)
        for lang, scan in scans.items():
            said = id_notes(collections[lang], scan)
            if scan.repeated or not scan.documents:
                raise InputError(said[0].replace("warning[", "error["))
            notes += said
            if job.target_format in _COLUMNS:
                notes += filter(None, [spaced_ids(collections[lang], scan)])
    return list(dict.fromkeys(notes))


def _each(
    write: Callable[[Collection, Path], object], splits: tuple[str, ...] = ()
) -> Callable[[Collections, Path, Conversion], list[str]]:
    """Return a writer of formats whose one folder holds several languages; of `splits` the first replaces any other."""

    def write_all(collections: Collections, folder: Path, job: Conversion) -> list[str]:
        notes = []
        for lang, collection in collections.items():
            if splits and collection.split not in ("", *splits):
                notes.append(
                    f"{lang}: split '{collection.split}' becomes '{splits[0]}', as '{job.target_format}' has it"
                )
                collection = replace(collection, split=splits[0])
            write(collection, folder)
        return notes

    return write_all


def _apart(write: Callable[[Collection, Path], object]) -> Callable[[Collections, Path, Conversion], list[str]]:
    """Return a writer of formats whose folder holds one language: several get a folder each."""

    def write_all(collections: Collections, folder: Path, job: Conversion) -> list[str]:
        for lang, collection in collections.items():
            write(collection, folder if len(collections) == 1 else folder / lang)
        return []

    return write_all


def _mmarco(collections: Collections, folder: Path, job: Conversion) -> list[str]:
    """Write mMARCO, in which a document is a line without a title."""
    note = "mmarco: a title stands in front of its text, and tabs and line ends of documents become spaces"
    return [note, *_each(write_mmarco, _DEV)(collections, folder, job)]


def _squad(collections: Collections, folder: Path, job: Conversion) -> list[str]:
    """Write SQuAD's form, in which an answer has a place in its paragraph that no collection holds."""
    note = "squad: answer_start is the first place where the answer stands in the paragraph, -1 if it stands nowhere"
    told = [note] if any(collection.references for collection in collections.values()) else []
    return [*told, *_each(write_squad)(collections, folder, job)]


def _freshstack(collections: Collections, folder: Path, job: Conversion) -> list[str]:
    """Write FreshStack, whose judgements are the numbers of nuggets that documents support.

    Judgements that call the same documents relevant become those numbers.
    """
    notes, counted = [], {}
    for lang, collection in collections.items():
        counts = sum_nuggets(judged_nuggets(collection.nuggets, collection.qrels))
        changed = {query_id: counts.get(query_id, judged) for query_id, judged in collection.qrels.items()}
        if changed != collection.qrels and binary_qrels(changed) == binary_qrels(collection.qrels):
            notes.append(f"{lang}: judgements become the number of nuggets that a document supports")
            collection = replace(collection, qrels=changed)
        counted[lang] = collection
    return notes + _apart(write_freshstack)(counted, folder, job)


_RETRIEVAL = frozenset({"nuggets", "reference answers", "queries with gold in groups"})
_PASSED = "are passed over by whoever reads the format"
_LINES = frozenset({"queries' tabs and line ends"})
_TARGETS: Mapping[str, _Target] = {
    "ragaliq": _Target(lambda collections, folder, job: write_benchmark(collections, folder, job.min_rel), frozenset()),
    "upstream": _Target(
        lambda collections, folder, job: write_upstream(collections, folder),
        frozenset({"nuggets", "queries with gold in groups", "judgements"}),
    ),
    "beir": _Target(_apart(write_beir), _RETRIEVAL, _PASSED),
    "miracl": _Target(_each(write_miracl, _DEV), _RETRIEVAL | _LINES, _PASSED),
    "mmarco": _Target(_mmarco, _RETRIEVAL | _LINES, _PASSED),
    "freshstack": _Target(_freshstack, frozenset({"queries with gold in groups", "weights of nuggets"})),
    "squad": _Target(
        _squad,
        frozenset({"nuggets", "queries with gold in groups"}),
        "become is_impossible, as without any answer",
        with_gold=True,
    ),
    "trec": _Target(
        lambda collections, folder, job: write_trec(collections, folder, job.min_rel),
        _LINES | {"reference answers", "queries with gold in groups"},
    ),
}
TARGETS = tuple(_TARGETS)
