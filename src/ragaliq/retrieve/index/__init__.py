"""Where vectors and postings are kept and searched."""
