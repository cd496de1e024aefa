"""The served page: read alone, this machine alone, and up to date."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ragaliq.errors import InputError
from ragaliq.report.html.followed_runs import FollowedRuns
from ragaliq.report.html.server import PageServer
from ragaliq.runs.folder import RunFolder
from ragaliq.storage.files import read_jsonl, write_json, write_jsonl
from unit.report.html.reading import PageElements, unpacked
from unit.report.html.rich_run import rich_rows, write_rich_run


@contextmanager
def serving(runs: Sequence[RunFolder]) -> Iterator[PageServer]:
    with PageServer(FollowedRuns([run.path for run in runs], 0.95)) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def ask(server: PageServer, path: str, method: str = "GET", host: str = "") -> tuple[int, str, dict[str, str]]:
    connection = HTTPConnection("127.0.0.1", server.server_port, timeout=20)
    connection.request(method, path, None, {"Host": host} if host else {})
    reply = connection.getresponse()
    text = reply.read().decode()
    connection.close()
    return reply.status, text, dict(reply.getheaders())


def get(server: PageServer, name: str) -> Any:
    status, text, _ = ask(server, f"/{server.token}/{name}")
    assert status == 200, text
    return json.loads(text)


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    return write_rich_run(tmp_path / "r")


def test_the_page_knows_that_it_may_ask_again(run: RunFolder) -> None:
    with serving([run]) as server:
        status, text, headers = ask(server, f"/{server.token}/")
        assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
        assert headers["Content-Security-Policy"].endswith("; connect-src 'self'; frame-ancestors 'none'")
        assert (headers["Cache-Control"], headers["X-Content-Type-Options"]) == ("no-store", "nosniff")
        elements = PageElements(text)
        changed = get(server, "status")["changed"]
        assert json.loads(elements.texts["overview"])["live"] == {"poll": "status", "changed": changed}


def test_status_counts_and_data_follow_the_files(run: RunFolder) -> None:
    verdicts = [row for _, row in read_jsonl(run.verdicts_file)]
    write_jsonl(run.verdicts_file, [])
    with serving([run]) as server:
        before = get(server, "status")
        assert {key: before[key] for key in ("answered", "judged", "expected")} == {
            "answered": 3,
            "judged": 0,
            "expected": 3,
        }
        assert unpacked(get(server, "data")["items"])["columns"]["verdict"] == [-1] * 3
        with run.verdicts_file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(verdicts[0]) + "\n" + '{"query_id": "q2", "torn')
        after = get(server, "status")
        assert (after["judged"], after["changed"] != before["changed"]) == (1, True)
        assert unpacked(get(server, "data")["items"])["columns"]["grade"] == [3, -1, -1]
        # At its end a run writes its files anew.
        write_jsonl(run.verdicts_file, [*verdicts, *verdicts])
        assert get(server, "status")["judged"] == 2
        run.verdicts_file.unlink()
        assert get(server, "status")["judged"] == 0
    assert list(get_blocks(run)) == ["items", "details-0", "chunks-0"]


def test_a_file_that_is_cut_off_in_its_place_is_counted_anew(run: RunFolder) -> None:
    first, second = (json.dumps(row) + "\n" for _, row in read_jsonl(run.verdicts_file))
    runs = FollowedRuns([run.path], 0.95)
    counts = []
    for text in (first + second, second, "", second):
        with run.verdicts_file.open("r+", encoding="utf-8", newline="") as file:
            file.truncate()
            file.write(text)
        counts.append(runs.status()["judged"])
    assert counts == [2, 1, 0, 1]


def test_nothing_is_to_be_judged_in_a_run_without_a_judge(run: RunFolder, tmp_path: Path) -> None:
    other = write_rich_run(tmp_path / "other", verdicts=False)
    write_json(other.config_file, {**other.config(), "judge": None})
    with serving([run, other]) as server:
        status = get(server, "status")
    assert {key: status[key] for key in ("answered", "judged", "to_judge", "expected")} == {
        "answered": 6,
        "judged": 2,
        "to_judge": 3,
        "expected": 6,
    }


def get_blocks(run: RunFolder) -> dict[str, str]:
    return dict(FollowedRuns([run.path], 0.95).page().blocks)


def test_unchanged_files_are_not_read_again(run: RunFolder) -> None:
    runs = FollowedRuns([run.path], 0.95)
    page = runs.page()
    assert runs.page() is page
    write_jsonl(run.timings_file, [{**row, "seconds": 2.0} for row in rich_rows("en")["timings"]])
    assert runs.page() is not page


def test_several_runs_are_several_systems(run: RunFolder, tmp_path: Path) -> None:
    other = write_rich_run(tmp_path / "other")
    with serving([run, other]) as server:
        assert get(server, "status")["expected"] == 6
        assert [system["name"] for system in get(server, "data")["overview"]["systems"]] == ["other", "r"]


def test_without_token_or_under_another_name_there_is_nothing(run: RunFolder) -> None:
    with serving([run]) as server:
        for name in ("", "status", "data"):
            assert ask(server, f"/{name}")[0] == 403
            assert ask(server, f"/wrong/{name}")[0] == 403
            assert ask(server, f"/{server.token}/{name}", host="attacker.example")[0] == 403
            assert ask(server, f"/{server.token}/{name}", host=f"localhost:{server.server_port}")[0] == 200


def test_nothing_else_is_served_and_nothing_written(run: RunFolder) -> None:
    with serving([run]) as server:
        for path in ("answers.jsonl", "../r/config.json", "report.html", "favicon.ico"):
            assert ask(server, f"/{server.token}/{path}")[0] == 404
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "HEAD"):
            assert ask(server, f"/{server.token}/status", method)[0] == 501
    assert not (run.path / "report.html").exists()


def test_a_file_that_breaks_is_named(run: RunFolder) -> None:
    with serving([run]) as server:
        get(server, "data")
        run.verdicts_file.write_text('{"query_id": 5}\n', encoding="utf-8")
        status, text, _ = ask(server, f"/{server.token}/data")
        assert (status, "verdicts.jsonl:1: not a row of this file" in json.loads(text)["error"]) == (400, True)


def test_what_is_no_run_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such folder; give a run folder"):
        FollowedRuns([tmp_path / "nowhere"], 0.95).page()


def test_a_page_that_takes_long_is_not_made_all_the_time(run: RunFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    # Each look at the clock takes 20 seconds, and so does the page.
    clock = count(step=20)
    # In this module alone: threads of others look at the clock, too.
    monkeypatch.setattr("ragaliq.report.html.followed_runs.time", SimpleNamespace(monotonic=lambda: float(next(clock))))
    runs = FollowedRuns([run.path], 0.95)
    page = runs.page()
    before = runs.status()["changed"]
    write_jsonl(run.timings_file, [])
    assert runs.status()["changed"] == before
    assert runs.page() is page
    for _ in range(10):
        next(clock)
    assert runs.status()["changed"] != before
    assert runs.page() is not page
