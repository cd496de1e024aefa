"""Systems of one table, or of several, put in order: what the data tell apart, and how firm the first place is.

`rank_sets` holds all pairs against each other (by `max_t`) and says which ranks are left; `selection` says how often
each system comes first when the queries are drawn again; `new_sample` says where the mean of other queries would be.
"""

__all__ = ["new_sample", "rank_sets", "selection"]
