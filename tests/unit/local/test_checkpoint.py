from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ragaliq.errors import ConfigError, InputError
from ragaliq.local.checkpoint import Checkpoint, find_checkpoint, loading

LABEL = "embedder 'x'"
COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "model"
    (made / "1_Pooling").mkdir(parents=True)
    for name in ("config.json", "model.safetensors", "vocab.txt", "1_Pooling/config.json", "README.md"):
        (made / name).write_text(f"content of {name}", encoding="utf-8")
    return made


@pytest.fixture
def hub_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The hub's cache on a machine without a network, with one model in it."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    home = tmp_path / "hub" / "models--some--model"
    for name in (f"snapshots/{COMMIT}/config.json", "refs/main", "refs/v1"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("{}" if name.endswith(".json") else COMMIT, encoding="utf-8")
    return home


def test_a_copy_has_the_same_name(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere" / "other name"
    shutil.copytree(folder, copy)
    assert find_checkpoint(LABEL, str(copy)).name() == find_checkpoint(LABEL, str(folder)).name()
    assert find_checkpoint(LABEL, str(copy)) == Checkpoint(str(copy), copy)


def test_what_decides_vectors_changes_the_name(folder: Path) -> None:
    names = ("config.json", "model.safetensors", "vocab.txt", "1_Pooling/config.json", "code.py", "spm.vocab", "w.pth")
    for name in names:
        before = find_checkpoint(LABEL, str(folder)).name()
        with (folder / name).open("a", encoding="utf-8") as file:
            file.write(" ")
        assert find_checkpoint(LABEL, str(folder)).name() != before, name


def test_the_place_of_a_content_is_part_of_the_name(folder: Path) -> None:
    before = find_checkpoint(LABEL, str(folder)).name()
    (folder / "vocab.txt").rename(folder / "merges.txt")
    assert find_checkpoint(LABEL, str(folder)).name() != before


def test_what_decides_no_vector_does_not(folder: Path) -> None:
    before = find_checkpoint(LABEL, str(folder)).name()
    (folder / "README.md").write_text("news", encoding="utf-8")
    (folder / ".cache").mkdir()
    (folder / ".cache" / "x.json").write_text("{}", encoding="utf-8")
    assert find_checkpoint(LABEL, str(folder)).name() == before


@pytest.mark.slow
def test_a_model_of_the_hub_is_named_by_its_commit(hub_cache: Path) -> None:
    for revision in ("", "main", "v1", COMMIT):
        found = find_checkpoint(LABEL, "some/model", revision)
        assert found == Checkpoint("some/model", hub_cache / "snapshots" / COMMIT, COMMIT), revision
        assert found.name() == f"some/model@{COMMIT}"
        assert found.source == "some/model"


@pytest.mark.slow
def test_what_the_hub_does_not_have_is_one_line(hub_cache: Path) -> None:
    for model, revision in (("no/such", ""), ("some/model", "v2"), ("a/b/c", ""), ("ü", "")):
        with pytest.raises(ConfigError) as caught:
            find_checkpoint(LABEL, model, revision)
        message = str(caught.value)
        assert message.startswith("embedder 'x': cannot be loaded ("), model
        assert message.endswith("check the id and the options")
        assert "\n" not in message


def test_a_missing_folder_is_no_model_of_the_hub() -> None:
    for model in ("./nowhere", "/nowhere/at/all", "~/nowhere"):
        with pytest.raises(ConfigError, match=r"^embedder 'x': there is no such folder; check the path$"):
            find_checkpoint(LABEL, model)


def test_a_folder_has_no_revisions(folder: Path) -> None:
    with pytest.raises(ConfigError, match="option 'revision' is for models of the hub, this is a folder"):
        find_checkpoint(LABEL, str(folder), "main")


def test_whatever_goes_wrong_in_a_library_is_one_line() -> None:
    with (
        pytest.raises(ConfigError, match=r"^embedder 'm': cannot be loaded \(OSError: first second\);"),
        loading("embedder 'm'"),
    ):
        raise OSError("first\n  second")
    with pytest.raises(InputError, match=r"^mine$"), loading("embedder 'm'"):
        raise InputError("mine")
