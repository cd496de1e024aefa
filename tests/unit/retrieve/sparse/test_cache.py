from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from fakes import sparse_rows
from ragaliq.errors import InputError
from ragaliq.retrieve.sparse.cache import (
    FILES,
    EncodedCorpus,
    cache_folder,
    corpus_key,
    load_encoded_corpus,
    save_encoded_corpus,
)
from ragaliq.retrieve.sparse.vectors import compute_idf

# Spaces at both ends, a separator that `str.splitlines` would split at, scripts.
DOC_IDS = [" src/my file.py ", "a\u2028b", "Ä\x85", "доку мент", "文", "\ttab\x0b"]
KEY = corpus_key("model@abc {}", DOC_IDS, ["text"] * 6)


def corpus() -> EncodedCorpus:
    matrix = sparse_rows([{0: 1.5}, {}, {1: 0.1}, {2: 3.0, 0: 1.0}, {}, {1: 1.0}], 3)
    return EncodedCorpus(matrix, compute_idf(matrix), DOC_IDS)


def test_e11_a_corpus_comes_back_as_it_was_and_its_ids_with_their_spaces(tmp_path: Path) -> None:
    save_encoded_corpus(tmp_path / "model" / "set", corpus(), KEY)
    assert sorted(path.name for path in (tmp_path / "model" / "set").iterdir()) == sorted([*FILES, "key.json"])
    found = load_encoded_corpus(tmp_path / "model" / "set", KEY)
    assert found is not None
    assert found.doc_ids == DOC_IDS
    assert (found.matrix != corpus().matrix).nnz == 0
    assert found.matrix.dtype == np.float32
    assert found.idf.tobytes() == corpus().idf.tobytes()


def test_e11_the_key_changes_with_model_revision_parameters_ids_and_texts() -> None:
    keys = [
        KEY,
        corpus_key("model@abd {}", DOC_IDS, ["text"] * 6),
        corpus_key("model@abc {'max_length': 64}", DOC_IDS, ["text"] * 6),
        corpus_key("model@abc {}", ["x", *DOC_IDS[1:]], ["text"] * 6),
        corpus_key("model@abc {}", DOC_IDS, ["text"] * 5 + ["Text"]),
        # The same characters, cut in another place.
        corpus_key("model@abc {}", ["a"], ["bc"]),
        corpus_key("model@abc {}", ["ab"], ["c"]),
    ]
    assert len({str(key) for key in keys}) == len(keys)
    assert len({cache_folder(Path(), "m", key) for key in keys}) == len(keys)
    assert cache_folder(Path("index"), "naver/splade-v3", KEY).parts[:3] == ("index", "sparse", "naver-splade-v3")
    assert cache_folder(Path("index"), "../..", KEY).parts[:3] == ("index", "sparse", "model")


def test_e11_what_is_of_another_corpus_is_not_taken(tmp_path: Path) -> None:
    save_encoded_corpus(tmp_path, corpus(), KEY)
    assert load_encoded_corpus(tmp_path, corpus_key("model@abc {}", DOC_IDS, ["other"] * 6)) is None
    assert load_encoded_corpus(tmp_path / "nothing", KEY) is None


def test_e11_what_is_torn_is_not_taken_and_can_be_written_anew(tmp_path: Path) -> None:
    for name in (*FILES, "key.json"):
        for damage in ("cut", "changed", "gone", "empty"):
            save_encoded_corpus(tmp_path, corpus(), KEY)
            assert load_encoded_corpus(tmp_path, KEY) is not None
            data = (tmp_path / name).read_bytes()
            if damage == "gone":
                (tmp_path / name).unlink()
            else:
                changed = {"cut": data[:-3], "changed": data[:40] + b"?" + data[41:], "empty": b""}
                (tmp_path / name).write_bytes(changed[damage])
            assert load_encoded_corpus(tmp_path, KEY) is None, (name, damage)


def test_e11_what_a_kill_left_is_as_good_as_nothing(tmp_path: Path) -> None:
    save_encoded_corpus(tmp_path, corpus(), KEY)
    # As it looks while the files are exchanged.
    (tmp_path / "key.json").unlink()
    (tmp_path / ".1.draft.idf.npy").write_bytes(b"half")
    assert load_encoded_corpus(tmp_path, KEY) is None


def test_a_pickle_is_never_opened(tmp_path: Path) -> None:
    save_encoded_corpus(tmp_path, corpus(), KEY)
    np.save(tmp_path / "idf.npy", np.array([{}, {}, {}], dtype=object), allow_pickle=True)
    assert load_encoded_corpus(tmp_path, KEY) is None


def test_what_cannot_be_kept_is_told(tmp_path: Path) -> None:
    broken = EncodedCorpus(corpus().matrix, corpus().idf, ["a\nb", *DOC_IDS[1:]])
    with pytest.raises(InputError, match="doc id 'a\\\\nb' holds a line end"):
        save_encoded_corpus(tmp_path, broken, KEY)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        save_encoded_corpus(tmp_path / "file" / "folder", corpus(), KEY)
