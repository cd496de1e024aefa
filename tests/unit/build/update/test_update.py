"""An update makes anew only what depends on a change, and everything else stays, byte by byte."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from ragaliq.errors import InputError
from small_build import change
from unit.build.folders import write_folder
from unit.build.update.station import (
    NEWS,
    about,
    build,
    changes,
    insert,
    kept_chunks,
    pooled,
    rows_of,
    shipped,
    update,
)


def test_a_changed_document_costs_only_what_depends_on_it(station: Path, station_build: Path) -> None:
    insert(station, "meals", "ru")
    asked = update(station)
    assert asked
    touched = kept_chunks(station) ^ kept_chunks(station_build)
    assert {lang for lang, _ in touched} == {"ru"}
    before, now = pooled(station_build), pooled(station)
    concerned = {
        (lang, query_id)
        for lang, query_id in now
        if {(lang, one) for one in now[lang, query_id] | before.get((lang, query_id), set())} & touched
    }
    new = {key for key in rows_of(station, "generate") if key not in rows_of(station_build, "generate")}
    assert set(map(about, asked)) <= concerned | new
    queries, earlier = shipped(station, "queries"), shipped(station_build, "queries")
    unconcerned = earlier.keys() - concerned
    assert len(unconcerned) > len(earlier) / 2
    for key in unconcerned & queries.keys():
        assert queries[key] == earlier[key]
    assert unconcerned - queries.keys() <= {(row["lang"], row["query_id"]) for row in changes(station)["retired"]}


def test_c28_ids_stay_and_so_do_the_texts_under_them(station: Path, station_build: Path) -> None:
    insert(station, "diving", "zh")
    update(station)
    for kind in ("queries", "nuggets", "corpus"):
        earlier, now = shipped(station_build, kind), shipped(station, kind)
        both = earlier.keys() & now.keys()
        assert {key: earlier[key]["text"] for key in both} == {key: now[key]["text"] for key in both}
    gone = {(row["lang"], row["query_id"]) for row in changes(station)["retired"]}
    assert shipped(station_build, "queries").keys() - shipped(station, "queries").keys() == gone
    moved = [row for row in rows_of(station, "chunk").values() if row.get("moved")]
    assert moved, "a chunk behind the news keeps its id at another place"
    source = (station / "sources" / "zh" / moved[0]["source_id"]).read_text(encoding="utf-8")
    assert not moved[0]["id"].endswith(f":{moved[0]['start']}-{moved[0]['end']}")
    assert source[moved[0]["start"] : moved[0]["end"]] in (moved[0]["text"], " " * len(moved[0]["text"]))
    for row in rows_of(station, "generate").values():
        for one in row.get("evidence", ()):
            copy = station / "build" / "documents" / one["doc_id"].rpartition(":")[0]
            assert copy.read_bytes().decode()[one["start"] : one["end"]] == one["quote"]


def test_no_cell_is_asked_again_for_the_same_texts(station: Path, station_build: Path) -> None:
    insert(station, "meals", "de")
    asked = update(station) or []
    texts = {rows_of(station_build, "chunk")[key]["text"] for key in kept_chunks(station_build)}
    shown = [
        request.messages[-1]["content"].partition(" DOCUMENT 1\n")[2]
        for request in asked
        if about(request) in pooled(station_build)
    ]
    assert any(NEWS["de"] in one for one in shown)
    assert not [text for text in texts for one in shown if text in one]
    cells = [cell for row in rows_of(station, "judge").values() for cell in row["cells"]]
    assert len({(cell["nugget_id"], cell["doc_id"]) for cell in cells}) == len(cells)


def test_a_judged_document_that_changed_is_judged_again(station: Path, station_build: Path) -> None:
    times = Counter(
        one["doc_id"]
        for (lang, _), row in rows_of(station, "pool").items()
        for one in row["documents"]
        if lang == "zh" and "negative" not in one and "gold" not in one
    )
    chunk = rows_of(station, "chunk")["zh", max(times, key=lambda doc_id: (times[doc_id], doc_id))]
    path = station.parent / chunk["source_id"]
    text = path.read_text(encoding="utf-8")
    assert text.count(chunk["text"]) == 1 < chunk["text"].count("。")
    path.write_text(text.replace(chunk["text"], chunk["text"].replace("。", "！", 1)), encoding="utf-8")
    update(station)
    (gone,) = kept_chunks(station_build) - kept_chunks(station)
    (new,) = kept_chunks(station) - kept_chunks(station_build)
    before, now = rows_of(station_build, "pool"), pooled(station)
    judging = [
        key
        for key, row in before.items()
        if key in now and any(one["doc_id"] == gone[1] and "negative" not in one for one in row["documents"])
    ]
    assert judging
    assert all(new[1] in now[key] for key in judging)
    judged = {(row["query_id"], cell["doc_id"]) for row in rows_of(station, "judge").values() for cell in row["cells"]}
    assert {(query_id, new[1]) for _, query_id in judging} <= judged
    assert not [one for one in judged if one[1] == gone[1]]


def test_without_a_change_there_is_no_version_and_no_call(station: Path, station_build: Path) -> None:
    assert update(station) is None
    assert json.loads((station / "bench.json").read_bytes()) == json.loads((station_build / "bench.json").read_bytes())
    assert not (station / "CHANGELOG.md").exists()
    insert(station, "meals", "zh")
    assert update(station)
    assert update(station) is None
    assert build(station) == []


def test_c28_documents_come_and_go(station: Path, station_build: Path) -> None:
    documents = station.parent / "documents"
    (documents / "weather.de.md").unlink()
    write_folder(documents, {"neu.de.md": f"# Neues\n\n{NEWS['de']}\n", "新.zh.md": f"# 新闻\n\n{NEWS['zh']}\n"})
    update(station)
    told = changes(station)
    assert told["documents"]["removed"] == ["documents/weather.de.md"]
    assert told["documents"]["added"] == ["documents/neu.de.md", "documents/新.zh.md"]
    assert told["documents"]["changed"] == []
    assert not [key for key in shipped(station, "corpus") if "weather.de" in key[1]]
    assert [row["text"] for key, row in shipped(station, "corpus").items() if "新" in key[1]] == [
        f"# 新闻\n\n{NEWS['zh']}"
    ]
    written = {key: row for key, row in shipped(station_build, "queries").items() if key[0] == "de"}
    source = {key: row["written_from"] for key, row in rows_of(station_build, "filter").items()}
    lost = {key[1] for key in written if any("weather.de" in one for one in source[key])}
    assert lost
    reasons = {row["query_id"]: row["reason"] for row in told["retired"]}
    assert lost <= reasons.keys()
    assert {reasons[query_id] for query_id in lost} == {"document removed"}
    # Only `de` had room for new candidates.
    assert {key[0] for key in rows_of(station, "generate").keys() - rows_of(station_build, "generate").keys()} == {"de"}


def test_c28_two_updates_in_a_row_use_no_id_twice(station: Path) -> None:
    path = station.parent / "documents" / "meals.de.md"
    text = path.read_text(encoding="utf-8")
    earlier = [shipped(station, "corpus")]
    retired: list[str] = []
    for number, now in enumerate((text.replace("65", "66"), text, text.replace("65", "67")), start=1):
        path.write_text(now, encoding="utf-8")
        assert update(station)
        assert json.loads((station / "bench.json").read_bytes())["version"] == f"1.{number}"
        lines = (station / "retired.jsonl").read_text(encoding="utf-8").splitlines()
        assert [json.loads(line)["query_id"] for line in lines][: len(retired)] == retired
        retired = [json.loads(line)["query_id"] for line in lines]
        assert not set(retired) & {query_id for _, query_id in shipped(station, "queries")}
        earlier.append(shipped(station, "corpus"))
    texts: dict[tuple[str, str], set[str]] = {}
    for corpus in earlier:
        for key, row in corpus.items():
            texts.setdefault(key, set()).add(row["text"])
    assert {len(one) for one in texts.values()} == {1}
    assert retired
    assert Counter(retired).most_common(1)[0][1] == 1
    log = (station / "CHANGELOG.md").read_text(encoding="utf-8")
    assert [line for line in log.splitlines() if line.startswith("#")] == [
        "# Changes of station", "## 1.3", "## 1.2", "## 1.1",
    ]  # fmt: skip


def test_c28_queries_and_documents_are_retired_on_request(station: Path, station_build: Path, tmp_path: Path) -> None:
    lang, query_id = min(shipped(station, "queries"))
    listed = tmp_path / "ids.txt"
    listed.write_text("documents/meals.ru.md\n\n", encoding="utf-8")
    assert update(station, [query_id, str(listed)]) is not None
    assert (lang, query_id) not in shipped(station, "queries")
    source = {key: row["written_from"] for key, row in rows_of(station_build, "filter").items()}
    gone = {one for one in shipped(station_build, "queries") if any("meals.ru" in doc_id for doc_id in source[one])}
    reasons = {(row["lang"], row["query_id"]): row["reason"] for row in changes(station)["retired"]}
    assert gone
    assert {one: "on request" for one in {*gone, (lang, query_id)}}.items() <= reasons.items()
    assert shipped(station, "corpus").keys() >= {
        one for one in shipped(station_build, "corpus") if "meals.ru" in one[1]
    }
    assert update(station, [query_id]) is None
    change(station, "queries: 14", "queries: 20")
    assert update(station)
    assert not shipped(station, "queries").keys() & reasons.keys()
    written = [row["written_from"] for row in rows_of(station, "filter").values()]
    assert not [one for one in written if any("meals.ru" in doc_id for doc_id in one)]


def test_more_queries_are_added_to_those_that_stay(station: Path, station_build: Path) -> None:
    change(station, "queries: 14", "queries: 18")
    update(station)
    assert changes(station)["settings"] == ["generate"]
    assert shipped(station, "queries").keys() > shipped(station_build, "queries").keys()
    assert not changes(station)["retired"]


def test_what_a_check_removes_comes_back_when_it_passes_again(station: Path, station_build: Path) -> None:
    before = shipped(station_build, "queries")
    change(station, "unanswerable", "near_duplicate: 0.15\nunanswerable")
    update(station)
    gone = {(row["lang"], row["query_id"]): row["reason"] for row in changes(station)["retired"]}
    assert gone
    assert {reason.partition(":")[0] for reason in gone.values()} == {"dedupe"}
    change(station, "near_duplicate: 0.15\n", "")
    update(station)
    now = shipped(station, "queries")
    assert {key: row["text"] for key, row in before.items()} == {key: now[key]["text"] for key in before}
    assert changes(station)["added"] == sorted(query_id for _, query_id in gone)


def test_c28_questions_of_people_come_in_an_update(station: Path, station_build: Path) -> None:
    question = "Сколько мест в северной столовой?"
    text = (station.parent / "documents" / "meals.ru.md").read_text(encoding="utf-8")
    answer = next(line for line in text.splitlines() if "65" in line).partition(". ")[0]
    write_folder(station, {"asked.csv": f'question,answer\n{question},"{answer}."\n'})
    change(station, "unanswerable", "questions: [{path: asked.csv}]\nunanswerable")
    asked = update(station) or []
    added = changes(station)["added"]
    assert [row["text"] for (_, query_id), row in shipped(station, "queries").items() if query_id in added] == [
        question
    ]
    assert {about(request)[1] for request in asked} == set(added)


def test_a_question_of_a_log_keeps_its_answer_until_its_passage_changes(station: Path) -> None:
    text = (station.parent / "documents" / "meals.de.md").read_text(encoding="utf-8")
    sentence = next(part for part in text.replace("\n", " ").split(". ") if "65 Plätze" in part)
    question = f"Stimmt das: {sentence.partition('65')[0]}wie viele Plätze und ist täglich geöffnet?"
    write_folder(station, {"log.csv": f'question\n"{question}"\n'})
    change(station, "unanswerable", "questions: [{path: log.csv}]\nunanswerable")
    update(station)
    rows = {key: row for key, row in rows_of(station, "generate").items() if row.get("origin") == "log"}
    ((lang, first),) = rows
    assert rows[lang, first]["decision"] == "kept"
    insert(station, "weather", "de")
    asked = update(station) or []
    assert "Task: answer" not in "".join(request.messages[-1]["content"] for request in asked)
    assert rows_of(station, "generate")[lang, first]["decision"] == "kept"
    path = station.parent / "documents" / "meals.de.md"
    path.write_text(path.read_text(encoding="utf-8").replace("65 Plätze", "66 Plätze"), encoding="utf-8")
    update(station)
    after = rows_of(station, "generate")
    assert after[lang, first]["reason"] == "retired"
    assert "66" in after[lang, f"{first}~2"]["reference"]
    insert(station, "weather", "zh")
    update(station)
    now = rows_of(station, "generate")[lang, f"{first}~2"]
    assert {**now, "inputs": ""} == {**after[lang, f"{first}~2"], "inputs": ""}


def test_what_cannot_be_updated_is_refused(station: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"--retire q123: no query, document, source or chunk"):
        update(station, ["q123"])
    write_folder(tmp_path / "empty", {"build.yaml": "name: a\n"})
    with pytest.raises(InputError, match="no finished benchmark to update"):
        update(tmp_path / "empty")
    rows = station / "build" / "chunk.jsonl"
    rows.write_bytes(b"".join(rows.read_bytes().splitlines(keepends=True)[1:]))
    with pytest.raises(InputError, match=r"chunk\.jsonl: newer than the benchmark"):
        update(station)


def test_another_version_in_the_settings_is_the_next_one(station: Path) -> None:
    insert(station, "meals", "ru")
    update(station)
    change(station, "name: station", 'name: station\nversion: "2"')
    insert(station, "diving", "ru")
    update(station)
    assert changes(station)["version"] == "2"
    assert changes(station)["earlier_version"] == "1.1"
    insert(station, "weather", "ru")
    update(station)
    assert json.loads((station / "bench.json").read_bytes())["version"] == "2.1"
