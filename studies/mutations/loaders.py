"""A valid input for every loader of user input, small enough to be read thousands of times."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from small_benchmark import SOURCE, json_lines, small_benchmark, write_files

from ragaliq.aggregate.run_figures import read_figures
from ragaliq.benchmark.checks.validate import validate
from ragaliq.benchmark.collections import load_collections
from ragaliq.benchmark.convert.convert import Conversion, convert
from ragaliq.benchmark.exam import load_exam
from ragaliq.benchmark.load import load_benchmark
from ragaliq.build.documents.chunking import Chunking, chunk_document
from ragaliq.build.documents.reading import read_files
from ragaliq.build.documents.tokens import token_counter
from ragaliq.build.edition.template_reader import read_template
from ragaliq.build.model.recorded import ReplayModel
from ragaliq.build.questions.reading import read_questions
from ragaliq.build.settings import Questions
from ragaliq.build.settings_file import load_settings
from ragaliq.cli import main
from ragaliq.compare.agreement.certificate import FORMAT as CERTIFICATE
from ragaliq.compare.agreement.certificate import cite, cited_labels, cited_qwk, read_certificates
from ragaliq.compare.results import compare_results
from ragaliq.config import default_data, load_config, load_sampling
from ragaliq.experiment.settings.config import load_experiment
from ragaliq.formats.grades.labels import read_graded
from ragaliq.formats.trec.qrels import read_nugget_qrels, read_qrels
from ragaliq.formats.trec.run import read_ranked_run, read_run
from ragaliq.formats.trec.topics import read_topics
from ragaliq.judge.instructions import load_instructions
from ragaliq.judge.offline.cuts import FORMAT, read_cuts
from ragaliq.llm import LLMSession
from ragaliq.llm.endpoints.endpoint import read_endpoint
from ragaliq.llm.endpoints.environment import environment
from ragaliq.llm.prices import load_prices
from ragaliq.llm.prompts import load_prompt
from ragaliq.llm.replies.reply import Reply, reply_to_row
from ragaliq.pipeline.answer_files.grade_file import read_answers
from ragaliq.report.markdown.results import render_results
from ragaliq.review.labels import LabelFile, read_labels
from ragaliq.review.offline import import_labels
from ragaliq.review.sources.runs import Runs
from ragaliq.runs.folder import RunFolder
from ragaliq.storage.redaction import redact
from ragaliq.types import TokenChoice, Usage

_CRANFIELD = {
    "cran.all.1400": ".I 1\n.T\nflow\n.A\nx\n.B\ny\n.W\nflow past a wing\n.I 2\n.T\nheat\n.A\nx\n.B\ny\n.W\nheat\n",
    "cran.qry": ".I 001\n.W\nwhat flows?\n.I 002\n.W\nwhat heats?\n",
    "cranqrel": "1 1 2\n2 2 3\n",
}
_CONFIG = (
    "name: mine\nretriever: {kind: hybrid}\nreader: extractive\ntop_k: 20\nsampling: {temperature: 0.5}\nseed: 1\n"
)
_EXPERIMENT = (
    "data: bench\nmeasures: [nDCG@10]\nk: 10\nsystems:\n- bm25\n"
    "- {retriever: [dense, char], rerank: lexical, rerank_depth: [5, 10]}\n"
)
_BUILD = "name: mine\nlanguages: [en]\nsources:\n- {path: docs, name: docs, licence: CC0}\npreset: v1-4096\nseed: 1\n"
_PROMPT = "version: 1\nsystem: You grade.\nuser: |\n  $question\n  $answer\n"
_PRICES = "date: 2026-01-02\nmodels:\n  m: {prompt: 1, completion: 2.5}\n  n: {prompt: 0, completion: 0}\n"
_POSTS = (
    '<?xml version="1.0" encoding="utf-8"?>\n<posts>\n'
    '  <row Id="1" PostTypeId="1" AcceptedAnswerId="2" Title="Why?" Body="&lt;p&gt;Why so?&lt;/p&gt;" '
    'Tags="&lt;a&gt;" />\n'
    '  <row Id="2" PostTypeId="2" ParentId="1" Body="&lt;p&gt;So.&lt;/p&gt;" />\n</posts>\n'
)
# A chapter of the sample's template that needs no other.
_CHAPTER = "labs"
_STUDIO = [{"id": 1, "data": {"query_id": "q1", "lang": "en"}, "annotations": [
    {"completed_by": 1, "result": [{"from_name": "grade", "type": "rating", "value": {"rating": 4}}]}]}]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Loader:
    """A function that reads a valid input, and the files of that input."""

    name: str
    files: tuple[Path, ...]
    load: Callable[[], object]


def loaders(folder: Path) -> list[Loader]:
    """Write the valid inputs below a folder, and return their loaders."""
    return [*_data_sets(folder / "sets"), *_settings(folder / "settings"), *_grades(folder / "grades"), *_texts(folder)]


def _data_sets(folder: Path) -> list[Loader]:
    bench = small_benchmark(folder / "own")
    listed = [
        Loader("own", _files(bench), lambda: load_benchmark(bench)),
        Loader("validate", _files(bench), lambda: validate(bench)),
        Loader("exam", _files(bench), lambda: load_exam(bench, load_benchmark(bench))),
    ]
    for fmt in ("beir", "trec", "freshstack", "squad", "miracl", "mmarco", "upstream"):
        convert(Conversion(str(bench), "", fmt), folder / fmt)
        listed.append(_collections(fmt, folder / fmt))
    write_files(folder / "cranfield", _CRANFIELD)
    listed.append(_collections("cranfield", folder / "cranfield"))
    columns = {
        "qrels": ("q1 0 d1 1\nq1 0 d2 0\nq2 0 d2 2\n", read_qrels),
        "beir.tsv": ("query-id\tcorpus-id\tscore\nq1\td1\t1\n", read_qrels),
        "nugget_qrels": ("q1 n1 d1 1\nq1 n2 d2 1\n", read_nugget_qrels),
        "run": ("q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 1.5 tag\n", read_run),
        "ranked_run": ("q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 1.5 tag\n", read_ranked_run),
        "topics": ("q1\tWhy?\nq2\tHow?\n", read_topics),
    }
    return [*listed, *(_one(folder / "trec_files" / name, text, load) for name, (text, load) in columns.items())]


def _settings(folder: Path) -> list[Loader]:
    cuts = json.dumps({"format": FORMAT, "judge": "m", "cuts": [1.5, 2.5, 3.5, 4.5]})
    return [
        _one(folder / "config.yaml", _CONFIG, load_config),
        _one(folder / "sampling.json", '{"temperature": 0.0, "max_tokens": 5}', load_sampling),
        _one(folder / "experiment.yaml", _EXPERIMENT, load_experiment),
        _one(folder / "build.yaml", _BUILD, load_settings),
        _one(folder / "prompt.yaml", _PROMPT, lambda path: load_prompt(path).messages(question="q", answer="a")),
        _one(folder / "rubric.yaml", _shipped("judge/prompts/rubric.yaml"), lambda p: load_instructions(rubric=str(p))),
        _one(folder / "grade.yaml", _shipped("judge/prompts/grade.yaml"), lambda p: load_instructions(prompt=str(p))),
        _one(folder / "prices.yaml", _PRICES, load_prices),
        _one(folder / "cuts.json", cuts, lambda path: read_cuts(str(path), "m")),
    ]


def _grades(folder: Path) -> list[Loader]:
    row = {"query_id": "q1", "lang": "en", "grade": 4, "question": "Why?", "answer": "So.", "rater": "me"}
    verdict = {**row, "outcome": "scored", "feedback": "fine", "judge": "m", "prompt_hash": "x", "attempts": 1}
    log = {"question": "Why?", "model_answer": "So.", "reference": "So.", "score": 4, "reader_model_id": "m"}
    argilla = {"fields": {"question": "Why?", "answer": "So."}, "metadata": {"query_id": "q1", "lang": "en"},
               "responses": {"grade": [{"value": 4, "user_id": "u", "status": "submitted"}]}}  # fmt: skip
    answer = {"lang": "en", "question": "Why?", "reference": "So.", "answer": "So.", "aliases": ["Because."]}
    label = {"task": "grade", "run": "r", "lang": "en", "query_id": "q1", "grade": 4, "rater": "me", "sheet": "s",
             "at": "2026-01-02T03:04:05Z", "note": "", "question": "Why?", "answer": "So."}  # fmt: skip

    def read_rows(path: Path) -> object:
        return read_answers(path, path.with_name("out.jsonl"))

    table = "user_input,response,ground_truth,contexts\nWhy?,So.,So.,\"['So.', 'It is so.']\"\nWer?,Ich.,,[]\n"
    csv = "query_id,lang,grade,question,answer,rater\nq1,en,4,Why?,So.,me\nq2,en,0,,,me\n"
    return [
        _one(folder / "verdicts.jsonl", json_lines([verdict, {**verdict, "query_id": "q2"}]), read_graded),
        _one(folder / "rows.json", json.dumps([row, {**row, "query_id": "q2"}]), read_graded),
        _one(folder / "log.json", json.dumps([log, log]), read_graded),
        _one(folder / "studio.json", json.dumps(_STUDIO), read_graded),
        _one(folder / "argilla.jsonl", json_lines([argilla]), read_graded),
        _one(folder / "table.csv", csv, read_graded),
        _one(folder / "table.tsv", csv.replace(",", "\t"), read_graded),
        _one(folder / "answers.jsonl", json_lines([answer, answer]), read_rows),
        _one(folder / "answers.csv", table, read_rows),
        _one(folder / "answers.json", json.dumps({"rows": [answer, answer]}), read_rows),
        _one(folder / "labels.jsonl", json_lines([label]), lambda path: list(read_labels(path))),
    ]


def _texts(folder: Path) -> list[Loader]:
    asked = "title,answer,accepted,lang\nWhy?,So.,1,en\nHow?,Thus.,0,en\n"
    asked_row = {"title": "Why?", "answer": "So.", "accepted": "1", "lang": "en"}
    columns = Questions(path="q", text="title", answer="answer", accepted="accepted", lang="lang")
    html = "<html><head><title>T</title><script>x</script></head><body><h1>A</h1><p>Text &amp; more.</p></body>"
    code = "def f(x):\n    return x\n\n\nclass A:\n    y = 1\n"
    documents = folder / "documents"
    write_files(documents, {"a.md": SOURCE * 3, "b.html": html, "c.txt": SOURCE, "d.py": code, "e.json": '{"a": [1]}'})

    def read_documents() -> None:
        for one in read_files(documents):
            if not one.skipped:
                list(chunk_document(one.text, one.path, "en", Chunking(50, token_counter("estimate"))))

    def read_environment(path: Path) -> None:
        environment()
        redact("a text")
        read_endpoint("judge", "")

    return [
        Loader("documents", _files(documents), read_documents),
        _template(folder / "edition"),
        *_run(folder / "sets" / "own", folder / "run"),
        _recorded(folder / "recorded"),
        _certificate(folder / "certificates"),
        _one(folder / "questions" / "q.csv", asked, lambda path: read_questions(path, columns)),
        _one(folder / "questions" / "q.jsonl", json_lines([asked_row]), lambda path: read_questions(path, columns)),
        _one(folder / "questions" / "Posts.xml", _POSTS, lambda path: read_questions(path, Questions(path="q"))),
        _one(folder / ".env", "TOKEN=sk-some-token\nJUDGE_API_LINK=https://h.example.org/v1\nJUDGE_MODEL='m'\n",
             read_environment),
    ]  # fmt: skip


def _template(folder: Path) -> Loader:
    """Return the loader of one chapter of the sample's template."""
    source = Path(default_data()).resolve() / "template"
    kept = [*source.glob(f"items/{_CHAPTER}.*"), *source.glob(f"slots/{_CHAPTER}.*"), *source.glob(f"en/{_CHAPTER}.*")]
    kept += [source / "bench.json", source / "en" / "pools.yaml", source / "en" / "phrases.yaml"]
    write_files(folder / "template", {str(path.relative_to(source)): path.read_text(encoding="utf-8") for path in kept})
    return Loader("template", _files(folder), lambda: read_template(folder, ["en"]))


