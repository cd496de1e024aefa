"""Which family a model id names."""

from __future__ import annotations

from ragaliq.judge.families import builder_warnings, family_warnings, model_families, same_family


def test_the_families_of_a_model() -> None:
    cases: list[tuple[str, set[str]]] = [
        ("gpt-4o-mini", {"gpt"}),
        ("openai/gpt-oss-120b", {"gpt"}),
        ("o3-mini", {"gpt"}),
        ("Qwen/Qwen2.5-7B-Instruct", {"qwen"}),
        ("meta-llama/Llama-3.1-8B", {"llama"}),
        ("google/gemma-2-9b-it", {"gemini"}),
        ("gemini-2.0-flash", {"gemini"}),
        ("mistralai/Mixtral-8x7B", {"mistral"}),
        ("deepseek-ai/DeepSeek-V3", {"deepseek"}),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", {"deepseek", "qwen"}),
        ("claude-sonnet-4", {"claude"}),
        ("01-ai/Yi-1.5-9B-Chat", {"yi"}),
        ("THUDM/glm-4-9b-chat", {"glm"}),
        ("microsoft/Phi-3-mini", {"phi"}),
        ("CohereForAI/c4ai-command-r-v01", {"command"}),
        ("my-own-model", set()),
        ("myqwenlike", set()),
        ("", set()),
    ]
    for model, named in cases:
        assert model_families(model) == named, model


def test_two_models_of_one_family() -> None:
    assert same_family("gpt-4.1", "openai/gpt-oss-20b") == "gpt"
    assert same_family("qwen3-32b", "DeepSeek-R1-Distill-Qwen-7B") == "qwen"
    assert same_family("gpt-4.1", "qwen3-32b") is None
    assert same_family("house-model", "House-Model") == "house-model"
    assert same_family("", "") is None


def test_the_warning_names_both_and_what_to_do() -> None:
    (line,) = family_warnings(["gpt-4.1", "qwen3-32b", "gpt-4.1"], "gpt-4o-mini")
    assert line.startswith("warning[judge-family]: judge 'gpt-4.1' and reader 'gpt-4o-mini'") and "--judge" in line
    assert family_warnings([], "gpt-4o-mini") == family_warnings(["gpt-4.1"], "llama-3") == []


def test_a_system_of_the_family_that_built_the_benchmark_is_warned_of_whatever_its_part() -> None:
    built_by = ("gpt-4o", "mistral-large")
    told = {
        name: builder_warnings(built_by, {"top_k": 5, "reader": {"kind": "openai", "model": name}})
        for name in ("gpt-5", "ministral-8b", "claude-x", "")
    }
    assert "built with 'gpt-4o', and reader 'gpt-5' is of its family (gpt)" in told["gpt-5"][0]
    assert "built with 'mistral-large'" in told["ministral-8b"][0]
    assert [len(lines) for lines in told.values()] == [1, 1, 0, 0]
    for role in ("retriever", "embedder", "reranker", "queries"):
        (line,) = builder_warnings(built_by, {role: {"kind": "any", "model": "mistral-embed"}})
        assert f"{role} 'mistral-embed'" in line
    assert builder_warnings((), {"reader": {"model": "gpt-5"}}) == []
