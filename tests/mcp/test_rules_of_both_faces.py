"""The three tools hold the rules of the command line: one table, run over both faces."""

from __future__ import annotations

import pytest
from faces import CommandLine, run, served

from mazarbul_analytics.rules import names

FEED = """\
from,relation,to,valid_from,valid_to,recorded_at,scope,attributes,source_event_uid,op
Jeff,works_at,Acme Corp,2019-01-01,,2019-01-02T00:00:00Z,project,"{""role"": ""dev""}",ev-1,relate
Ann,knows,Jeff,2020-06-01,,2020-06-01T00:00:00Z,personal,,,relate
Jeff,owns,Boat,2020-01-01,,2020-07-01T00:00:00Z,project,,,relate
Jeff,advises,Initech,2021-01-01,,2021-01-01T00:00:00Z,team,,,relate
Jeff,owns,Boat,,,2021-02-01T00:00:00Z,project,,,retract
Jeff,works_at,Acme Corp,2022-01-01,,2022-01-05T00:00:00Z,project,,,unrelate
Jeff,works_at,Globex,2022-01-01,,2022-01-05T00:00:00Z,project,,ev-2,relate
Jeff,leads,Apollo,2999-01-01,,2022-02-01T00:00:00Z,project,,,relate
Jeff,plays,50% Chess_,-infinity,,2022-03-01T00:00:00Z,project,,,relate
"""
ENTITIES = """\
uid,name,type
11111111-1111-4111-8111-111111111111,Sam,person
22222222-2222-4222-8222-222222222222,Sam,organization
"""
RELAYS = {
    "relay-0001": ["kind: report"],
    "relay-0002": ["parent: relay-0001", "ref: relay-0005"],
    "relay-0004": ["parent: relay-0003"],
}
JEFF = "4e81f329-4805-8e02-ab0f-a6b0ca88a015"
ACME = "649e8494-51f2-872a-ae67-e9f56d54bc71"
NOW = ["outgoing works_at Globex", "incoming knows Ann", "outgoing plays 50% Chess_"]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Return a store that the command line wrote."""
    folder = tmp_path_factory.mktemp("rules")
    (folder / "feed.csv").write_text(FEED, encoding="utf-8")
    (folder / "entities.csv").write_text(ENTITIES, encoding="utf-8")
    path = folder / "store"
    steps = [
        ["init"],
        ["import", "entities", folder / "entities.csv"],
        ["import", "relations", folder / "feed.csv", "--trust-recorded-at"],
    ]
    for relay_id, headers in RELAYS.items():
        record = folder / f"{relay_id}.txt"
        record.write_text("\n".join(["@p-e/x0", f"id: {relay_id}", *headers, "", "body\n"]))
        steps.append(["relays", "deposit", record])
    for step in steps:
        result = run(path, *step)
        assert result.exit_code == 0, result.output
    return path


@pytest.fixture(scope="module", params=["command line", "mcp"])
def face(request, store):
    if request.param == "mcp":
        with served(store) as agent:
            yield agent
    else:
        yield CommandLine(store)


def told(answer):
    if isinstance(answer, str):
        return answer
    other = {"outgoing": "object", "incoming": "subject"}
    return [
        " ".join(
            [r["direction"], r["predicate"], r[other[r["direction"]]]["name"]]
            + ([] if r["status"] == "live" else [r["status"]])
        )
        for r in answer["relations"]
    ]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        # the default view: now, all that is recorded, project and personal
        ({}, NOW),
        ({"scopes": ["team"]}, ["outgoing advises Initech"]),
        ({"scopes": ["PERSONAL"]}, ["incoming knows Ann"]),
        (
            {"scopes": ["project", "personal", "team"], "predicates": ["advises"]},
            ["outgoing advises Initech"],
        ),
        # `at` alone, `as_of` alone, both: the axes are independent
        (
            {"at": "2020-06-01"},
            ["incoming knows Ann", "outgoing works_at Acme Corp", "outgoing plays 50% Chess_"],
        ),
        (
            {"at": "2020-05-31T23:59:59.999999Z"},
            ["outgoing works_at Acme Corp", "outgoing plays 50% Chess_"],
        ),
        ({"at": "2022-01-01T00:00:00Z", "predicates": ["works_at"]}, ["outgoing works_at Globex"]),
        (
            {"at": "2021-12-31T23:59:59Z", "predicates": ["works_at"]},
            ["outgoing works_at Acme Corp"],
        ),
        ({"asOf": "2022-01-04"}, ["incoming knows Ann", "outgoing works_at Acme Corp"]),
        ({"asOf": "2022-01-05", "predicates": ["works_at"]}, ["outgoing works_at Globex"]),
        (
            {"asOf": "2020-07-01", "at": "2020-07-01"},
            ["incoming knows Ann", "outgoing owns Boat", "outgoing works_at Acme Corp"],
        ),
        ({"asOf": "2021-02-01", "at": "2020-07-01", "predicates": ["owns"]}, []),
        ({"at": "2020-06-01t02:00:00+02:00", "predicates": ["knows"]}, ["incoming knows Ann"]),
        ({"at": "2999-01-01", "predicates": ["leads"]}, ["outgoing leads Apollo"]),
        ({"asOf": "2018-01-01"}, []),
        # predicates in any spelling; no wildcards
        ({"predicates": ["Works-At"]}, ["outgoing works_at Globex"]),
        ({"predicates": ["works at", "KNOWS"]}, NOW[:2]),
        ({"predicates": ["%"]}, []),
        # status, in the order of the rules
        (
            {"includeInactive": True},
            [
                "outgoing leads Apollo future",
                "outgoing works_at Globex",
                "incoming knows Ann",
                "outgoing owns Boat retracted",
                "outgoing works_at Acme Corp expired",
                "outgoing works_at Acme Corp superseded",
                "outgoing plays 50% Chess_",
            ],
        ),
        (
            {"includeInactive": True, "asOf": "2021-01-01"},
            ["incoming knows Ann", "outgoing owns Boat", "outgoing works_at Acme Corp"],
        ),
        (
            {"includeInactive": True, "at": "2018-06-01", "predicates": ["works_at"]},
            [
                "outgoing works_at Globex future",
                "outgoing works_at Acme Corp future",
                "outgoing works_at Acme Corp superseded",
            ],
        ),
        # order, then limit
        ({"limit": 1}, NOW[:1]),
        ({"limit": 2}, NOW[:2]),
        ({"limit": 1000}, NOW),
        # references
        ({"entity": "JEFF"}, NOW),
        ({"entity": " \tJeff\n"}, NOW),
        ({"entity": JEFF}, NOW),
        ({"entity": f"entities/{JEFF.upper()}"}, NOW),
        ({"entity": "entities/11111111-1111-4111-8111-111111111111"}, []),
        ({"entity": "11111111-1111-4111-8111-111111111111"}, []),
        ({"entity": "50% chess_"}, ["incoming plays Jeff"]),
        ({"entity": "50%"}, "error: no entity is named '50%'"),
        ({"entity": "Jef_"}, "error: no entity is named 'Jef_'"),
        ({"entity": "Sam"}, "error: several entities are named 'Sam': name one by its uid"),
        (
            {"entity": "33333333-3333-4333-8333-333333333333"},
            "error: no entity has the uid 33333333-3333-4333-8333-333333333333",
        ),
        (
            {"entity": " \u200b "},
            "error: The name ' \\u200b ' is empty: give at least one visible character",
        ),
        (
            {"entity": "x" * 201},
            f"error: The name '{'x' * 59}…' has 201 characters: at most 200 are allowed",
        ),
        # bad values
        (
            {"scopes": ["all"]},
            "error: The scope 'all' is unknown: it is one of project, personal, team",
        ),
        (
            {"predicates": [" "]},
            "error: The relation ' ' is empty: give at least one visible character",
        ),
        (
            {"at": "yesterday"},
            "error: 'yesterday' is not RFC 3339: write it like"
            " 2024-03-01T12:00:00Z, 2024-03-01T12:00:00+05:30 or 2024-03-01",
        ),
        (
            {"at": ""},
            "error: '' is not RFC 3339: write it like"
            " 2024-03-01T12:00:00Z, 2024-03-01T12:00:00+05:30 or 2024-03-01",
        ),
        (
            {"at": "2024-03-01T12:00:00"},
            "error: '2024-03-01T12:00:00' has no offset: write"
            " 2024-03-01T12:00:00Z for UTC, or 2024-03-01T12:00:00+05:30",
        ),
        (
            {"asOf": "2024-03-01T23:59:60Z"},
            "error: '2024-03-01T23:59:60Z' is no time that exists"
            " (hours end at 23, seconds at 59): write it like 2024-03-01T12:00:00Z,"
            " 2024-03-01T12:00:00+05:30 or 2024-03-01",
        ),
        (
            {"asOf": "2024-03-01T00:00:00.1234567Z"},
            "error: '2024-03-01T00:00:00.1234567Z' has"
            " digits beyond microseconds: give at most 6 after the point",
        ),
    ],
)
def test_relations(face, arguments, expected):
    assert told(face.call("relations", {"entity": "Jeff", **arguments})) == expected


def test_relations_answers_the_same_object(face):
    found = face.call("relations", {"entity": "Jeff", "asOf": "2019-06-01", "at": "2019-06-01"})
    assert isinstance(found["relations"][0].pop("version"), int)
    assert found == {
        "entity": {"uid": JEFF, "name": "Jeff", "type": "person"},
        "at": "2019-06-01T00:00:00Z",
        "asOf": "2019-06-01T00:00:00Z",
        "relations": [
            {
                "relationUid": "9bb696c8-beb9-88ef-a02e-8e90074dcee8",
                "direction": "outgoing",
                "predicate": "works_at",
                "subject": {"uid": JEFF, "name": "Jeff", "type": "person"},
                "object": {"uid": ACME, "name": "Acme Corp", "type": "organization"},
                "attributes": {"role": "dev"},
                "scope": "project",
                "validFrom": "2019-01-01T00:00:00Z",
                "validTo": None,
                "recordedAt": "2019-01-02T00:00:00Z",
                "supersededAt": None,
                "status": "live",
                "sourceEventUid": "ev-1",
            }
        ],
        "total": 1,
        "truncated": False,
    }


def test_a_cut_is_told(face):
    found = face.call("relations", {"entity": "Jeff", "limit": 2})
    assert (len(found["relations"]), found["total"], found["truncated"]) == (2, 3, True)
    assert found["asOf"] is None


@pytest.mark.parametrize(
    ("after", "present", "missing"),
    [
        (None, ["relay-0001", "relay-0002", "relay-0004"], ["relay-0003", "relay-0005"]),
        ("relay-0002", ["relay-0004"], ["relay-0003", "relay-0005"]),
        ("relay-0003", ["relay-0004"], ["relay-0005"]),
        ("relay-0000", ["relay-0001", "relay-0002", "relay-0004"], ["relay-0003", "relay-0005"]),
        ("relay-9999", [], []),
    ],
)
def test_list_relays(face, after, present, missing):
    found = face.call("list_relays", {} if after is None else {"after": after})
    assert found == {"present": present, "knownMissing": missing, "after": after}


@pytest.mark.parametrize("after", ["relay-3", "Relay-0003", "", "relay-0003 ", "x"])
def test_list_relays_refuses_a_mark_of_another_form(face, after):
    assert face.call("list_relays", {"after": after}).startswith("error: ")


@pytest.fixture(scope="module", params=["command line", "mcp"])
def writing(request, tmp_path_factory):
    """Return a face over an empty store of its own."""
    store = tmp_path_factory.mktemp("writing") / "store"
    assert run(store, "init").exit_code == 0
    if request.param == "mcp":
        with served(store) as agent:
            yield agent
    else:
        yield CommandLine(store)


def done(subject, subject_type, predicate, target, target_type):
    ends = [names.entity_uid(names.name_key(name)) for name in (subject, target)]
    rel = names.relation_uid("project", ends[0], predicate, ends[1])
    return {
        "ok": True,
        "rel": rel[:8],
        "from": {"id": ends[0][:8], "n": subject, "t": subject_type},
        "to": {"id": ends[1][:8], "n": target, "t": target_type},
    }


JEFF_WORKS = done("Jeff", "person", "works_at", "Acme Corp", "organization")


@pytest.mark.parametrize(
    ("words", "types", "expected"),
    [
        # one after the other, over one store
        (["Jeff", "works_at", "Acme Corp"], [], JEFF_WORKS),
        (["jeff", "Works-At", "ACME corp"], [], JEFF_WORKS),
        (["Jeff", "works_at", "Acme Corp"], ["robot", "planet"], JEFF_WORKS),
        (["Ada", "likes", "Tea"], [], done("Ada", "concept", "likes", "Tea", "concept")),
        (
            ["Bo", "works at", "Dock 7"],
            ["Robot", "space station"],
            done("Bo", "robot", "works_at", "Dock 7", "space_station"),
        ),
        (["Cy", "knows", "Di"], ["fact"], done("Cy", "fact", "knows", "Di", "person")),
        (
            ["Straße", "is", "a'; drop table"],
            [],
            done("Straße", "concept", "is", "a'; drop table", "concept"),
        ),
        # the names are checked before anything is written
        (["Jeff", "is", "JEFF"], [], "error: subject and object are one entity: 'Jeff'"),
        (
            ["  ", "is", "Eve"],
            [],
            "error: The name '  ' is empty: give at least one visible character",
        ),
        (["Eve", "is", ""], [], "error: The name '' is empty: give at least one visible character"),
        (
            ["Eve", "", "Jeff"],
            [],
            "error: The relation '' is empty: give at least one visible character",
        ),
        (
            ["Eve", "x" * 101, "Jeff"],
            [],
            f"error: The relation '{'x' * 59}…' has 101 characters: at most 100 are allowed",
        ),
        (
            ["Eve\x07", "is", "Jeff"],
            [],
            "error: The name 'Eve\\x07' holds the control character U+0007: remove it",
        ),
        (
            ["Eve", "is", "Jeff"],
            ["9"],
            "error: The type '9' is no identifier: a letter a-z, then up"
            " to 99 letters, digits or _, as in 'organization'",
        ),
        (
            ["Eve", "is", "33333333-3333-4333-8333-333333333333"],
            [],
            "error: no entity has the uid 33333333-3333-4333-8333-333333333333",
        ),
    ],
)
def test_relate(writing, words, types, expected):
    arguments = dict(zip(("fromEntity", "relation", "toEntity"), words, strict=True))
    arguments |= dict(zip(("fromEntityType", "toEntityType"), types, strict=False))
    assert writing.call("relate_entities", arguments) == expected


def test_a_failed_relate_leaves_nothing(writing):
    arguments = {"fromEntity": "Nobody yet", "relation": "is", "toEntity": "nobody YET"}
    assert writing.call("relate_entities", arguments).startswith("error: subject and object")
    assert writing.call("relations", {"entity": "Nobody yet"}).startswith("error: no entity")
