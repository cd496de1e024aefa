"""Updates: the next version of a built benchmark, in which everything stays that does not depend on a change.

The rows of the version before are in `DIR/build/earlier/N/`. The stages read there what has to stay: ids, candidates,
pools, judgements.
"""

__all__ = ["begin", "changelog", "chunk_ids", "pools", "preview", "retired_rows", "retired_texts", "staying", "version"]
