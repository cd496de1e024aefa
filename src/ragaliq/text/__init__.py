"""Language-aware text: analyzers, sentences, language identification, abstentions."""
