"""Golden bytes of every format over a table of hard types, and how files are written."""

from __future__ import annotations

import csv
import io
import json
import os
from datetime import date
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click import UsageError

from mazarbul_analytics.cli import formats, output, tableview
from mazarbul_analytics.cli.output import Output

NAN, INF = float("nan"), float("inf")
MAX = 2**63 - 1


def us(*values, tz="UTC", unit="us"):
    return pa.array(values, pa.int64()).cast(pa.timestamp(unit, tz=tz))


HARD = pa.table(
    {
        "text": pa.array(['a "b", c', "", "line\nend", None]),
        "whole": pa.array([9007199254740993, -1, 0, None], pa.int64()),
        "decimal": pa.array(["1.50", "-0.01", "12345678901234567890", None]).cast(
            pa.decimal128(38, 2)
        ),
        "float": pa.array([0.1, NAN, -INF, None]),
        "short": pa.array([0.1, 1e30, INF, None], pa.float32()),
        "flag": pa.array([True, False, True, None]),
        "instant": us(1_551_441_600_000_000, -1, 1_551_441_600_500_000, None, tz="Etc/UTC"),
        "naive": us(0, 1_000, 999, None, tz=None, unit="ns"),
        "far": us(MAX, -MAX, 253_402_300_800_000_000, None),
        "day": pa.array([date(2024, 2, 29), date(1, 1, 1), date(9999, 12, 31), None]),
        "time": pa.array([0, 1, 86_399_999_999, None], pa.int64()).cast(pa.time64("us")),
        "span": pa.array(
            [
                pa.MonthDayNano([14, 3, 1_500_000_000]),
                pa.MonthDayNano([0, 0, 0]),
                pa.MonthDayNano([0, 0, -1_000]),
                None,
            ],
            pa.month_day_nano_interval(),
        ),
        "length": pa.array([1_500, -1_000, 0, None], pa.int64()).cast(pa.duration("ms")),
        "bytes": pa.array([b"\x00\xff", b"", b"@p-e", None]),
        "list": pa.array([[1, None], [], [3], None]),
        "struct": pa.array([{"a": 1, "b": "x"}, {"a": None, "b": None}, {"a": 2, "b": "y"}, None]),
        "map": pa.array(
            [[("k", 1.5)], [], [("é", None)], None], pa.map_(pa.string(), pa.float64())
        ),
        "fixed": pa.array([[1, 2], [3, 4], [5, 6], None], pa.list_(pa.int8(), 2)),
        "word": pa.array(["x", "y", "x", None]).dictionary_encode(),
        "nothing": pa.nulls(4),
        "attributes": pa.array(['{"n":123456789012345678901}', "{}", "no json", None]),
    }
)

JSONL = (
    '{"text":"a \\"b\\", c","whole":9007199254740993,"decimal":1.50,"float":0.1,"short":0.1,'
    '"flag":true,"instant":"2019-03-01T12:00:00Z","naive":"1970-01-01T00:00:00",'
    '"far":"infinity","day":"2024-02-29","time":"00:00:00","span":"P14M3DT1.500000S",'
    '"length":"PT1.500000S","bytes":"AP8=","list":[1,null],"struct":{"a":1,"b":"x"},'
    '"map":{"k":1.5},"fixed":[1,2],"word":"x","nothing":null,'
    '"attributes":{"n":123456789012345678901}}\n'
    '{"text":"","whole":-1,"decimal":-0.01,"float":"NaN","short":1e+30,"flag":false,'
    '"instant":"1969-12-31T23:59:59.999999Z","naive":"1970-01-01T00:00:00.000001",'
    '"far":"-infinity","day":"0001-01-01","time":"00:00:00.000001","span":"PT0S",'
    '"length":"PT-1S","bytes":"","list":[],"struct":{"a":null,"b":null},"map":{},'
    '"fixed":[3,4],"word":"y","nothing":null,"attributes":{}}\n'
    '{"text":"line\\nend","whole":0,"decimal":12345678901234567890.00,"float":"-Infinity",'
    '"short":"Infinity","flag":true,"instant":"2019-03-01T12:00:00.500000Z",'
    '"naive":"1970-01-01T00:00:00.000000999","far":"+010000-01-01T00:00:00Z",'
    '"day":"9999-12-31","time":"23:59:59.999999","span":"PT-0.000001S","length":"PT0S",'
    '"bytes":"QHAtZQ==","list":[3],"struct":{"a":2,"b":"y"},"map":{"é":null},"fixed":[5,6],'
    '"word":"x","nothing":null,"attributes":"no json"}\n'
    '{"text":null,"whole":null,"decimal":null,"float":null,"short":null,"flag":null,'
    '"instant":null,"naive":null,"far":null,"day":null,"time":null,"span":null,"length":null,'
    '"bytes":null,"list":null,"struct":null,"map":null,"fixed":null,"word":null,'
    '"nothing":null,"attributes":null}\n'
).encode()

