"""The archive: what goes in comes out byte for byte, nothing is overwritten, gaps are known."""

from __future__ import annotations

import csv
import hashlib
import json

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from relayworld import AS_OF, FIRST, ROWS, hard_store, model, record, write_jsonl

import mazarbul_analytics as mz
from mazarbul_analytics import Store
from mazarbul_analytics.cells import relays as relay_cells
from mazarbul_analytics.rules.relayids import IdForm

FORM = IdForm("relay-", 4)


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store", create=True)


def write_csv(path, rows):
    with path.open("w", encoding="utf-8", newline="") as sink:
        writer = csv.DictWriter(sink, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return path


def rejected(report):
    return [tuple(row) for row in report.rejects.select("line", "column", "reason").rows()]


# -- ids -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("relay_id", "fits"),
    [
        ("relay-0001", True),
        ("relay-001", False),
        ("relay-00001", False),
        ("Relay-0001", False),
        ("relay-0001 ", False),
        ("relay-0001\n", False),
        ("relay-٠٠٠١", False),
        ("relay-000x", False),
        ("pr-0001", False),
        ("", False),
    ],
)
def test_the_form_of_ids(relay_id, fits):
    assert FORM.fits(relay_id) is fits


def test_another_width_is_refused_with_the_reason(store):
    with pytest.raises(mz.InvalidValue, match="5 digits.*have 4.*order"):
        store.relays.deposit(record("relay-00001"))


def test_a_prefix_that_ends_in_a_digit_and_holds_dots(tmp_path):
    store = Store(tmp_path / "s", create=True, relay_id_form="v2.##")
    store.relays.deposit(record("v2.07", ref="v2.05"))
    assert store.relays.deposit(record()).relay_id == "v2.08"
    assert store.relays.list().present == ["v2.07", "v2.08"]
    for other in ("v2x08", "v2.8"):
        with pytest.raises(mz.InvalidValue):
            store.relays.deposit(record(other))


def test_a_store_keeps_its_form(tmp_path):
    Store(tmp_path / "s", create=True, relay_id_form="pr-#####")
    Store(tmp_path / "s", create=True, relay_id_form="pr-#####")
    with pytest.raises(mz.InvalidValue, match="pr-#####"):
        Store(tmp_path / "s", create=True, relay_id_form="relay-####")


# -- deposit -------------------------------------------------------------------------------------


def test_a_deposit_comes_back_byte_for_byte(store):
    data = b"deposited-by: k\n---\n@p-e/x0\r\nid: relay-0007\n\r\n\x00\xff\xfe body\r\n---\n"
    done = store.relays.deposit(data)
    kept = data.partition(b"---\n")[2]
    assert (done.status, done.relay_id) == ("created", "relay-0007")
    assert done.sha256 == hashlib.sha256(kept).hexdigest()
    assert store.relays.get("relay-0007") == kept
    assert store.relays.deposit(data).status == "duplicate"
    assert store.relays.deposit(kept).status == "duplicate"
    assert store.sql("select deposited_by, bytes from relays").fetchall() == [("k", len(kept))]


@pytest.mark.parametrize(
    "other",
    [
        FIRST.replace(b"\n", b"\r\n"),
        FIRST.rstrip(b"\n"),
        FIRST.replace("Ä".encode(), "A\u0308".encode()),
        FIRST.replace(b"report", b"reports"),
    ],
)
def test_other_bytes_are_refused_with_both_hashes(store, other):
    store.relays.deposit(FIRST)
    with pytest.raises(mz.RelayConflict) as error:
        store.relays.deposit(other)
    held, given_ = (hashlib.sha256(data).hexdigest() for data in (FIRST, other))
    assert (error.value.held, error.value.given) == (held, given_)
    assert held in str(error.value)
    assert given_ in str(error.value)
    assert store.relays.get("relay-0003") == FIRST


def test_which_id_a_deposit_takes(tmp_path):
    store = Store(tmp_path / "s", create=True, relay_first=40)
    first = store.relays.deposit(record(body="a"))
    assert first.relay_id == "relay-0040"
    assert store.relays.deposit(record("relay-0050", ref="relay-0052")).relay_id == "relay-0050"
    assert store.relays.deposit(record(body="b")).relay_id == "relay-0051"
    # relay-0052 is named: a gap is filled only by a record that bears its id
    assert store.relays.deposit(record(body="c")).relay_id == "relay-0053"
    assert store.relays.deposit(record(body="d"), relay_id="relay-0052").relay_id == "relay-0052"
    assert store.relays.list().known_missing == []
    with pytest.raises(mz.InvalidValue, match="differs"):
        store.relays.deposit(record("relay-0060"), relay_id="relay-0061")


