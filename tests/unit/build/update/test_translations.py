"""Updates of a benchmark that is translated: languages come and go, documents change, translations fail."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from fakes import CannedBackend, CannedModel
from ragaliq.build.model.scripted import scripted_reply
from ragaliq.build.pipeline import statuses
from ragaliq.cli import main
from ragaliq.llm import Request
from small_build import change, context
from unit.build.folders import write_folder
from unit.build.update.station import SETTINGS, SOURCES, build, changes, kept_chunks, rows_of, shipped, update

# No other sentence of the documents has it; the phrase book has no translation of it.
NEWS = "A red kettle stands on the counter by the door since the summer."
KINDS = ("queries", "nuggets", "corpus")


@pytest.fixture(scope="session")
def translated_build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark of English documents, translated into German by the phrase book."""
    folder = tmp_path_factory.mktemp("translated")
    for name in ("arrival", "lodging", "meals", "transport"):
        text = (SOURCES / "en" / f"{name}.md").read_text(encoding="utf-8")
        write_folder(folder / "documents", {f"{name}.md": text[: text.rindex("\n\n", 0, 1500)] + "\n"})
    bench = write_folder(folder / "bench", {"build.yaml": f"{SETTINGS}translate: {{languages: [de]}}\n"})
    assert build(bench)
    assert len(texts(bench, "de")) == len(texts(bench, "en")) >= 5
    return bench


@pytest.fixture
def bench(translated_build: Path, tmp_path: Path) -> Path:
    """A copy of it with its documents."""
    shutil.copytree(translated_build.parent, tmp_path / "copy")
    return tmp_path / "copy" / "bench"


def texts(bench: Path, lang: str) -> dict[str, str]:
    """Return the questions of a language by id."""
    return {query_id: row["text"] for (at, query_id), row in shipped(bench, "queries").items() if at == lang}


def translate_into(bench: Path, before: str, now: str) -> None:
    change(bench, f"languages: [{before}]", f"languages: [{now}]")


def add_paragraph(bench: Path, name: str) -> None:
    """Put a chunk of its own at the end of a document."""
    path = bench.parent / "documents" / f"{name}.md"
    path.write_text(f"{path.read_text(encoding='utf-8')}\n## Kettle\n\n{NEWS}\n", encoding="utf-8")


