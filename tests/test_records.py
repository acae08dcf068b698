"""The form of a record, as a table: bytes in, what they say out."""

from __future__ import annotations

import hashlib

import pytest

from mazarbul_analytics import InvalidValue
from mazarbul_analytics.rules import records

X0 = b"@p-e/x0\n"

SAID = {
    "nothing": (X0, {}),
    "a header": (X0 + b"kind: ack\n\nbody", {"kind": "ack"}),
    "all header, no blank line": (X0 + b"kind: ack\nfrom: a", {"kind": "ack", "sender": "a"}),
    "CRLF": (b"@p-e/x0\r\nkind: ack\r\n\r\nkind: b", {"kind": "ack"}),
    "a mix of line ends": (X0 + b"kind: ack\r\nfrom: a\n\r\nto: c", {"kind": "ack", "sender": "a"}),
    "a line with a space is not blank": (X0 + b"kind: ack\n \nfrom: a\n\n", {"sender": "a"}),
    "a line with a tab is not blank": (X0 + b"\t\nfrom: a\n\n", {"sender": "a"}),
    "a bare CR ends no line": (X0 + b"kind: a\r\r\nfrom: b\n\n", {"sender": "b"}),
    "the first occurrence counts": (X0 + b"ref: a-1\nref: b-2\n\n", {"refs": ("a-1",)}),
    "the body is prose": (X0 + b"\nparent: relay-1\nref: relay-2\n", {"parent": None, "refs": ()}),
    "a parent and a ref": (
        X0 + b"parent: relay-0001\nref: relay-0002\n\n",
        {"parent": "relay-0001", "refs": ("relay-0002",)},
    ),
    "a ref of another form": (X0 + b"ref: PR#7\n\n", {"refs": ("PR#7",)}),
    "none": (X0 + b"parent: none\nref: none\n\n", {"parent": None, "refs": ()}),
    "ids are literal": (X0 + b"ref: None\n\n", {"refs": ("None",)}),
    "white space around a value": (X0 + b"ref:   a-1 \t\n\n", {"refs": ("a-1",)}),
    "no space after the colon": (X0 + b"ref:a-1\n\n", {"refs": ("a-1",)}),
    "names are literal": (X0 + b"Ref: a-1\n\n", {"refs": ()}),
    "a space before the colon is no name": (X0 + b"ref : a-1\n\n", {"refs": ()}),
    "no folding": (X0 + b"kind: a\n ref: b\n\n", {"kind": "a", "refs": ()}),
    "prose in the header block": (X0 + b"some prose\n---\nref: a-1\n\n", {"refs": ("a-1",)}),
    "a digest": (X0 + b"parent-sha256: ab12\n\n", {"parent_sha256": "ab12"}),
    "an empty word": (X0 + b"kind:\nfrom: \n\n", {"kind": None, "sender": None}),
    "recipients": (X0 + b"to: a, b\n\n", {"recipients": "a, b"}),
    "bytes that are no UTF-8": (X0 + b"kind: \xff\n\n\xfe", {"kind": "�"}),
    "the id": (X0 + b"id: relay-0001\n\n", {"relay_id": "relay-0001"}),
    "the keeper's block": (
        b"deposited-by: k\nprovenance: authored\nassigned-id: relay-0001\n---\n" + X0 + b"\n",
        {"deposited_by": "k", "provenance": "authored", "relay_id": "relay-0001"},
    ),
    "an empty keeper's block": (b"---\n" + X0 + b"kind: a\n\n", {"kind": "a"}),
    "the keeper's block in CRLF": (
        b"deposited-by: k\r\n---\r\n" + X0 + b"\n",
        {"deposited_by": "k"},
    ),
    "the keeper's first occurrence": (
        b"provenance: a\nprovenance: b\n---\n" + X0 + b"provenance: c\n\n",
        {"provenance": "a"},
    ),
    "a keeper's block does not speak for the record": (
        b"kind: k\nref: a-1\n---\n" + X0 + b"\n",
        {"kind": None, "refs": ()},
    ),
    "later --- lines are the record's": (
        X0 + b"kind: a\n\n---\n" + X0 + b"ref: b-1\n\n",
        {"kind": "a", "refs": ()},
    ),
    "a byte order mark before the keeper's block": (
        b"\xef\xbb\xbfdeposited-by: k\n---\n" + X0 + b"\n",
        {"deposited_by": "k"},
    ),
}

