"""Two nodes of Ray on a loopback of their own, an endpoint beside them, and commands that use both.

Run in a network and process namespace (`run_on_two_nodes` does), so that nothing outside is reached and everything ends
with it. The second node lives in a process namespace within, so that it can be killed like a machine.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from fakes import Scripted, between_fences, chat_server

ROOT = Path(__file__).resolve().parents[1]
_NAMESPACE = ["unshare", "-n", "-p", "-f", "--mount-proc", "--kill-child"]
_PORT, _ADDRESS = 8471, "127.0.0.1:6399"
# The nodes call with tokens of their own: the endpoint sees who calls.
_TOKENS = ("sk-nothing-secret", "sk-of-the-second-node")


def can_unshare() -> bool:
    """Whether this machine lets us have a namespace."""
    return bool(shutil.which("unshare")) and subprocess.run([*_NAMESPACE, "true"], capture_output=True).returncode == 0


def run_on_two_nodes(folder: Path, plan: dict[str, Any], timeout_s: float = 240) -> list[dict[str, Any]]:
    """Run the commands of a plan in a folder, one after the other; return the code, output and calls of each.

    A plan holds `commands`, each a list of arguments of ragaliq with optional settings before them: `kill` names the
    calls of the endpoint, `embedding` or `judging`, and after how many of them the second node is killed, at its next
    call, which gets no reply; `delay_s` is the time of a reply.
    """
    done = subprocess.run(
        [*_NAMESPACE, sys.executable, str(Path(__file__)), json.dumps(plan)],
        cwd=folder, capture_output=True, text=True, timeout=timeout_s, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "tests"), str(ROOT / "src")])},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    results: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return results


class _Endpoint:
    """Embeds, and grades by a hash of question and answer; counts who is asked about, and kills when told so."""

    def __init__(self) -> None:
        self.calls: dict[str, Counter[str]] = {}
        self.delay_s = 0.0
        self.kill: tuple[str, int] | None = None
        self.node: subprocess.Popen[bytes] | None = None
        # The header of each call, by number.
        self.tokens: list[str] = []
        self._lock = threading.Lock()

    def begin(self, settings: dict[str, Any]) -> None:
        self.calls = {"embedding": Counter(), "judging": Counter()}
        self.delay_s = float(settings.get("delay_s", 0.0))
        self.kill = tuple(settings["kill"]) if "kill" in settings else None

    def reply(self, request: dict[str, Any], number: int) -> Scripted:
        if "input" in request:
            kind, texts = "embedding", list(request["input"])
            scripted = Scripted("")
        else:
            prompt = request["messages"][1]["content"]
            asked = "|".join(between_fences(prompt, label).strip() for label in ("QUESTION", "ANSWER TO GRADE"))
            kind, texts = "judging", [asked]
            scripted = Scripted(f"Feedback: as ever. [RESULT] {hashlib.sha256(asked.encode()).digest()[0] % 6}")
        with self._lock:
            self.calls[kind].update(texts)
            n = self.calls[kind].total()
            wanted = self.kill is not None and kind == self.kill[0] and n > self.kill[1]
            if wanted and self.node is not None and self.tokens[number].endswith(_TOKENS[1]):
                self.node.send_signal(signal.SIGKILL)
                self.node.wait()
                self.node = None
        scripted.delay_s = self.delay_s
        return scripted


def _main(plan: dict[str, Any]) -> None:
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    temp = Path(tempfile.mkdtemp(prefix="ray", dir="/tmp"))
    endpoint, results = _Endpoint(), []
    link = f"http://127.0.0.1:{_PORT}/v1"
    os.environ |= {
        "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "0" * 32, "RAY_USAGE_STATS_ENABLED": "0",
        "TOKEN": _TOKENS[0], "JUDGE_API_LINK": link, "JUDGE_MODEL": "m",
        "EMBEDDER_TOKEN": _TOKENS[0], "EMBEDDER_API_LINK": link,
    }  # fmt: skip
    ray = str(Path(sys.executable).with_name("ray"))
    common = ["--node-ip-address", "127.0.0.1", "--num-cpus", "2", "--object-store-memory", "150000000", "--block"]
    head = ["--head", "--port", _ADDRESS.partition(":")[2], "--include-dashboard", "false", "--temp-dir", str(temp)]

    def started(command: list[str], token: str) -> subprocess.Popen[bytes]:
        env = {**os.environ, "TOKEN": token, "EMBEDDER_TOKEN": token}
        with (temp / "start.log").open("ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=env)

    with ExitStack() as held:
        held.callback(shutil.rmtree, temp, ignore_errors=True)
        endpoint.tokens = held.enter_context(chat_server(endpoint.reply, port=_PORT)).tokens
        # Ray books GPUs as it is told; none need be there.
        started([ray, "start", *head, *common, "--num-gpus", "1", "--disable-usage-stats"], _TOKENS[0])
        _wait(1)
        for number, command in enumerate(plan["commands"]):
            settings, arguments = command
            if endpoint.node is None:
                alone = ["unshare", "-p", "-f", "--mount-proc", "--kill-child"]
                endpoint.node = started([*alone, ray, "start", "--address", _ADDRESS, *common], _TOKENS[1])
                _wait(2)
            endpoint.begin(settings)
            # No index or reply of the command before.
            shutil.rmtree(".ragaliq", ignore_errors=True)
            began = time.monotonic()
            if "ray" in arguments:
                arguments = [*arguments, "--address", _ADDRESS]
            done = subprocess.run(
                [sys.executable, "-m", "ragaliq", *arguments], capture_output=True, text=True, check=False
            )
            results.append(
                {
                    "code": done.returncode, "out": done.stdout, "err": done.stderr, "number": number,
                    "seconds": time.monotonic() - began,
                    "calls": {kind: dict(counts) for kind, counts in endpoint.calls.items()},
                    "killed": endpoint.node is None,
                }
            )  # fmt: skip
    print(json.dumps(results))


def _wait(nodes: int) -> None:
    """Wait until the cluster has so many living nodes."""
    look = (
        "import ray,sys; ray.init(sys.argv[1], log_to_driver=False, logging_level='ERROR'); "
        "print(sum(n['Alive'] for n in ray.nodes()))"
    )
    for _ in range(30):
        seen = subprocess.run([sys.executable, "-c", look, _ADDRESS], capture_output=True, text=True, check=False)
        if seen.returncode == 0 and int(seen.stdout.split()[-1]) >= nodes:
            return
        time.sleep(0.5)
    raise SystemExit(f"the cluster does not come up: {seen.stderr[-2000:]}")


if __name__ == "__main__":
    _main(json.loads(sys.argv[1]))