def retired(bench: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """Return what the last update retired."""
    return {(row["lang"], row["query_id"]): row for row in changes(bench)["retired"]}


def of_lang(bench: Path, lang: str) -> dict[tuple[str, str, str], dict[str, Any]]:
    """Return everything that is shipped in a language."""
    return {(kind, *key): row for kind in KINDS for key, row in shipped(bench, kind).items() if key[0] == lang}


def unmoved(row: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key not in ("start", "end")}


def is_translation(request: Request) -> bool:
    return "Task: translate" in str(request.messages[-1]["content"])


def test_a_dropped_language_takes_no_query_of_the_others(bench: Path, translated_build: Path) -> None:
    before = of_lang(bench, "en")
    german = texts(bench, "de")
    translate_into(bench, "de", "")
    assert update(bench) == []
    assert before.items() <= of_lang(bench, "en").items()
    assert json.loads((bench / "bench.json").read_bytes())["languages"] == ["en"]
    # With the text that was shipped in that language.
    assert {key[1]: row["text"] for key, row in retired(bench).items()} == german
    assert {(row["lang"], row["reason"]) for row in retired(bench).values()} == {("de", "language dropped")}
    log = (bench / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"added, 0 retired, {len(german)} kept" in log
    assert "\n- Languages: de dropped\n" in log
    assert "Queries retired" not in log
    assert not {"translate", "check-translation"} & context(bench).workspace.finished().keys()
    # Versions behind it are made as ever.
    english = texts(bench, "en")
    add_paragraph(bench, "meals")
    assert update(bench)
    assert english.items() <= texts(bench, "en").items()
    assert not retired(bench)
    assert json.loads((bench / "bench.json").read_bytes())["version"] == "1.2"


def test_a_language_that_is_back_has_the_same_ids_and_texts_without_a_call(bench: Path, translated_build: Path) -> None:
    translate_into(bench, "de", "")
    update(bench)
    translate_into(bench, "", "de")
    assert update(bench) == []
    for lang in ("de", "en"):
        assert of_lang(bench, lang) == of_lang(translated_build, lang)
    told = changes(bench)
    assert told["languages"] == {"added": ["de"], "dropped": [], "each": 2}
    assert (told["added"], told["kept"], told["settings"]) == ([], len(texts(bench, "de")), ["translate"])
    assert not any(stage["calls"] for stage in told["stages"].values())
    assert f"{told['kept']} kept, each in 2 languages\n- Languages: de added\n" in (bench / "CHANGELOG.md").read_text()


def test_a_changed_document_costs_only_its_passages_in_every_language(bench: Path, translated_build: Path) -> None:
    sources = {query_id: row["written_from"] for (_, query_id), row in rows_of(bench, "filter").items()}
    shown = shipped(bench, "queries")
    chunk = next(doc_id for _, query_id in sorted(shown) for doc_id in sources[query_id] if "meals" in doc_id)
    (place,) = (row for key, row in rows_of(bench, "chunk").items() if key[1] == chunk)
    path = bench.parent / "documents" / "meals.md"
    text = path.read_text(encoding="utf-8")
    assert text.count(place["text"]) == 1
    path.write_text(text.replace(place["text"], f"{place['text']} {NEWS}"), encoding="utf-8")
    asked = update(bench) or []
    touched = {doc_id for _, doc_id in kept_chunks(bench) ^ kept_chunks(translated_build)}
    assert chunk in touched
    lost = {query_id for _, query_id in shown if touched & {*sources[query_id]}}
    assert lost
    reasons = {key: (row["reason"], row["text"], row["documents"]) for key, row in retired(bench).items()}
    assert {(lang, query_id): ("document changed", shown[lang, query_id]["text"], ["documents/meals.md"])
            for lang in ("de", "en") for query_id in lost}.items() <= reasons.items()  # fmt: skip
    ids = {query_id for _, query_id in reasons}
    assert {lang for lang, _ in reasons} == {"de", "en"} and len(reasons) == 2 * len(ids)
    log = (bench / "CHANGELOG.md").read_text(encoding="utf-8")
    kept = len(texts(bench, "en")) - len(changes(bench)["added"])
    assert f"{len(ids)} retired, {kept} kept, each in 2 languages" in log
    listed = next(line for line in log.splitlines() if line.startswith("- Queries retired, document changed"))
    assert listed.count("`") == 2 * len(lost)
    for lang in ("de", "en"):
        now = of_lang(bench, lang)
        for key, row in of_lang(translated_build, lang).items():
            assert unmoved(now.get(key, row)) == unmoved(row)
            assert key in now or key[2].partition("_")[0] in ids | touched
    new = rows_of(bench, "translate").keys() - rows_of(translated_build, "translate").keys()
    segments = {one["source"] for key in new for one in rows_of(bench, "translate")[key]["segments"]}
    prompts = [str(request.messages[-1]["content"]) for request in asked if is_translation(request)]
    assert 0 < len(prompts) <= len(new)
    shown_segments = {part.partition("\n")[2].removesuffix("\n")
                      for prompt in prompts for part in prompt.split("=====") if " SEGMENT " in part}  # fmt: skip
    assert set() < shown_segments <= segments


@pytest.mark.slow
def test_a_failed_translation_retires_nothing_for_good(bench: Path, translated_build: Path) -> None:
    before = texts(bench, "en")
    left = min(before)
    model = CannedModel(lambda request: _reply(request, before[left]), name="scripted")
    translate_into(bench, "de", "de, es")
    assert update(bench, model=model)
    assert {key: (row["reason"], row["lang"]) for key, row in retired(bench).items() if key[1] == left} == {
        ("de", left): ("check-translation: in another language", "de"),
        ("en", left): ("check-translation: in another language", "en"),
    }
    assert rows_of(bench, "check-translation")["es", left]["reason"] == "untranslated"
    assert retired(bench)["de", left]["text"] == texts(translated_build, "de")[left]
    translate_into(bench, "de, es", "de")
    assert update(bench) == []
    assert texts(bench, "en") == before
    assert texts(bench, "de") == texts(translated_build, "de")
    assert left in changes(bench)["added"]
    # What somebody retires stays out in every language, whichever come and go.
    assert update(bench, [left]) == []
    assert {key: row["reason"] for key, row in retired(bench).items()} == {
        ("de", left): "on request", ("en", left): "on request",
    }  # fmt: skip
    for languages in (("de", ""), ("", "de")):
        translate_into(bench, *languages)
        assert update(bench) == []
        assert texts(bench, "en") == {query_id: text for query_id, text in before.items() if query_id != left}
    assert texts(bench, "de").keys() == texts(bench, "en").keys()


@pytest.mark.slow
def test_a_stage_that_is_wanted_no_longer_refuses_no_update(bench: Path, capsys: pytest.CaptureFixture[str]) -> None:
    translate_into(bench, "de", "")
    add_paragraph(bench, "lodging")
    assert main(["build", "all", "--bench", str(bench)]) == 0
    # Its rows follow from those of the version before.
    assert "translate" not in statuses(context(bench, CannedBackend(models={"": CannedModel("")})))
    add_paragraph(bench, "transport")
    assert update(bench) is not None
    translate_into(bench, "", "de")
    assert update(bench) is not None
    assert texts(bench, "de").keys() == texts(bench, "en").keys()


def _reply(request: Request, left: str) -> str:
    """Reply by the rules, but leave a text as it is."""
    reply = scripted_reply(request.messages, int(request.parameters.get("seed", 0)))
    prompt = str(request.messages[-1]["content"])
    if not is_translation(request) or left not in prompt:
        return reply
    parts = [part.partition("\n") for part in prompt.split("=====")]
    segments = [text.removesuffix("\n") for head, _, text in parts if " SEGMENT " in head]
    said = json.loads(reply)
    for segment, entry in zip(segments, said["segments"], strict=True):
        if segment == left:
            entry["translation"] = segment
    return json.dumps(said, ensure_ascii=False)
