"""The size of a benchmark or data set, per language."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
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


def statistics_table(collections: Mapping[str, Collection]) -> str:
    """Return a Markdown table with a row for each language; each corpus is read once, row by row.

    The columns are those of FreshStack's table of its topics (arXiv 2504.13128, table 3):

    - `queries`, `docs`, `sources`: numbers. A source is what documents are cut from: that of our own layout, the
      repository before the first `/` of FreshStack's ids, the article before the `#` of MIRACL's; any other document is
      its own.
    - `nuggets/query`: mean over the queries that have a nugget.
    - `query tokens`, `answer tokens`, `doc tokens`: mean lengths, in words of `ragaliq.text.terms`, a character
      being a word in scripts without spaces; no model's tokens. Answers are the references; documents go without title.
    - `queries with code`, `answers with code`: share that `holds_code`.
    - `relevant docs/nugget`: mean over all nuggets; one that no document supports counts 0.
    - `relevant docs/query`: mean number of documents of relevance above 0, over the queries with judgements.

    `—` stands for the mean of nothing.
    """
    import pandas

    rows = [_row(collection) for collection in collections.values()]
    return str(pandas.DataFrame(rows).astype(str).to_markdown(index=False, disable_numparse=True))


def holds_code(text: str) -> bool:
    """Tell whether a text holds code, by its markup.

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


def types_table(collections: Mapping[str, Collection]) -> str:
    """Return a Markdown table of how many queries of each type there are, and how many are unanswerable."""
    import pandas

    rows = []
    for lang, collection in collections.items():
        types = Counter(item.type for item in collection.items)
        unanswerable = sum(not item.answerable for item in collection.items)
        rows.append({"lang": lang, "unanswerable": unanswerable, **dict(sorted(types.items()))})
    table = pandas.DataFrame(rows).fillna(0)
    return str(table.to_markdown(index=False, floatfmt=".0f"))


def _row(collection: Collection) -> dict[str, object]:
    texts = [query.text for query in collection.queries]
    answers = list(collection.references.values())
    per_query = Counter(nugget.query_id for nugget in collection.nuggets)
    relevant = [sum(relevance > 0 for relevance in judged.values()) for judged in collection.qrels.values()]
    documents, tokens, sources = _read(collection)
    return {
        "lang": collection.lang,
        "queries": len(texts),
        "docs": documents,
        "sources": sources,
        "nuggets/query": _mean(per_query.values(), 2),
        "query tokens": _mean(map(text_length, texts), 1),
        "answer tokens": _mean(map(text_length, answers), 1),
        "doc tokens": f"{tokens / documents:.1f}" if documents else "—",
        "queries with code": _share(texts, holds_code),
        "answers with code": _share(answers, holds_code),
        "relevant docs/nugget": _mean((len(nugget.doc_ids) for nugget in collection.nuggets), 2),
        "relevant docs/query": _mean(relevant, 2),
    }


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
    found = list(values)
    return f"{fmean(found):.{digits}f}" if found else "—"


def _share(texts: Sequence[str], holds: Callable[[str], bool]) -> str:
    return f"{sum(map(holds, texts)) / len(texts):.0%}" if texts else "—"
