"""The offline judge: a fitted model over lexical features."""
