"""One module a tool; each grades the same answers with its tool and prints one line of JSON.

Run one as `python -m peers.NAME` in the environment of its tool, with this folder's parent on the module path.
"""
