"""What models reply: the record, its JSON, and the answer apart from the thought."""

__all__ = ["reasoning", "reply", "reply_json"]
