"""The size of a benchmark or data set, per language, as rows of tables."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

import numpy as np
import regex

from ragaliq.formats.reading.collection import Collection
from ragaliq.text.terms import UNSPACED, words
from ragaliq.types import Chunk

# A fence, HTML's elements, something between single backticks (`` is an old quotation mark), or an indented line that
# holds what prose does not.
_CODE = regex.compile(
    r"^ {0,3}(?:```|~~~)|</?(?:code|pre)\b|(?<!`)`[^`\n]+`(?!`)|^(?: {4}|\t)[^\n]*[(){}\[\]=;<>]",
    regex.MULTILINE | regex.IGNORECASE,
)


def collection_sizes(collection: Collection) -> dict[str, str]:
    """Return a collection's row in a table of sizes; the corpus is read once, row by row.

    Beside `lang`, the columns are those of FreshStack's table of its topics (arXiv 2504.13128, table 3):

    - `queries`, `docs`, `sources`: numbers. A source is what documents are cut from: that of our own layout, the
      repository before the first `/` of FreshStack's ids, the article before the `#` of MIRACL's; any other document is
      its own.
    - `nuggets/query`: mean over the queries that have a nugget.
    - `query tokens`, `answer tokens`, `doc tokens`: mean lengths in words of `ragaliq.text.terms`, not in a model's
      tokens; in scripts without spaces a character is a word. Answers are the references; documents go without title.
    - `queries with code`, `answers with code`: share that `holds_code`.
    - `relevant docs/nugget`: mean over all nuggets; one that no document supports counts 0.
    - `relevant docs/query`: mean number of documents of relevance above 0, over the queries with judgements.

    `—` means that there is nothing to average.
    """
    queries = [query.text for query in collection.queries]
    answers = list(collection.references.values())
    per_query = Counter(nugget.query_id for nugget in collection.nuggets)
    relevant = [sum(relevance > 0 for relevance in judged.values()) for judged in collection.qrels.values()]
    documents, tokens, sources = _read(collection)
    return {
        "lang": collection.lang,
        "queries": str(len(queries)),
        "docs": str(documents),
        "sources": str(sources),
        "nuggets/query": _mean(per_query.values(), 2),
        "query tokens": _mean(map(text_length, queries), 1),
        "answer tokens": _mean(map(text_length, answers), 1),
        "doc tokens": f"{tokens / documents:.1f}" if documents else "—",
        "queries with code": _share_with_code(queries),
        "answers with code": _share_with_code(answers),
        "relevant docs/nugget": _mean((len(nugget.doc_ids) for nugget in collection.nuggets), 2),
        "relevant docs/query": _mean(relevant, 2),
    }


def query_types(collections: Mapping[str, Collection]) -> list[dict[str, str]]:
    """Return for each language how many queries are unanswerable and how many are of each type, as rows of a table."""
    counts = {lang: Counter(item.type for item in own.items) for lang, own in collections.items()}
    types = dict.fromkeys(name for own in counts.values() for name in sorted(own))
    return [
        {
            "lang": lang,
            "unanswerable": str(sum(not item.answerable for item in own.items)),
            **{name: str(counts[lang][name]) for name in types},
        }
        for lang, own in collections.items()
    ]


def holds_code(text: str) -> bool:
    """Return whether a text holds code, by its markup.

    That is a fence of three backticks or tildes at the start of a line, an element `code` or `pre`, text between single
    backticks in one line, or a line that is indented by four spaces or a tab and holds a bracket, `=` or `;`.
    """
    return _CODE.search(text) is not None


def text_length(text: str) -> int:
    """Return the number of words in a text; of a script without spaces each character counts."""
    total = 0
    for word in words(text):
        unspaced = sum(map(len, UNSPACED.findall(word)))
        total += unspaced + sum(map(bool, UNSPACED.split(word))) if unspaced else 1
    return total


def _read(collection: Collection) -> tuple[int, int, int]:
    """Return the numbers of documents, of their tokens, and of their sources."""
    tokens = 0
    # Of a source its hash alone is kept, eight bytes for each document.
    sources = array("q")
    for chunk in collection.chunks():
        tokens += text_length(chunk.text)
        sources.append(hash(_source(chunk)))
    return len(sources), tokens, len(np.unique(np.array(sources, dtype=np.int64)))


def _source(chunk: Chunk) -> str:
    if chunk.source_id != chunk.doc_id:
        return chunk.source_id
    return chunk.doc_id.partition("#")[0].partition("/")[0]


def _mean(values: Iterable[int], digits: int) -> str:
    counts = list(values)
    return f"{fmean(counts):.{digits}f}" if counts else "—"


def _share_with_code(texts: Sequence[str]) -> str:
    return f"{fmean(map(holds_code, texts)):.0%}" if texts else "—"
