"""How sure a figure is: intervals, paired tests and rank sets over queries, from arrays of numbers alone.

`intervals` for one mean, `significance` and `equivalence` for two systems, `rank_sets` (by `max_t`) for all at once,
`multiplicity` for several tests; `clusters` says which queries belong together, `clustered_share` how sure a share over
them is. `power` plans, `variance` splits the doubt by its sources, `prediction_powered` joins few labels with many
verdicts. Draws take a seed. A new procedure is a module here, with its error rate measured in `studies/`.
"""

__all__ = [
    "clustered_share",
    "clusters",
    "equivalence",
    "intervals",
    "multiplicity",
    "power",
    "prediction_powered",
    "rank_sets",
    "sign_flips",
    "significance",
    "variance",
]