def _run(bench: Path, folder: Path) -> list[Loader]:
    """Return the readers of a run (with results.md over it), and of labels that come back from a review page."""
    run, page, labels = folder / "r", folder / "page.html", folder / "labels.jsonl"
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        main(["run", "--data", str(bench), "--out", str(run), "--no-controls"])
        main(["review", str(run), "--html", str(page), "--rater", "me"])
    (page_map,) = (run / "review").glob("page.*.json")
    judged = {"page": page_map.stem.removeprefix("page."), "value": 4, "at": "2026-01-02T03:04:05Z", "note": ""}
    sheets = json.loads(page_map.read_text(encoding="utf-8"))["sheets"]
    labels.write_text(json_lines([{**judged, "sheet": sheet} for sheet in sheets]), encoding="utf-8")

    def read() -> None:
        figures = read_figures(RunFolder(run))
        render_results(compare_results([figures], 0.95, folder / "certificates"))

    def import_reviewed() -> None:
        with LabelFile(folder / "mine.jsonl", "r") as mine:
            import_labels(Runs(run), labels, "me", mine)
        (folder / "mine.jsonl").unlink(missing_ok=True)

    kept = [path for path in _files(run) if path.suffix in (".json", ".jsonl", ".trec") and path != page_map]
    return [Loader("run-folder", tuple(kept), read), Loader("review-page", (page_map, labels), import_reviewed)]


