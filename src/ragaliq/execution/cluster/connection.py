"""The connection to a Ray cluster, or to a Ray of this machine that ends with the command."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from ragaliq.errors import ConfigError, InputError
from ragaliq.storage.redaction import error_line

_PATIENCE_S = 10.0


@contextmanager
def connected(address: str) -> Iterator[int]:
    """Connect to the cluster at an address for the time of the block, and yield how many CPUs it has, at least 1.

    Without an address a Ray of this machine is started, on the loopback alone; it ends with the block. Nothing is ever
    reported to Ray's makers by it; a cluster's own settings are its owner's.

    Raises:
        ConfigError: if Ray is not installed.
        InputError: if no cluster answers.
    """
    if find_spec("ray") is None:
        raise ConfigError("--engine ray: Ray is not installed; pip install ray")
    # Ray counts its users otherwise, and warns about accelerators that are not used.
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    _check_reachable(address)
    import ray

    here: dict[str, Any] = {} if address else {"_node_ip_address": "127.0.0.1", "include_dashboard": False}
    try:
        ray.init(address or "local", log_to_driver=False, logging_level=logging.ERROR, configure_logging=False, **here)
    except Exception as error:  # Ray raises what its layers raise.
        place = f"no Ray cluster answers at {address}" if address else "Ray does not start here"
        raise InputError(f"--engine ray: {place}: {error_line(error)[:300]}") from None
    try:
        yield max(1, int(ray.cluster_resources().get("CPU", 1)))
    finally:
        ray.shutdown()


def _check_reachable(address: str) -> None:
    """Refuse an address of `HOST:PORT` where nothing listens: Ray would end the process after a while.

    Raises:
        InputError: naming it.
    """
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_PATIENCE_S).close()
    except OSError as error:
        raise InputError(
            f"--engine ray: no Ray cluster answers at {address} ({error.strerror or error}); start one with "
            f"`ray start --head --port {port}`"
        ) from None
