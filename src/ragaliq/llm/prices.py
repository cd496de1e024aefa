"""What tokens cost: a dated file of list prices, which the user can replace."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragaliq.errors import ConfigError
from ragaliq.storage.yaml_files import read_yaml, scalar_text
from ragaliq.types import Usage

_SHIPPED = Path(__file__).with_name("prices.yaml")


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens."""

    prompt: float
    completion: float

    def times(self, share: float) -> Price:
        """Return this price times a share, as of a discount."""
        return Price(self.prompt * share, self.completion * share)

    def cost(self, usage: Usage) -> float:
        """Return what a call costs, in US dollars."""
        return (usage.prompt_tokens * self.prompt + usage.completion_tokens * self.completion) / 1e6


@dataclass(frozen=True, slots=True)
class Prices:
    """List prices by the model's exact name, and the day they were written down."""

    path: Path
    date: str
    models: dict[str, Price]

    def of(self, model: str) -> Price | None:
        """Return a model's price; None if the file does not know it. Names are not guessed."""
        return self.models.get(model)


def load_prices(path: Path | None = None) -> Prices:
    """Read a price file; None reads the shipped one.

    Raises:
        ConfigError: if it is not `date` and `models: {NAME: {prompt: USD, completion: USD}}` per million tokens.
    """
    chosen = path or _SHIPPED
    data = read_yaml(chosen)
    if not isinstance(data, dict) or "date" not in data or not isinstance(data.get("models"), dict):
        raise ConfigError(f"{chosen}: a price file holds 'date' and 'models'; see {_SHIPPED.name} of the package")
    day = scalar_text(data["date"], f"{chosen}: 'date'")
    named = {scalar_text(name, f"{chosen}: a model's name"): price for name, price in data["models"].items()}
    return Prices(chosen, day, {name: _price(chosen, name, price) for name, price in named.items()})


def _price(path: Path, name: str, value: Any) -> Price:
    try:
        price = Price(float(value["prompt"]), float(value["completion"]))
    except (KeyError, TypeError, ValueError):
        raise ConfigError(f"{path}: '{name}' needs 'prompt' and 'completion', US dollars per million tokens") from None
    if not (0 <= price.prompt < float("inf") and 0 <= price.completion < float("inf")):
        raise ConfigError(f"{path}: '{name}': a price is a number of at least 0")
    return price
