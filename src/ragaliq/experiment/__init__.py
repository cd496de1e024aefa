"""The retrieval lab: from benchmarks and retrievers to runs, measures and reports."""
