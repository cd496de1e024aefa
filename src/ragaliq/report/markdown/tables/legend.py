"""What the columns of results.md are: each once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ragaliq.compare.overview.systems import Overview
from ragaliq.report.format import NONE

LEGEND_LINK = "[legend](#legend)"
_GENERAL = (
    "A column named by a language (`en`, `de`, …) holds the figure of that language, `all` that of all languages which "
    "the systems share, where the languages of a query are one cluster. `±` is half the width of a 95 % interval over "
    "the choice of queries, brackets hold such an interval; reader and judge are taken as they are. It is no test: the "
    "systems answer the same queries, so ranks, which compare them query by query, may tell apart what overlaps. "
    "**Gold** is the passages that answer a query. **Bold** in the summary: better than all others of its column, for "
    "certain (95 %); among losses: more than in the system's other "
    "languages, for certain. What cannot be told apart need not be equal. A "
    "detectable difference is seen with a chance of 80 %. "
    f"{NONE}: not known, or withheld because less than {{min_coverage:g}} of the answers have a grade. Definitions "
    "with formulas: ragaliq's documentation, `docs/results.md`."
)
_JOINED = " · "
# Columns of the same meaning share an entry.
_COLUMNS: Mapping[str, str] = {
    "run": "name of the run's folder.",
    "file": "name of the graded file, or of the run's folder.",
    "system": "reader, embedder and reranker, or the file's name.",
    "lang": "language of the queries.",
    "n": "number of answers that the figures are of, in tables of grades those with a grade; behind the slash how many "
    "there should be.",
    "judge": "who graded.",
    "mean_weight": "mean of the grades' weights (5: 1, 4: .8, 3: .6, 0: .4, 2: .2, 1: 0): no answer is worth more than "
    "a wrong one; differences are in this.",
    "weighted_score": "`mean_weight` squared, over the answerable queries; the summary's scores are these.",
    "ci95": "95 % interval of `weighted_score`.",
    "rank_ci": "the ranks that the data leave open, with 95 % certainty for all rows of the tables of all languages at "
    "once (paired by query, max-t over all pairs, stepping down).",
    "selection_frequency": "share of resamples of the queries in which the row has the highest score of those that it "
    "is ranked with, ties split; it is not a probability of being best.",
    "new_sample95": "95 % interval of `weighted_score` on as many other queries of the same kind: that of `ci95`, √2 "
    "times as wide in `mean_weight`.",
    "rank": "the same as `rank_ci` over all languages together, with 95 % certainty for this table by itself.",
    "abstention F1": "harmonic mean of precision and recall of abstaining from unanswerable queries.",
    "supported": "share of the answers' sentences that the context shown to the reader supports in full, as a checker "
    "sees it; the offline one also flags some that are copied from a passage.",
    "s/query": "median seconds of the reader's call.",
    "USD/query": "the reader's tokens at the list prices of {date}; 0: it calls no service. Embedder, reranker and "
    "judge are not in it.",
    "USD": "the same for all answers whose tokens are reported.",
    "reader · model_name": "the reader.",
    "retriever": "the retriever.",
    "embedder · embedder_name": f"the embedder; {NONE} where words alone are searched.",
    "reranker · reranker_name": "the reranker.",
    "kb_lang": "language of the documents; `same`: that of the query.",
    "language_consistency_score": "share of answers in the query's language, of those long enough to tell.",
    "mean_grade": "mean of the grades above 0.",
    "median_grade": "median of the grades above 0.",
    "percentage": "`mean_grade` in per cent of 5.",
    "percentage_with_zero": "mean of all grades in per cent of 5.",
    "5 · 4 · 3 · 2 · 1 · 0": "number of answers with the grade: 5 is right, 1 wrong, 0 no answer.",
    "generation_time": "sum of the seconds of the reader's own calls.",
    "coverage": "share of the answerable queries that have a grade.",
    "stage": "where a query's loss (1 − weight) counts: the first stage that loses some of its gold. Knowledge base: "
    "no passage holds it; retriever: not retrieved; reranker: moved out of the context; context cut: too far down to "
    "be shown in full. Where all gold was shown: language (answered in another one), abstention, or the reader. Stages "
    "add up to `sum`.",
    "condition": "what the same reader was shown: nothing, the retriever's order, the run's context, the gold. Gold is "
    "a reference point, not a ceiling; what is right without context is the model's own knowledge.",
    "gain": "`mean_weight` less that of the row above, on queries with a grade in both.",
    "right": "number of answers with a grade of 4 or 5.",
    "unanswerable: abstained": "number of unanswerable queries that the system rightly did not answer.",
    "unanswerable: answered": "number of unanswerable queries that it answered.",
    "answerable: abstained": "number of answerable queries that it did not answer.",
    "answerable: answered": "number of answerable queries that it answered, well or badly.",
    "failed": "number of queries on which the reader failed; they are in no other count.",
    "precision": "share of unanswerable queries among those not answered.",
    "recall": "share of the unanswerable queries that were not answered.",
    "not supported": "number of answers with a sentence that the context does not support in full; `ragaliq show RUN "
    "--unsupported` lists them.",
    "contradicted": "share of sentences that the context contradicts.",
    "n nuggets": "answers that were searched for nuggets, the facts of a full answer.",
    "nuggets: vital, strict": "share of the vital nuggets that answers hold in full.",
    "nuggets: all": "share of all nuggets; one held in part counts half.",
    "length": "median characters of an answer.",
    "n context": "answers whose context a model judged.",
    "context precision": "whether passages that help stand first: average precision.",
    "context recall": "share of the reference's sentences that the passages bear out.",
    "n citations": "citations that were checked.",
    "citation precision": "mean support of an answer's citations (in full 1, in part .5).",
    "citation recall": "mean support of an answer's sentences by what they cite.",
    "exact_match · token_f1 · rouge_l · chrf · trigram_recall": "overlap with the reference, 0 to 1; in brackets "
    "Spearman's ρ with the grade.",
    "language: answers": "share of answers in the query's language.",
    "language: lines": "share of answers of which each line is.",
    "language: words": "share of answers of which each word is.",
    "median s": "median seconds of the reader's calls.",
    "p95 s": "the seconds that 95 % of the calls do not exceed.",
    "difference": "`mean_weight` less that of the best language, on the queries that all languages share. A judge that "
    "is stricter in one language shows up as a gap, too.",
    "p": "p value of the difference; it and its interval are for all pairs of languages at once.",
    "fails only here": "number of queries with a grade of 0, 1 or 2 in this language alone.",
    "queries": "language of the queries; the other columns are languages of the documents.",
}
_HEADER = re.compile(r"^\| (.+) \|\n\|[:|-]+\|$", re.MULTILINE)


def legend_section(parts: Iterable[str], overview: Overview | None, min_coverage: float) -> list[str]:
    """Return the legend of all columns in some parts of a file."""
    headers = (match[1] for part in parts for match in _HEADER.finditer(part))
    present = {cell.strip() for header in headers for cell in header.split(" | ")}
    lines = []
    for entry, meaning in legend_entries(overview):
        names = entry.split(_JOINED)
        if present.intersection(names):
            lines.append(f"- {', '.join(f'`{name}`' for name in names)}: {meaning}")
    return ["# Legend", _GENERAL.format(min_coverage=min_coverage), "\n".join(lines)]


def legend_entries(overview: Overview | None) -> list[tuple[str, str]]:
    """Return what each column is; those of the same meaning are one term."""
    costs = (system.cost for system in overview.systems) if overview else ()
    date = next((cost.date for cost in costs if cost), "")
    return [(entry, meaning.format(date=date)) for entry, meaning in _COLUMNS.items()]
