"""The answer pipeline: chatbot, answering, grading, checks, and what decides a run."""
