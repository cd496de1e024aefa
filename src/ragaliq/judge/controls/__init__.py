"""Controls of a judge: answers whose grade is known."""
