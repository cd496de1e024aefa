"""The set-up of a checkout: it installs what the lock says, from the mirrors of pip or uv, and only when it must."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from package_index import pack_installed, served, sha256, write_index, write_wheel

ROOT = Path(__file__).resolve().parents[2]
# Builds the checkout of the tests, which holds no code, without setuptools.
BACKEND = """
import zipfile

FILES = {
    "METADATA": "Metadata-Version: 2.1\\nName: checkout\\nVersion: 1\\n",
    "WHEEL": "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
    "RECORD": "",
}

def build_editable(folder, config=None, metadata=None):
    with zipfile.ZipFile(folder + "/checkout-1-py3-none-any.whl", "w") as wheel:
        for name, text in FILES.items():
            wheel.writestr("checkout-1.dist-info/" + name, text)
    return "checkout-1-py3-none-any.whl"
"""
PROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
[project]
name = "checkout"
version = "1"
[project.optional-dependencies]
"""


class Checkout:
    """A checkout that needs one package, `tiny`, with the scripts of this one."""

    def __init__(self, folder: Path) -> None:
        self.root, self.index, self.home = folder / "checkout", folder / "index", folder / "home"
        self.path = folder / "bin"
        for made in (self.root / "scripts", self.home, self.path):
            made.mkdir(parents=True)
        for name in ("run_eval.sh", "scripts/venv.sh", "scripts/pip_settings.py"):
            shutil.copy(ROOT / name, self.root / name)
        (self.root / "backend.py").write_text(BACKEND)
        (self.root / "pyproject.toml").write_text(PROJECT)
        (self.root / "requirements-setup.txt").write_text("")
        (self.root / "eval.py").write_text("import tiny; print('tiny', tiny.version)")
        pip = pack_installed(folder, "pip", version("pip"))
        tiny = write_wheel(folder, "tiny", "1.0", "version = '1.0'")
        newer = write_wheel(folder / "newer", "tiny", "1.1", "version = '1.1'")
        write_index(self.index, pip, tiny)
        shutil.copy(newer, self.index / "simple" / "tiny")
        with (self.index / "simple" / "tiny" / "index.html").open("a") as page:
            page.write(f'<a href="{newer.name}#sha256={sha256(newer)}">{newer.name}</a>')
        (self.root / "requirements.txt").write_text("tiny>=1\n")
        hashes = {"pip": sha256(pip), "tiny": sha256(tiny)}
        (self.root / "requirements.lock").write_text(
            "".join(
                f"{name}=={number} \\\n    --hash=sha256:{hashes[name]}\n"
                for name, number in (("pip", version("pip")), ("tiny", "1.0"))
            )
        )

    def use_uv(self) -> None:
        """Put uv on PATH."""
        (self.path / "uv").symlink_to(shutil.which("uv") or Path(sys.executable).parent / "uv")

    def run(self, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run the main command, with nothing but a Python and the given variables."""
        python = getattr(sys, "_base_executable", sys.executable)
        environment = {"PATH": f"{self.path}:/usr/bin:/bin", "HOME": str(self.home), "PYTHON": python, **variables}
        command = [str(self.root / "run_eval.sh")]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def installed_once(checkout: Checkout, **variables: str) -> None:
    """Check that the first call installs the version of the lock, and the second installs nothing."""
    first = checkout.run(**variables)
    assert (first.returncode, first.stdout) == (0, "tiny 1.0\n"), first.stderr
    assert first.stderr == "run_eval.sh: making .venv\nrun_eval.sh: installing ragaliq into .venv\n"
    # Without the index, which the second call does not need.
    second = checkout.run()
    assert (second.returncode, second.stdout, second.stderr) == (0, "tiny 1.0\n", "")


@pytest.mark.slow
@pytest.mark.uv
def test_pip_conf_alone_names_the_mirror(checkout: Checkout) -> None:
    checkout.use_uv()
    with served(checkout.index) as address:
        (checkout.home / ".config" / "pip").mkdir(parents=True)
        (checkout.home / ".config" / "pip" / "pip.conf").write_text(f"[global]\nindex-url = {address}\n")
        installed_once(checkout)


@pytest.mark.slow
@pytest.mark.uv
def test_the_variable_of_the_index_alone_names_the_mirror(checkout: Checkout) -> None:
    checkout.use_uv()
    with served(checkout.index) as address:
        installed_once(checkout, PIP_INDEX_URL=address)


@pytest.mark.slow
@pytest.mark.uv
def test_the_certificate_of_pip_is_trusted(checkout: Checkout, certificate: Path) -> None:
    checkout.use_uv()
    with served(checkout.index, certificate) as address:
        refused = checkout.run(UV_DEFAULT_INDEX=address)
        assert refused.returncode == 2
        last = refused.stderr.splitlines()[-1]
        assert last == "run_eval.sh: the installation failed; fix what is said above, and run the same command again"
        shutil.rmtree(checkout.root / ".venv")
        installed_once(checkout, UV_DEFAULT_INDEX=address, PIP_CERT=str(certificate))


@pytest.mark.slow
@pytest.mark.uv
def test_a_folder_of_wheels_is_read(checkout: Checkout, tmp_path: Path) -> None:
    checkout.use_uv()
    wheels = checkout.index / "simple" / "tiny"
    write_index(tmp_path / "empty")
    with served(tmp_path / "empty") as address:
        installed_once(checkout, UV_DEFAULT_INDEX=address, PIP_FIND_LINKS=str(wheels))


@pytest.mark.slow
def test_where_uv_cannot_run_pip_installs_the_same(checkout: Checkout) -> None:
    with served(checkout.index) as address:
        installed_once(checkout, PIP_INDEX_URL=address)
    assert not (checkout.root / ".venv" / "bin" / "uv").exists()


@pytest.mark.slow
@pytest.mark.uv
def test_another_file_than_the_tested_one_is_refused(checkout: Checkout) -> None:
    checkout.use_uv()
    lock = checkout.root / "requirements.lock"
    lock.write_text(re.sub("(tiny==.*sha256:)[0-9a-f]{8}", r"\g<1>00000000", lock.read_text(), flags=re.DOTALL))
    with served(checkout.index) as address:
        done = checkout.run(PIP_INDEX_URL=address)
    assert done.returncode == 2 and done.stdout == ""


@pytest.mark.slow
@pytest.mark.uv
def test_a_venv_whose_python_is_another_version_now_is_made_anew(checkout: Checkout) -> None:
    checkout.use_uv()
    with served(checkout.index) as address:
        installed_once(checkout, PIP_INDEX_URL=address)
        (packages,) = (checkout.root / ".venv" / "lib").iterdir()
        packages.rename(packages.with_name("python3.10"))
        done = checkout.run(PIP_INDEX_URL=address)
    assert (done.returncode, done.stdout) == (0, "tiny 1.0\n"), done.stderr
    assert done.stderr.startswith("run_eval.sh: making .venv\n")


@pytest.mark.slow
@pytest.mark.uv
def test_a_moved_lock_is_installed(checkout: Checkout) -> None:
    checkout.use_uv()
    lock = checkout.root / "requirements.lock"
    with served(checkout.index) as address:
        installed_once(checkout, PIP_INDEX_URL=address)
        newer = sha256(checkout.index / "simple" / "tiny" / "tiny-1.1-py3-none-any.whl")
        lock.write_text(f"tiny==1.1 \\\n    --hash=sha256:{newer}\n")
        assert checkout.run(PIP_INDEX_URL=address).stdout == "tiny 1.1\n"


def test_settings_of_pip_become_those_of_uv() -> None:
    config = """
:env:.cert='/c.pem'
:env:.disable-pip-version-check='1'
global.cert='/other.pem'
global.extra-index-url='https://a.test/simple https://b.test/simple'
global.find-links='/one\\n/two'
global.index-url='https://user:secret@m.test/simple'
global.timeout='20'
install.timeout='90'
"""
    command = [sys.executable, "-IS", str(ROOT / "scripts" / "pip_settings.py")]
    environment = {"PATH": os.environ["PATH"], "UV_FIND_LINKS": "/mine"}
    done = subprocess.run(command, input=config, env=environment, capture_output=True, text=True, check=True)
    assert sorted(done.stdout.splitlines()) == [
        "SSL_CERT_FILE=/c.pem",
        "UV_DEFAULT_INDEX=https://user:secret@m.test/simple",
        "UV_HTTP_TIMEOUT=90",
        "UV_INDEX=https://a.test/simple https://b.test/simple",
        "UV_INDEX_STRATEGY=unsafe-best-match",
    ]


def test_the_lock_holds_a_version_of_each_requirement_within_its_range() -> None:
    locked = dict(re.findall(r"^([\w.-]+)==([^ ]+)", (ROOT / "requirements.lock").read_text(), re.MULTILINE))
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    lines = [line for name in extras if name != "vllm" for line in extras[name]]
    for file in ROOT.glob("requirements*.txt"):
        lines += [line for line in file.read_text().splitlines() if line and not line.startswith("#")]
    assert len(lines) > 50
    for requirement in map(Requirement, lines):
        name = canonicalize_name(requirement.name)
        # Apart, at the version that scripts/venv.sh names.
        if name != "torch":
            assert requirement.specifier.contains(locked[name]), requirement


def test_each_locked_package_has_its_hashes() -> None:
    blocks = re.split(r"^(?=[\w.-]+==)", (ROOT / "requirements.lock").read_text(), flags=re.MULTILINE)[1:]
    assert len(blocks) > 200 and [block for block in blocks if "--hash=sha256:" not in block] == []
