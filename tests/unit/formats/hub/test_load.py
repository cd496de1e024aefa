"""Repositories as they lie on the hub, read by the library itself from local copies: no network."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ragaliq.errors import ConfigError, InputError
from ragaliq.formats.hub.load import read_hub
from ragaliq.formats.hub.repository import Repository, open_repository
from ragaliq.formats.reading.collection import Collection

Table = Mapping[str, Sequence[Any]]
HUB = pytest.mark.hub


@pytest.fixture(autouse=True)
def _away_from_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Keep the library's lock files out of the home folder, and the library off the network."""
    if request.node.get_closest_marker("hub"):
        import datasets
        import huggingface_hub

        monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", str(tmp_path / "cache"))
        monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
        monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)


def repository(folder: Path, tables: Mapping[tuple[str, str], Table], suffix: str = "parquet") -> Path:
    """Write a repository: a card that names configurations, and a file for each of their splits."""
    from datasets import Dataset

    configs: dict[str, list[dict[str, str]]] = {}
    for (config, split), columns in tables.items():
        path = folder / config / f"{split}.{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        data = Dataset.from_dict(dict(columns))
        if suffix == "parquet":
            data.to_parquet(str(path))
        else:
            lines = [json.dumps(row, ensure_ascii=False) for row in data]
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        configs.setdefault(config, []).append({"split": split, "path": f"{config}/{split}.{suffix}"})
    card = [{"config_name": config, "data_files": files} for config, files in configs.items()]
    (folder / "README.md").write_text(f"---\nconfigs: {json.dumps(card)}\n---\n# Data\n", encoding="utf-8")
    return folder


BEIR: dict[tuple[str, str], Table] = {
    ("corpus", "corpus"): {"_id": [3, 1, 2], "title": ["Ü", None, ""], "text": ["第三", "one", "dos"]},
    ("queries", "queries"): {"_id": [10, 11, 12], "text": ["ten", "eleven", "twelve"]},
    ("default", "test"): {"query-id": [10, 10, 12], "corpus-id": [1, 3, 2], "score": [1.0, 0.0, 2.0]},
    ("default", "train"): {"query-id": [11], "corpus-id": [1], "score": [1.0]},
}


def doc_ids(collection: Collection) -> list[str]:
    return [chunk.doc_id for chunk in collection.chunks()]


@HUB
@pytest.mark.parametrize("suffix", ["parquet", "jsonl"])
def test_e5_a_beir_repository_with_whole_numbers_as_ids_and_floats_as_scores(tmp_path: Path, suffix: str) -> None:
    read = read_hub(str(repository(tmp_path / "scifact", BEIR, suffix)))
    assert (read.name, read.lang, read.split, read.notes) == ("scifact", "en", "test", ())
    assert read.qrels == {"10": {"1": 1, "3": 0}, "12": {"2": 2}}
    # Query 11 belongs to another split.
    assert [(query.query_id, query.text) for query in read.queries] == [("10", "ten"), ("12", "twelve")]
    chunks = list(read.chunks())
    assert [(chunk.doc_id, chunk.title, chunk.text) for chunk in chunks] == [
        ("3", "Ü", "第三"),
        ("1", "", "one"),
        ("2", "", "dos"),
    ]
    assert list(read.chunks()) == chunks
    train = read_hub(str(tmp_path / "scifact"), split="train")
    assert train.qrels == {"11": {"1": 1}} and [query.query_id for query in train.queries] == ["11"]


@HUB
def test_other_names_of_columns_and_configurations(tmp_path: Path) -> None:
    tables: dict[tuple[str, str], Table] = {
        ("corpus", "test"): {"id": ["d 1", "d#2"], "text": ["a", "b"]},
        ("queries", "test"): {"id": ["q_1"], "text": ["t"]},
        ("qrels", "test"): {"query-id": ["q_1"], "document-id": ["d 1"], "score": [1]},
    }
    read = read_hub(str(repository(tmp_path / "own", tables)), lang="sw")
    assert (read.name, read.lang, read.qrels) == ("own", "sw", {"q_1": {"d 1": 1}})
    assert doc_ids(read) == ["d 1", "d#2"]


@HUB
def test_a_language_as_part_of_the_configurations(tmp_path: Path) -> None:
    tables: dict[tuple[str, str], Table] = {
        **{(f"de-{config}", split): table for (config, split), table in BEIR.items() if config != "default"},
        ("de-qrels", "dev"): BEIR["default", "test"],
        ("fr-corpus", "corpus"): BEIR["corpus", "corpus"],
    }
    read = read_hub(str(repository(tmp_path / "many", tables)), "de", split="validation")
    assert (read.name, read.lang, read.split, len(read.queries)) == ("many", "de", "dev", 2)