REFUSED = {
    "nothing at all": (b"", "bad_header"),
    "no first line": (b"kind: a\n\nbody", "bad_header"),
    "a longer word": (b"@p-e/x01\n\n", "bad_header"),
    "a space before": (b" @p-e/x0\n\n", "bad_header"),
    "a space after": (b"@p-e/x0 \n\n", "bad_header"),
    "another case": (b"@P-E/X0\n\n", "bad_header"),
    "a byte order mark": (b"\xef\xbb\xbf@p-e/x0\n\n", "bad_header"),
    "a byte order mark, quoting another": (
        b"\xef\xbb\xbf@p-e/x0\n\nquoted\n---\n@p-e/x0\nref: a-1\n\n",
        "bad_header",
    ),
    "a keeper's block and no record": (b"deposited-by: k\n---\nprose\n", "bad_header"),
    "a keeper's block without its end": (b"deposited-by: k\n@p-e/x0\n\n", "bad_header"),
    "an empty parent": (X0 + b"parent:\n\n", "bad_header"),
    "an empty first parent": (X0 + b"parent: \nparent: a-1\n\n", "bad_header"),
    "an empty ref": (X0 + b"ref:  \t\n\n", "bad_header"),
    "two parents": (X0 + b"parent: a-1 a-2\n\n", "bad_header"),
    "two refs by comma": (X0 + b"ref: a-1,a-2\n\n", "bad_header"),
    "two refs by no-break space": (X0 + "ref: a-1\u00a0a-2\n\n".encode(), "bad_header"),
    "a ref that is no UTF-8": (X0 + b"ref: a-\xff\n\n", "bad_header"),
    "id and assigned-id differ": (
        b"assigned-id: relay-0001\n---\n" + X0 + b"id: relay-0002\n\n",
        "bad_id",
    ),
}


@pytest.mark.parametrize("name", SAID)
def test_what_a_record_says(name):
    data, expected = SAID[name]
    found = records.parse(data)
    assert {key: getattr(found, key) for key in expected} == expected


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_record(name):
    data, reason = REFUSED[name]
    with pytest.raises(InvalidValue) as error:
        records.parse(data)
    assert error.value.reason == reason


@pytest.mark.parametrize("own", ["id", "assigned"])
def test_an_id_that_differs_from_the_name_is_refused(own):
    data = X0 + b"id: relay-0002\n\n"
    if own == "assigned":
        data = b"assigned-id: relay-0002\n---\n" + X0 + b"\n"
    assert records.parse(data, "relay-0002").relay_id == "relay-0002"
    with pytest.raises(InvalidValue, match="relay-0002.*differs.*relay-0001"):
        records.parse(data, "relay-0001")


def test_the_bytes_are_kept_and_hashed_without_the_keepers_block():
    record = X0 + b"kind: a\r\n\n\x00\xff\r\n---\n\n"
    found = records.parse(b"deposited-by: k\n---\n" + record)
    assert found.record == record
    assert found.sha256 == hashlib.sha256(record).hexdigest()


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("", ()),
        ("none", ()),
        ("a-1", ("a-1",)),
        ("a-1 b-2\tc-3", ("a-1", "b-2", "c-3")),
        ("a-1, b-2;c-3;;", ("a-1", "b-2", "c-3")),
        ("b-2 a-1 b-2", ("b-2", "a-1")),
        ("none a-1", ("a-1",)),
    ],
)
def test_the_ids_of_a_column(text, ids):
    assert records.reference_list(text) == ids