def _recorded(folder: Path) -> Loader:
    reply = reply_to_row(Reply("Text.", usage=Usage(3, 1), logprobs=((TokenChoice("a", 0.5),),), tokens=("a",)))
    rows = [{"key": key, "model": "m", "reply": reply} for key in "ab"]
    return _one(folder / "replies.jsonl", json_lines(rows), lambda path: ReplayModel(path, "", LLMSession()))


def _certificate(folder: Path) -> Loader:
    agreement = {"qwk": 0.8, "ci": {"qwk": [0.7, 0.9]}}
    content = {"format": CERTIFICATE, "judge": "m", "prompt_hash": "x", "agreement": agreement,
               "labels": {"n": 9, "raters": 1, "judges": []}}  # fmt: skip

    def read(path: Path) -> None:
        for one in read_certificates(path.parent):
            cited_qwk(one.content["agreement"])
            cited_labels(one.content)
        cite(read_certificates(path.parent), "m", "x")

    return _one(folder / "certificate.json", json.dumps(content), read)


def _collections(fmt: str, source: Path) -> Loader:
    def load() -> None:
        for collection in load_collections(source, fmt=fmt).values():
            list(collection.chunks())

    return Loader(fmt, _files(source), load)


def _one(path: Path, text: str, load: Callable[[Path], object]) -> Loader:
    write_files(path.parent, {path.name: text})
    return Loader(path.name, (path,), lambda: load(path))


def _shipped(name: str) -> str:
    import ragaliq

    return (Path(ragaliq.__file__).parent / name).read_text(encoding="utf-8")


def _files(folder: Path) -> tuple[Path, ...]:
    return tuple(sorted(path for path in folder.rglob("*") if path.is_file()))
