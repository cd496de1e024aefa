"""How sure a figure is: intervals, paired tests and rank sets over queries, from arrays of numbers alone.

`intervals` for one mean, `differences` for two systems and any values of a known range, `significance`, `equivalence`
and `noninferiority` (the last two rest on `unseen`) for two systems, `ranks` for all at once, `multiplicity` for
several tests and several looks; `lost_values` for means of which values are missing; `clusters` says which queries
belong together, `clustered_share` how sure a share over them is. `power` plans, `variance` splits the doubt by its
sources, `shrinkage` takes noise out of tables of systems by languages, `prediction_powered` joins few labels with many
verdicts. Draws take a seed. A new procedure is a module here, with its error rate measured in `studies/`.
"""

__all__ = [
    "clustered_share",
    "clusters",
    "differences",
    "equivalence",
    "intervals",
    "lost_values",
    "multiplicity",
    "noninferiority",
    "power",
    "prediction_powered",
    "ranks",
    "shrinkage",
    "sign_flips",
    "significance",
    "variance",
]