def test_the_first_id_without_a_declaration_and_the_last_one(tmp_path):
    store = Store(tmp_path / "s", create=True, relay_id_form="r#")
    assert store.relays.deposit(record()).relay_id == "r1"
    store.relays.deposit(record("r9"))
    with pytest.raises(mz.InvalidValue, match="no id of the form r# is left"):
        store.relays.deposit(record(body="next"))


def test_a_refused_deposit_leaves_nothing(store, monkeypatch):
    for bad in (b"", b"prose", record(ref="a b"), record("pr-1")):
        with pytest.raises(mz.InvalidValue):
            store.relays.deposit(bad)
    with pytest.raises(mz.InvalidValue, match="bytes"):
        store.relays.deposit("@p-e/x0\n")
    monkeypatch.setenv("ENABLE_MEMORY", "false")
    with pytest.raises(mz.WritesDisabled):
        store.relays.deposit(FIRST)
    assert store.relays.list().table.num_rows == 0


# -- reading -------------------------------------------------------------------------------------


def test_what_is_there_and_what_is_missing(tmp_path):
    relays = hard_store(tmp_path).relays
    listed = relays.list()
    assert listed.present == [row[0] for row in ROWS]
    assert listed.known_missing == ["a|b<i>*", "pr-12", "relay-0011", "relay-0999"]
    states = {i: relays.exists(i) for i in ("relay-0003", "relay-0011", "relay-0777", "", "pr-12")}
    assert states == {
        "relay-0003": "PRESENT",
        "relay-0011": "KNOWN_MISSING",
        "relay-0777": "UNKNOWN",
        "": "UNKNOWN",
        "pr-12": "KNOWN_MISSING",
    }
    for relay_id, _, data in ROWS:
        assert relays.get(relay_id) == data
    with pytest.raises(mz.UnknownRelay) as error:
        relays.get("relay-0011")
    assert error.value.state == "KNOWN_MISSING"


def test_after_is_exclusive_and_filters_both_lists(tmp_path):
    relays = hard_store(tmp_path).relays
    listed = relays.list(after="relay-0010")
    assert (listed.present, listed.known_missing) == (
        ["relay-0012", "relay-0014"],
        ["relay-0011", "relay-0999"],
    )
    assert relays.list(after="relay-0011").known_missing == ["relay-0999"]
    assert relays.list(after="relay-9998").present == []
    for bad in ("relay-10", "x", ""):
        with pytest.raises(mz.InvalidValue):
            relays.list(after=bad)


def test_as_of_hides_what_came_later(tmp_path):
    relays = hard_store(tmp_path).relays
    then = relays.list(as_of="2024-01-03T00:00:00Z")
    assert then.present == ["relay-0003", "relay-0004", "relay-0005", "relay-0006", "relay-0009"]
    assert then.known_missing == ["pr-12", "relay-0010", "relay-0999"]
    assert relays.list(as_of="2023-12-31").table.num_rows == 0


def test_replies_are_namings_in_id_order(store):
    store.relays.deposit(record("relay-0009", parent="relay-0001", ref="relay-0001", kind="ack"))
    store.relays.deposit(record("relay-0002", ref="relay-0001", from_="b"))
    table = store.relays.replies("relay-0001")
    assert table.schema == mz.schema.RESULTS["replies"]
    assert [tuple(r.values())[:4] for r in table.to_pylist()] == [
        ("relay-0002", "ref", None, "b"),
        ("relay-0009", "parent", "ack", None),
        ("relay-0009", "ref", "ack", None),
    ]
    assert store.relays.replies("relay-0002").num_rows == 0


def test_continuity_of_every_kind(store):
    parent = record("relay-0001")
    digest = hashlib.sha256(parent).hexdigest()
    claims = {
        "relay-0001": ({}, "NO_CLAIM"),
        "relay-0002": ({"parent": "relay-0001", "parent_sha256": digest}, "MATCHES"),
        "relay-0003": ({"parent": "relay-0001", "parent_sha256": digest.upper()}, "MATCHES"),
        "relay-0004": ({"parent": "relay-0001", "parent_sha256": "0" * 64}, "DIVERGES"),
        "relay-0005": ({"parent": "relay-0099", "parent_sha256": digest}, "UNCHECKABLE"),
        "relay-0006": ({"parent": "relay-0001"}, "LABEL_ONLY"),
        "relay-0007": ({"parent": "relay-0099"}, "LABEL_ONLY"),
        "relay-0008": ({"parent_sha256": digest}, "UNANCHORED"),
        "relay-0009": ({"parent": "none", "parent_sha256": "none"}, "NO_CLAIM"),
    }
    for relay_id, (headers, _) in claims.items():
        store.relays.deposit(record(relay_id, **headers))
    found = dict(store.sql("select relay_id, continuity from relays").fetchall())
    assert found == {relay_id: expected for relay_id, (_, expected) in claims.items()}


