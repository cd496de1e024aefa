"""The certificate of a built benchmark as Markdown, and its section of the card."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ragaliq.build.validity.certificate import LanguageValidity, ValidityCertificate
from ragaliq.build.validity.estimate import Estimate, Proportion
from ragaliq.build.validity.question_alone import QuestionAlone
from ragaliq.build.validity.rank_agreement import MARGIN, RankAgreement
from ragaliq.report.format import NONE, TableRows, between, bullets, code, escaped, markdown, thousandths
from ragaliq.report.markdown.build.certificate_block import with_certificate
from ragaliq.storage.files import read_text, write_atomic, write_json

_NAMES = {"tau": "τ", "tau_ap": "τ_AP"}
_VERDICTS = {
    "within": "as close as people's questions are to each other, within the margin",
    "beyond": "farther from people's questions than these are from each other",
    "undecided": "too few questions to decide whether as close as people's questions are to each other",
}
_MOST_ROWS = 10


def write_validity(folder: Path, certificate: ValidityCertificate) -> None:
    """Write `build/certificate.json` and `build/certificate.md`, and the certificate's section into `CARD.md`."""
    write_json(folder / "build" / "certificate.json", certificate.to_json())
    write_atomic(folder / "build" / "certificate.md", (_render(certificate) + "\n").encode("utf-8"))
    path = folder / "CARD.md"
    card = (
        read_text(path) if path.is_file() else escaped(f"# Data card: {certificate.name} {certificate.version}") + "\n"
    )
    card = with_certificate(card, card_section(certificate), certificate.benchmark_hash)
    write_atomic(path, card.encode("utf-8"))


def certified_lines(certificate: ValidityCertificate) -> list[str]:
    """Return what the card says of the certificate, a line for each language: nothing else is claimed."""
    lines = [f"{one.lang}: {_claim(_headline(one), one)}" for one in certificate.languages]
    lines += [f"{lang}: not certified: {why}" for lang, why in certificate.not_certified.items()]
    if certificate.backend == "scripted":
        lines.append("Written by rules (backend `scripted`): a well-formed benchmark, not a valid one.")
    return lines


def card_section(certificate: ValidityCertificate) -> str:
    """Return the section of the benchmark's card."""
    bounds = (
        "It covers ranking retrievers on this corpus by questions like these. It does not cover ranking "
        "generators, other corpora, or configurations unlike those compared."
    )
    listed = bullets((*certified_lines(certificate), *_other_lines(certificate)))
    grounds = f"Grounds: `build/certificate.md`; questions of people {code(certificate.human_file)}."
    return "\n\n".join(["## Certificate of validity", listed, bounds, grounds])


def _other_lines(certificate: ValidityCertificate) -> list[str]:
    """Return the other figures of the card, a line for each language and kind."""
    lines = []
    for one in certificate.languages:
        top = next(row for row in one.agreement if row.measure == "nDCG@10" and row.coefficient == "tau_ap")
        lines.append(f"{one.lang}: τ_AP (errors near the top weigh more) {_estimate(top.value)}; at {top.half} "
                     f"questions a side {_estimate(top.built)}, ceiling {_estimate(top.ceiling)}")  # fmt: skip
        power = next(row for row in one.discrimination if row.measure == "nDCG@10")
        lines.append(f"{one.lang}: of {power.pairs} pairs of configurations {power.n} built questions separate "
                     f"{_percent(power.built)}, as many human ones {_percent(power.human)}")  # fmt: skip
    for pool in certificate.pools:
        lost = [row.lost for row in certificate.left_out if row.lang == pool.lang and row.lost is not None]
        lines.append(
            f"{pool.lang}: of {pool.negatives.n} random documents outside the pool {pool.negatives.count} support a "
            f"nugget, as judged; estimated pool recall {_estimate(pool.pool_recall)}"
            + (f"; a family of retrievers left out loses at most {_percent(max(lost))} of the relevant" if lost else "")
        )
    lines += [f"{row.lang}: the question alone contains the answer of {row.echo.count} of {row.echo.n} questions"
              for row in certificate.contamination]  # fmt: skip
    return lines


def _percent(share: float | None) -> str:
    return NONE if share is None else f"{share:.1%}"


def _headline(one: LanguageValidity) -> RankAgreement:
    return next(row for row in one.agreement if row.measure == "nDCG@10" and row.coefficient == "tau")


def _claim(row: RankAgreement, one: LanguageValidity) -> str:
    side = f"{one.built} built and {one.human} human questions, {one.distinct} retrieval configurations"
    return (
        f"{_VERDICTS[row.verdict]}: τ of {row.measure} {_estimate(row.value)} ({side}); at {row.half} questions a side "
        f"{_estimate(row.built)}, ceiling {_estimate(row.ceiling)}, distance {_estimate(row.distance)}"
    )