@HUB
def test_judgements_in_a_repository_of_their_own_keep_ids_as_they_are_written(tmp_path: Path) -> None:
    corpus: Table = {"_id": ["007", "7", 'a"b', "NA"], "text": ["", "x", "y", "z"]}
    queries: Table = {"_id": ["00", "null"], "text": ["p", "q"]}
    folder = repository(tmp_path / "nq", {("corpus", "corpus"): corpus, ("queries", "queries"): queries})
    (tmp_path / "nq-qrels").mkdir()
    table = 'query-id\tcorpus-id\tscore\n00\t007\t1\n00\tNA\t0\nnull\ta"b\t2\n'
    (tmp_path / "nq-qrels" / "test.tsv").write_text(table, encoding="utf-8")
    read = read_hub(str(folder))
    assert read.qrels == {"00": {"007": 1, "NA": 0}, "null": {'a"b': 2}}
    assert doc_ids(read) == ["007", "7", 'a"b', "NA"]


@HUB
def test_e6_miracl_rows_with_negatives_and_the_corpus_beside(tmp_path: Path) -> None:
    def passages(*ids: str) -> list[dict[str, str]]:
        return [{"docid": doc_id, "title": "T", "text": "x"} for doc_id in ids]

    rows: Table = {
        "query_id": ["10020#0", "1"],
        "query": ["Kí ni?", "Ta ni?"],
        "positive_passages": [passages("1#0", "2#1"), passages("3#0")],
        "negative_passages": [passages("1#1"), []],
    }
    folder = repository(tmp_path / "miracl", {("yo", "dev"): rows, ("de", "dev"): rows})
    corpus: Table = {"docid": ["1#0", "1#1"], "title": ["Ilé", "Ọ̀nà"], "text": ["ilé", "ọ̀nà"]}
    repository(tmp_path / "miracl-corpus", {("yo", "train"): corpus})
    read = read_hub(str(folder), "yo")
    assert (read.name, read.lang, read.split) == ("miracl-yo", "yo", "dev")
    assert read.qrels == {"10020#0": {"1#1": 0, "1#0": 1, "2#1": 1}, "1": {"3#0": 1}}
    assert [(chunk.doc_id, chunk.title) for chunk in read.chunks()] == [("1#0", "Ilé"), ("1#1", "Ọ̀nà")]
    with pytest.raises(InputError, match=r"withheld.*evaluate on 'dev' \(119 queries\)"):
        read_hub(str(folder), "yo", split="testB")


@HUB
def test_e7_mmarco_across_languages_with_the_judgements_of_ms_marco(tmp_path: Path) -> None:
    tables: dict[tuple[str, str], Table] = {
        ("collection-german", "collection"): {"id": [0, 1], "text": ["null", "eins"]},
        ("queries-german", "train"): {"id": [5], "text": ["fünf"]},
        ("queries-german", "dev"): {"id": [7, 8, 9], "text": ["sieben", "acht", "neun"]},
        ("queries-japanese", "train"): {"id": [5], "text": ["五"]},
        ("queries-japanese", "dev"): {"id": [7, 8, 9], "text": ["七", "八", "九"]},
    }
    folder = repository(tmp_path / "mmarco", tables)
    qrels: Table = {"query-id": [7, 9], "corpus-id": [1, 0], "score": [1, 1]}
    repository(tmp_path / "msmarco-qrels", {("default", "train"): qrels, ("default", "validation"): qrels})
    read = read_hub(str(folder), "german")
    assert (read.name, read.lang, read.split) == ("mmarco-de", "de", "dev")
    assert read.qrels == {"7": {"1": 1}, "9": {"0": 1}}
    assert [(query.lang, query.text) for query in read.queries] == [("de", "sieben"), ("de", "neun")]
    crossed = read_hub(str(folder), "german/japanese")
    assert [(query.lang, query.text) for query in crossed.queries] == [("ja", "七"), ("ja", "九")]
    assert [(chunk.lang, chunk.text) for chunk in crossed.chunks()] == [("de", "null"), ("de", "eins")]
    with pytest.raises(InputError, match="withheld"):
        read_hub(str(folder), "german", split="eval")
    with pytest.raises(ConfigError, match="no configuration 'queries-thai'"):
        read_hub(str(folder), "german/thai")


@HUB
def test_c15_freshstack_with_its_corpus_in_the_other_repository(tmp_path: Path) -> None:
    nuggets = [
        {"_id": "76_0", "text": "f", "relevant_corpus_ids": ["a b_0_9"], "non_relevant_corpus_ids": ["c"]},
        {"_id": "76_1", "text": "g", "relevant_corpus_ids": [], "non_relevant_corpus_ids": ["c"]},
    ]
    rows: Table = {
        "query_id": [76],
        "query_title": ["Why"],
        "query_text": ["so?"],
        "answer_id": [1],
        "answer_text": ["Because."],
        "nuggets": [nuggets],
    }
    folder = repository(tmp_path / "queries-oct-2024", {("yolo", "test"): rows, ("godot", "test"): rows})
    corpus: Table = {"_id": ["a b_0_9", "c"], "title": ["", None], "text": ["x", "y"]}
    repository(tmp_path / "corpus-oct-2024", {("yolo", "train"): corpus})
    read = read_hub(str(folder), "yolo")
    assert (read.name, read.lang, read.split) == ("freshstack-yolo", "en", "test")
    assert read.qrels == {"76": {"a b_0_9": 1, "c": 0}}
    assert [(n.nugget_id, n.doc_ids) for n in read.nuggets] == [("76_0", ("a b_0_9",)), ("76_1", ())]
    assert read.queries[0].text == "Why so?" and read.references == {"76": "Because."}
    assert doc_ids(read) == ["a b_0_9", "c"]