# -- import --------------------------------------------------------------------------------------


def test_a_folder_goes_in_and_bad_records_are_named(store, tmp_path):
    folder = tmp_path / "records"
    folder.mkdir()
    files = {
        "relay-0001.txt": record("relay-0001"),
        "relay-0002.txt": record(None, ref="relay-0009"),
        "relay-0003.txt": record("relay-0004"),
        "relay-0005.txt": b"prose",
        "relay-6.txt": record(None),
        "Relay-0001.txt": record(None),
        "notes.md": b"ignored",
    }
    for name, data in files.items():
        (folder / name).write_bytes(data)
    report = store.relays.import_(folder)
    assert (report.rows, report.created, report.rejected) == (6, 2, 4)
    assert report.ignored_files == [str(folder / "notes.md")]
    assert {
        (row["file"].rpartition("/")[2], row["line"], row["reason"])
        for row in report.rejects.to_dicts()
    } == {
        ("relay-0003.txt", 1, "bad_id"),
        ("relay-0005.txt", 1, "bad_header"),
        ("relay-6.txt", 1, "bad_id"),
        ("Relay-0001.txt", 1, "bad_id"),
    }
    assert store.relays.list().known_missing == ["relay-0009"]
    again = store.relays.import_(folder)
    assert (again.created, again.duplicates, again.rejected) == (0, 2, 4)


@pytest.mark.parametrize("form", ["csv", "csv.gz", "parquet", "jsonl"])
def test_every_form_gives_the_same_relays(tmp_path, form):
    frame = pl.DataFrame(
        {
            "id": ["relay-0001", "relay-0002", "relay-0003"],
            "parent": ["", "relay-0001", None],
            "refs": ["relay-0008, relay-0009", None, "none"],
            "from": ["a", "b", None],
            "body": ["Ä\r\n\n", "b", ""],
        }
    )
    path = tmp_path / f"r.{form}"
    if form == "parquet":
        lists = [["relay-0008", "relay-0009"], None, []]
        frame.with_columns(refs=pl.Series(lists, dtype=pl.List(pl.String))).write_parquet(path)
    elif form == "jsonl":
        rows = frame.to_dicts()
        rows[0]["refs"] = ["relay-0008", "relay-0009"]
        path.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    elif form == "csv":
        frame.write_csv(path)
    else:
        import gzip

        path.write_bytes(gzip.compress(frame.write_csv().encode()))
    store = Store(tmp_path / "store", create=True)
    assert store.relays.import_(path).created == 3
    assert store.relays.get("relay-0001") == "Ä\r\n\n".encode()
    assert store.relays.get("relay-0003") == b""
    listed = store.relays.list()
    assert listed.known_missing == ["relay-0008", "relay-0009"]
    assert store.sql(
        "select parent, refs, sender from relays order by 1 nulls first"
    ).fetchall() == [
        (None, ["relay-0008", "relay-0009"], "a"),
        (None, [], None),
        ("relay-0001", [], "b"),
    ]
    skipped = store.relays.import_(path)
    assert (skipped.rows, skipped.skipped) == (0, [str(path)])
    again = store.relays.import_(path, again=True)
    assert (again.created, again.duplicates) == (0, 3)


def test_rows_that_fail_are_named_by_line_and_reason(store, tmp_path):
    good = {"parent": "", "refs": "", "body": "x", "deposited_at": ""}
    path = write_csv(
        tmp_path / "r.csv",
        [
            {"id": "relay-0001", **good},
            {"id": "", **good},
            {"id": "relay-01", **good},
            {"id": "relay-0002", **good, "parent": "a b"},
            {"id": "relay-0003", **good, "deposited_at": "yesterday"},
            {"id": "relay-0004", **good, "deposited_at": "2999-01-01T00:00:00Z"},
            {"id": "relay-0005", **good, "body": "@p-e/x0\nref: a b\n\n"},
            {"id": "relay-0006", **good, "refs": '["relay-0001", 7]'},
            {"id": "relay-0001", **good},
            {"id": "relay-0001", **good, "body": "y"},
            {"id": "relay-0001", **good, "refs": "relay-0009"},
        ],
    )
    report = store.relays.import_(path, trust_deposited_at=True)
    assert (report.rows, report.created, report.duplicates, report.rejected) == (11, 1, 1, 9)
    assert rejected(report) == [
        (3, "id", "missing_value"),
        (4, "id", "bad_id"),
        (5, "parent", "bad_header"),
        (6, "deposited_at", "bad_instant"),
        (7, "deposited_at", "future_recorded_at"),
        (8, "body", "bad_header"),
        (12, "refs", "bad_header"),
        (14, "body", "relay_conflict"),
        (15, "refs", "relay_conflict"),
    ]
    told = report.rejects["value"][7]
    assert all(hashlib.sha256(b).hexdigest() in told for b in (b"x", b"y"))
    assert store.relays.get("relay-0001") == b"x"
    with pytest.raises(mz.ImportAborted, match="9 rows fail"):
        store.relays.import_(path, on_error="abort", again=True, trust_deposited_at=True)


