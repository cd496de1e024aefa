"""Candidates written from chunks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fakes import CannedModel, between_fences
from ragaliq.build.plan import plan_candidates
from ragaliq.build.settings import GenerateSettings
from ragaliq.build.settings_file import load_settings
from ragaliq.build.stage_row import StageRow
from ragaliq.build.stages.generate import generate
from ragaliq.llm import Request
from ragaliq.types import Chunk
from unit.build.chain import PASSAGES, build_in

ONE = "generate: {queries: 1, types: {single: 1}}\nseed: 0\n"
QUESTION = "When does the canteen of the research station open on a working day?"
ANSWER = "It opens at seven in the morning."


def reply(quote: str, question: str = QUESTION, answer: str = ANSWER, passage: int = 1) -> dict[str, Any]:
    evidence = [{"passage": passage, "quote": quote}] if quote else []
    return {"rationale": "Guests ask this.", "evidence": evidence, "question": question, "answer": answer}


def generated(folder: Path, replies: Any, lang: str = "en", settings: str = ONE) -> tuple[StageRow, CannedModel]:
    """The one row, and the model that was asked."""
    model = CannedModel({"generate": replies})
    context = build_in(folder, {lang: [PASSAGES[lang]]}, {"": model}, settings)
    generate(context)
    (row,) = context.workspace.rows("generate")
    return row, model


def test_b9_a_candidate_names_its_chunk_and_where_its_evidence_stands_in_the_source(tmp_path: Path) -> None:
    quote = "opens at seven"
    row, model = generated(tmp_path, reply(quote))
    at = PASSAGES["en"].index(quote)
    assert row.kept and row.value == {
        "text": QUESTION, "reference": ANSWER, "type": "single", "origin": "generated", "gold": [["en:d1"]],
        "evidence": [{"doc_id": "en:d1", "start": 100 + at, "end": 100 + at + len(quote), "quote": quote}],
    }  # fmt: skip
    (request,) = model.requests
    assert row.traces == (model.key(request),)


def test_evidence_is_found_word_for_word_or_nearly_and_rejected_otherwise(tmp_path: Path) -> None:
    text = PASSAGES["en"]
    for number, (quote, expected) in enumerate((
        ("closes at eight in the evening.", "closes at eight in the evening."),
        # Case, quotation marks and white space do not count; the text of the source is what is kept.
        ("CLOSES  at eight\nin the evening", "closes at eight in the evening"),
        # 1 of 29 letters is wrong: within the twentieth.
        ("opens at seven on every worxing day", "opens at seven on every working day"),
    )):  # fmt: skip
        row, _ = generated(tmp_path / str(number), reply(quote))
        assert [one["quote"] for one in row.value["evidence"]] == [expected] and expected in text
    for number, (quote, reason) in enumerate((
        ("opens at nine on every Sunday", "evidence not found"), ("", "evidence missing"), (" ", "evidence not found"),
    )):  # fmt: skip
        row, model = generated(tmp_path / f"no{number}", reply(quote))
        assert row.reason == reason and "text" not in row.value
        # Asked for once more, with what is wrong.
        assert len(model.requests) == 2 and row.detail in model.prompts("generate")[1]


def test_a_second_reply_with_sound_evidence_counts(tmp_path: Path) -> None:
    row, model = generated(tmp_path, [reply("nowhere"), reply("closes at eight")])
    assert row.kept and len(model.requests) == 2


@pytest.mark.parametrize(
    ("said", "reason", "detail"),
    [
        (reply("", "", ""), "nothing to ask", ""),
        (reply("opens at seven", answer=""), "failed", "both"),
        (reply("opens at seven", passage=2), "failed", "no passage 2; there are 1"),
        (reply("opens at seven", "Wann öffnet die Kantine der Station am Morgen?"), "other language", "'en'"),
        (reply("opens at seven", answer="Sie öffnet um sieben Uhr am frühen Morgen."), "other language", "'en'"),
        (reply("opens at seven", "Does the canteen open at seven?", "at seven"), "answer in the question", "contains"),
        ({**reply("opens at seven"), "evidence": "opens at seven"}, "failed", "must be a list"),
        ({**reply("opens at seven"), "question": 3}, "failed", "must be texts"),
        ("no JSON at all", "failed", "not one JSON object"),
    ],
)
def test_what_cannot_be_used_is_removed_with_a_reason(tmp_path: Path, said: Any, reason: str, detail: str) -> None:
    row, _ = generated(tmp_path, said)
    assert row.reason == reason and detail in row.detail


def test_evidence_of_both_passages_is_needed_where_two_are_shown(tmp_path: Path) -> None:
    one = "The director of the polar station is Ada Lundqvist, who has led the house since the spring of last year."
    two = "Ada Lundqvist keeps her office hours in room 214 of the polar station, from nine to eleven every Tuesday."
    settings = "generate: {queries: 1, types: {multi-hop: 1}}\n"
    both = [{"passage": 1, "quote": "Ada Lundqvist"}, {"passage": 2, "quote": "Ada Lundqvist"}]
    for name, evidence, reason in (("both", both, ""), ("one", both[:1], "evidence missing")):
        said = {
            **reply("", "Which room does the leader of the polar station use?", "She uses 214."),
            "evidence": evidence,
        }
        context = build_in(tmp_path / name, {"en": [one, two]}, {"": CannedModel({"generate": said})}, settings)
        generate(context)
        (row,) = context.workspace.rows("generate")
        assert row.reason == reason and sorted(row.value["gold"]) == [["en:d1"], ["en:d2"]]


CODE = 'Run this on the host:\n\n```bash\nfor f in *.log; do\n    gzip -9 "$f"\ndone\n```'


def test_c30_program_text_in_question_answer_and_evidence_stays_as_it_is(tmp_path: Path) -> None:
    passage = f"Alte Protokolle werden auf dem Server jede Nacht verkleinert, damit der Platz reicht.\n\n{CODE}\n"
    question = 'Was macht die Schleife `for f in *.log; do gzip -9 "$f"; done` mit den Protokollen?'
    said = reply('for f in *.log; do\n    gzip -9 "$f"\ndone', question, f"Sie verkleinert sie:\n\n{CODE}")
    model = CannedModel({"generate": said})
    context = build_in(tmp_path, {"de": [passage]}, {"": model}, ONE)
    generate(context)
    (row,) = context.workspace.rows("generate")
    assert (row.reason, row.value["text"], row.value["reference"]) == ("", question, f"Sie verkleinert sie:\n\n{CODE}")
    assert row.value["evidence"][0]["quote"] == said["evidence"][0]["quote"]
    assert CODE in model.prompts("generate")[0]


def test_six_languages_each_get_the_rules_in_their_code_and_their_own_passage(tmp_path: Path) -> None:
    def write(request: Request) -> dict[str, Any]:
        passage = between_fences("\n".join(one["content"] for one in request.messages), "PASSAGE 1")
        return reply(passage[:12], f"{passage[:-1]}?", passage[:14])

    model = CannedModel({"generate": write})
    context = build_in(tmp_path, {lang: [text] for lang, text in PASSAGES.items()}, {"": model}, ONE)
    generate(context)
    rows = context.workspace.rows("generate")
    assert [row.lang for row in rows] == sorted(PASSAGES)
    assert all(row.value["evidence"][0]["quote"] == PASSAGES[row.lang][:12].strip() for row in rows)
    for lang in PASSAGES:
        assert sum(f'the code "{lang}"' in prompt for prompt in model.prompts("generate")) == 1


def sections(n: int) -> list[Chunk]:
    """Sections of which two neighbours share a rare word."""
    text = (
        "The house rules of section {}{} ask all guests to bring their own lamp, and to return it before they leave {}."
    )
    names = ["anew", "back", "cold", "dark", "east"]
    return [
        Chunk(
            f"d{number}", "en", text.format(number, names[number // 2], names[number // 2]), f"{number % 3}.md", 0, 120
        )
        for number in range(n)
    ]


def test_d3_the_preset_asks_six_times_a_section_with_the_parameters_of_the_source(tmp_path: Path) -> None:
    file = tmp_path / "bench" / "build.yaml"
    file.parent.mkdir()
    file.write_text("preset: ragaliq\ngenerate: {queries: 600}\n")
    settings = load_settings(file)
    assert (settings.chunk.sections, settings.chunk.min_chars, settings.critique.threshold) == (True, 100, 4)
    wanted = plan_candidates(sections(10), settings.generate, settings.seed)
    kinds = {chunk.doc_id: [one.type for one in wanted if chunk in one.chunks] for chunk in sections(10)}
    # Each section is shown six times, the last one, too, and is asked about in one kind once.
    assert all(len(shown) == 6 == len(set(shown)) for shown in kinds.values())
    model = CannedModel({"generate": reply("", "", "")})
    generate(build_in(tmp_path, {"en": [PASSAGES["en"]]}, {"": model}, file.read_text()))
    # Of one section alone nothing can be asked that needs two: five of the seven kinds remain.
    assert [dict(request.parameters) for request in model.requests] == [{"temperature": 0.7, "max_tokens": 512}] * 5


def test_the_plan_follows_from_the_content_and_gives_each_source_its_turn() -> None:
    settings = GenerateSettings(queries=6, types={"single": 2, "numeric": 1})
    chunks = sections(9)
    wanted = plan_candidates(chunks, settings, seed=3)
    assert wanted == plan_candidates(chunks[::-1], settings, seed=3) and wanted != plan_candidates(
        chunks, settings, seed=4
    )
    # Nine chunks of three sources, six questions: two a source, four of them of the kind with two shares of three.
    assert sorted(one.chunks[0].source_id for one in wanted) == ["0.md", "0.md", "1.md", "1.md", "2.md", "2.md"]
    assert sorted(one.type for one in wanted) == ["numeric"] * 2 + ["single"] * 4
    more = plan_candidates(chunks, replace(settings, queries=9), seed=3)
    assert {one.candidate_id for one in wanted} <= {one.candidate_id for one in more}
    assert (
        plan_candidates([], settings, seed=3)
        == plan_candidates([Chunk("d", "en", "# A heading", "s", 0, 11)], settings, seed=3)
        == []
    )
