"""Agreement of graders."""
