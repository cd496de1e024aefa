"""The page: self-contained, blind, and safe against what answers hold."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path

from ragaliq.judge.rubric import load_rubric
from ragaliq.review import page
from ragaliq.review.page import file_page, served_page, state_to_json
from ragaliq.review.values import ReviewTask
from unit.review.small import ALPHA, BETA, FEEDBACK, MODEL, answered, session, write_run, write_runs

SOURCE = Path(page.__file__).with_name("page.html").read_text(encoding="utf-8")


def embedded(text: str) -> str:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)
    assert found
    return found[1]


def test_the_page_asks_nothing_of_the_network_and_makes_no_markup_of_texts() -> None:
    assert not re.search(r"https?:|//[a-z]|@import|url\(|<link|<img|<iframe|src=", SOURCE)
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function| on\w+=", SOURCE)


def test_the_policy_allows_the_pages_own_script_and_style_alone(tmp_path: Path) -> None:
    with session(write_runs(tmp_path)) as own:
        body, policy = served_page(own)
    sent = body.decode()
    # What a browser hashes: the text between the tags, byte by byte.
    script = re.search(r"<script>(.*?)</script>", sent, re.S)
    style = re.search(r"<style>(.*?)</style>", sent, re.S)
    assert script
    assert style
    hashes = [base64.b64encode(hashlib.sha256(found[1].encode()).digest()).decode() for found in (script, style)]
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{hashes[0]}'; style-src 'sha256-{hashes[1]}'; base-uri 'none'; "
        "form-action 'none'; connect-src 'self'; frame-ancestors 'none'"
    )


def test_neither_page_tells_the_system(tmp_path: Path) -> None:
    with session(write_runs(tmp_path)) as own:
        pages = served_page(own)[0].decode() + file_page(own, "0a").decode()
    for secret in (ALPHA, BETA, MODEL, FEEDBACK, str(tmp_path), "hidden-doc", "query_id", "places"):
        assert secret not in pages


def test_what_a_file_holds_of_hostile_texts_ends_no_element(tmp_path: Path) -> None:
    hostile = "</script><script>alert(1)</script><!--POLICY-->{}/*DATA*/ <img src=x onerror=alert(1)> \u2028 &amp;"
    write_run(tmp_path, [answered("zh", "q1", hostile)])
    with session(tmp_path) as own:
        text = file_page(own, "0a").decode()
    assert text.count("</script>") == SOURCE.count("</script>") == 2
    # `</script` with a blank behind it ends the element, too.
    assert not set("<>&") & set(embedded(text))
    held = json.loads(embedded(text))
    assert [sheet["answer"] for sheet in held["texts"].values()] == [hostile]
    assert text.count("<meta http-equiv") == 1


def test_the_state_has_the_rubric_and_where_to_go_on(tmp_path: Path) -> None:
    with session(write_runs(tmp_path)) as own:
        own.judge(own.sheets[0].sheet_id, 5)
        state = state_to_json(own)
        assert json.loads(embedded(served_page(own)[0].decode())) == state
        own.task = ReviewTask.LGTM
        assert state_to_json(own)["rubric"] == []
    assert [line["grade"] for line in state["rubric"]] == [5, 4, 3, 2, 1, 0]
    assert {line["grade"]: line["meaning"] for line in state["rubric"]} == load_rubric().meanings
    assert (state["task"], state["start"], len(state["sheets"])) == ("grade", 1, 30)
    assert [set(sheet) for sheet in state["sheets"]] == [{"id", "lang", "value"}] * 30
    assert [sheet["value"] for sheet in state["sheets"][:2]] == [5, None]
