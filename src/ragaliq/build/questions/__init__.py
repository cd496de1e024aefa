"""What people asked: files of questions and answers, and query logs, on their way to becoming candidates.

`reading` reads the files, `stack_exchange` one kind of them, `scrub` removes personal data, `drawing` removes
repetitions and draws samples, `answering` answers logs from the documents.
"""

__all__ = ["answering", "drawing"]
