"""One module a tool: each grades the answers of the fault matrix with its tool, and prints what the tool says of each.

Run one as `python -m fault_peers.NAME` in the environment of its tool, with this folder's parent on the module path.
"""