CSV = (
    "text,whole,decimal,float,short,flag,instant,naive,far,day,time,span,length,bytes,list,"
    "struct,map,fixed,word,nothing,attributes\r\n"
    '"a ""b"", c",9007199254740993,1.50,0.1,0.1,true,2019-03-01T12:00:00Z,1970-01-01T00:00:00,'
    "infinity,2024-02-29,00:00:00,P14M3DT1.500000S,PT1.500000S,AP8=,"
    '"[1,null]","{""a"":1,""b"":""x""}","{""k"":1.5}","[1,2]",x,,'
    '"{""n"":123456789012345678901}"\r\n'
    '"",-1,-0.01,NaN,1e+30,false,1969-12-31T23:59:59.999999Z,1970-01-01T00:00:00.000001,'
    '-infinity,0001-01-01,00:00:00.000001,PT0S,PT-1S,"",[],"{""a"":null,""b"":null}",{},"[3,4]",'
    "y,,{}\r\n"
    '"line\nend",0,12345678901234567890.00,-Infinity,Infinity,true,2019-03-01T12:00:00.500000Z,'
    "1970-01-01T00:00:00.000000999,+010000-01-01T00:00:00Z,9999-12-31,23:59:59.999999,"
    'PT-0.000001S,PT0S,QHAtZQ==,[3],"{""a"":2,""b"":""y""}","{""é"":null}","[5,6]",x,,no json\r\n'
    ",,,,,,,,,,,,,,,,,,,,\r\n"
).encode()

PEOPLE = pa.table({"name": ["Jeff", "Zoë\u200b", "a\x1b[31m\nb"], "n": [1, 20, None]})


def names_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def written(form: str, table: pa.Table, tmp_path: Path) -> bytes:
    path = tmp_path / "out"
    Output(form, str(path)).rows(table)
    assert names_in(tmp_path) == ["out"]
    return path.read_bytes()


def test_jsonl(tmp_path):
    assert written("jsonl", HARD, tmp_path) == JSONL


def test_json(tmp_path):
    lines = JSONL.decode().splitlines()
    assert written("json", HARD, tmp_path) == ("[\n" + ",\n".join(lines) + "\n]\n").encode()
    json.loads(written("json", HARD, tmp_path))


def test_csv(tmp_path):
    assert written("csv", HARD, tmp_path) == CSV
    rows = list(csv.reader(io.StringIO(CSV.decode(), newline=""), strict=True))
    assert {len(row) for row in rows} == {HARD.num_columns}


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_slices_and_chunks_are_written_alike(tmp_path, form):
    whole = written(form, HARD, tmp_path)
    parts = pa.concat_tables([HARD.slice(0, 1), HARD.slice(1, 2), HARD.slice(3)])
    assert written(form, parts, tmp_path) == whole
    tail = written(form, HARD.slice(2), tmp_path).splitlines()
    assert tail[-1] == whole.splitlines()[-1]
    assert written(form, HARD.to_reader(max_chunksize=1), tmp_path) == whole


@pytest.mark.parametrize(
    ("form", "golden"), [("json", b"[]\n"), ("jsonl", b""), ("csv", b"name,n\r\n")]
)
def test_no_rows(tmp_path, form, golden):
    assert written(form, PEOPLE.slice(0, 0), tmp_path) == golden


def test_csv_of_one_column_has_no_empty_line(tmp_path):
    assert written("csv", pa.table({"a": ["x", None]}), tmp_path) == b'a\r\nx\r\n""\r\n'


def test_parquet(tmp_path):
    path = tmp_path / "out.parquet"
    Output(None, str(path)).rows(HARD)
    found = pq.read_table(path)
    assert found.column_names == HARD.column_names
    assert found.num_rows == HARD.num_rows
    assert found.schema.field("instant").type == pa.timestamp("us", tz="UTC")
    assert found.column("whole").equals(HARD.column("whole"))
    assert found.column("decimal")[2].as_py() == Decimal("12345678901234567890.00")
    assert found.column("span").to_pylist()[0] == "P14M3DT1.500000S"