@HUB
def test_a_corpus_is_streamed_and_leaves_nothing_on_disk(tmp_path: Path) -> None:
    folder = repository(tmp_path / "fiqa", BEIR)
    chunks = read_hub(str(folder)).chunks()
    assert next(chunks).doc_id == "3"
    (folder / "corpus" / "corpus.parquet").unlink()
    assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file() and path.suffix != ".lock"] == []


@HUB
@pytest.mark.parametrize(
    ("part", "table", "message"),
    [
        ("default", {"query-id": [10], "corpus-id": [1], "score": [0.5]}, "must be a whole number, not 0.5"),
        ("default", {"query-id": [10.0], "corpus-id": [1], "score": [1]}, "'query-id' must be a text or a whole"),
        ("default", {"query-id": ["10a"], "corpus-id": [1], "score": [1]}, "wrong-split"),
        ("default", {"query-id": [10, 10], "corpus-id": [1, 1], "score": [1, 1]}, "judged twice"),
        ("queries", {"_id": [10, 10], "text": ["a", "b"]}, "query '10' occurs twice"),
        ("queries", {"_id": [10], "text": [3]}, "'text' must be a text"),
    ],
)
def test_malformed_rows_are_named(tmp_path: Path, part: str, table: Table, message: str) -> None:
    split = {"default": "test", "queries": "queries"}[part]
    folder = repository(tmp_path / "scifact", {**BEIR, (part, split): table})
    with pytest.raises(InputError, match=message):
        read_hub(str(folder))


@HUB
def test_a_split_or_configuration_that_is_not_there_is_answered_with_those_that_are(tmp_path: Path) -> None:
    folder = repository(tmp_path / "scifact", BEIR)
    with pytest.raises(InputError, match=r"no split 'dev'; (did you mean|known: test, train)"):
        read_hub(str(folder), split="dev")
    with pytest.raises(ConfigError, match=r"no configuration 'xx'; it has .*corpus"):
        read_hub(str(folder), "xx")
    rows: Table = {"a": [1]}
    with pytest.raises(ConfigError, match="no layout that is known"):
        read_hub(str(repository(tmp_path / "other", {("default", "test"): rows})), lang="en")
    with pytest.raises(ConfigError, match="its language is not known"):
        read_hub(str(tmp_path / "other"))


@HUB
def test_a_script_is_never_run(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    (tmp_path / "mmarco").mkdir()
    (tmp_path / "mmarco" / "mmarco.py").write_text(f"open({str(ran)!r}, 'w')", encoding="utf-8")
    with pytest.raises(ConfigError, match="behind a script, which is never run; try the revision refs/convert/parquet"):
        read_hub(str(tmp_path / "mmarco"), "german")
    assert not ran.exists()


@HUB
def test_without_a_network_one_line_names_the_local_way() -> None:
    with pytest.raises(ConfigError) as caught:
        read_hub("nobody/nothing", lang="en")
    text = str(caught.value)
    assert text.startswith("nobody/nothing: cannot be read (") and "without a network give a local copy" in text
    assert "\n" not in text


@HUB
def test_damaged_files_are_one_line(tmp_path: Path) -> None:
    folder = repository(tmp_path / "scifact", BEIR)
    (folder / "default" / "test.parquet").write_bytes(b"PAR1 no parquet at all")
    with pytest.raises(ConfigError, match="cannot be read"):
        read_hub(str(folder))


@HUB
def test_revisions_are_pinned_per_repository(tmp_path: Path) -> None:
    name = str(repository(tmp_path / "scifact", BEIR))
    assert open_repository(name, "refs/convert/parquet").pins == {name: "refs/convert/parquet"}
    assert open_repository(name, "0f3,a/b-qrels=1c").pins == {name: "0f3", "a/b-qrels": "1c"}
    # A copy on disk is what it is: there is nothing to pin.
    assert read_hub(name, revision="0f3").notes == read_hub(name).notes == ()


def test_a_repository_of_the_hub_without_revision_is_told() -> None:
    used = ["a/b", "a/b-qrels"]
    assert len(Repository("a/b", {}, (), used).unpinned()) == 2
    (note,) = Repository("a/b", {"a/b": "0f3"}, (), used).unpinned()
    assert note.startswith("a/b-qrels: read at its newest revision")


def test_without_the_package_one_line_tells_how_to_get_it() -> None:
    code = (
        "import sys; sys.modules['datasets'] = None\n"
        "from ragaliq.errors import ConfigError\n"
        "from ragaliq.formats.hub.load import read_hub\n"
        "try: read_hub('mteb/scifact')\n"
        "except ConfigError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == (
        "mteb/scifact: the hub is read with the package datasets; pip install datasets, or give local files "
        "(formats beir, miracl, mmarco, freshstack)\n"
    )
