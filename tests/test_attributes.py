from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mazarbul_analytics.errors import InvalidValue
from mazarbul_analytics.rules.attributes import NESTING_LIMIT, canonical


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}", "{}"),
        (" { } ", "{}"),
        ('{"b": 2, "a": 1}', '{"a":1,"b":2}'),
        ('{"n": 9007199254740993}', '{"n":9007199254740993}'),
        ('{"n": 123456789012345678901234567890}', '{"n":123456789012345678901234567890}'),
        ('{"n": 100000000000000000000000000}', '{"n":100000000000000000000000000}'),
        ('{"n": 1.0}', '{"n":1}'),
        ('{"n": 1e2}', '{"n":100}'),
        ('{"n": 1E+2}', '{"n":100}'),
        ('{"n": -0}', '{"n":0}'),
        ('{"n": -0.0e7}', '{"n":0}'),
        ('{"n": 0.10}', '{"n":0.1}'),
        ('{"n": -12.3400}', '{"n":-12.34}'),
        ('{"n": 1234e-2}', '{"n":12.34}'),
        ('{"n": 0.000001}', '{"n":0.000001}'),
        ('{"n": 0.0000001}', '{"n":1e-7}'),
        ('{"n": 12.5e-9}', '{"n":1.25e-8}'),
        ('{"n": 1e400}', '{"n":1' + "0" * 400 + "}"),
        ('{"n": 1e999999}', '{"n":1e999999}'),
        ('{"n": 12e999998}', '{"n":1.2e999999}'),
        (
            '{"n": 0.1000000000000000055511151231257827}',
            '{"n":0.1000000000000000055511151231257827}',
        ),
        ('{"s": "\\u00e9\\/\\u0000\\n"}', '{"s":"\u00e9/\\u0000\\n"}'),
        ('{"s": "\\ud83d\\ude00"}', '{"s":"\U0001f600"}'),
        ('{"\U0001f600": 1, "\uffff": 2}', '{"\uffff":2,"\U0001f600":1}'),
        ('{"a": [1, {"y": null, "x": true}, []]}', '{"a":[1,{"x":true,"y":null},[]]}'),
    ],
)
def test_canonical(text: str, expected: str) -> None:
    assert canonical(text) == expected
    assert canonical(expected) == expected


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"k": 1, "k": 2}', "twice"),
        ('{"k": 1, "\\u006b": 1}', "twice"),
        ('{"a": {"k": 1, "k": 1}}', "twice"),
        ('{"n": NaN}', "NaN"),
        ('{"n": -Infinity}', "Infinity"),
        ('{"s": "\\ud800"}', "surrogate"),
        ('{"\\udc00": 1}', "surrogate"),
        ("[1, 2]", "no JSON object"),
        ("null", "no JSON object"),
        ('"x"', "no JSON object"),
        ('{"a": 1,}', "no JSON"),
        ("{'a': 1}", "no JSON"),
        ('{"a": 01}', "no JSON"),
        ('{"a": "\n"}', "no JSON"),
        ('{"a": 1} x', "no JSON"),
        ("\ufeff{}", "no JSON"),
        ("", "no JSON"),
        ('{"a":' * 101 + "1" + "}" * 101, "nested"),
        ('{"a":' * 100_000, "nested"),
        ('{"n": 1e' + "9" * 5000 + "}", "exponent"),
    ],
)
def test_refused(text: str, why: str) -> None:
    with pytest.raises(InvalidValue, match=why) as caught:
        canonical(text)
    assert caught.value.reason == "bad_attributes"
    assert len(str(caught.value)) < 300


def test_nesting_up_to_the_limit() -> None:
    deepest = '{"a":' * NESTING_LIMIT + "1" + "}" * NESTING_LIMIT
    assert canonical(deepest) == deepest


def test_mappings() -> None:
    given_: dict[str, Any] = {"role": "dev", "n": 1.0, "t": (1, 1e22, 1e-7), "d": Decimal("0.50")}
    assert canonical(given_) == (
        '{"d":0.5,"n":1,"role":"dev","t":[1,10000000000000000000000,1e-7]}'
    )
    assert canonical({"n": 10**5000 + 1}) == '{"n":1' + "0" * 4999 + "1}"
    cyclic: dict[str, object] = {}
    cyclic["self"] = cyclic
    for refused in (
        {"n": float("nan")},
        {"n": Decimal("inf")},
        {1: 2},
        {"x": b""},
        {"x": {1}},
        cyclic,
    ):
        with pytest.raises(InvalidValue) as caught:
            canonical(refused)  # type: ignore[arg-type]
        assert caught.value.reason == "bad_attributes"


_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), _json, max_size=4))
def test_text_and_mapping_agree_and_nothing_is_lost(value: dict[str, object]) -> None:
    text = canonical(value)
    assert canonical(json.dumps(value)) == text
    assert canonical(json.dumps(value, indent=1, ensure_ascii=False)) == text
    assert _exact(text) == _exact(json.dumps(value))


def _exact(text: str) -> object:
    return json.loads(text, parse_int=Decimal, parse_float=Decimal)


@given(
    st.integers(-(10**40), 10**40),
    st.integers(-50, 50),
    st.integers(0, 30),
    st.sampled_from(["e", "E"]),
)
def test_one_spelling_for_one_number(digits: int, power: int, zeros: int, letter: str) -> None:
    spellings = [
        f"{digits}{letter}{power}",
        f"{digits}.{'0' * zeros}{letter}{power:+}",
        f"{digits}{'0' * zeros if digits else ''}{letter}{power - zeros}",
    ]
    if not zeros:
        spellings.pop(1)
    found = {canonical(f'{{"n":{spelling}}}') for spelling in spellings}
    number = Decimal(f"{digits}e{power}")
    assert found == {canonical({"n": number})}
    assert _exact(found.pop()) == {"n": number}
