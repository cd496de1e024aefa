"""What a name stands for: of the hub, read from local copies; of BEIR, fetched from a server on this machine."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from ragaliq.benchmark.collections import load_collections
from ragaliq.benchmark.named_sources import read_beir_source, read_hub_source
from ragaliq.errors import ConfigError, InputError
from unit.formats.reading.test_download import serving

Rows = Sequence[Mapping[str, object]]
FILES: dict[str, Rows] = {
    "corpus": [{"_id": 7, "title": "", "text": "ひとつ"}, {"_id": 8, "title": "題", "text": "ふたつ"}],
    "queries": [{"_id": 1, "text": "どれ？"}, {"_id": 2, "text": "なに？"}],
    "default": [{"query-id": 1, "corpus-id": 8, "score": 1.0}],
}


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of a repository in BEIR's layout, and the library kept off the network and the home folder."""
    import datasets
    import huggingface_hub

    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    folder = tmp_path / "owner" / "small"
    folder.mkdir(parents=True)
    card = []
    for name, rows in FILES.items():
        split = "test" if name == "default" else name
        lines = [json.dumps(row, ensure_ascii=False) for row in rows]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        card.append({"config_name": name, "data_files": [{"split": split, "path": f"{name}.jsonl"}]})
    (folder / "README.md").write_text(f"---\nconfigs: {json.dumps(card)}\n---\n", encoding="utf-8")
    return folder


@pytest.mark.slow
@pytest.mark.hub
def test_a_repository_in_the_language_named(repository: Path) -> None:
    found = load_collections(f"hub:{repository}", langs=["ja"])
    assert list(found) == ["ja"]
    assert found["ja"].qrels == {"1": {"8": 1}}
    assert [(chunk.doc_id, chunk.title) for chunk in found["ja"].chunks()] == [("7", ""), ("8", "題")]
    with pytest.raises(InputError, match="train"):
        load_collections(f"hub:{repository}", langs=["ja"], split="train")


def test_names_that_stand_for_nothing() -> None:
    cases = [
        ("", None, "hub:NAME"),
        ("a:b:c", None, "hub:NAME"),
        ("scifcat", None, "'scifcat' is not in the catalogue; did you mean 'scifact'"),
        ("miracl", ["xx"], "'miracl' is not in the catalogue"),
        ("signal1m", None, "hub:signal1m: not on the hub"),
    ]
    for spec, langs, message in cases:
        with pytest.raises((ConfigError, InputError)) as caught:
            read_hub_source(spec, langs)
        assert message in str(caught.value), spec


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that one works in, and no proxy."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return tmp_path


def stored(folder: Path, name: str, inside: str) -> None:
    """Put an archive where a fetched one is kept."""
    (folder / ".ragaliq" / "datasets").mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(folder / ".ragaliq" / "datasets" / f"{name}.zip", "w") as archive:
        archive.writestr(f"{inside}/corpus.jsonl", '{"_id": "1", "text": "ein Haus"}\n')
        archive.writestr(f"{inside}/queries.jsonl", '{"_id": "q", "text": "was?"}\n')
        archive.writestr(f"{inside}/qrels/test.tsv", "query-id\tcorpus-id\tscore\nq\t1\t1\n")


def test_e5_a_set_of_beir_that_is_at_hand(here: Path) -> None:
    """Requirement E5: an archive that was fetched once is read where it lies, without a network."""
    cases = [
        ("beir:scifact", "scifact", "scifact"),
        ("beir:touche2020", "webis-touche2020", "webis-touche2020"),
        ("beir:cqadupstack/android", "cqadupstack", "cqadupstack/android"),
    ]
    for source, name, inside in cases:
        stored(here, name, inside)
        (collection,) = load_collections(source).values()
        assert (collection.name, collection.lang, collection.split) == (inside.rpartition("/")[2], "en", "test"), source
        assert collection.qrels == {"q": {"1": 1}}, source
        assert [chunk.text for chunk in collection.chunks()] == ["ein Haus"], source


def test_e5_a_set_of_beir_is_asked_for_by_its_name_and_checked(here: Path) -> None:
    with serving() as server:
        with pytest.raises(InputError, match=r"scifact\.zip: not the archive that was published \(MD5 "):
            read_beir_source("scifact", base_url=server.url)
        assert server.asked == [("/sets/scifact.zip", "")]
    assert list((here / ".ragaliq" / "datasets").iterdir()) == []


def test_what_cannot_be_fetched_is_not_asked_for(here: Path) -> None:
    cases = [
        ("scifcat", "beir:scifcat: not a data set of BEIR; did you mean 'scifact'?"),
        ("miracl-de", "not a data set of BEIR"),
        ("", "not a data set of BEIR"),
        ("../scifact", "not a data set of BEIR"),
        ("robust04", "beir:robust04: cannot be fetched; agreement with NIST for TREC disks 4 and 5"),
        ("cqadupstack", "name a part, as beir:cqadupstack/android; known: android"),
        ("cqadupstack/../..", "name a part"),
        ("scifact/train", "'scifact' has no parts; give a split with --split"),
    ]
    for name, message in cases:
        with serving() as server:
            with pytest.raises(InputError) as caught:
                read_beir_source(name, base_url=server.url)
            assert server.asked == [], name
        assert message in str(caught.value), name
        assert not (here / ".ragaliq").exists(), name


def test_a_hidden_split_or_two_languages_are_refused_first(here: Path) -> None:
    with pytest.raises(InputError, match="evaluate on 'dev'"):
        load_collections("beir:msmarco", split="eval")
    with pytest.raises(InputError, match="--lang: this data set is in one language"):
        load_collections("beir:scifact", langs=["en", "de"])
