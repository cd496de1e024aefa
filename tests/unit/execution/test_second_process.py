"""A second process gives back what the work returns or raises, and its death costs nothing but time."""

from __future__ import annotations

import os
import subprocess
import sys
from threading import Event, Thread

import pytest

from ragaliq.errors import InputError
from ragaliq.execution.second_process import beside

# A program of its own: pytest's workers have threads, and such a process is not copied.
PROGRAM = """
import os
from ragaliq.errors import InputError
from ragaliq.execution.second_process import beside

here, texts = os.getpid(), ["a", "b"]

def fail():
    raise InputError(f"bench.json: not valid JSON, {os.getpid() == here}")

def die():
    if os.getpid() != here:
        os._exit(9)
    return "done here"

print(beside(os.getpid)() == here)
print(beside(lambda: [text * 2 for text in texts])())
try:
    beside(fail)()
except InputError as error:
    print(error)
print(beside(die)())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="processes are copied on Linux alone")
def test_a_copy_does_the_work_whatever_it_holds_and_its_error_or_death_comes_back() -> None:
    done = subprocess.run([sys.executable, "-W", "error", "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["False", "['aa', 'bb']", "bench.json: not valid JSON, False", "done here"]
    assert done.stderr == "" and done.returncode == 0


def test_a_process_with_threads_is_not_copied() -> None:
    stop = Event()
    thread = Thread(target=stop.wait)
    thread.start()
    try:
        assert beside(os.getpid)() == os.getpid()
        with pytest.raises(InputError, match=r"^bench\.json: not valid JSON$"):
            beside(_fail)()
    finally:
        stop.set()
        thread.join()


def _fail() -> None:
    raise InputError("bench.json: not valid JSON")
