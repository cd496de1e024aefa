"""Files that survive a crash: atomic writes, journals, record stores, redaction of secrets."""
