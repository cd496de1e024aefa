"""What an endpoint does not take is learnt from its refusals, and from nothing else."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from ragaliq.llm.connections.transport import Fault, FaultKind
from ragaliq.llm.dialect import Dialect, Request
from ragaliq.llm.replies.reply import CallFailed, Reply

CHAT = [{"role": "user", "content": "Где столовая?"}]
SCHEMA = {"type": "object", "properties": {"grade": {"type": "integer"}}}
REQUEST = Request(CHAT, {"temperature": 0.0, "max_tokens": 9}, SCHEMA)
PLAIN = Request(CHAT, {"temperature": 0.0, "max_tokens": 9})
# What OpenAI's newer models say.
MAX_TOKENS = (
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
)
TEMPERATURE = "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) is supported."


def refusal(message: str, parameter: str = "", kind: FaultKind = FaultKind.REQUEST) -> Fault:
    return Fault(kind, f"HTTP 400: {message}", parameter=parameter)


def test_everything_is_sent_at_first() -> None:
    assert Dialect("m").body(REQUEST) == {
        "model": "m",
        "messages": CHAT,
        "temperature": 0.0,
        "max_tokens": 9,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "reply", "strict": True, "schema": SCHEMA},
        },
    }
    assert "response_format" not in Dialect("m").body(PLAIN)


def test_the_newer_name_is_learnt_by_all_that_were_under_way() -> None:
    dialect = Dialect("m")
    sent = [dialect.body(PLAIN) for _ in range(3)]
    assert [dialect.adjust(refusal(MAX_TOKENS, "max_tokens"), body) for body in sent] == [True] * 3
    assert dialect.body(PLAIN) == {"model": "m", "messages": CHAT, "temperature": 0.0, "max_completion_tokens": 9}
    assert not dialect.adjust(refusal(MAX_TOKENS, "max_tokens"), dialect.body(PLAIN)), "it is sent no more"


def test_an_unsupported_parameter_is_left_out_with_one_note(capsys: pytest.CaptureFixture[str]) -> None:
    dialect = Dialect("m")
    sent = [dialect.body(PLAIN) for _ in range(3)]
    assert [dialect.adjust(refusal(TEMPERATURE, "temperature"), body) for body in sent] == [True] * 3
    assert dialect.body(PLAIN) == {"model": "m", "messages": CHAT, "max_tokens": 9}
    assert capsys.readouterr().err == "note: m does not take 'temperature'; it is asked without\n"


def asked(dialect: Dialect, request: Request, *ended: Reply | CallFailed) -> tuple[Reply | CallFailed, list[int]]:
    """What a request comes to whose sendings end so, and the limits that were sent."""
    limits, left = list[int](), list(ended)

    async def send(one: Request) -> Reply:
        limits.append(one.parameters.get("max_tokens", 0))
        end = left.pop(0)
        if isinstance(end, CallFailed):
            raise end
        return end

    try:
        return asyncio.run(dialect.ask(request, send)), limits
    except CallFailed as failure:
        return failure, limits


def test_a_model_that_thinks_gets_room_from_its_first_cut_on() -> None:
    dialect, whole, cut = Dialect("m"), Reply("a"), Reply("", "length", cut_thinking=True)
    assert asked(dialect, PLAIN, Reply("a", "length")) == (Reply("a", "length"), [9])
    assert asked(dialect, PLAIN, cut, whole) == (whole, [9, 72])
    assert asked(dialect, PLAIN, cut) == (cut, [72])
    # Without a limit, or with the user's, there is nothing to give.
    assert asked(dialect, replace(PLAIN, limit_is_users=True), cut) == (cut, [9])
    assert asked(dialect, Request(CHAT), cut) == (cut, [0])
    # As much as the endpoint takes.
    full, lost = CallFailed(FaultKind.CONTEXT_LENGTH, "", 1), CallFailed(FaultKind.TIMEOUT, "", 2)
    assert asked(dialect, PLAIN, full, cut) == (cut, [72, 9])
    assert asked(Dialect("m"), PLAIN, cut, full) == (cut, [9, 72])
    assert asked(Dialect("m"), PLAIN, cut, lost) == (lost, [9, 72])


def test_other_refusals_teach_nothing() -> None:
    cases: list[Fault] = [
        refusal("temperature must be at most 2", "temperature"),
        refusal("'top_p' is not supported", "top_p"),
        refusal("this model does not support these messages", "messages"),
        refusal("max_tokens is not supported", "max_tokens"),
        refusal("does not support it", "model"),
        refusal(TEMPERATURE, "temperature", FaultKind.SERVER),
        refusal(TEMPERATURE, "temperature", FaultKind.RATE_LIMIT),
        refusal("the prompt is too long; unsupported", "", FaultKind.CONTEXT_LENGTH),
        refusal("not supported"),
    ]
    for fault in cases:
        dialect = Dialect("m")
        before = dialect.body(PLAIN)
        assert not dialect.adjust(fault, before), fault
        assert dialect.body(PLAIN) == before, fault


def test_a_schema_that_is_not_taken_is_left_out() -> None:
    cases: list[Fault] = [
        refusal("Invalid parameter: 'response_format' of type 'json_schema' is not supported", "response_format"),
        refusal("json_schema is not available"),
        refusal("structured outputs are not available for this model", kind=FaultKind.ACCESS),
        Fault(FaultKind.SERVER, "HTTP 500: failed to parse response_format"),
        refusal("Bad Request"),
    ]
    for fault in cases:
        dialect = Dialect("m")
        sent = dialect.body(REQUEST)
        assert dialect.adjust(fault, sent) and dialect.adjust(fault, sent), fault
        assert dialect.body(REQUEST) == dialect.body(PLAIN), fault
        assert not dialect.adjust(fault, dialect.body(REQUEST)), "it is sent no more"


def test_what_is_not_about_the_schema_leaves_it() -> None:
    cases: list[Fault] = [
        Fault(FaultKind.SERVER, "HTTP 500: out of memory"),
        Fault(FaultKind.ACCESS, "HTTP 401: no such key"),
        Fault(FaultKind.RATE_LIMIT, "HTTP 429: schema"),
        Fault(FaultKind.TIMEOUT, "no reply within 1 s"),
        Fault(FaultKind.CONTEXT_LENGTH, "HTTP 400: schema and prompt are too long"),
        refusal("temperature must be at most 2", "temperature"),
    ]
    for fault in cases:
        dialect = Dialect("m")
        assert not dialect.adjust(fault, dialect.body(REQUEST)), fault
        assert "response_format" in dialect.body(REQUEST), fault


def test_where_a_schema_was_taken_a_refusal_without_a_reason_is_no_sign_against_it() -> None:
    dialect = Dialect("m")
    dialect.taken(dialect.body(REQUEST))
    assert not dialect.adjust(refusal("Bad Request"), dialect.body(REQUEST))
    assert dialect.adjust(refusal("response_format is not supported here"), dialect.body(REQUEST))


def test_a_request_that_is_refused_without_its_schema_too_does_not_cost_the_others_theirs() -> None:
    dialect = Dialect("m")
    assert dialect.adjust(refusal("Bad Request"), dialect.body(REQUEST))
    assert not dialect.adjust(refusal("Bad Request"), dialect.body(REQUEST))
    assert "response_format" in dialect.body(REQUEST)
    # Where the same request is taken without the schema, no later refusal is a sign for it.
    assert dialect.adjust(refusal("Bad Request"), dialect.body(REQUEST))
    dialect.taken(dialect.body(REQUEST))
    assert not dialect.adjust(refusal("Bad Request"), dialect.body(REQUEST))
    assert "response_format" not in dialect.body(REQUEST)


def test_another_request_that_is_taken_without_the_schema_confirms_nothing() -> None:
    dialect, other = Dialect("m"), Request([{"role": "user", "content": "食堂在哪里？"}], {}, SCHEMA)
    assert dialect.adjust(refusal("Bad Request"), dialect.body(REQUEST))
    dialect.taken(dialect.body(other))
    assert not dialect.adjust(refusal("Bad Request"), dialect.body(other))
    assert "response_format" not in dialect.body(REQUEST)
    assert not dialect.adjust(refusal("Bad Request"), dialect.body(REQUEST))
    assert "response_format" in dialect.body(REQUEST)


def test_a_reply_to_a_schema_under_way_tells_that_a_guess_was_wrong() -> None:
    dialect = Dialect("m")
    one, two = dialect.body(REQUEST), dialect.body(REQUEST)
    assert dialect.adjust(refusal("Bad Request"), one)
    dialect.taken(two)
    assert "response_format" in dialect.body(REQUEST)
    assert not dialect.adjust(refusal("Bad Request"), dialect.body(REQUEST))


def test_a_reason_is_more_than_a_guess() -> None:
    dialect = Dialect("m")
    one, two = dialect.body(REQUEST), dialect.body(REQUEST)
    assert dialect.adjust(refusal("Bad Request"), one) and dialect.adjust(refusal("no json_schema here"), two)
    assert not dialect.adjust(refusal("Bad Request"), dialect.body(REQUEST))
    assert "response_format" not in dialect.body(REQUEST)


def test_a_reply_without_a_schema_says_nothing_about_schemas() -> None:
    dialect = Dialect("m")
    dialect.taken(dialect.body(PLAIN))
    assert dialect.adjust(refusal("Bad Request"), dialect.body(REQUEST))


SURE = Request(CHAT, {"max_tokens": 9, "logprobs": True, "top_logprobs": 5}, SCHEMA)


def test_log_probabilities_that_are_not_given_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    cases: list[Fault] = [
        refusal("Unsupported parameter: 'logprobs' is not supported with this model.", "logprobs"),
        refusal("top_logprobs: extra fields not permitted"),
        Fault(FaultKind.SERVER, "HTTP 500: logprobs are not implemented"),
    ]
    for fault in cases:
        dialect = Dialect("m")
        sent = dialect.body(SURE)
        assert dialect.adjust(fault, sent) and dialect.adjust(fault, sent), fault
        assert sent.keys() - dialect.body(SURE).keys() == {"logprobs", "top_logprobs"}, fault
        assert capsys.readouterr().err == "note: m gives no log-probabilities; it is asked without\n", fault


def test_a_refusal_without_a_reason_may_be_for_any_extra() -> None:
    dialect = Dialect("m")
    assert dialect.adjust(refusal("Bad Request"), dialect.body(SURE))
    assert dialect.body(SURE).keys() == {"model", "messages", "max_tokens"}
    # Refused without them, too: they were not it.
    assert not dialect.adjust(refusal("Bad Request"), dialect.body(SURE))
    assert dialect.body(SURE).keys() >= {"logprobs", "top_logprobs", "response_format"}
    dialect.taken(dialect.body(SURE))
    assert not dialect.adjust(refusal("Bad Request"), dialect.body(SURE))


def test_what_is_asked_for_is_not_written_into() -> None:
    parameters: dict[str, Any] = {"max_tokens": 9}
    dialect, request = Dialect("m"), Request(CHAT, parameters)
    dialect.adjust(refusal(MAX_TOKENS, "max_tokens"), dialect.body(request))
    dialect.body(request)
    assert parameters == {"max_tokens": 9} and request.messages == CHAT
