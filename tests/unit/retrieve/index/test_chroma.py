from __future__ import annotations

import numpy as np
import pytest

from fakes import Scripted, chat_server
from ragaliq.errors import ConfigError, InputError
from ragaliq.retrieve.embed.char_ngrams import CharNgramEmbedder
from ragaliq.retrieve.hybrid import HybridRetriever
from ragaliq.retrieve.index.chroma import check_address
from ragaliq.retrieve.index.store import VectorStore


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("http://127.0.0.1:8123", "http://127.0.0.1:8123"),
        ("http://chroma.example/", "http://chroma.example:8000"),
        ("https://chroma.example", "https://chroma.example:443"),
        ("http://[::1]:9000", "http://[::1]:9000"),
    ],
)
def test_an_address_is_completed_by_its_port(given: str, address: str) -> None:
    assert check_address(given) == address


@pytest.mark.parametrize(
    "given",
    [
        "127.0.0.1:8000",
        "localhost",
        "ftp://h",
        "http://",
        "http://h:0",
        "http://h:99999",
        "http://[::1",
        "http://h/path",
        "http://h?x=1",
    ],
)
def test_what_is_no_address_is_refused_before_anything_is_asked(given: str) -> None:
    with pytest.raises(ConfigError, match="option 'server' is an address"):
        HybridRetriever(CharNgramEmbedder(16), None, given)


def test_a_password_is_refused_and_not_shown() -> None:
    with pytest.raises(ConfigError) as caught:
        VectorStore(None, "http://me:secret@127.0.0.1:8000")
    assert "secret" not in str(caught.value)


def test_another_service_at_the_address_is_told_apart() -> None:
    with chat_server(lambda request, number: Scripted("no")) as other:
        address = other.link.removesuffix("/v1")
        with pytest.raises(InputError, match="no Chroma server answers"):
            VectorStore(None, address).vectors("key", ["a"], lambda: np.ones((1, 2), dtype=np.float32))
