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
    "OPENAIKEY", "AZUREKEY", "SIGNINGKEY", "STRIPEKEY", "LICENSEKEY", "ENCRYPTIONKEY", "STORAGEKEY", "ACCOUNTKEY",
    "GHPAT", "PASSKEY", "LONDONKEY", "AUTH_HEADER",
]  # fmt: skip
PLAIN_NAMES = [
    "AUTHOR", "PATTERN", "COMPATH", "COMPASS", "BYPASS", "TOKENIZERS_PARALLELISM", "KEYBOARD", "MONKEY", "TOKEN_URL",
    "KEY_FILE", "SECRET_NAME", "AUTH_METHOD", "XDG_SESSION_DESKTOP", "DESKTOP_SESSION", "SESSION_MANAGER", "PATH_INFO",
    "JUDGE_MODEL", "PASSAGE", "REPAT", "SPAT",
    "DONKEYS", "TURKEY", "HOTKEY", "WHISKEY", "HOCKEY", "JOCKEY", "SESSION_DRIVER", "KEY_COLUMN", "AUTH_USER",
    "AUTH_USER_ID", "AUTH_PROVIDER", "COOKIE_DOMAIN", "TOKEN_ISSUER", "PASSWORD_POLICY", "JWT_ALGORITHM", "AUTH_SCOPE",
    "CLIENT_ID",
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


PLAIN_VALUES = [
    ("OPENAI_API_KEY", "anything"), ("OPENAI_API_KEY", "not-needed"), ("PRIMARY_KEY", "documents"),
    ("KEYS", "Documents"), ("GREETER_SESSION", "gnome-xorg"), ("GREETER_SESSION", "GNOME on Xorg"),
    ("SORT_KEY", "question_id"),
    ("SESSION", "DATABASE"), ("AUTH", "sso.eu-west1.example.com:8443"), ("AUTH", "192.168.100.101"),
    ("AUTH", "2026-11-23"),
    ("DBPASS", "postgres"), ("PASSWORD", "Changeme"), ("SECRET", "documents"), ("SESSION", "документы"),
    ("DATABASE_URL", "postgres://postgres:postgres@localhost/main"), ("KEY", "a" * 15),
]  # fmt: skip
TELLING_VALUES = [
    ("DBPASS", "correcthorse"), ("DBPASS", "other-word"), ("PASSWORD", "example.com"), ("SECRET", "summer26"),
    ("API_KEY", "summer26"), ("API_KEY", "kQzjXvwP"), ("API_KEY", "p@ssword"), ("KEY", "a" * 16), ("KEY", "A" * 16),
    ("TOKEN", "correct-horse-battery-staple"), ("JWT", "eyJhbGci.eyJzdWI.SflKxwRJ"), ("TOKEN", "abc123def4.xyz"),
    ("KEY_PASSPHRASE", "correct horse"), ("TOKEN", "123456789012"), ("BROKER", "amqp://app:correcthorse@localhost"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), PLAIN_VALUES)
def test_what_texts_say_anyway_stays(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    said = f"The postgres documents say {value} of anything."
    assert redact(said) == said


@pytest.mark.parametrize(("name", "value"), TELLING_VALUES)
def test_what_looks_like_a_key_goes(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    secret = value.removeprefix("amqp://app:").removesuffix("@localhost")
    assert redact(f"It is {secret} there.") == "It is *** there."


def test_a_long_text_with_many_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(50):
        monkeypatch.setenv(f"TOKEN_{number}", f"{SECRET}{number}")
    before = time.process_time()
    assert len(redact(f"{SECRET}7 " * 10_000)) == 40_000
    assert time.process_time() - before < 1
