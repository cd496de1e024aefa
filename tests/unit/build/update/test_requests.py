"""What is asked to be retired: checked before anything is stored, replaced in an open update, out for good."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragaliq.build.update.begin import begin_update
from ragaliq.cli import main
from ragaliq.errors import InputError
from small_build import artifacts, change, context
from unit.build.folders import write_folder
from unit.build.update.station import changes, insert, rows_of, shipped, update


def run(bench: Path, *arguments: str) -> int:
    return main(["build", *arguments, "--bench", str(bench)])


def state(bench: Path) -> dict[str, object]:
    value: dict[str, object] = json.loads((bench / "build" / "update.json").read_bytes())
    return value


def of_lang(bench: Path, lang: str) -> list[str]:
    return sorted(query_id for at, query_id in shipped(bench, "queries") if at == lang)


def test_a_request_that_empties_a_language_is_refused_before_anything_is_stored(station: Path) -> None:
    before = artifacts(station)
    for names in (["documents"], of_lang(station, "zh")):
        with pytest.raises(InputError, match=r"--retire: would retire all \d+ queries in '(de|zh)'"):
            update(station, names)
    assert artifacts(station) == before
    assert update(station, of_lang(station, "zh")[1:]) is not None
    with pytest.raises(InputError, match="would retire all 1 queries in 'zh'"):
        update(station, of_lang(station, "zh"))


def test_what_is_named_is_looked_up_and_a_file_is_named_with_its_line(station: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"--retire q123: no query, .* and no such file"):
        update(station, ["q123"])
    (tmp_path / "ids.txt").write_text("documents/meals.ru.md\n\nq123\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"ids\.txt:3: 'q123' is no query, document, source or chunk of"):
        update(station, [str(tmp_path / "ids.txt")])


@pytest.mark.slow
def test_an_open_request_is_replaced_or_taken_back(station: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = artifacts(station)
    first, second = of_lang(station, "ru")[:2]
    assert begin_update(context(station), [first])
    assert run(station, "status") == 0
    line = "open update: `ragaliq build update` goes on from 1 to 1.1 and retires"
    assert capsys.readouterr().out.splitlines()[-1].startswith(f"{line} {first};")
    assert run(station, "update", "--dry-run") == 0
    assert capsys.readouterr().out.startswith(line)
    assert begin_update(context(station), [second])
    assert (state(station)["retire"], state(station)["requested"]) == ([second], [second])
    assert run(station, "update") == 0
    assert f"{line} {second};" in capsys.readouterr().err
    assert [row["query_id"] for row in changes(station)["retired"]] == [second]
    # The request of a finished update stands.
    assert begin_update(context(station), [first])
    assert run(station, "update", "--retire") == 0
    assert capsys.readouterr().out == "nothing has changed since version 1.1\n"
    assert state(station)["retire"] == [second]
    assert state(station)["done"] is True
    assert "build/update.json" not in before


def test_documents_that_leave_nothing_can_be_restored(station: Path, station_build: Path) -> None:
    documents = {path: path.read_bytes() for path in (station.parent / "documents").iterdir()}
    for path in documents:
        path.write_text(f"# {path.stem}\n", encoding="utf-8")
    with pytest.raises(InputError, match="no query is left"):
        update(station)
    for path, data in documents.items():
        path.write_bytes(data)
    assert run(station, "update") == 0
    for kind in ("queries", "corpus", "nuggets"):
        assert shipped(station, kind) == shipped(station_build, kind)
    assert (station / "bench.json").read_bytes() == (station_build / "bench.json").read_bytes()
    assert not (station / "CHANGELOG.md").exists()
    assert update(station) is None


@pytest.mark.slow
def test_an_update_in_which_no_row_changes_is_no_version(station: Path, capsys: pytest.CaptureFixture[str]) -> None:
    head = (station / "bench.json").read_bytes()
    change(station, "depth: 20", "depth: 21")
    for _ in range(2):
        assert run(station, "update") == 0
        assert capsys.readouterr().out == "nothing has changed since version 1\n"
        assert (station / "bench.json").read_bytes() == head
    query_id = of_lang(station, "de")[0]
    assert run(station, "update", "--retire", query_id) == 0
    assert "version 1 → 1.1\n" in capsys.readouterr().out
    head = (station / "bench.json").read_bytes()
    log = (station / "CHANGELOG.md").read_bytes()
    assert run(station, "update", "--retire", query_id, "documents/unasked.de.md") == 2
    assert run(station, "update", "--retire", query_id) == 0
    assert "nothing has changed since version 1.1\n" in capsys.readouterr().out
    assert ((station / "bench.json").read_bytes(), (station / "CHANGELOG.md").read_bytes()) == (head, log)
    insert(station, "meals", "ru")
    assert run(station, "update") == 0
    assert "version 1.1 → 1.2\n" in capsys.readouterr().out


def test_the_preview_names_settings_and_counts_what_is_retired(
    station: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change(station, "queries: 14", "queries: 15")
    query_id = of_lang(station, "zh")[0]
    assert run(station, "update", "--dry-run", "--retire", query_id) == 0
    out = capsys.readouterr().out
    assert "\nsettings changed: generate\nqueries to retire on request: 1 (zh 1)\n" in out
    assert run(station, "update", "--dry-run", "--retire", "nothing") == 2
    assert run(station, "update", "--dry-run", "--retire", "documents") == 2
    assert not (station / "build" / "update.json").exists()


def test_near_duplicates_of_what_was_retired_on_request_stay_out(station: Path) -> None:
    query_id = of_lang(station, "de")[0]
    text = shipped(station, "queries")["de", query_id]["text"]
    write_folder(station, {"log.csv": f'question\n"{text}"\n'})
    change(station, "unanswerable", "questions: [{path: log.csv}]\nunanswerable")
    for retire in ([query_id], []):
        assert update(station, retire) is not None
        (row,) = [row for row in rows_of(station, "generate").values() if row.get("origin") == "log"]
        assert rows_of(station, "dedupe")["de", row["id"]]["detail"] == f"{query_id} (1.00)"
        assert text not in [one["text"] for one in shipped(station, "queries").values()]
        insert(station, "meals", "ru")


def test_ingest_does_not_lock_an_update_out(station: Path, capsys: pytest.CaptureFixture[str]) -> None:
    insert(station, "meals", "de")
    assert run(station, "ingest") == 2
    assert "the documents have changed since version 1. `ragaliq build update` makes" in capsys.readouterr().err
    assert run(station, "all", "--dry-run") == 0
    assert "the documents have changed; this builds version 1 anew" in capsys.readouterr().err
    assert run(station, "update") == 0


def test_a_changelog_says_how_many_unanswerable_queries_are_left(station: Path) -> None:
    assert update(station, of_lang(station, "de")[:1]) is not None
    kept = [row["answerable"] for row in shipped(station, "queries").values()]
    many = kept.count(False)
    line = f"- Unanswerable queries: {many}; unanswerable: 0.3 of {len(kept)} is {0.3 * len(kept):.0f}\n"
    assert line in (station / "CHANGELOG.md").read_text(encoding="utf-8")


def test_a_torn_line_is_named(station: Path) -> None:
    path = station / "build" / "filter.jsonl"
    data = path.read_bytes()
    path.write_bytes(data[:-9])
    number = len(data.splitlines())
    with pytest.raises(InputError, match=rf"filter\.jsonl:{number}: the line is cut off"):
        update(station)
