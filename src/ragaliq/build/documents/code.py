"""Program text: which files contain it, and where it may be cut, before definitions and blocks of its language."""

from __future__ import annotations

from functools import lru_cache
from pathlib import PurePosixPath

# File suffix → the name under which langchain-text-splitters lists a language's separators.
_LANGUAGES = {
    "c": "c", "h": "c", "c++": "cpp", "cc": "cpp", "cpp": "cpp", "cxx": "cpp", "h++": "cpp", "hh": "cpp", "hpp": "cpp",
    "hxx": "cpp", "inl": "cpp", "ipp": "cpp", "cs": "csharp", "ex": "elixir", "exs": "elixir", "go": "go",
    "hs": "haskell", "java": "java", "cjs": "js", "js": "js", "jsx": "js", "mjs": "js", "kt": "kotlin", "kts": "kotlin",
    "lua": "lua", "php": "php", "proto": "proto", "ps1": "powershell", "py": "python", "pyi": "python", "rb": "ruby",
    "rs": "rust", "scala": "scala", "sol": "sol", "swift": "swift", "ts": "ts", "tsx": "ts",
}  # fmt: skip
# Programs and settings without separators: cut at blank lines and line ends.
_OTHER = {
    "asm", "bas", "bash", "bat", "cfg", "clj", "cmake", "conf", "css", "cu", "cuh", "dart", "dockerfile", "erl", "f90",
    "fish", "gd", "gdshader", "gradle", "graphql", "groovy", "ini", "jl", "json", "json5", "less", "m", "mk", "ml",
    "mm", "nim", "pl", "pm", "properties", "r", "sass", "scss", "sh", "sql", "svelte", "tcl", "tf", "toml", "tres",
    "tscn", "v", "vb", "vhd", "vue", "xml", "yaml", "yml", "zig", "zsh",
}  # fmt: skip
_NAMES = {"CMakeLists.txt", "Dockerfile", "Gemfile", "Jenkinsfile", "Makefile", "Rakefile", "Vagrantfile"}


def is_program(path: str) -> bool:
    """Tell by its name whether a file contains program text or settings, which have no natural language."""
    return PurePosixPath(path).name in _NAMES or suffix_of(path) in _LANGUAGES or suffix_of(path) in _OTHER


def code_separators(path: str) -> tuple[str, ...]:
    """Return the texts before which a file may be cut, the best first; none for a language without a list of them."""
    return _separators(_LANGUAGES.get(suffix_of(path), ""))


def suffix_of(path: str) -> str:
    """Return the suffix of a file name in lower case, without the full stop."""
    return PurePosixPath(path).suffix.lower().removeprefix(".")


@lru_cache(maxsize=32)
def _separators(language: str) -> tuple[str, ...]:
    if not language:
        return ()
    from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

    separators = RecursiveCharacterTextSplitter.get_separators_for_language(Language(language))
    # What is left is common to all texts: blank lines, lines, blanks, characters.
    return tuple(separator for separator in separators if separator.strip())
