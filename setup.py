"""Puts the sample benchmark, which lives in data/, into the package of a wheel; pyproject.toml says all else."""

from pathlib import Path
from shutil import copytree, rmtree

from setuptools import setup
from setuptools.command.build_py import build_py

SAMPLE = Path("data/velmora")
CARD = Path("data/CARD.md")


class BuildWithSample(build_py):
    """Builds the package, with the sample below `ragaliq/data`, as in a checkout."""

    def run(self) -> None:
        """Copy the package, then the sample; an editable install reads the checkout's."""
        super().run()
        if not self.editable_mode:
            data = Path(self.build_lib) / "ragaliq" / "data"
            # `build/` may hold files of an earlier call.
            rmtree(data, ignore_errors=True)
            copytree(SAMPLE, data / SAMPLE.name, dirs_exist_ok=True)
            self.copy_file(str(CARD), str(data / CARD.name))


setup(cmdclass={"build_py": BuildWithSample})
