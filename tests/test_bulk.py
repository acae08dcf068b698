"""Imports end to end: every reason to reject a row, options, many files, formats, a full disk."""

from __future__ import annotations

import csv
import json
import os

import polars as pl
import pytest
from engine import rows
from stores import empty_store, history_of, load, python, state_of

from mazarbul_analytics.errors import ImportAborted, InvalidValue, StoreError
from mazarbul_analytics.rules import names
from mazarbul_analytics.tables import snapshots

KNOWN = "11111111-2222-8333-a444-555555555555"
TWIN = "11111111-2222-8333-a444-666666666666"
UNKNOWN = "99999999-2222-8333-a444-555555555555"


@pytest.fixture
def store(tmp_path):
    return empty_store(tmp_path / "store")


def load_entities(store, folder, text, name="entities.csv", **options):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return store.import_entities(path, **options)


def write(folder, name, text):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def twins(store, tmp_path):
    """Make a store with two entities of one name, and one with a uid of its own."""
    load_entities(
        store, tmp_path, f"uid,name,type\n{KNOWN},Twin,person\n{TWIN},TWIN,person\n", "twins.csv"
    )
    return store


def counted(report):
    return {
        name: getattr(report, name)
        for name in ("created", "corrected", "duplicates", "removed", "unchanged", "rejected")
        if getattr(report, name, 0)
    }


# --- reasons -------------------------------------------------------------------------------------

HEADER = "From,Rel,To,From Entity Type,Attributes,Valid From,Valid To,Scope,op\n"

# the row that fails (line 3), column, reason, value
RELATIONS = {
    "missing_value": (",knows,Bob,,,,,,", "From", ""),
    "missing_value of a predicate": ("Ada,,Bob,,,,,,", "Rel", ""),
    "empty_name": ("Ada,knows,\u00a0\u200b,,,,,,", "To", "\u00a0\u200b"),
    "name_too_long": (f"Ada,knows,{'é' * 201},,,,,,", "To", "é" * 200),
    "bad_character": ("A\x07da,knows,Bob,,,,,,", "From", "A\x07da"),
    "empty_relation": ("Ada, ,Bob,,,,,,", "Rel", " "),
    "relation_too_long": (f"Ada,{'k' * 101},Bob,,,,,,", "Rel", "k" * 101),
    "self_reference": ("Straße,knows,STRASSE,,,,,,", "To", "STRASSE"),
    "bad_instant": ("Ada,knows,Bob,,,2020-02-30,,,", "Valid From", "2020-02-30"),
    "ambiguous_local_time": (
        "Ada,knows,Bob,,,,2021-10-31T02:30:00,,",
        "Valid To",
        "2021-10-31T02:30:00",
    ),
    "nonexistent_local_time": (
        "Ada,knows,Bob,,,2021-03-28T02:30:00,,,",
        "Valid From",
        "2021-03-28T02:30:00",
    ),
    "empty_period": (
        "Ada,knows,Bob,,,2020-01-01T01:00:00+01:00,2020-01-01T00:00:00Z,,",
        "Valid To",
        "2020-01-01T00:00:00Z",
    ),
    "bad_attributes": ('Ada,knows,Bob,,"{""a"":1,""a"":2}",,,,', "Attributes", '{"a":1,"a":2}'),
    "unknown_scope": ("Ada,knows,Bob,,,,,public,", "Scope", "public"),
    "bad_type": ("Ada,knows,Bob,9lives,,,,,", "From Entity Type", "9lives"),
    "bad_op": ("Ada,knows,Bob,,,,,,delete", "op", "delete"),
    "ambiguous_name": ("Ada,knows,twin,,,,,,", "To", "twin"),
    "unknown_uid": (f"entities/{UNKNOWN},knows,Bob,,,,,,", "From", UNKNOWN),
    "unknown_relation": ("Ada,likes,Bob,,,,,,retract", "Rel", "likes"),
    "ragged_row": ("Ada,knows,Bob", None, "Ada,knows,Bob"),
}