def test_parquet_keeps_rows_in_order_without_rows_too(tmp_path):
    path = tmp_path / "out.parquet"
    Output(None, str(path)).rows(PEOPLE.slice(0, 0))
    assert pq.read_table(path).schema.equals(PEOPLE.schema)


TWICE = pa.Table.from_arrays([pa.array([1]), pa.array([2]), pa.array([3])], ["a", "a_1", "a"])


def test_columns_with_one_name_stay_apart(tmp_path):
    assert written("jsonl", TWICE, tmp_path) == b'{"a":1,"a_1":2,"a_2":3}\n'


def test_table_escapes_what_does_not_show(tmp_path):
    assert written("table", PEOPLE, tmp_path).decode() == (
        "name              n\n"
        "───────────────────\n"
        "Jeff              1\n"
        "Zoë\\u200b        20\n"
        "a\\u001b[31m\\nb\n"
    )


def test_table_marks_up_nothing(tmp_path):
    table = pa.table({"a": ["[bold]x[/bold]", ":smile:"]})
    assert written("table", table, tmp_path).decode().split() == [
        "a", "─" * 14, "[bold]x[/bold]", ":smile:",
    ]  # fmt: skip


def test_a_narrow_terminal_leaves_out_uids_first():
    table = pa.table({"subject_uid": ["u" * 36], "subject": ["Jeff"], "object_uid": ["v" * 36]})
    text, left_out = tableview.render(formats.rows_of(table), width=60, colour=False)
    assert left_out == ["subject_uid"]
    assert "Jeff" in text
    assert "v" * 36 in text
    whole, left_out = tableview.render(formats.rows_of(table), width=None, colour=False)
    assert left_out == []
    assert "u" * 36 in whole


def test_a_cell_that_is_too_wide_is_folded_not_cut():
    table = pa.table({"a": ["x" * 50]})
    text, _ = tableview.render(formats.rows_of(table), width=20, colour=False)
    assert text.count("x") == 50
    assert max(map(len, text.splitlines())) <= 20


def test_a_mapping_stands_upright_in_a_table(tmp_path):
    info = {"path": "x", "tables": {"relations": {"rows": 3}}, "newest": None}
    assert written("table", info, tmp_path).decode().splitlines()[2:] == [
        "path                    x",
        "tables.relations.rows   3",
        "newest",
    ]


def test_a_mapping_is_one_row(tmp_path):
    assert written("json", {"a": 1, "b": None}, tmp_path) == b'[\n{"a":1,"b":null}\n]\n'


@pytest.mark.parametrize(
    ("form", "path", "found"),
    [
        ("csv", "x.json", "csv"),
        (None, "x.CSV", "csv"),
        (None, "x.ndjson", "jsonl"),
        (None, "x.txt", "table"),
        (None, "x.parquet", "parquet"),
        (None, "x", "jsonl"),
        (None, None, "jsonl"),
        (None, "-", "jsonl"),
    ],
)
def test_which_format(monkeypatch, form, path, found):
    monkeypatch.setattr("sys.stdout", io.StringIO())
    assert Output(form, path).form == found


def test_a_terminal_gets_a_table(monkeypatch):
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr("sys.stdout", terminal)
    assert Output().form == "table"
    assert Output("csv").form == "csv"


@pytest.mark.parametrize("path", [None, "-"])
def test_parquet_needs_a_file(path):
    with pytest.raises(UsageError, match="-o FILE"):
        Output("parquet", path)


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text("old")

    def batches():
        yield PEOPLE.to_batches()[0]
        raise RuntimeError

    reader = pa.RecordBatchReader.from_batches(PEOPLE.schema, batches())
    with pytest.raises(RuntimeError):
        Output(None, str(path)).rows(reader)
    assert path.read_text() == "old"
    assert names_in(tmp_path) == ["out.csv"]


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "there").mkdir()
    link = tmp_path / "out.csv"
    link.symlink_to(tmp_path / "there" / "real.csv")
    Output(None, str(link)).rows(PEOPLE)
    assert link.is_symlink()
    assert names_in(tmp_path / "there") == ["real.csv"]


def test_a_device_is_not_replaced():
    with output.replacing(Path(os.devnull)) as sink:
        sink.write(b"x")
    assert not Path(os.devnull).is_file()


def test_an_error_names_the_file_that_was_asked_for(tmp_path):
    path = tmp_path / "none" / "out.csv"
    with pytest.raises(FileNotFoundError) as found, output.replacing(path):
        pass
    assert found.value.filename == str(path)
