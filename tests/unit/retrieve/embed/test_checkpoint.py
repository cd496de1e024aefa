from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ragaliq.errors import ConfigError, InputError
from ragaliq.retrieve.embed.checkpoint import Checkpoint, find_checkpoint, loading

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
    assert find_checkpoint(str(copy)).name() == find_checkpoint(str(folder)).name()
    assert find_checkpoint(str(copy)) == Checkpoint(str(copy), copy)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "vocab.txt", "1_Pooling/config.json", "code.py"])
def test_what_decides_vectors_changes_the_name(folder: Path, name: str) -> None:
    before = find_checkpoint(str(folder)).name()
    with (folder / name).open("a", encoding="utf-8") as file:
        file.write(" ")
    assert find_checkpoint(str(folder)).name() != before


def test_the_place_of_a_content_is_part_of_the_name(folder: Path) -> None:
    before = find_checkpoint(str(folder)).name()
    (folder / "vocab.txt").rename(folder / "merges.txt")
    assert find_checkpoint(str(folder)).name() != before


def test_what_decides_no_vector_does_not(folder: Path) -> None:
    before = find_checkpoint(str(folder)).name()
    (folder / "README.md").write_text("news", encoding="utf-8")
    (folder / ".cache").mkdir()
    (folder / ".cache" / "x.json").write_text("{}", encoding="utf-8")
    assert find_checkpoint(str(folder)).name() == before


@pytest.mark.parametrize("revision", ["", "main", "v1", COMMIT])
def test_a_model_of_the_hub_is_named_by_its_commit(hub_cache: Path, revision: str) -> None:
    found = find_checkpoint("some/model", revision)
    assert found == Checkpoint("some/model", hub_cache / "snapshots" / COMMIT, COMMIT)
    assert found.name() == f"some/model@{COMMIT}"
    assert found.source == "some/model"


@pytest.mark.parametrize(("model", "revision"), [("no/such", ""), ("some/model", "v2"), ("a/b/c", ""), ("ü", "")])
def test_what_the_hub_does_not_have_is_told_in_one_line(hub_cache: Path, model: str, revision: str) -> None:
    with pytest.raises(ConfigError) as caught:
        find_checkpoint(model, revision)
    message = str(caught.value)
    assert message.startswith(f"embedder '{model}': cannot be loaded (")
    assert message.endswith("check the id and the options")
    assert "\n" not in message


@pytest.mark.parametrize("model", ["./nowhere", "/nowhere/at/all", "~/nowhere"])
def test_a_missing_folder_is_no_model_of_the_hub(model: str) -> None:
    with pytest.raises(ConfigError, match=f"^embedder '{model}': there is no such folder; check the path$"):
        find_checkpoint(model)


def test_a_folder_has_no_revisions(folder: Path) -> None:
    with pytest.raises(ConfigError, match="option 'revision' is for models of the hub, this is a folder"):
        find_checkpoint(str(folder), "main")


def test_whatever_goes_wrong_in_a_library_is_one_line() -> None:
    with pytest.raises(ConfigError, match=r"^embedder 'm': cannot be loaded \(OSError: first second\);"), loading("m"):
        raise OSError("first\n  second")
    with pytest.raises(InputError, match=r"^mine$"), loading("m"):
        raise InputError("mine")