def test_every_reason_to_reject_a_relation(twins, tmp_path):
    """One file, each bad row between two good ones, so that each is named by its own line."""
    lines, expected = [], []
    for number, (case, (row, column, value)) in enumerate(RELATIONS.items()):
        lines += [f'"Good\n{number}",knows,Hub,,,,,,', row]
        expected.append((3 * number + 4, column, case.split(" ")[0], value))
    path = write(tmp_path, "bad.csv", HEADER + "\n".join([*lines, "Last,knows,Hub,,,,,,"]) + "\n")
    report = twins.import_relations(path, timezone="Europe/Berlin", rejects=tmp_path / "no.csv")
    found = report.rejects.rows()
    assert {row[0] for row in found} == {str(path)}
    assert [row[1:] for row in found] == expected
    assert counted(report) == {"created": len(RELATIONS) + 1, "rejected": len(RELATIONS)}
    assert report.rows == 2 * len(RELATIONS) + 1
    told = {row[2] for row in history_of(twins)}
    assert told == {*(f"Good {n}" for n in range(len(RELATIONS))), "Last"}
    # what was rejected left no entity behind
    assert {e["name"] for e in rows(twins.entities())} == {*told, "Hub", "Twin", "TWIN"}
    # and the file of rejects says the same
    with (tmp_path / "no.csv").open(encoding="utf-8", newline="") as file:
        header, *written = csv.reader(file)
    assert header == ["file", "line", "column", "reason", "value"]
    assert written == [[str(path), *("" if v is None else str(v) for v in e)] for e in expected]
    (told_in,) = rows(
        twins.sql("select rows, created, rejected from imports where kind = 'relations'")
    )
    assert told_in == {"rows": report.rows, "created": report.created, "rejected": report.rejected}


def test_bytes_and_quotes_that_cannot_be_read_reject_their_row(store, tmp_path):
    path = tmp_path / "bytes.csv"
    path.write_bytes(b'from,predicate,to\nAda,knows,B\xf6b\nAda,knows,"Bo"b\nAda,knows,Cyd\n')
    report = store.import_relations(path)
    assert [row[1:] for row in report.rejects.rows()] == [
        (2, "to", "bad_encoding", "Ada,knows,B\\xf6b"),
        (3, "to", "bad_quote", 'Ada,knows,"Bo"b'),
    ]
    assert counted(report) == {"created": 1, "rejected": 2}


def test_reasons_of_rows_with_a_recorded_instant(store, tmp_path):
    options = {"trust_recorded_at": True}
    text = "from,predicate,to,valid_from,recorded_at\n"
    load(store, tmp_path, text + "Ada,knows,Bob,2020-01-01,2022-01-01", "a.csv", **options)
    late = "Ada,knows,Cyd,2020-01-01,2021-01-01\nAda,knows,Dee,2020-01-01,2999-01-01"
    report = load(store, tmp_path, text + late, "b.csv", **options)
    assert [row[1:] for row in report.rejects.rows()] == [
        (2, "recorded_at", "backdated", "2021-01-01T00:00:00.000000Z"),
        (3, "recorded_at", "future_recorded_at", "2999-01-01T00:00:00.000000Z"),
    ]


def test_a_name_whose_uid_was_given_to_another_is_a_conflict(store, tmp_path):
    uid = names.entity_uid("bob")
    load_entities(store, tmp_path, f"uid,name\n{uid},Robert\n")
    report = load(store, tmp_path, "from,predicate,to\nAda,knows,Bob")
    assert report.rejects.rows() == [
        (str(tmp_path / "rows.csv"), 2, "to", "entity_conflict", "Bob")
    ]


ENTITIES = f"""\
id,name,type
{KNOWN},Twin,person
{TWIN},TWIN,person
{KNOWN.upper()},Twin,
,Ada,person
,Ada,robot
{KNOWN},Other,person
{KNOWN},Twin,place
,,person
,\u00a0,person
,{"x" * 201},person
,A\x07da,person
,Bob,9lives
,twin,person
not-a-uid,Cyd,person
,ada,
"""


def test_every_outcome_of_a_row_of_entities(store, tmp_path):
    report = load_entities(store, tmp_path, ENTITIES)
    assert [row[1:] for row in report.rejects.rows()] == [
        (6, "type", "entity_conflict", "robot"),
        (7, "name", "entity_conflict", "Other"),
        (8, "type", "entity_conflict", "place"),
        (9, "name", "missing_value", ""),
        (10, "name", "empty_name", "\u00a0"),
        (11, "name", "name_too_long", "x" * 200),
        (12, "name", "bad_character", "A\x07da"),
        (13, "type", "bad_type", "9lives"),
        (14, "name", "ambiguous_name", "twin"),
        (15, "id", "unknown_uid", "not-a-uid"),
    ]
    assert counted(report) == {"created": 3, "duplicates": 2, "rejected": 10}
    assert report.rows == 15
    found = {e["entity_uid"]: (e["name"], e["type"]) for e in rows(store.entities())}
    assert found == {
        KNOWN: ("Twin", "person"),
        TWIN: ("TWIN", "person"),
        names.entity_uid("ada"): ("Ada", "person"),
    }
    again = load_entities(store, tmp_path, ENTITIES, again=True)
    assert counted(again) == {"duplicates": 5, "rejected": 10}


