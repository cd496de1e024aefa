from __future__ import annotations

from pathlib import Path

import pytest

from ragaliq.build.settings_file import load_settings
from ragaliq.errors import ConfigError
from unit.build.folders import stage, stage_rows, write_folder

TEXT = "The library on the first floor is open on all working days from eight in the morning.\n"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    return write_folder(tmp_path / 'my "docs": 文', {"a.md": TEXT, "b.md": TEXT})


def test_init_writes_settings_with_relative_paths_and_leaves_them(tmp_path: Path, docs: Path) -> None:
    bench = tmp_path / "x" / "bench"
    assert stage(bench, "init", "--from", str(docs), str(docs / "a.md"), "--lang", "no,de") == 0
    settings = load_settings(bench / "build.yaml")
    assert [source.path for source in settings.sources] == ['../../my "docs": 文/a.md', '../../my "docs": 文']
    assert (settings.name, settings.languages, settings.chunk.max_tokens) == ("bench", ("no", "de"), 512)
    with (bench / "build.yaml").open("a", encoding="utf-8") as file:
        file.write("# mine\n")
    edited = (bench / "build.yaml").read_bytes()
    # The same sources and languages in another order are the same.
    assert stage(bench, "init", "--from", str(docs / "a.md"), str(docs), "--lang", "de,no") == 0
    assert stage(bench, "init") == 0
    assert (bench / "build.yaml").read_bytes() == edited


def test_init_refuses_what_would_be_misunderstood(
    tmp_path: Path, docs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bench = tmp_path / "bench"
    write_folder(tmp_path / "full", {"x": "y"})
    assert stage(bench, "init", "--from", str(docs)) == 0
    for folder, options, expected in [
        (bench, ["--from", str(docs / "a.md")], "names other sources than --from"),
        (bench, ["--from", str(docs), "--lang", "de"], "names other languages than --lang"),
        (tmp_path / "new", ["--from", str(tmp_path / "none")], "no such file or folder"),
        (tmp_path / "new", ["--from", str(docs), "--lang", "../x"], "'../x' is not a language code"),
        (tmp_path / "new", ["--from", str(docs), "--lang", "de,qqqq"], "--lang: 'qqqq' is the code of no language"),
        (tmp_path / "new", ["--from", str(docs), "--to", "dee"], "that is known; did you mean 'de'?"),
        (tmp_path / "new", ["--from", str(docs), "--lang", "de,en", "--to", "fr"], "needs documents in one language"),
        (tmp_path / "new", [], "name the documents with --from"),
        (tmp_path / "full", ["--from", str(docs)], "has other files in it"),
    ]:  # fmt: skip
        assert stage(folder, "init", *options) == 2, options
        assert expected in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_a_benchmark_within_its_documents_does_not_read_itself(tmp_path: Path, docs: Path) -> None:
    bench = docs / "bench"
    for _ in range(2):
        assert stage(bench, "ingest", "--from", str(docs)) == 0
        rows = stage_rows(bench, "ingest")
        reasons = {row["path"]: row.get("reason") for row in rows.values()}
        assert reasons == {"a.md": None, "b.md": None, "bench/": "left out"}
        assert all(row["source"] == docs.name for row in rows.values())


def test_the_languages_to_translate_into_are_written_and_must_agree(
    tmp_path: Path, docs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bench = tmp_path / "bench"
    assert stage(bench, "init", "--from", str(docs), "--lang", "en", "--to", "de,en") == 2
    assert "--to: 'translate.languages' names 'en', the language of the documents" in capsys.readouterr().err
    assert not bench.exists()
    assert stage(bench, "init", "--from", str(docs), "--lang", "en", "--to", "de, zh") == 0
    assert load_settings(bench / "build.yaml").translate.languages == ("de", "zh")
    assert stage(bench, "init", "--to", "zh,de") == 0
    for target, expected in (("fr", "names other languages in 'translate.languages' than --to"),
                             ("x!", "--to: 'x!' is not a language code")):  # fmt: skip
        assert stage(bench, "init", "--to", target) == 2
        assert expected in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [("languages: [en, fr]\ntranslate: {languages: [de]}\n", r"build\.yaml:2: .* needs documents in one language"),
     ("languages: [de]\ntranslate:\n  languages: [fr, de]\n", r"build\.yaml:3: .* names 'de', the language of the doc"),
     ("translate: {languages: [de, de]}\n", r"build\.yaml:1: 'de' is named twice"),
     ("translate:\n  languages: [de, x!]\n", r"build\.yaml:2: 'x!' is not a language code")],
)  # fmt: skip
def test_targets_that_cannot_be_are_refused_with_their_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "build.yaml").write_text(text)
    with pytest.raises(ConfigError, match=message):
        load_settings(tmp_path / "build.yaml")


def test_a_command_that_fails_or_is_only_planned_writes_no_settings(
    tmp_path: Path, docs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bench = tmp_path / "new"
    for name, *options in (
        ["all", "--backend", "opnai:x"],
        ["all", "--faults", "nonsense"],
        ["all", "--retire", "q1"],
        ["all", "--prices", str(tmp_path / "none.yaml")],
        ["update"],
        ["all", "--human", "x.csv"],
    ):
        assert stage(bench, name, "--from", str(docs), *options) == 2, options
        assert not (bench / "build.yaml").exists(), options
    capsys.readouterr()
    assert stage(bench, "all", "--from", str(docs), "--dry-run") == 0
    assert capsys.readouterr().err.splitlines()[-1].startswith("ragaliq: nothing was written")
    assert [path for path in bench.rglob("*") if path.is_file()] == []
    assert stage(bench, "ingest", "--from", str(docs)) == 0
    assert load_settings(bench / "build.yaml").name == "new"
