"""Where a model is served: nothing secret is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragaliq.errors import ConfigError
from ragaliq.llm.endpoints.endpoint import Endpoint, read_endpoint

TOKEN = "sk-secret/1234567890+"


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("TOKEN", "JUDGE_API_LINK", "JUDGE_MODEL", "READER_TOKEN", "READER_API_LINK"):
        monkeypatch.delenv(name, raising=False)


def test_the_token_is_in_no_text() -> None:
    endpoint = Endpoint("https://h/v1", "m", TOKEN)
    assert TOKEN not in repr(endpoint) and TOKEN not in str(endpoint)
    assert endpoint.clean(f"key\n {TOKEN} is\t wrong") == "key *** is wrong"


def test_what_the_link_holds_of_secrets_is_not_shown() -> None:
    cases: list[tuple[str, str]] = [
        ("at https://amina:p%40ssw0rd@h/v1?key=hunter2-hunter2&v=1", "at https://***@h/v1?***"),
        ("user amina.k, password p@ssw0rd", "user amina.k, password ***"),
        ("p%40ssw0rd", "***"),
        ("no such key: hunter2-hunter2", "no such key: ***"),
        ("v 1", "v 1"),
        ("//other:word@h", "//***@h"),
    ]
    for said, clean in cases:
        endpoint = Endpoint("https://amina:p%40ssw0rd@h/v1?key=hunter2-hunter2&v=1", "m", TOKEN)
        assert endpoint.clean(said) == clean, said


def test_a_user_that_is_a_token_is_not_shown() -> None:
    assert Endpoint(f"https://{TOKEN[:9]}@h/v1", "m", "x").clean(f"no user {TOKEN[:9]}") == "no user ***"


def test_a_token_of_ones_own_server_does_not_eat_words() -> None:
    cases: list[str] = ["x", "none", "EMPTY"]
    for token in cases:
        said = "nonexistent: EMPTY max_tokens"
        assert Endpoint("http://127.0.0.1:8000/v1", "m", token).clean(said) == said, token


def test_a_text_is_short_whatever_the_endpoint_says() -> None:
    assert Endpoint("https://h/v1", "m", TOKEN).clean(f"{'x' * 480} {TOKEN * 3}") == "x" * 480 + " " + "***" * 3
    assert len(Endpoint("https://h/v1", "m", TOKEN).clean("x " * 5000)) == 500


def test_the_reader_falls_back_to_the_judges_endpoint() -> None:
    Path(".env").write_text("TOKEN=judge\nJUDGE_API_LINK=http://judge/v1\nREADER_API_LINK=http://reader/v1\n")
    reader = read_endpoint("reader", "r")
    assert (reader.link, reader.model, reader.token) == ("http://reader/v1", "r", "judge")
    judge = read_endpoint("judge", "j")
    assert (judge.link, judge.model, judge.token) == ("http://judge/v1", "j", "judge")
    assert read_endpoint("embedder", "e").link == read_endpoint("reranker", "e").link == "http://reader/v1"


def test_an_address_has_one_form_without_secrets() -> None:
    forms = {
        "http://h/v1": ["http://h/v1/", "HTTP://H:80/v1//", "http://me:secret@h/v1?key=s#x", "http://h:/v1"],
        "https://h.example/Azure/v1": ["https://H.Example:443/Azure/v1"],
        "http://h:443": ["http://h:443/"],
        "https://[::1]:8443/v1": ["https://u@[::1]:8443/v1/"],
        "": [""],
    }
    for plain, links in forms.items():
        for link in (plain, *links):
            assert Endpoint(link, "m", "t").address == plain, link


def test_a_plan_knows_the_address_without_a_token() -> None:
    Path(".env").write_text("JUDGE_API_LINK=http://judge/v1/\n")
    assert read_endpoint("judge", "m", planned=True).address == "http://judge/v1"
    assert read_endpoint("reader", "m", planned=True).address == "http://judge/v1"
    Path(".env").write_text("JUDGE_API_LINK=http://judge/v1\nREADER_API_LINK=http://reader/v1\n")
    assert read_endpoint("reader", "m", planned=True).address == "http://reader/v1"
    Path(".env").write_text("JUDGE_API_LINK=http://h:x/v1\n")
    assert read_endpoint("judge", "m", planned=True).address == ""


def test_nothing_is_needed_to_plan() -> None:
    assert read_endpoint("judge", "m", planned=True) == Endpoint("", "m", "")
    with pytest.raises(ConfigError, match="JUDGE_MODEL is not set"):
        read_endpoint("judge", "", planned=True)
    with pytest.raises(ConfigError, match=r"reader 'openai': name its model, as in openai:MODEL"):
        read_endpoint("reader", "", planned=True)


def test_a_link_that_is_none_is_not_shown() -> None:
    cases: list[str] = ["h/v1", "ftp://h/v1", "http://", "http://h:0/v1", "http://h:x/v1", TOKEN]
    for link in cases:
        Path(".env").write_text(f"TOKEN=t\nJUDGE_API_LINK={link}\nJUDGE_MODEL=m\n")
        with pytest.raises(ConfigError) as caught:
            read_endpoint("judge", "")
        assert "no http:// or https:// address; check JUDGE_API_LINK" in str(caught.value)
        assert link not in str(caught.value).removeprefix("judge 'openai': the API link is no http://"), link


def test_an_example_is_no_token() -> None:
    cases: list[str] = ["<your token>…", "ключ", "a\\tb"]
    for token in cases:
        Path(".env").write_text(f'TOKEN="{token}"\nJUDGE_API_LINK=http://h/v1\nJUDGE_MODEL=m\n', encoding="utf-8")
        with pytest.raises(ConfigError, match="the token holds characters that no token has"):
            read_endpoint("judge", "")


def test_a_file_in_another_encoding_is_one_line() -> None:
    Path(".env").write_bytes("TOKEN=é\n".encode("latin-1"))
    with pytest.raises(ConfigError, match=r"\.env: cannot be read \(UnicodeDecodeError\); save it as UTF-8 text"):
        read_endpoint("judge", "m")