def test_references_by_uid_and_to_entities_that_an_earlier_row_made(twins, tmp_path):
    made = names.entity_uid("ada")
    text = f"""
    from,predicate,to
    Ada,knows,entities/{KNOWN}
    {made},knows,{TWIN.upper()}
    {made},knows,ada
    """
    report = load(twins, tmp_path, text)
    assert counted(report) == {"created": 2, "rejected": 1}
    assert [row[1:4] for row in report.rejects.rows()] == [(4, "to", "self_reference")]
    assert [row[2:5] for row in history_of(twins)] == [
        ("Ada", "knows", "Twin"),
        ("Ada", "knows", "TWIN"),
    ]


# --- options -------------------------------------------------------------------------------------


def test_columns_by_map_by_alias_and_ignored(store, tmp_path):
    text = """
    Employee Name,RELATION,to_entity,Salary,recorded_at
    Ada,works at,Mill,10,2001-01-01
    """
    report = load(store, tmp_path, text, mapping={"subject": "employee name"})
    assert report.ignored_columns == ["Salary", "recorded_at"]
    (row,) = history_of(store)
    assert row[2:5] == ("Ada", "works_at", "Mill")
    assert row[8].year > 2001
    with pytest.raises(ImportAborted, match=r"'Name', mapped to 'subject', is not there"):
        load(store, tmp_path, text, mapping={"subject": "Name"})


def test_the_scope_of_a_call_holds_where_a_row_names_none(store, tmp_path):
    text = "from,predicate,to,scope\nAda,knows,Bob,\nAda,knows,Cyd,PERSONAL"
    load(store, tmp_path, text, scope="team")
    assert [row[1] for row in history_of(store)] == ["team", "personal"]


def test_exclusive_predicates(store, tmp_path):
    store.relate("Ada", "works_at", "Mill", valid_from="2019-01-01")
    store.relate("Ada", "knows", "Bob", valid_from="2019-01-01")
    text = """
    from,predicate,to,valid_from
    Ada,Works At,Dock,2021-01-01
    Ada,knows,Cyd,2021-01-01
    """
    report = load(store, tmp_path, text, exclusive=["WORKS-AT"])
    assert counted(report) == {"created": 1, "corrected": 1}
    known = [r["object"] for r in rows(store.relations("Ada", at="2022-01-01"))]
    assert sorted(known) == ["Bob", "Cyd", "Dock"]
    with pytest.raises(InvalidValue, match="a list of predicates"):
        load(store, tmp_path, text, exclusive="works_at")


@pytest.mark.parametrize("kind", ["relations", "entities"])
def test_abort_and_dry_run_write_nothing(store, tmp_path, kind):
    store.relate("Kept", "knows", "Hub")
    text = "from,predicate,to,name\nAda,knows,Bob,Ada\nAda,knows,,\n"
    path = write(tmp_path, "some.csv", text)
    call = getattr(store, f"import_{kind}")
    before, versions = state_of(store), snapshots.snapshot(store.path).versions
    with pytest.raises(ImportAborted, match="1 rows fail, nothing was written") as caught:
        call(path, on_error="abort", rejects=tmp_path / "no.parquet")
    assert caught.value.file == str(path)
    assert caught.value.rejects.height == 1
    assert pl.read_parquet(tmp_path / "no.parquet").rows() == caught.value.rejects.rows()
    report = call(path, dry_run=True)
    assert (report.dry_run, counted(report)) == (True, {"created": 1, "rejected": 1})
    assert state_of(store) == before
    assert snapshots.snapshot(store.path).versions == versions
    # neither counts as an import of the file
    assert counted(call(path)) == {"created": 1, "rejected": 1}
    assert call(path).skipped == [str(path)]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("on_error", "ignore"),
        ("timezone", "Mars/Olympus"),
        ("scope", "public"),
        ("rejects", "no.txt"),
        ("rejects", "no-such-folder/no.csv"),
        ("exclusive", [""]),
    ],
)
def test_options_that_are_refused(store, tmp_path, option, value):
    with pytest.raises(InvalidValue) as caught:
        load(store, tmp_path, "from,predicate,to\nAda,knows,Bob", **{option: value})
    assert str(value[0] if isinstance(value, list) else value) in str(caught.value)
    assert history_of(store) == []


# --- the same file again -------------------------------------------------------------------------

TEXT = "from,predicate,to,valid_from\nAda,knows,Bob,2020-01-01\nBob,knows,Cyd,2020-01-01"


