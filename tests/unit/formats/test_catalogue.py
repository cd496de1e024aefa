"""The catalogue of data sets: nothing is missing, nothing is guessed, withheld judgements are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragaliq.errors import InputError
from ragaliq.formats.catalogue import catalogue, check_split, dataset_families, entry, find, sources

BEIR = [
    "arguana", "bioasq", "climate-fever", "cqadupstack", "dbpedia-entity", "fever", "fiqa", "hotpotqa", "msmarco",
    "nfcorpus", "nq", "quora", "robust04", "scidocs", "scifact", "signal1m", "trec-covid", "trec-news",
    "webis-touche2020",
]  # fmt: skip
MMARCO = [
    "arabic", "chinese", "dutch", "english", "french", "german", "hindi", "indonesian", "italian", "japanese",
    "portuguese", "russian", "spanish", "vietnamese",
]  # fmt: skip


def test_a2_beir_has_nineteen_sets_each_with_licence_and_availability() -> None:
    found = catalogue("beir")
    assert sorted(dataset.name for dataset in found) == BEIR and len(BEIR) == 19
    assert all(dataset.licence for dataset in found)
    # Four are not handed out freely; for those stands where to apply, for the others the archive.
    closed = [dataset for dataset in found if not dataset.public]
    assert sorted(dataset.name for dataset in closed) == ["bioasq", "robust04", "signal1m", "trec-news"]
    assert all(dataset.access and not dataset.archive and not dataset.hub for dataset in closed)
    for dataset in found:
        if dataset.public:
            assert dataset.archive.endswith(f"/{dataset.name}.zip") and len(dataset.md5) == 32
            assert dataset.hub == f"BeIR/{dataset.name}"


def test_e6_miracl_has_eighteen_languages_and_e7_mmarco_fourteen() -> None:
    langs = " ".join(sorted(dataset.lang for dataset in catalogue("miracl")))
    assert langs == "ar bn de en es fa fi fr hi id ja ko ru sw te th yo zh"
    assert sorted(dataset.config for dataset in catalogue("mmarco")) == MMARCO
    assert entry("mmarco-german").lang == "de"
    # The largest and the smallest corpus; the surprise languages have no training judgements.
    assert entry("miracl-en").documents == 32_893_221 and entry("miracl-yo").documents == 49_043
    assert entry("miracl-yo").splits == ("dev",) and entry("miracl-ar").splits == ("train", "dev")


def test_freshstack_has_its_five_topics_of_table_3() -> None:
    sizes = {dataset.config: (dataset.queries, dataset.documents) for dataset in catalogue("freshstack")}
    assert sizes == {
        "langchain": (203, 49_514),
        "yolo": (57, 27_207),
        "laravel": (184, 52_351),
        "angular": (129, 117_288),
        "godot": (99, 25_482),
    }


def test_every_entry_is_whole() -> None:
    names = [dataset.name for dataset in catalogue()]
    assert len(set(names)) == len(names) == 19 + 18 + 14 + 5
    aliases = [alias for dataset in catalogue() for alias in dataset.aliases]
    assert len({*aliases, *names}) == len(aliases) + len(names)
    for dataset in catalogue():
        assert find(dataset.name) is dataset
        assert all(find(alias) is dataset for alias in dataset.aliases)
        assert dataset.default_split in dataset.splits
        assert not set(dataset.splits) & set(dataset.hidden)
        assert dataset.queries > 0 and dataset.documents > 0
        assert dataset.year <= dataset.published
    assert all(sources(family) for family in dataset_families())


def test_what_stands_in_its_own_corpus_is_told() -> None:
    assert [dataset.name for dataset in catalogue() if dataset.self_match] == ["arguana", "quora"]


def test_cqadupstack_is_one_set_of_twelve_forums() -> None:
    assert len(entry("cqadupstack").parts) == 12


def test_names_as_others_write_them() -> None:
    cases = [
        ("scifact", "scifact"),
        ("SciFact", "scifact"),
        ("BeIR/scifact", "scifact"),
        ("mteb/scifact", "scifact"),
        ("beir-v1.0.0-scifact", "scifact"),
        ("beir/nq/dev", "nq"),
        ("Touche-2020", "webis-touche2020"),
        ("miracl/de", "miracl-de"),
        ("miracl/de/dev", "miracl-de"),
        ("mmarco chinese", "mmarco-zh"),
        ("langchain", "freshstack-langchain"),
        ("Godot4", "freshstack-godot"),
    ]
    for name, found in cases:
        dataset = find(name)
        assert dataset is not None and dataset.name == found, name


def test_names_are_not_guessed() -> None:
    for name in ["", "beir", "miracl", "scifact2", "sci", "miracl-xx", "beir-", "数据"]:
        assert find(name) is None, name


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(InputError, match=r"'scifacts' is not in the catalogue; did you mean 'scifact'\?"):
        entry("scifacts")


def test_e6_a_hidden_split_is_refused_with_advice() -> None:
    for name, split, advice in [
        *(("miracl/de", split, r"'dev' \(305 queries\)") for split in ("test-b", "testB", "test_B", "test", "TEST-B")),
        ("miracl-ar", "test-a", "'dev'"),
        ("mmarco-de", "eval", r"'dev' \(6,980 queries\)"),
        ("msmarco", "eval", "'dev'"),
    ]:
        with pytest.raises(InputError, match=f"withheld.*evaluate on {advice}"):
            check_split(name, split)


def test_other_splits_pass_and_only_languages_of_mr_tydi_have_a_test_a() -> None:
    for name, split in [
        ("scifact", "test"), ("miracl-de", "dev"), ("miracl-de", "test-a"), ("msmarco", "test"), ("own", "test"),
        ("nq", ""),
    ]:  # fmt: skip
        check_split(name, split)


@pytest.mark.shared
def test_counts_agree_with_the_data_at_hand(shared_data: Path) -> None:
    folder = shared_data / "ir" / "qrels-and-topics"
    for name, file in (
        ("miracl-de", "qrels.miracl-v1.0-de-dev.tsv"),
        ("miracl-yo", "qrels.miracl-v1.0-yo-dev.tsv"),
        ("scifact", "qrels.beir-v1.0.0-scifact.test.txt"),
        ("nfcorpus", "qrels.beir-v1.0.0-nfcorpus.test.txt"),
    ):
        lines = (folder / file).read_text(encoding="utf-8").splitlines()
        assert len({line.split()[0] for line in lines}) == entry(name).queries