def _render(certificate: ValidityCertificate) -> str:
    head = escaped(f"# Certificate of {certificate.name} {certificate.version}")
    parts = [head, card_section(certificate)]
    for one in certificate.languages:
        parts += _language(one)
    parts += ["## The question alone", _ALONE, markdown(list(map(_contamination, certificate.contamination)))]
    parts += _pool(certificate)
    if certificate.unused:
        rows = [f"line {one.line}: {one.reason}" for one in certificate.unused[:_MOST_ROWS]]
        more = len(certificate.unused) - _MOST_ROWS
        parts += [
            "## Questions of people that could not be used",
            bullets(rows + ([f"and {more} more"] if more > 0 else [])),
        ]
    hashes = bullets((
        f"benchmark: `{certificate.benchmark_hash}`", f"{certificate.human_file}: sha256 `{certificate.human_sha256}`"
    ))  # fmt: skip
    return "\n\n".join([*parts, "## Sources", hashes])


_ALONE = (
    "Share of right answers without any document, on the built questions; right is an answer with four fifths of the "
    "reference's words. `nearest` gives the reference of the most similar other question, `chance` that of a drawn "
    "one, `echo` the question itself; `models` are the build's closed-book answers, `solved` the same as its judge saw "
    "them."
)


def _language(one: LanguageValidity) -> list[str]:
    shared = f" {one.shared} built questions that a person asked, too, are left out." if one.shared else ""
    drawn = ""
    if one.matching is not None:
        balance = ", ".join(
            f"{row.feature} {thousandths(row.before)} → {thousandths(row.after)}" for row in one.matching.balance
        )
        drawn = f" They were drawn to match `{one.matching.to}` (distance before → after: {balance})."
    read = (
        f"{one.built} built and {one.human} human questions.{shared}{drawn} Both rank {one.distinct} retrieval "
        "configurations; `ceiling` is the agreement of two random halves of the human questions, `built` that of "
        f"as many built questions with each half. The distance is `within` if surely at most {MARGIN:g}."
    )
    power = [
        {
            "measure": row.measure,
            "questions a side": str(row.n),
            "pairs": str(row.pairs),
            "built": thousandths(row.built),
            "human": thousandths(row.human),
            "opposite": str(row.disagreements),
        }
        for row in one.discrimination
    ]
    told = "Pairs of configurations separated (paired sign flips, .05, Holm), at equal numbers of questions:"
    return [f"## {one.lang}", read, markdown(list(map(_agreement, one.agreement))), told, markdown(power),
            "Means behind the rankings:", markdown(_means(one))]  # fmt: skip


def _agreement(row: RankAgreement) -> dict[str, str]:
    return {
        "coefficient": f"{_NAMES[row.coefficient]} of {row.measure}",
        "all questions": _estimate(row.value),
        "a side": str(row.half),
        "ceiling": _estimate(row.ceiling),
        "built": _estimate(row.built),
        "distance": _estimate(row.distance),
        "verdict": row.verdict,
    }


def _means(one: LanguageValidity) -> TableRows:
    ranked = sorted(one.configurations, key=lambda row: (-row.human["nDCG@10"], row.name))
    return [
        {
            "configuration": row.name,
            **{f"{side} {measure}": thousandths(means[measure])
               for measure in row.human for side, means in (("human", row.human), ("built", row.built))},
        }
        for row in ranked
    ]  # fmt: skip


def _contamination(row: QuestionAlone) -> dict[str, str]:
    return {
        "lang": row.lang,
        "n": str(row.echo.n),
        "chance": _share(row.chance),
        "nearest": _share(row.nearest),
        "echo": _share(row.echo),
        "models": _share(row.closed_book),
        "solved": _share(row.solved),
    }


def _pool(certificate: ValidityCertificate) -> list[str]:
    if not certificate.pools:
        return []
    rows = [
        {
            "lang": row.lang,
            "queries": str(row.queries),
            "random documents": str(row.negatives.n),
            "supporting": _share(row.negatives),
            "pool recall": _estimate(row.pool_recall),
            **{f"depth {depth}": thousandths(recall) for depth, recall in row.recall_by_depth.items()},
        }
        for row in certificate.pools
    ]
    families = [
        {
            "lang": row.lang,
            "family left out": row.family,
            "relevant lost": thousandths(row.lost),
            "τ": thousandths(row.tau),
            "ranks moved": str(row.rank_moved),
        }
        for row in certificate.left_out
    ]
    read = (
        "Documents drawn at random from outside the pool were judged too. `supporting` is the share that supports a "
        "nugget. If unjudged documents are relevant as often, the pool has the estimated share of all "
        "relevant ones. A judge that overlooks support lowers the first and raises the second."
    )
    return ["## Pool and judge", read, markdown(rows), *([markdown(families)] if families else [])]


def _estimate(value: Estimate | None) -> str:
    if value is None:
        return NONE
    ends: Sequence[float] | None = None if value.low is None or value.high is None else (value.low, value.high)
    return (
        thousandths(value.value)
        if ends is None
        else f"{thousandths(value.value)} [{between(ends, sign=min(ends) < 0)}]"
    )


def _share(share: Proportion | None) -> str:
    return NONE if share is None else f"{_estimate(share.share)}"