def test_a_file_is_known_by_its_bytes_and_options(store, tmp_path):
    assert load(store, tmp_path, TEXT).created == 2
    copy = load(store, tmp_path, TEXT, "copy.csv")
    assert (copy.rows, copy.skipped) == (0, [str(tmp_path / "copy.csv")])
    other = {
        "scope": "team",
        "timezone": "Asia/Tokyo",
        "exclusive": ["knows"],
        "mapping": {"subject": "from"},
        "trust_recorded_at": True,
    }
    for name, value in other.items():
        report = load(store, tmp_path, TEXT, dry_run=True, **{name: value})
        assert (report.rows, report.skipped) == (2, []), name
    assert load(store, tmp_path, TEXT, scope="team").created == 2
    assert load(store, tmp_path, TEXT, scope="TEAM").skipped
    assert load(store, tmp_path, TEXT, rejects=tmp_path / "no.csv").skipped  # not one of those
    assert counted(load(store, tmp_path, TEXT, again=True)) == {"duplicates": 2}
    changed = load(store, tmp_path, TEXT + "\nCyd,knows,Dee,2020-01-01")
    assert counted(changed) == {"created": 1, "duplicates": 2}


def test_the_same_file_twice_in_one_call(store, tmp_path):
    path = write(tmp_path, "a.csv", TEXT)
    twin = write(tmp_path, "b.csv", TEXT)
    report = store.import_relations([path, path, twin])
    assert (report.rows, report.created) == (2, 2)
    assert report.skipped == [str(twin)]
    report = store.import_relations([path, twin], again=True)
    assert counted(report) == {"duplicates": 4}


# --- several files -------------------------------------------------------------------------------


def test_files_of_a_call_go_in_together_and_in_their_order(store, tmp_path):
    head = "from,predicate,to,valid_from,attributes\n"
    b = write(tmp_path, "b.csv", head + 'Ada,knows,Bob,2020-01-01,"{""n"":1}"\nAda,knows,,,\n')
    a = write(tmp_path, "a.csv", head + 'Ada,knows,Bob,2021-01-01,"{""n"":2}"\n')
    before = snapshots.snapshot(store.path).versions
    report = store.import_relations([b, a])
    after = snapshots.snapshot(store.path).versions
    assert after["relations"] == before["relations"] + 1
    assert after["imports"] == before["imports"] + 1
    assert counted(report) == {"created": 1, "corrected": 1, "rejected": 1}
    assert report.files == [str(b), str(a)]
    known = sorted((row[6].year, row[5]) for row in history_of(store))
    assert known == [(2020, '{"n":1}'), (2021, '{"n":2}')]
    told = rows(
        store.sql("select file, rows, created, corrected, rejected from imports order by all")
    )
    assert [tuple(row.values()) for row in told] == [(str(a), 1, 0, 1, 0), (str(b), 2, 1, 0, 1)]
    assert len(rows(store.sql("select distinct call_uid from imports"))) == 1
    assert len(rows(store.sql("select distinct import_uid from imports"))) == 2


def test_one_bad_file_stops_them_all(store, tmp_path):
    good = write(tmp_path, "good.csv", TEXT)
    bad = write(tmp_path, "bad.csv", "from,to\nAda,Bob\n")
    with pytest.raises(ImportAborted, match="predicate") as caught:
        store.import_relations([good, bad])
    assert caught.value.file == str(bad)
    assert state_of(store) == ([], [], [])
    assert not list(store.path.glob(".scratch*"))


def test_a_pattern_takes_files_by_name(store, tmp_path):
    for name in ("b", "a", "c"):
        write(tmp_path, f"{name}.csv", f"from,predicate,to\n{name},knows,Hub")
    report = store.import_relations(str(tmp_path / "[ab]*.csv"))
    assert report.files == [str(tmp_path / "a.csv"), str(tmp_path / "b.csv")]


# --- types ---------------------------------------------------------------------------------------


def test_a_type_that_differs_is_counted_and_not_applied(store, tmp_path):
    store.relate("Ada", "works_at", "Mill")
    text = """
    from,predicate,to,subject_type,object_type
    Ada,knows,Bob,robot,
    Bob,uses,Cyd,,tool
    Dee,prefers,Cyd,,thing
    """
    report = load(store, tmp_path, text)
    assert report.type_conflicts == 2
    assert {e["name"]: e["type"] for e in rows(store.entities())} == {
        "Ada": "person",
        "Mill": "organization",
        "Bob": "person",
        "Cyd": "tool",
        "Dee": "person",
    }


# --- formats -------------------------------------------------------------------------------------

