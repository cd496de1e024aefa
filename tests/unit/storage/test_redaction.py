"""Which values are secret: by the parts of a variable's name, and never a word, a figure or a path."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from ragaliq.storage.redaction import error_line, redact

SECRET = "Zq7-canary-41c0"
SECRET_NAMES = [
    "TOKEN", "MY_TOKEN1", "HF_TOKEN", "OPENAI_API_KEY", "OPENAI_APIKEY", "ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
    "DBPASS", "DB_PASS", "MAIL_PWD", "DBPWD", "KEY_PASSPHRASE", "AUTH", "AUTHORIZATION", "PROXY_AUTH", "BEARER", "PAT",
    "GH_PAT", "COOKIE", "SESSION", "SESSION_ID", "dbPassword", "CLIENT_SECRET_2", "APP_CREDENTIALS", "MY_JWT",
]  # fmt: skip
PLAIN_NAMES = [
    "AUTHOR", "PATTERN", "COMPATH", "COMPASS", "BYPASS", "TOKENIZERS_PARALLELISM", "KEYBOARD", "MONKEY", "TOKEN_URL",
    "KEY_FILE", "SECRET_NAME", "AUTH_METHOD", "XDG_SESSION_DESKTOP", "DESKTOP_SESSION", "SESSION_MANAGER", "PATH_INFO",
    "JUDGE_MODEL", "PASSAGE", "REPAT", "SPAT",
]  # fmt: skip


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        monkeypatch.delenv(name)


@pytest.mark.parametrize("name", SECRET_NAMES)
def test_a_name_that_says_secret(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, f" {SECRET} ")
    assert redact(f"no access with {SECRET}.") == "no access with ***."
    assert error_line(KeyError(SECRET)) == "KeyError: '***'"


@pytest.mark.parametrize("name", PLAIN_NAMES)
def test_a_name_that_only_looks_so(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, SECRET)
    assert redact(SECRET) == SECRET


def test_the_password_in_an_address_whatever_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://someuser:p%40ss-word-9@db.example.org/main")
    monkeypatch.setenv("SENTRY_DSN", "https://0123456789abcdef0@host.example.org/1")
    monkeypatch.setenv("STORE", "Server=db.example.org;Uid=someuser;Pwd=other-word-3;")
    text = "someuser db.example.org p%40ss-word-9 p@ss-word-9 0123456789abcdef0 other-word-3"
    assert redact(text) == "someuser db.example.org *** *** *** ***"


def test_an_encoded_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOT_TOKEN", "1234:ab/cd+ef")
    assert redact("/bot1234%3Aab%2Fcd%2Bef/ask and /bot1234:ab/cd+ef/ask") == "/bot***/ask and /bot***/ask"


def test_words_figures_and_paths_stay(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("USER", "maximilian")
    for name, value in [
        ("DBPASS", "maximilian"), ("AUTH", "required"), ("MAX_TOKENS", "16000000"), ("PASS", "short"),
        ("APP_CREDENTIALS", str(tmp_path)), ("KEY", ""),
    ]:  # fmt: skip
        monkeypatch.setenv(name, value)
        assert redact(f"see {value} there") == f"see {value} there", name
    monkeypatch.setenv("PASS", "123456789012")
    monkeypatch.setenv("SECRET", "/tmp0+slash/first/is/a/key/as/well")
    assert redact("123456789012 /tmp0+slash/first/is/a/key/as/well") == "*** ***"


def test_a_long_text_with_many_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(50):
        monkeypatch.setenv(f"TOKEN_{number}", f"{SECRET}{number}")
    before = time.process_time()
    assert len(redact(f"{SECRET}7 " * 10_000)) == 40_000
    assert time.process_time() - before < 1
