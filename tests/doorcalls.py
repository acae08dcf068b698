"""Every view and table macro behind the door, asked about one instant in every way to write it."""

from __future__ import annotations

from relayworld import record, write_jsonl
from stores import empty_store, load

__all__ = ["CALLS", "INSTANTS", "busy_store", "calls", "comparable"]

INSTANTS = {
    "timestamptz": "timestamptz '2024-03-10 00:00:00+00'",
    "text in UTC": "'2024-03-10T00:00:00Z'",
    "text with an offset": "'2024-03-09t20:30:00-03:30'",
    "text without an offset": "'2024-03-10 00:00:00'",
    "a day as text": "'2024-03-10'",
    "timestamp": "timestamp '2024-03-10 00:00:00'",
    "date": "date '2024-03-10'",
}
"""One instant, midnight in UTC of the day on which New York's summer time began."""

# {at}: the instant; {ada}: an entity; PROBES and LAST: tables that `calls` makes
CALLS = {
    "calendar": [
        "calendar({at}, '2024-03-14T00:00:00Z', interval 12 hour)",
        "calendar('2023-10-31T00:00:00Z', {at}, interval 1 month)",
    ],
    "days_since": ["days_since(utc_day(instant({at})))"],
    "live_steps": [
        "live_steps({at}, null, 'both', null, null)",
        "live_steps(null, {at}, 'both', null, null)",
    ],
    "neighbors_of": ["neighbors_of({ada}, {at}, null, 4)", "neighbors_of({ada}, null, {at}, 2)"],
    "point_in_time": ["point_in_time('PROBES')"],
    "point_in_time_exclusive": ["point_in_time_exclusive('PROBES')"],
    "relation_activity": [
        "relation_activity({at}, '2024-03-14T00:00:00Z', interval 1 day)",
        "relation_activity('2023-10-31T00:00:00Z', {at}, interval 1 month)",
        "relation_activity('2024-03-08', '2024-03-12', interval 6 hour, as_of := {at})",
    ],
    "relation_activity_among": [
        "relation_activity_among('calendar', '2023-12-31', '2190-01-01', {at}, null, null)",
    ],
    "relation_changes": ["relation_changes({at}, null)", "relation_changes(null, {at})"],
    "relation_contradictions": [
        "relation_contradictions(null, {at}, null)",
        "relation_contradictions('knows', null, {at})",
    ],
    "relations_at": ["relations_at({at}, null)", "relations_at(null, {at})"],
    "relations_of": ["relations_of({ada}, {at}, null)", "relations_of({ada}, null, {at})"],
    "relay_gaps_among": ["relay_gaps_among('MISSING', 'PRESENT', {at})"],
    "relay_gaps_as_of": ["relay_gaps_as_of({at})"],
    "relay_holes_among": ["relay_holes_among('MISSING', 'PRESENT', null)"],
    "relay_holes_as_of": ["relay_holes_as_of({at}, null)"],
    "relay_late_among": ["relay_late_among('UNMET')"],
    "relay_late_as_of": ["relay_late_as_of({at})"],
    "relay_list": ["relay_list(null, {at})"],
    "relay_missing_among": ["relay_missing_among('UNMET')"],
    "relay_present_as_of": ["relay_present_as_of({at})"],
    "relay_events_as_of": ["relay_events_as_of({at})"],
    "relay_timeline": ["relay_timeline({at}, 5)"],
    "relay_unmet_as_of": ["relay_unmet_as_of({at})"],
    "relays_as_of": ["relays_as_of({at})"],
    "statuses_of": ["statuses_of({ada}, {at}, null)", "statuses_of({ada}, null, {at})"],
    "versions_at": ["versions_at({at}, null)", "versions_at(null, {at})"],
    "versions_of": ["versions_of({ada}, {at})"],
}
"""Each table macro with the instant in the place of each of its instants, one at a time."""

_AS = {"TIMESTAMP WITH TIME ZONE": 'epoch_us("{}")', "BLOB": 'md5("{}")'}
_RUNS_ON = {"relation_durations": "valid_seconds", "relay_known_missing": "age_seconds"}