PLAIN = [
    {"from": "Ada", "predicate": "knows", "to": "007", "valid_from": "1969-12-31T23:59:59.999999Z",
     "valid_to": None, "attributes": '{"b":1.0,"a":[1,"é"]}', "scope": "team"},
    {"from": "Zoë", "predicate": "Works At", "to": "NULL", "valid_from": "-infinity",
     "valid_to": "2030-01-01", "attributes": None, "scope": None},
    {"from": "1e5", "predicate": "knows", "to": 'a, "b"\nc', "valid_from": "2020-01-01",
     "valid_to": None, "attributes": "{}", "scope": ""},
]  # fmt: skip


def test_csv_parquet_and_json_lines_give_the_same_rows(tmp_path):
    frame = pl.DataFrame(PLAIN)
    frame.write_csv(tmp_path / "a.csv")
    frame.write_csv(tmp_path / "a.csv.zst", compression="zstd")
    frame.write_parquet(tmp_path / "a.parquet")
    lines = [json.dumps({k: v for k, v in row.items() if v is not None}) for row in PLAIN]
    write(tmp_path, "a.jsonl", "\n".join(lines))
    stored = []
    for name in ("a.csv", "a.csv.zst", "a.parquet", "a.jsonl"):
        store = empty_store(tmp_path / f"store-{name}")
        assert counted(store.import_relations(tmp_path / name)) == {"created": 3}
        found = [(*row[1:8], row[9]) for row in history_of(store)]
        uids = rows(store.sql("select relation_uid from relation_history order by version"))
        stored.append((found, uids))
    assert stored[1:] == stored[:1] * 3
    assert [row[3] for row in stored[0][0]] == ["007", "NULL", 'a, "b" c']
    assert [row[4] for row in stored[0][0]] == ['{"a":[1,"é"],"b":1}', None, None]
    assert [row[5] and row[5].isoformat() for row in stored[0][0]] == [
        "1969-12-31T23:59:59.999999+00:00",
        None,
        "2020-01-01T00:00:00+00:00",
    ]


def test_digits_below_a_microsecond_are_counted(store, tmp_path):
    frame = pl.DataFrame(
        {"from": ["A", "B"], "predicate": "knows", "to": "C", "valid_from": [-1, 0]}
    )
    frame = frame.with_columns(pl.col("valid_from").cast(pl.Datetime("ns", "UTC")))
    frame.write_parquet(tmp_path / "ns.parquet")
    assert store.import_relations(tmp_path / "ns.parquet").lost_digits == 1
    assert [row[6].isoformat() for row in history_of(store)] == [
        "1969-12-31T23:59:59.999999+00:00",
        "1970-01-01T00:00:00+00:00",
    ]


# --- disk and folders ----------------------------------------------------------------------------

LIMITED = """
    import resource, signal, sys
    import mazarbul_analytics as mz
    store = mz.Store(sys.argv[1])
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
    try:
        store.import_relations(sys.argv[2])
    except mz.StoreError as error:
        print(error)
"""


def test_a_full_disk_leaves_the_store_as_it_was(store, tmp_path):
    store.relate("Kept", "knows", "Hub")
    lines = [f"{names.entity_uid(str(n))[9:]}x,owns,{n}" for n in range(9000)]
    path = write(tmp_path, "big.csv", "\n".join(["from,predicate,to", *lines]))
    before = state_of(store)
    files = sorted(p for p in store.path.rglob("*") if p.name not in (".writer", ".lock"))
    code, out, err = python(LIMITED, store.path, path)
    assert code == 0, err
    assert "File too large" in out
    assert str(store.path) in out
    assert state_of(store) == before
    assert sorted(p for p in store.path.rglob("*") if p.name not in (".writer", ".lock")) == files
    assert store.import_relations(path).created == 9000
    assert rows(store.check()) == []


def test_a_read_only_store_is_refused_before_any_work(store, tmp_path, monkeypatch):
    access = os.access
    monkeypatch.setattr("os.access", lambda path, mode: access(path, mode) and mode != 2)
    for call in (store.import_relations, store.import_entities):
        with pytest.raises(StoreError, match="the folder is read-only"):
            call(tmp_path / "not-even-looked-for.csv")


def test_a_working_directory_in_which_nothing_can_be_made(store, tmp_path):
    path = write(tmp_path, "rows.csv", TEXT)
    code = """
        import sys
        import mazarbul_analytics as mz
        store = mz.Store(sys.argv[1])
        print(store.import_relations(sys.argv[2]).created, len(store.relations("Bob")))
        print(store.optimize()["relations"])
    """
    assert python(code, store.path, path, cwd="/proc")[:2] == (0, "2 2\n2\n")
