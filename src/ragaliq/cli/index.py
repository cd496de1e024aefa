"""`ragaliq index`: a corpus larger than memory, indexed once for `run` and `retrieve`."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragaliq.cli.options import add_calls, add_shared, command_session, parse_languages
from ragaliq.config import Component, RunConfig, load_config, sample_path
from ragaliq.errors import ConfigError

if TYPE_CHECKING:
    from ragaliq.formats.reading.collection import Collection
    from ragaliq.retrieve.stored.build import CorpusSource, IndexPlan

_PACKAGES = ("ragaliq", "numpy", "PyStemmer", "regex")


def add_parser(commands: Any) -> None:
    """Declare the command and its options."""
    parser = commands.add_parser(
        "index",
        help="index a large corpus once, on disk",
        description="Index the documents of a data set into a folder, which `run --index` and `retrieve --index` "
        "reuse: postings, vectors and texts are mapped files, so that neither command holds them in memory. The same "
        "command goes on after a stop.",
    )
    add = parser.add_argument
    add("data", type=sample_path, metavar="DATA", help="the data set: a folder or a file")
    add("--out", required=True, metavar="INDEX", help="the folder of the index")
    add("--config", metavar="CONFIG.yaml", help="take retriever and embedder from the configuration of a system")
    add("--retriever", metavar="KIND", help="bm25, char, dense or hybrid (default: hybrid)")
    add("--embedder", metavar="KIND[:MODEL]", help="vectors of dense and hybrid (default: use-multilingual)")
    add("--no-title", action="store_true", help="leave titles out of the index")
    add_shared(parser, "--from", "--lang", "--seed")
    add_calls(parser)
    parser.set_defaults(call=call)


def call(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit code."""
    from ragaliq.benchmark.collections import load_collections
    from ragaliq.benchmark.layout import data_hash
    from ragaliq.retrieve.stored.build import build_index
    from ragaliq.storage.redaction import redact

    out = Path(arguments.out)
    langs = parse_languages(arguments.lang)
    digest = data_hash(Path(arguments.data))
    collections = load_collections(arguments.data, fmt=arguments.source_format, langs=langs)
    with command_session(arguments) as session:
        name = next(collection.name for collection in collections.values())
        plan = _plan(arguments, {"name": name, "hash": digest}, session)
        build_index(out, [_source(collection) for collection in collections.values()], plan)
    print(redact(f"index: {out} ({', '.join(sorted(collections))})"))
    return 0


def _plan(arguments: argparse.Namespace, data: dict[str, str], session: Any) -> IndexPlan:
    from ragaliq.components import make
    from ragaliq.retrieve.stored.build import IndexPlan
    from ragaliq.runs.versions import installed_versions

    config = load_config(arguments.config) if arguments.config else RunConfig()
    parts = {"retriever": config.retriever, "embedder": config.embedder}
    for stage in parts:
        if getattr(arguments, stage):
            parts[stage] = Component.parse(getattr(arguments, stage), f"--{stage}")
    common = {"seed": arguments.seed, "session": session}
    embedder = make("embedder", parts["embedder"], **common)
    retriever = make("retriever", parts["retriever"], embedder=embedder, index_dir=None, **common)
    stored_parts: Callable[[], Any] | None = getattr(retriever, "stored_parts", None)
    if stored_parts is None:
        raise ConfigError(
            f"index: retriever '{parts['retriever']}' keeps no index on disk; bm25, char, dense and hybrid do"
        )
    channels, vectors = stored_parts()
    title = not arguments.no_title and getattr(retriever, "title", True)
    versions = installed_versions(_PACKAGES)
    return IndexPlan(data, channels, embedder if vectors else None, title, versions)


def _source(collection: Collection) -> CorpusSource:
    from ragaliq.benchmark.document_checks import DocumentScan
    from ragaliq.formats.reading.fields import check_doc_id
    from ragaliq.retrieve.stored.build import CorpusSource

    scan = DocumentScan(collection)

    def chunks() -> Any:
        for chunk in scan.chunks():
            check_doc_id(chunk.doc_id, collection.name)
            yield chunk

    return CorpusSource(collection.lang, chunks, lambda: scan.sha256)
