"""A run on a cluster: the stages' functions as plain data for its workers, and the parts that call them there.

The loop of each stage, with its order, its files and its resumption, stays in the process of the command: only the call
of a part for a record goes to a worker. So a run on a cluster and a local one are the same bytes.
"""

__all__ = ["chatbot", "engine", "judging"]
