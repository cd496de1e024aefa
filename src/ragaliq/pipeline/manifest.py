"""What decided a run: the manifest that becomes its `config.json`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from ragaliq.benchmark.load import Benchmark
from ragaliq.components import resolved
from ragaliq.config import Component, RunConfig
from ragaliq.judge import Judge
from ragaliq.judge.checks.support import Checker
from ragaliq.judge.panel import members
from ragaliq.metrics.statistics.multiplicity import SPENDING
from ragaliq.pipeline.chatbot import Chatbot
from ragaliq.pipeline.system.choice import source_hash
from ragaliq.runs.versions import installed_versions
from ragaliq.storage.files import check_unicode
from ragaliq.storage.redaction import redacted_values
from ragaliq.types import Item

_PACKAGES = ("ragaliq", "chromadb", "numpy", "openai", "py3langid", "PyStemmer", "regex")


def run_manifest(
    config: RunConfig, benchmark: Benchmark, items: Mapping[str, Sequence[Item]], chatbot: Chatbot, judge: Judge | None
) -> dict[str, Any]:
    """Return everything that decides the run's results, resolved; it holds no secret."""
    own = {"chatbot": f"python:{chatbot.identity}"} if chatbot.identity else {}
    source = source_hash(chatbot)
    return {
        "name": config.name,
        "data": {
            "name": benchmark.name,
            "version": benchmark.version,
            "path": config.data,
            "knowledge_base": config.knowledge_base,
            "hash": benchmark.hash,
            **({"built_by": list(benchmark.built_by)} if benchmark.built_by else {}),
        },
        "system": {**redacted_values(config.system()), **own, **_prompt_hashes(chatbot)},
        **({"chatbot_source": source} if source else {}),
        "judge": None if judge is None else judge_manifest(config.judge, judge),
        "expected": {
            lang: {
                "answerable": sum(item.answerable for item in items[lang]),
                "unanswerable": sum(not item.answerable for item in items[lang]),
            }
            for lang in benchmark.languages
        },
        "expected_nuggets": _queries_with_nuggets(benchmark, items),
        "versions": installed_versions(_PACKAGES),
    }


def looks_manifest(looks: int | None) -> dict[str, Any]:
    """Return the record of how many looks at growing data are planned, and what each spends; nothing for None."""
    return {} if looks is None else {"looks": {"planned": looks, "spending": SPENDING}}


def _queries_with_nuggets(benchmark: Benchmark, items: Mapping[str, Sequence[Item]]) -> dict[str, int]:
    """Return for each language how many of a run's queries have nuggets."""
    with_nuggets = {(lang, nugget.query_id) for lang, nuggets in benchmark.nuggets.items() for nugget in nuggets}
    return {lang: sum(item.key in with_nuggets for item in items[lang]) for lang in benchmark.languages}


def _prompt_hashes(chatbot: Chatbot) -> dict[str, str]:
    hashes = {"reader_prompt_hash": str(getattr(chatbot.reader, "prompt_hash", ""))}
    if hasattr(chatbot.reranker, "prompt_hash"):
        hashes["reranker_prompt_hash"] = str(chatbot.reranker.prompt_hash)
    return hashes


def judge_manifest(component: Component, judge: Judge) -> dict[str, Any]:
    """Return what identifies a judge: its component, its name, the hash of its prompts, and what it is certified by."""
    name, prompt_hash = judge_identity(judge)
    certificate = getattr(judge, "certificate", None)
    certified = {"certificate": certificate} if isinstance(certificate, dict) else {}
    return {**redacted_values(asdict(component)), "name": name, "prompt_hash": prompt_hash, **certified}


def resolved_judge(component: Component, judge: Judge) -> dict[str, str]:
    """Return what the models of a judge turned out to be, by the judge's name, once they are loaded."""
    return resolved(**{member.name: member.draws[0] for member in members(judge, component)})


def judge_identity(judge: Judge | Checker) -> tuple[str, str]:
    """Return the name and the hash of the prompts of who judges; an object without them goes by its class.

    Raises:
        InputError: if one holds half a surrogate pair, which no file can hold.
    """
    name, prompt_hash = str(getattr(judge, "name", type(judge).__name__)), str(getattr(judge, "prompt_hash", ""))
    check_unicode(name, "name", "judge")
    check_unicode(prompt_hash, "prompt_hash", "judge")
    return name, prompt_hash
