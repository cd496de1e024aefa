"""A real run of the sample benchmark, made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragaliq.benchmark.load import load_benchmark
from ragaliq.config import RunConfig
from ragaliq.pipeline.evaluate import evaluate


@pytest.fixture(scope="session")
def sample_run(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run's folder; tests that write take a copy."""
    folder = tmp_path_factory.mktemp("results") / "velmora_extractive_char-ngrams_lexical"
    evaluate(RunConfig(data=str(sample)), load_benchmark(sample), folder)
    return folder
