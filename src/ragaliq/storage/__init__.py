"""Files that survive a crash, each read and written in one way.

`files` has text, JSON and JSON Lines, written atomically; `own_json` reads again what we wrote; `journal` and
`record_store` grow line by line; `yaml_files` is the one reader of YAML, `tables` that of CSV, `lock` the one lock,
`sqlite_files` the one door to SQLite; `foreign` keeps what others wrote from being replaced, `redaction` keeps secrets
out of what is written, `error_log` keeps tracebacks.
A new file format of our own goes here; formats of other tools go to `formats`.
"""

__all__ = [
    "error_log",
    "files",
    "foreign",
    "journal",
    "lock",
    "new_folder",
    "own_json",
    "record_store",
    "redaction",
    "sqlite_files",
    "tables",
    "yaml_files",
]
