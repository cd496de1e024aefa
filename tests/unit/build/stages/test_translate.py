"""Translation and its check in a build: one memory, in every language or in none, edits, failures."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fakes import CannedBackend, CannedModel
from ragaliq.benchmark.checks.validate import validate
from ragaliq.build.context import BuildContext
from ragaliq.build.exported.sources import source_documents
from ragaliq.build.model.scripted import scripted_reply
from ragaliq.build.pipeline import run_build, statuses, wanted_stages
from ragaliq.build.quality.translations import translation_figures
from ragaliq.build.stage_row import content_hash
from ragaliq.build.stages.check_translation import write_stage_findings
from ragaliq.build.stages.export import NoQueryLeft
from ragaliq.build.translation.edits import Edit, append_edits
from ragaliq.build.translation.memory import segments_of
from ragaliq.build.workspace import Workspace
from ragaliq.errors import ConfigError, InputError
from ragaliq.llm import LLMSession, Request
from ragaliq.storage.files import write_atomic
from ragaliq.types import Chunk
from unit.build.written_build import fact, settings, write_chunks, written_build

SUPPORT = {"q1": {"q1_a": ["d01"], "q1_b": ["d01", "d02"]}, "q2": {"q2_a": ["d03"]}}
STAGES = ("pool", "judge", "filter", "translate", "check-translation", "export")
LAST = ("translate", "check-translation", "export")
WORDS = {"de": {"stands alone": "steht allein", "What about": "Was ist mit"},
         "ru": {"stands alone": "стоит один", "What about": "Что такое"}}  # fmt: skip
# The starts of the words of a fact.
STARTS = {"de": {"kor": "Zwor", "lum": "Glum", "bes": "Stres", "tav": "Knav"},
          "ru": {"kor": "кор", "lum": "лум", "bes": "бес", "tav": "тав"}}  # fmt: skip


def segments_in(request: Request) -> tuple[str, list[str]]:
    """The language and the segments of a request for translations."""
    prompt = str(request.messages[-1]["content"])
    lang = prompt.partition('the code "')[2][:2]
    parts = [part.partition("\n") for part in prompt.split("=====")]
    return lang, [text.removesuffix("\n") for head, _, text in parts if " SEGMENT " in head]


def translated(
    change: Callable[[str, str], str] = lambda lang, text: text, left: tuple[str, str] = ("", "")
) -> CannedModel:
    """A model that judges by rules and translates word by word; `left`: a language, and what stays as it is there."""

    def said(lang: str, text: str) -> str:
        if lang == left[0] and left[1] in text:
            return text
        for word, other in (WORDS.get(lang, {}) | STARTS.get(lang, {})).items():
            text = text.replace(word, other)
        return change(lang, text)

    def reply(request: Request) -> str:
        if "Task: translate" not in str(request.messages[-1]["content"]):
            return scripted_reply(request.messages, int(request.parameters.get("seed", 0)))
        lang, segments = segments_in(request)
        entries = [{"segment": n, "translation": said(lang, text)} for n, text in enumerate(segments, start=1)]
        return json.dumps({"segments": entries}, ensure_ascii=False)

    return CannedModel(reply)


def started(folder: Path, model: CannedModel | None = None, **settings: Any) -> BuildContext:
    """A build up to `closed-book`, to be translated."""
    wanted = {"languages": ["de", "ru"], **settings}
    return written_build(folder, SUPPORT, 6, model or translated(), translate=wanted)


def finish(context: BuildContext, *stages: str) -> BuildContext:
    """Run the stages after those that are written."""
    by_name = {stage.name: stage for stage in wanted_stages(context.settings)}
    for name in stages or STAGES:
        by_name[name].run(context)
    return context


def again(context: BuildContext, model: CannedModel) -> BuildContext:
    """The same build in another process, with another model."""
    return BuildContext(Workspace(context.workspace.path), LLMSession(), CannedBackend(models={"": model}))


def test_every_language_has_the_same_ids_and_texts_that_stand_where_their_chunks_say(tmp_path: Path) -> None:
    context = finish(started(tmp_path))
    head = json.loads((tmp_path / "bench.json").read_text())
    assert (head["languages"], head["parallel"]) == (["en", "de", "ru"], True)
    rows = {lang: [json.loads(line) for line in (tmp_path / f"corpus/{lang}.jsonl").read_text().splitlines()]
            for lang in head["languages"]}  # fmt: skip
    assert [row["doc_id"] for row in rows["en"]] == [row["doc_id"] for row in rows["ru"]] == [
        row["doc_id"] for row in rows["de"]]  # fmt: skip
    for lang, chunks in rows.items():
        for row in chunks:
            assert (tmp_path / row["source_id"]).read_text()[row["start"] : row["end"]] == row["text"], lang
    assert "fillerd04 стоит один." in {row["text"] for row in rows["ru"]}
    assert not [line for line in validate(tmp_path) if "sources" in line or "missing in" in line]
    assert len({one.source for one in segments_of(context)}) * 2 == len(segments_of(context))


def test_a_segment_is_asked_once_and_a_query_sees_the_translation_of_its_passage(tmp_path: Path) -> None:
    seen: list[str] = []
    model = translated(lambda lang, text: seen.append(f"{lang} {text}") or text)  # type: ignore[func-returns-value]
    finish(started(tmp_path, model))
    assert len(seen) == len(set(seen))
    prompts = [str(request.messages[-1]["content"]) for request in model.requests]
    (asked,) = [one for one in prompts if f"What about {fact('q1_a')}" in one and 'the code "ru"' in one
                and "Task: translate" in one]  # fmt: skip
    assert "TRANSLATION 1\nfillerd01 стоит один." in asked


def test_an_error_in_one_language_takes_chunk_and_query_from_all(tmp_path: Path) -> None:
    rows = finish(started(tmp_path, translated(left=("ru", "fillerd03")))).workspace.rows("check-translation")
    reasons = {(row.lang, row.item_id): (row.reason, row.detail) for row in rows if not row.kept}
    assert reasons["ru", "d03"] == (
        "untranslated", f"chunk d03: not translated: 'fillerd03 stands alone. {fact('q2_a')}.'")  # fmt: skip

    assert reasons["de", "d03"] == reasons["en", "d03"] == ("in another language", "ru: untranslated")
    assert reasons["ru", "q2"] == reasons["en", "q2"] == ("gold lost", "no document of q2_a is in the corpus")
    assert {key[1] for key in reasons} == {"d03", "q2"}
    assert "fillerd03" not in (tmp_path / "sources/en/notes/house.md").read_text()
    assert "d03" not in (tmp_path / "corpus/de.jsonl").read_text()


def test_without_any_query_in_every_language_the_command_ends_with_1(tmp_path: Path) -> None:
    context = started(tmp_path, translated(left=("de", "What about")))
    with pytest.raises(NoQueryLeft, match=r"check-translation\.jsonl: no query is left in every language") as error:
        finish(context)
    assert error.value.exit_code == 1


def test_an_edit_replaces_what_it_changes_without_a_call_for_it(tmp_path: Path) -> None:
    context = finish(started(tmp_path))
    edit = Edit("en", "de", "fillerd05 stands alone.", "fillerd05 steht allein.", "fillerd05 ist allein.", "Ida",
                "2031-01-01T00:00:00Z", "xliff")  # fmt: skip
    assert append_edits(tmp_path, [edit]) == 1
    model = translated()
    finish(again(context, model), *LAST)
    assert model.requests == []
    assert "fillerd05 ist allein." in (tmp_path / "corpus/de.jsonl").read_text()
    (one,) = [one for one in segments_of(context) if (one.lang, one.source) == ("de", edit.source)]
    assert (one.target, one.status, one.where) == (edit.after, "edited", ("chunk d05",))


def add_passage(context: BuildContext, text: str) -> None:
    """Put a passage before all others."""
    texts = {row.item_id: row.value["text"] for row in context.workspace.rows("chunk")}
    write_chunks(context.workspace, {"d00": text, **texts})


def test_a_new_passage_has_only_its_new_segments_translated(tmp_path: Path) -> None:
    context = finish(started(tmp_path))
    add_passage(context, "fillerd05 stands alone.\nfillerd99 stands alone.\nfillerd04 stands alone.")
    model = translated()
    finish(again(context, model), *LAST)
    assert sorted(map(segments_in, model.requests)) == [
        ("de", ["fillerd99 stands alone."]), ("ru", ["fillerd99 stands alone."])]  # fmt: skip
    passages = [json.loads(line)["text"] for line in (tmp_path / "corpus/de.jsonl").read_text().splitlines()]
    assert passages[0] == "fillerd05 steht allein.\nfillerd99 steht allein.\nfillerd04 steht allein."
    assert passages[5].startswith("fillerd05 steht allein.")


def test_after_other_settings_or_terms_earlier_rows_are_not_taken(tmp_path: Path) -> None:
    (tmp_path / "terms.csv").write_text("en,de,ru\nsilent,still,тихий\n", encoding="utf-8")
    context = finish(started(tmp_path, glossary="terms.csv"))
    (tmp_path / "terms.csv").write_text("en,de,ru\nalone,allein,один\n", encoding="utf-8")
    add_passage(context, "fillerd05 stands alone.")
    model = translated()
    finish(again(context, model), *LAST)
    assert {lang for lang, segments in map(segments_in, model.requests) if "fillerd05 stands alone." in segments} == {
        "de", "ru"}  # fmt: skip


@pytest.mark.parametrize("more", [{"back_translation": True}, {"temperature": 0.7}])
def test_after_another_setting_every_segment_is_asked_again(tmp_path: Path, more: dict[str, Any]) -> None:
    context = finish(started(tmp_path, languages=["de"]))
    everything = {one.source for one in segments_of(context)}
    (tmp_path / "build.yaml").write_text(settings(translate={"languages": ["de"], **more}))
    model = translated()
    (figures,) = translation_figures(finish(again(context, model), *LAST))
    asked = [segments_in(request) for request in model.requests]
    assert everything == {one for lang, segments in asked if lang == "de" for one in segments}
    # Texts that were translated without a way back have one now.
    assert (figures.chrf_n > 6, figures.chrf_without) == ("back_translation" in more, 0)


def test_items_without_a_reply_are_tried_again_and_are_never_shipped_before(tmp_path: Path) -> None:
    whole: Any = translated().replies[""][0]
    model = CannedModel(lambda request: "no" if 'the code "ru"' in str(request.messages) else whole(request))
    context = finish(started(tmp_path, model), *STAGES[:-1])
    failed = [row for row in context.workspace.rows("translate") if row.lang == "ru" and row.value.get("missing")]
    assert failed and {row.reason for row in failed} == {"failed"}
    assert {row.reason for row in context.workspace.rows("check-translation") if row.lang == "ru"} == {"failed"}
    model = translated()
    finish(again(context, model), *LAST)
    assert {
        request.messages[-1]["content"].count('into the language with the code "ru"') for request in model.requests
    } == {1}
    assert (tmp_path / "corpus/ru.jsonl").is_file()


def test_what_is_translated_back_leaves_a_hint_and_chrf(tmp_path: Path) -> None:
    context = finish(started(tmp_path, back_translation=True))
    rows = [row for row in context.workspace.rows("check-translation") if row.lang == "de" and row.kept]
    assert all(row.value["chrf"] for row in rows)
    findings = (tmp_path / "build/translation_findings.jsonl").read_text().splitlines()
    assert {json.loads(line)["severity"] for line in findings} <= {"hint"}


class Counted(list[Chunk]):
    """Chunks that count how often they are gone through."""

    times = 0

    def __iter__(self) -> Iterator[Chunk]:
        self.times += 1
        return super().__iter__()


def test_the_documents_of_a_language_take_one_pass_over_its_chunks(tmp_path: Path) -> None:
    context = finish(started(tmp_path), *STAGES[:-1])
    workspace = context.workspace
    rows = workspace.rows("chunk")
    documents = workspace.rows("ingest")
    for name in ("notes/b.md", "notes/c.md", "notes/d.md"):
        write_atomic(workspace.build / "documents" / name, b"Nothing.")
        inputs = content_hash(["ingest", name, "Nothing.", "en"])
        documents.append(replace(documents[0], item_id=name, inputs=inputs))
    workspace.write_rows("ingest", documents)
    corpus = {lang: Counted(Chunk(row.item_id, lang, "x", row.value["source_id"], 0, 1) for row in rows)
              for lang in ("en", "de", "ru")}  # fmt: skip
    texts = dict(source_documents(context, corpus, ["en"]))
    assert texts["sources/de/notes/house.md"].split() == ["x"] * len(rows) and texts["sources/ru/notes/d.md"] == ""
    assert corpus["de"].times == corpus["ru"].times <= 2


def test_a_way_back_without_a_reply_is_asked_for_again(tmp_path: Path) -> None:
    whole: Any = translated().replies[""][0]
    model = CannedModel(lambda request: "no" if 'into the language with the code "en"' in str(request.messages)
                        else whole(request))  # fmt: skip
    context = finish(started(tmp_path, model, languages=["de"], back_translation=True), *STAGES[:-1])
    (before,) = translation_figures(context)
    (after,) = translation_figures(finish(again(context, translated()), *LAST))
    assert (before.chrf_n, after.chrf_n, after.chrf_without) == (0, before.chrf_without, 0)


def test_a_text_with_an_edited_segment_has_no_chrf_and_is_counted(tmp_path: Path) -> None:
    context = finish(started(tmp_path, back_translation=True))
    before = {one.lang: one for one in translation_figures(context)}
    assert {one.chrf_without for one in before.values()} == {0} and before["de"].chrf_n == before["ru"].chrf_n > 6
    edit = Edit("en", "de", "fillerd05 stands alone.", "fillerd05 steht allein.", "fillerd05 ist allein.", "Ida",
                "2031-01-01T00:00:00Z", "xliff")  # fmt: skip
    append_edits(tmp_path, [edit])
    after = {one.lang: one for one in translation_figures(finish(again(context, translated()), *LAST))}
    assert (after["de"].chrf_n, after["de"].chrf_without) == (before["de"].chrf_n - 1, 1)
    assert (after["ru"].chrf_n, after["ru"].chrf_without) == (before["ru"].chrf_n, 0)


def test_the_rows_keep_all_findings_about_what_is_not_shipped(tmp_path: Path) -> None:
    context = finish(started(tmp_path, translated(left=("ru", "fillerd03"))))
    (row,) = [one for one in context.workspace.rows("check-translation") if (one.lang, one.item_id) == ("ru", "d03")]
    found = {(one["record"], one["id"], one["kind"], one["severity"]) for one in row.value["findings"]}
    assert ("chunk", "d03", "untranslated", "error") in found
    path = tmp_path / "build/translation_findings.jsonl"
    findings = path.read_bytes()
    rows = [json.loads(line) for line in findings.splitlines()]
    assert [one for one in rows if one["id"] == "d03"] == row.value["findings"]
    path.unlink()
    write_stage_findings(context.workspace)
    assert path.read_bytes() == findings


def test_terms_are_shown_where_they_occur_and_must_stay(tmp_path: Path) -> None:
    (tmp_path / "terms.csv").write_text("en,de,ru\nalone,allein,один\nnowhere,nirgends,нигде\n", encoding="utf-8")
    model = translated(lambda lang, text: text.replace("fillerd06", "x") if lang == "de" else text)
    context = finish(started(tmp_path, model, keep=["fillerd06"], glossary="terms.csv"))
    prompts = [str(request.messages[-1]["content"]) for request in model.requests]
    assert any("GLOSSARY 1\nalone = один" in one for one in prompts) and not any("нигде" in one for one in prompts)
    rows = {(row.lang, row.item_id): row.reason for row in context.workspace.rows("check-translation")}
    assert rows["de", "d06"] == "glossary" and rows["ru", "d06"] == "in another language"


@pytest.mark.parametrize(
    ("table", "message"),
    [(None, r"terms\.csv: no such file"), ("en,de\na,b\n", r"terms\.csv:1: has no column 'ru'"),
     ("en,de,ru\na,b\n", r"terms\.csv:2: has 2 cells, not 3"),
     ("en,de,ru,de\n", r"terms\.csv:1: has the column 'de' twice"),
     ("en,de,ru\na,b,c\n\nA,d,e\n", r"terms\.csv:4: has the term 'A' of line 2 once more"),
     ('en,de,ru\n"a\nb",c,d\n', r"terms\.csv:2: a cell has a line end"),
     ('en,de,ru\nx,y,z\n"a,b,c\nd,e,f\n', r"terms\.csv:3: not CSV \(.+\); correct the quotes")],
)  # fmt: skip
def test_a_glossary_that_cannot_be_read_is_refused(tmp_path: Path, table: str | None, message: str) -> None:
    context = started(tmp_path, glossary="terms.csv")
    if table:
        (tmp_path / "terms.csv").write_text(table)
    with pytest.raises(InputError, match=message):
        finish(context)


def test_the_language_of_the_documents_is_no_target(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"'translate\.languages' names 'en'"):
        finish(started(tmp_path, languages=["de", "en"]))


@pytest.mark.parametrize(
    ("wanted", "message"),
    [({"languages": ["de", "en"]}, "names 'en', the language of the documents"),
     ({"languages": ["de"], "glossary": "terms.csv"}, r"terms\.csv:1: has no column 'en'")],
)  # fmt: skip
def test_settings_that_cannot_be_translated_with_are_refused_before_anything_is_asked(
    tmp_path: Path, wanted: dict[str, Any], message: str
) -> None:
    folder, documents = tmp_path / "bench", tmp_path / "house"
    documents.mkdir()
    (documents / "a.md").write_text("# Opening\n\nThe shop opens at eight in the morning on every working day.\n")
    folder.mkdir()
    (folder / "terms.csv").write_text("de\nLaden\n")
    model = translated()

    def build(translate: dict[str, Any], *names: str) -> None:
        (folder / "build.yaml").write_text(settings(sources=[{"path": "../house"}], translate=translate))
        run_build(BuildContext(Workspace(folder), LLMSession(), CannedBackend(models={"": model})), names)

    with pytest.raises(InputError, match=message):
        build(wanted, "ingest", "chunk", "generate")
    build({}, "ingest", "chunk")
    with pytest.raises(InputError, match=message):
        build(wanted, "ingest", "chunk", "generate")
    assert model.requests == []


def test_documents_in_several_languages_are_refused(tmp_path: Path) -> None:
    context = started(tmp_path)
    rows = context.workspace.rows("ingest")
    context.workspace.write_rows("ingest", [*rows, replace(rows[0], item_id="notes/b.md", lang="fr")])
    with pytest.raises(ConfigError, match=r"needs documents in one language, and these are in en, fr"):
        finish(context)


def test_a_build_without_target_languages_has_no_such_stages(tmp_path: Path) -> None:
    context = started(tmp_path, languages=[])
    assert not {"translate", "check-translation"} & statuses(context).keys()
    with pytest.raises(ConfigError, match=r"build translate: .* does not ask for it"):
        run_build(context, ["translate"])
