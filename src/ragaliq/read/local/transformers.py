"""A causal language model on this machine as reader, run by Hugging Face `transformers`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ragaliq.local.causal.transformers import CausalModel, TransformersEngine
from ragaliq.read.local.reader import LocalReader


@dataclass(eq=False)
class TransformersReader(LocalReader):
    """Answers with `transformers`.

    Attributes:
        dtype: auto, bfloat16, float16 or float32; empty takes the checkpoint's on a GPU, else float32.
        device: as torch writes it; empty takes the GPU if there is one.
    """

    kind: ClassVar[str] = "transformers"
    library: ClassVar[str] = "torch"

    device: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._source = CausalModel("reader", self.model, self.revision, self.device, self.dtype, self.trust_remote_code)

    @property
    def resolved(self) -> str:
        """The commit of the hub that was loaded; empty for a folder, or before anything is loaded."""
        engine = self.__dict__.get("_engine")
        return engine.commit if isinstance(engine, TransformersEngine) else ""

    def _load(self) -> TransformersEngine:
        return self._source.load()