def busy_store(folder):
    """Make a store in which things begin and end some hours around the instant, on each axis."""
    store = empty_store(folder / "store")
    load(
        store,
        folder,
        """
        from,predicate,to,valid_from,valid_to,recorded_at
        Ada,knows,Bob,2024-03-10T00:00:00Z,2024-03-11,2024-03-08
        Ada,knows,Cyd,2024-03-09,2024-03-10T00:00:00Z,2024-03-10T00:00:00Z
        Ada,knows,Dee,2024-03-09T18:00:00Z,,2024-03-10T00:00:00.000001Z
        Ada,knows,Eve,2024-03-10T06:00:00Z,,2024-03-09T20:00:00Z
        Bob,knows,Fay,-infinity,2024-03-09T16:00:00Z,2024-03-10T04:00:00Z
        Cyd,knows,Fay,2023-12-31T23:59:59.999999Z,,2024-03-09T12:00:00Z
        Dee,knows,Gus,,,2024-03-10T09:00:00Z
        Ada,knows,Hal,2024-03-01,,2024-03-09T22:00:00Z
        """,
        trust_recorded_at=True,
    )
    store.optimize()
    load(
        store,
        folder,
        """
        from,predicate,to,valid_from,valid_to,op,recorded_at
        Ada,knows,Dee,2024-03-10T02:00:00Z,,unrelate,2024-03-10T05:00:00Z
        Ada,likes,Bob,2024-03-09T19:00:00Z,,,2024-03-11
        Ada,knows,Eve,,,retract,2024-03-10T07:00:00Z
        """,
        name="more.csv",
        trust_recorded_at=True,
    )
    relays = [
        ("relay-0001", "2024-03-08T00:00:00Z", record("relay-0001", ref="relay-0008")),
        ("relay-0003", "2024-03-09T18:00:00Z", record("relay-0003", ref="relay-0007")),
        ("relay-0008", "2024-03-09T20:00:00Z", record("relay-0008")),
        ("relay-0005", "2024-03-10T00:00:00Z", record("relay-0005", parent="relay-0009")),
        ("relay-0007", "2024-03-10T04:00:00Z", record("relay-0007", parent="relay-0005")),
        ("relay-0012", "2024-03-10T12:00:00Z", record("relay-0012", ref="relay-0011")),
    ]
    store.relays.import_(write_jsonl(folder / "r.jsonl", relays), trust_deposited_at=True)
    return store


def calls(ada, views):
    """Return the statements that make tables for the calls, and the calls by (name, spelling)."""
    tables, found = [], {(view, ""): [view] for view in views}
    for number, (spelling, at) in enumerate(INSTANTS.items()):
        made = {
            f"probes{number}": f"select '{ada}' as entity_uid, {at} as \"at\", {at} as as_of",
            f"unmet{number}": f"from relay_unmet_as_of({at})",
            f"missing{number}": f"from relay_missing_among('unmet{number}')",
            f"present{number}": f"from relay_present_as_of({at})",
        }
        tables += [f"create temp table {name} as {query}" for name, query in made.items()]
        for name, texts in CALLS.items():
            asked = [text.format(at=at, ada=f"'{ada}'") for text in texts]
            for table in ("probes", "unmet", "missing", "present"):
                asked = [text.replace(table.upper(), f"{table}{number}") for text in asked]
            found[name, spelling] = asked
    return tables, found


def comparable(connection, call):
    """Return the query that gives each row of a call as JSON, instants as microseconds.

    How a session prints an instant depends on its zone; what the instant is does not.
    """
    own = {"at", "as_of"} if call.startswith("point_in_time") else {_RUNS_ON.get(call)}
    parts = []
    for column, kind, *_ in connection.execute(f"describe from {call}").fetchall():
        if column in own:
            continue  # of the probes, or it grows while the test runs
        shown = _AS.get(kind, '"{}"').format(column)
        parts.append(f'"{column}" := {shown}')
    return f"select cast(to_json(struct_pack({', '.join(parts)})) as varchar) as found from {call}"