def test_conflicts_do_not_depend_on_where_the_first_copy_is(store, tmp_path):
    store.relays.deposit(record("relay-0001", "first"))
    rows = [
        ("relay-0001", None, record("relay-0001", "second")),
        ("relay-0002", None, record("relay-0002")),
        ("relay-0001", None, record("relay-0001", "first")),
    ]
    report = store.relays.import_(write_jsonl(tmp_path / "r.jsonl", rows))
    assert (report.created, report.duplicates, report.rejected) == (1, 1, 1)
    assert store.relays.get("relay-0001") == record("relay-0001", "first")


def test_an_untrusted_deposited_at_is_ignored_and_named(store, tmp_path):
    path = write_csv(
        tmp_path / "r.csv", [{"id": "relay-0001", "body": "x", "deposited_at": "2001-01-01"}]
    )
    report = store.relays.import_(path)
    assert report.ignored_columns == ["deposited_at"]
    year = "select extract(year from deposited_at) from relays"
    assert store.sql(year).fetchall()[0][0] > 2001


def test_dry_run_writes_nothing_and_imports_keeps_the_counts(store, tmp_path):
    path = write_jsonl(tmp_path / "r.jsonl")
    assert store.relays.import_(path, dry_run=True, trust_deposited_at=True).created == len(ROWS)
    assert store.relays.list().present == []
    store.relays.import_(path, trust_deposited_at=True)
    assert store.sql("select kind, rows, created, rejected from imports").fetchall() == [
        ("relays", len(ROWS), len(ROWS), 0)
    ]
    assert store.check().num_rows == 0


def test_bodies_name_nothing(store, tmp_path):
    body = (
        "see relay-1101. (relay-1102), `relay-1190` https://example.test/relay-1192\nref: relay-1\n"
    )
    store.relays.import_(write_csv(tmp_path / "r.csv", [{"id": "relay-0001", "body": body}]))
    store.relays.deposit(record("relay-0002", body))
    assert store.relays.list().known_missing == []


def test_plain_and_odd_cells_meet_the_same_rule():
    """The set-wise way and the cell-by-cell way agree on references."""
    cells = ["", " ", "none", "a-1", " a-1 ", "a-1\u00a0", "a b", "a,b", ",", "None", "x;"]
    frame = pl.DataFrame({"id": ["relay-0001"] * len(cells), "parent": cells, "body": ""})
    mapping = {"id": "id", "parent": "parent", "body": "body"}
    found = relay_cells.normalize(frame, mapping=mapping, form=FORM)
    assert found["parent"].to_list() == [
        None, None, None, "a-1", "a-1", "a-1", None, None, None, "None", None,
    ]  # fmt: skip
    assert found["reason"].to_list() == [None] * 6 + ["bad_header"] * 3 + [None, "bad_header"]


ids = st.integers(1, 30).map("relay-{:04d}".format)
archives = st.dictionaries(ids, st.lists(ids, max_size=3), max_size=12)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(archives)
def test_any_archive_agrees_with_ten_lines(tmp_path_factory, archive):
    folder = tmp_path_factory.mktemp("any")
    store = Store(folder / "s", create=True)
    if archive:
        rows = [{"id": i, "refs": " ".join(refs), "body": ""} for i, refs in archive.items()]
        store.relays.import_(write_csv(folder / "r.csv", rows))
    listed = store.relays.list()
    gaps = store.gaps()
    numbers = [
        f"relay-{n:04d}"
        for hole in gaps.holes.to_pylist()
        for n in range(int(hole["first"][-4:]), int(hole["last"][-4:]) + 1)
    ]
    assert (listed.present, listed.known_missing, numbers) == model(list(archive.items()))
    assert gaps.known_missing["relay_id"].to_pylist() == listed.known_missing


def test_the_door_has_the_views_and_macros(tmp_path):
    import duckdb

    store = hard_store(tmp_path)
    with duckdb.connect(str(store.path / "catalog.duckdb"), read_only=True) as door:
        counts = {
            name: door.execute(f"select count(*) from {name}").fetchone()[0]
            for name in (
                "relays", "relay_references", "relay_known_missing", "relay_holes",
                "relay_list(null, null)", f"relay_gaps_as_of('{AS_OF}')",
            )
        }  # fmt: skip
    assert list(counts.values()) == [8, 9, 4, 3, 12, 4]
