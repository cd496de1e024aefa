"""Systems side by side: paired tests, rank sets, agreement of graders."""
