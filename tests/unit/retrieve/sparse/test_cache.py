from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest

from fakes import sparse_rows
from ragaliq.errors import InputError
from ragaliq.retrieve.sparse.cache import cache_file, load_encoded_corpus, save_encoded_corpus

DOC_IDS = [" src/my file.py ", "a\u2028b", "Ä\x85", "доку мент", "文", "a\nb"]
MATRIX = sparse_rows([{0: 1.5}, {}, {1: 0.1}, {2: 3.0, 0: 1.0}, {}, {1: 1.0}], 3)


def test_e11_a_corpus_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "model" / "set.npz"
    save_encoded_corpus(path, MATRIX)
    assert [path.name for path in path.parent.iterdir()] == ["set.npz"]
    found = load_encoded_corpus(path, 6)
    assert found is not None and found.dtype == np.float32
    assert [array.tobytes() for array in (found.data, found.indices, found.indptr)] == [
        array.tobytes() for array in (MATRIX.data, MATRIX.indices, MATRIX.indptr)
    ]
    assert load_encoded_corpus(path, 5) is None
    assert load_encoded_corpus(tmp_path / "nothing.npz", 6) is None


def test_e11_the_key_changes_with_model_revision_parameters_ids_and_texts() -> None:
    texts = ["text"] * 6
    files = [
        cache_file(Path("index"), "naver/splade-v3", *parts)
        for parts in (
            ("model@abc {}", DOC_IDS, texts),
            ("model@abd {}", DOC_IDS, texts),
            ("model@abc {'max_length': 64}", DOC_IDS, texts),
            ("model@abc {}", ["x", *DOC_IDS[1:]], texts),
            ("model@abc {}", DOC_IDS, [*texts[1:], "Text"]),
            # The same characters, cut in another place.
            ("model@abc {}", ["a"], ["bc"]),
            ("model@abc {}", ["ab"], ["c"]),
        )
    ]
    assert len(set(files)) == len(files)
    assert {file.parent for file in files} == {Path("index/sparse/naver-splade-v3")}
    assert cache_file(Path("index"), "../..", "", [], []).parent == Path("index/sparse/model")


def test_e11_what_is_damaged_is_not_taken_and_can_be_written_anew(tmp_path: Path) -> None:
    path = tmp_path / "corpus.npz"
    save_encoded_corpus(path, MATRIX)
    data = path.read_bytes()
    with ZipFile(path) as parts:
        weights = parts.getinfo("data.npy")
    # Behind the names and the header of its array, the weights themselves.
    place = weights.header_offset + weights.file_size - 4
    for damaged in (data[:-3], data[:40] + b"?" + data[41:], data[:place] + b"?" + data[place + 1 :], b"", b"text"):
        path.write_bytes(damaged)
        assert load_encoded_corpus(path, 6) is None, damaged[:50]
    save_encoded_corpus(path, MATRIX)
    assert load_encoded_corpus(path, 6) is not None


def test_a_pickle_is_never_opened(tmp_path: Path) -> None:
    with (tmp_path / "corpus.npz").open("wb") as file:
        np.savez(file, format=np.array([{}], dtype=object))
    assert load_encoded_corpus(tmp_path / "corpus.npz", 6) is None


def test_what_cannot_be_kept_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        save_encoded_corpus(tmp_path / "file" / "folder" / "corpus.npz", MATRIX)
