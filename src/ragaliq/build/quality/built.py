"""What the figures read of a finished build, each file once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from ragaliq.build.context import BuildContext
from ragaliq.build.stage_row import StageRow
from ragaliq.build.stages import check_translation, pool
from ragaliq.build.stages import filter as filter_stage
from ragaliq.formats.trec.run import read_ranked_run
from ragaliq.types import Chunk

FILTERED, UNFILTERED = "filtered", "unfiltered"
# Why a query that was kept is not in the benchmark: it is not in every language.
UNTRANSLATED = "not in every language"
Scores = Mapping[str, Mapping[str, float]]


class Built:
    """A finished build."""

    def __init__(self, context: BuildContext) -> None:
        self.context = context
        self.settings = context.settings

    @cached_property
    def queries(self) -> list[StageRow]:
        """The rows of `filter`: every query that was pooled, kept or not.

        Of a translated benchmark, those that are not shipped in every language are removed, too.
        """
        rows = self.context.workspace.rows(filter_stage.NAME)
        if not self.settings.translate.languages:
            return rows
        shipped = {(row.lang, row.item_id): row for row in self.context.workspace.kept(check_translation.NAME)}
        return [
            replace(row, value=shipped[row.lang, row.item_id].value)
            if (row.lang, row.item_id) in shipped
            else replace(row, reason=row.reason or UNTRANSLATED)
            for row in rows
        ]

    @cached_property
    def pooled(self) -> dict[tuple[str, str], StageRow]:
        """The kept rows of `pool`, by language and query."""
        return {(row.lang, row.item_id): row for row in self.context.workspace.kept(pool.NAME)}

    @cached_property
    def corpora(self) -> dict[str, list[Chunk]]:
        """The corpus of each language that has queries in the benchmark."""
        langs = sorted({row.lang for row in self.queries if row.kept})
        return filter_stage.corpora_of(self.context, langs)

    def answerable(self, lang: str, set_name: str = FILTERED) -> list[StageRow]:
        """Return the answerable queries of a language: those of the benchmark, or also those that the rules removed."""
        rules = (*filter_stage.RULES, UNTRANSLATED) if set_name == UNFILTERED else ()
        return [
            row
            for row in self.queries
            if row.lang == lang and row.value["answerable"] and (row.kept or row.reason in rules)
        ]

    def qrels(self, lang: str, set_name: str = FILTERED) -> dict[str, dict[str, int]]:
        """Return the judgements of the answerable queries: how many nuggets a document supports."""
        return {row.item_id: dict(row.value["judged"]) for row in self.answerable(lang, set_name)}

    def lists(self, lang: str, kinds: Sequence[str] = pool.QUERY_KINDS) -> dict[tuple[str, str], Scores]:
        """Return the lists that the pool was fused from: kind of query text and retriever → query → document → score.

        Documents that were withheld for unanswerable queries are left out.
        """
        corpus = {chunk.doc_id for chunk in self.corpora[lang]}
        return {
            (kind, name): {
                query_id: {doc_id: score for doc_id, score in scores.items() if doc_id in corpus}
                for query_id, scores in read_ranked_run(pool.run_file(self.context, lang, kind, name)).scores.items()
            }
            for kind in kinds
            for name in self.settings.pool.retrievers
        }
