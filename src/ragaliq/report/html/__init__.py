"""The page of runs: `page_data` turns records into its data, `page_file` fills the files of `page/` with them.

`server` hands it out while a run goes on.
"""

__all__ = ["benchmark_texts", "followed_runs", "page_data", "page_file", "server"]
