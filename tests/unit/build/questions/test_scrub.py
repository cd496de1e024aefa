"""The hook for personal data."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from ragaliq.build.questions.asked_row import AskedRow
from ragaliq.build.questions.scrub import hook_hash, scrubbed
from ragaliq.errors import InputError

ROW = AskedRow("log.csv:2", "Did ada@example.org pay?", "Yes, ada@example.org did.", "en")
HOOKS = """
import functools, re
def mails(text): return re.sub(r"\\S+@\\S+", "[mail]", text)
def gone(text): return "  "
def number(text): return 3
def broken(text):
    raise ValueError(f"cannot read {text}")
partly = functools.partial(mails)
value = "mails"
"""


@pytest.fixture(autouse=True)
def hooks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "my_hooks.py").write_text(HOOKS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("my_hooks", None)


def test_question_and_answer_go_through_the_hook() -> None:
    row = scrubbed(ROW, "my_hooks:mails")
    assert (row.text, row.answer) == ("Did [mail] pay?", "Yes, [mail] did.")
    assert (scrubbed(ROW, "my_hooks:gone").text, scrubbed(ROW, "")) == ("", ROW)
    log = AskedRow("log.csv:3", "", None, "en")
    assert scrubbed(log, "my_hooks:mails") == log


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "my_hooks:broken",
            r"^log\.csv:2: the hook 'my_hooks:broken' failed with ValueError at .*my_hooks\.py:7; fix it$",
        ),
        ("my_hooks:number", r"^log\.csv:2: the hook 'my_hooks:number' returned int, not a text; fix it$"),
        ("my_hooks:absent", r"scrub 'my_hooks:absent': .*absent.*; check module and object"),
        ("no_hooks:mails", r"scrub 'no_hooks:mails': .*no_hooks"),
        ("my_hooks", "write package.module:object"),
        ("my_hooks:value", "name a Python function of yours"),
        ("my_hooks:partly", "name a Python function of yours"),
    ],
)
def test_a_hook_that_cannot_be_used_is_one_line_without_the_text(name: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        scrubbed(ROW, name)
    assert "\n" not in str(caught.value) and "ada@" not in str(caught.value)


def test_no_question_is_ever_run_as_a_command(tmp_path: Path) -> None:
    command = AskedRow("log.csv:2", f"touch {tmp_path / 'run'}", None, "en")
    for name in ("os:system", "subprocess:getoutput", "builtins:eval", "builtins:exec", "os:popen"):
        with pytest.raises(InputError, match="name a Python function of yours"):
            scrubbed(command, name)
    assert not (tmp_path / "run").exists()


def test_a_better_hook_is_another_one(tmp_path: Path) -> None:
    before = hook_hash("my_hooks:mails")
    (tmp_path / "my_hooks.py").write_text(HOOKS + "# better\n")
    assert before and before != hook_hash("my_hooks:mails") and hook_hash("") == ""
