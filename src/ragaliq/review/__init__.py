"""A person's judgements: grades of answers, and whether what was retrieved looks good, blind to the system."""
