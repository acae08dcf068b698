"""Files to frames: what goes in, what is refused and on which line, what cannot be told."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import os
import re
import threading
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mazarbul_analytics.errors import ImportAborted, InvalidValue, StoreError
from mazarbul_analytics.files import csvfile, csvrecords
from mazarbul_analytics.files.jsonlines import parse_line
from mazarbul_analytics.files.opening import REJECTS_SCHEMA, expand, open_source

HEAD = b"from,predicate,to\n"
BOM = b"\xef\xbb\xbf"


def write(folder: Path, data: bytes, name: str = "in.csv") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def read(path: Path, rows: int = 1_000_000, **options: object) -> tuple[list, list, list]:
    """Return rows, rejects and the lines of the rows."""
    with open_source(path, **options) as source:
        frames = list(source.batches(rows))
        found = [row for frame in frames for row in frame.rows()]
        assert source.rows == len(found)
        assert source.bytes_read == source.size == path.stat().st_size
        assert source.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
        rejects = source.rejects()
        assert rejects.schema == REJECTS_SCHEMA
        return found, rejects.rows(), source.lines(range(len(found)))


def zstd(data: bytes) -> bytes:
    return pa.Codec("zstd").compress(data, asbytes=True)


CSV = {
    "LF": (HEAD + b"a,b,c\nd,e,f\n", [("a", "b", "c"), ("d", "e", "f")], [2, 3]),
    "no last line end": (HEAD + b"a,b,c\nd,e,f", [("a", "b", "c"), ("d", "e", "f")], [2, 3]),
    "CRLF": (
        b"from,predicate,to\r\na,b,c\r\nd,e,f\r\n",
        [("a", "b", "c"), ("d", "e", "f")],
        [2, 3],
    ),
    "CR": (b"from,predicate,to\ra,b,c\rd,e,f", [("a", "b", "c"), ("d", "e", "f")], [2, 3]),
    "mixed line ends": (
        b'from,predicate,to\r\na,b,"c\r\n"\nd,e,f\rg,h,i\r\r\nj,k,l\r\n',
        [("a", "b", "c\r\n"), ("d", "e", "f"), ("g", "h", "i"), ("j", "k", "l")],
        [2, 4, 5, 6],
    ),
    "CRLF with LF in quotes": (
        b'from,predicate,to\r\na,b,"c\nx"\r\nd,e,f\r\n',
        [("a", "b", "c\nx"), ("d", "e", "f")],
        [2, 4],
    ),
    "LF in the first quotes": (
        HEAD + b'"\r\n",b,c\nd,e,f\n',
        [("\r\n", "b", "c"), ("d", "e", "f")],
        [2, 4],
    ),
    "blank lines": (
        b"\n\n" + HEAD + b"\na,b,c\n\n\nd,e,f\n\n",
        [("a", "b", "c"), ("d", "e", "f")],
        [5, 8],
    ),
    "line end in a header": (b'"from\n",predicate,to\na,b,c\n', [("a", "b", "c")], [3]),
    "BOM": (BOM + b'"from",predicate,to\r\na,b,c\r\n', [("a", "b", "c")], [2]),
    "two BOMs": (BOM * 2 + b'"from",predicate,to\r\na,b,c\r\n', [("a", "b", "c")], [2]),
    "a BOM inside": (HEAD + BOM + b"a,b,c\n", [("\ufeffa", "b", "c")], [2]),
    "quotes": (HEAD + b'"a, b","the ""Mill""","\n"\n', [("a, b", 'the "Mill"', "\n")], [2]),
    "text, not numbers": (
        HEAD + b'007,1e5,10.50\n"007",NA,null\nNULL,nan,True\n-0,+7,18446744073709551617\n',
        [
            ("007", "1e5", "10.50"),
            ("007", "NA", "null"),
            ("NULL", "nan", "True"),
            ("-0", "+7", "18446744073709551617"),
        ],
        [2, 3, 4, 5],
    ),
    "comment signs": (HEAD + b"#a,b,c\n\\,b,'\n", [("#a", "b", "c"), ("\\", "b", "'")], [2, 3]),
    "NUL": (HEAD + b'"a\0b",c,d\n', [("a\0b", "c", "d")], [2]),
    "inches": (HEAD + b'5" pipe,is,c\n', [('5" pipe', "is", "c")], [2]),
    "tab": (b"from\tpredicate\tto\na,b\tc\td\n", [("a,b", "c", "d")], [2]),
    "other columns": (b"x,from,to,,rel,\n1,a,c,,b,\n", [("a", "b", "c")], [2]),
    "only a header": (HEAD, [], []),
    "only a header without line end": (HEAD.strip(), [], []),
}


@pytest.mark.parametrize("case", CSV)
def test_csv(tmp_path: Path, case: str) -> None:
    data, rows, lines = CSV[case]
    assert read(write(tmp_path, data)) == (rows, [], lines)


@pytest.mark.parametrize("cell", [b"", b'""'])
def test_an_empty_cell_is_empty_text(tmp_path: Path, cell: bytes) -> None:
    found, rejects, _ = read(write(tmp_path, HEAD + b"a,b," + cell + b"\n"))
    assert found == [("a", "b", "")]
    assert not rejects


RAGGED = "ragged_row"
REJECTS = {
    "short": (b"a,b\nc,d,e\n", [(2, None, RAGGED, "a,b")], [3]),
    "long": (b"a,b,c,d\nc,d,e\n", [(2, None, RAGGED, "a,b,c,d")], [3]),
    "one empty field too many": (b"a,b,c,\nc,d,e\n", [(2, None, RAGGED, "a,b,c,")], [3]),
    "many empty fields too many": (b"a,b,c,,,\nc,d,e\n", [(2, None, RAGGED, "a,b,c,,,")], [3]),
    "only spaces": (b"  \nc,d,e\n", [(2, None, RAGGED, "  ")], [3]),
    "last, without line end": (b"c,d,e\na,b", [(3, None, RAGGED, "a,b")], [2]),
    "a stray line end": (
        b"a,b,c\nd,e,Old\nMill\ng,h,i\n",
        [(4, None, RAGGED, "Mill")],
        [2, 3, 5],
    ),
    "after quoted line ends": (
        b'"a\n\n",b,c\nd\n\ng,"\n",i\nx,y\n',
        [(5, None, RAGGED, "d"), (9, None, RAGGED, "x,y")],
        [2, 7],
    ),
    "bad UTF-8": (
        b'a,b,c\nd\xff,e,f\n"\xc3\x28\n",h,i\nj,k,l\n',
        [(3, "from", "bad_encoding", "d\\xff,e,f"), (4, "from", "bad_encoding", '"\\xc3(\n",h,i')],
        [2, 6],
    ),
    "a stray quote": (
        b'"unesc"aped",b,c\nd,e,f\n',
        [(2, "from", "bad_quote", '"unesc"aped",b,c')],
        [3],
    ),
    "a stray quote in a short row": (
        b'a,"b"c\nd,e,f\n',
        [(2, "predicate", "bad_quote", 'a,"b"c')],
        [3],
    ),
    "a stray quote over lines": (
        b'a,"b,c\nd,"e",f\ng,h,i\n',
        [(2, "predicate", "bad_quote", 'a,"b,c\nd,"e",f')],
        [4],
    ),
}


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
@pytest.mark.parametrize("case", REJECTS)
def test_rows_are_rejected_one_by_one(tmp_path: Path, case: str, ending: bytes) -> None:
    data, rejects, lines = REJECTS[case]
    path = write(tmp_path, (HEAD + data).replace(b"\n", ending))
    _, found, places = read(path)
    shown = [(*one[:3], one[3].replace("\r\n", "\n")) for one in found]
    assert shown == rejects
    assert places == lines


def test_bad_bytes_in_an_ignored_column_reject_the_row(tmp_path: Path) -> None:
    path = write(tmp_path, b"x,from,rel,to\n\xff,a,b,c\nx,d,e,f\n")
    found, rejects, _ = read(path)
    assert found == [("d", "e", "f")]
    assert rejects == [(2, "x", "bad_encoding", "\\xff,a,b,c")]


def test_a_file_of_one_column(tmp_path: Path) -> None:
    path = write(tmp_path, b'name\nAnn\n\n""\nBo,x\n\xff\nCy\n')
    found, rejects, lines = read(path, kind="entities")
    assert found == [("Ann",), ("",), ("Cy",)]
    assert rejects == [(5, None, RAGGED, "Bo,x"), (6, "name", "bad_encoding", "\\xff")]
    assert lines == [2, 4, 7]


def test_every_broken_line_is_rejected_and_its_neighbours_stay(tmp_path: Path) -> None:
    count = 5000
    data = "".join(
        f"A{i},owns,{'Old' + chr(10) if i % 500 == 250 else ''}Mill{i},2024-01-01T00:00:00Z\n"
        for i in range(count)
    )
    path = write(tmp_path, b"from,predicate,to,valid_from\n" + data.encode())
    found, rejects, lines = read(path, rows=700)
    assert len(found) == count - 10
    assert [line for line, *_ in rejects] == [
        n for i in range(10) for n in (501 * i + 252, 501 * i + 253)
    ]
    text = data.split("\n")
    assert [text[line - 2].split(",")[0] for line in lines] == [row[0] for row in found]


def test_quoted_lines_that_look_like_rows(tmp_path: Path) -> None:
    inner = '{""m"": [\n' + "9,9,9,9,\n" * 500 + "0]}"
    data = "from,predicate,to,attributes\r\n" + "".join(
        f'P{i},wrote,D{i},"{inner if i % 2 else "{}"}"\r\n' for i in range(600)
    )
    found, rejects, lines = read(write(tmp_path, data.encode()))
    assert not rejects
    assert [row[0] for row in found] == [f"P{i}" for i in range(600)]
    assert lines[:3] == [2, 3, 505]
    assert len(json.loads(found[599][3])["m"]) == 2001


def test_long_fields_come_whole(tmp_path: Path) -> None:
    lengths = [5, 140_000, 3_200_000, 5]
    data = HEAD + b"".join(b'a,b,"' + b"y" * n + b'"\n' for n in lengths)
    found, rejects, _ = read(write(tmp_path, data))
    assert [len(row[2]) for row in found] == lengths
    assert not rejects


def test_a_record_over_the_limit_names_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csvfile, "MAX_LINE", 1 << 17)
    data = HEAD + b"a,b,c\n" * 9 + b"a,b," + b"y" * 200_000 + b"\n" + b"a,b,c\n" * 9
    with pytest.raises(ImportAborted, match="record on line 11 is longer than 64 MB"):
        read(write(tmp_path, data))


def test_huge_rows_get_more_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csvfile, "_MEMORY_LIMITS", ("1MB", "80%"))
    data = HEAD + b"".join(b"a,b,%d%s\n" % (i, b"y" * 9000) for i in range(500))
    found, _, _ = read(write(tmp_path, data))
    assert [row[2].rstrip("y") for row in found] == [str(i) for i in range(500)]


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b'a,b,c\nd,"e,f\ng,h,i\n', 3),
        (b'a,b,c\nd,e,"f', 3),
        (b'a,b,c\n"x\n",y,"z\ng,h,i\n', 4),
        (b'a,b,c\n\n"', 4),
        (b'a,"b\n' + b"c,d,e\n" * 30_000, 2),
    ],
)
@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_an_open_quote_names_its_line(
    tmp_path: Path, data: bytes, line: int, ending: bytes
) -> None:
    path = write(tmp_path, (HEAD + data).replace(b"\n", ending))
    with pytest.raises(
        ImportAborted, match=f"quote opened on line {line} is never closed"
    ) as caught:
        read(path)
    assert caught.value.file == str(path)


def test_an_open_quote_beyond_the_buffers_gives_no_rows_of_its_inside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csvfile, "MAX_LINE", 1 << 17)
    data = HEAD + b'a,"b,c\n' + b"d,e,f\n" * 200_000
    with pytest.raises(ImportAborted, match="quote opened on line 2 is never closed"):
        read(write(tmp_path, data))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (BOM, "no header"),
        (b"\n\r\n", "no header"),
        (b"from,to\na,b\n", "'predicate'.*headers are 'from', 'to'"),
        (b"from,rel,to,To\n", "'to' and 'To' are alike"),
        (b"from,rel,to,to\n", "'to' and 'to' are alike"),
        (b"# made by clerk 7\nfrom,rel,to\n", "starts with '#'"),
        (b"from;rel;to\na;b;c\n", "--delimiter ';'"),
        (b"from\nAnn\nx;y;z\n", "'predicate'"),
        (b'"from,rel,to\na,b,c\n', "quote opened on line 1, in the header"),
        (b'"from"x,rel,to\na,b,c\n', "header on line 1 cannot be read"),
        (b"fr\xf6m,rel,to\n", "not UTF-8.*--encoding"),
        ("from,rel,to\n".encode("utf-16-le"), "--encoding utf-16-le"),
        ("from,rel,to\n".encode("utf-16-be"), "--encoding utf-16-be"),
        (b"\x7fELF\x02\0\0\0\n", "text file"),
    ],
)
def test_a_table_that_cannot_be_told(tmp_path: Path, data: bytes, words: str) -> None:
    path = write(tmp_path, data)
    with pytest.raises(ImportAborted, match=words) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert caught.value.file == str(path)


@pytest.mark.parametrize("delimiter", [";", "|", r"\t", "\x01"])
def test_a_given_delimiter(tmp_path: Path, delimiter: str) -> None:
    mark = delimiter.replace(r"\t", "\t")
    path = write(tmp_path, f'from{mark}rel{mark}to\na,b{mark}"c{mark}"{mark}d\n'.encode())
    found, _, _ = read(path, delimiter=delimiter)
    assert found == [("a,b", f"c{mark}", "d")]


@pytest.mark.parametrize("delimiter", ["", ",,", '"', "\n", "é", " "])
def test_no_such_delimiter(tmp_path: Path, delimiter: str) -> None:
    with pytest.raises(InvalidValue, match="delimiter"):
        open_source(write(tmp_path, HEAD), delimiter=delimiter)


def test_folders_and_odd_paths_are_no_data(tmp_path: Path) -> None:
    folder = tmp_path / "scope=secret" / "to=Nobody [1]*?'x"
    folder.mkdir(parents=True)
    path = write(folder, b"from,predicate,to,scope\na,b,c,team\n", "a[b]?.csv")
    assert read(path)[0] == [("a", "b", "c", "team")]
    with pytest.raises(ImportAborted, match="'object'"):
        read(write(folder, b"from,predicate\na,b\n"))
    pq.write_table(pa.table({"from": ["a"], "rel": ["b"], "to": ["c"]}), folder / "a[b]?.parquet")
    assert read(folder / "a[b]?.parquet")[0] == [("a", "b", "c")]


TEXT = "from\tpredicate\tto\r\n" + "".join(
    f"Né{'x' * (i % 7)}🐉{i}\tp\tZoë\r\n" for i in range(9000)
)


@pytest.mark.parametrize(
    ("codec", "encoding"),
    [
        ("utf-16", None),
        ("utf-32", None),
        ("utf-16-be", "utf-16-be"),
        ("utf-16-le", "UTF-16-LE"),
        ("utf-8-sig", None),
        ("utf-8", "utf8"),
        ("gb18030", "gb18030"),
    ],
)
def test_encodings(tmp_path: Path, codec: str, encoding: str | None) -> None:
    found, rejects, lines = read(write(tmp_path, TEXT.encode(codec)), encoding=encoding)
    assert [row[0] for row in found] == [f"Né{'x' * (i % 7)}🐉{i}" for i in range(9000)]
    assert not rejects
    assert lines[-1] == 9001


def test_a_given_single_byte_encoding(tmp_path: Path) -> None:
    path = write(tmp_path, "from,rel,to\nZoë,b,€\n".encode("cp1252"))
    assert read(path, encoding="cp1252")[0] == [("Zoë", "b", "€")]


def test_encodings_that_fail(tmp_path: Path) -> None:
    path = write(tmp_path, b"\xff\xfe" + "from,rel,to\n".encode("utf-16-le") + b"a")
    with pytest.raises(ImportAborted, match="not readable as utf-16"):
        open_source(path)
    for name in ("klingon", "rot13", "base64"):
        with pytest.raises(InvalidValue, match="unknown encoding"):
            open_source(path, encoding=name)


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".zst", zstd)])
def test_packed_files(tmp_path: Path, suffix: str, pack: object) -> None:
    data = HEAD + b'"a\n",b,c\nd\n' + b"".join(b"x,y,%d\n" % i for i in range(50_000))
    packed = pack(data)
    found, rejects, lines = read(write(tmp_path, packed, f"in.csv{suffix}"))
    assert len(found) == 50_001
    assert rejects == [(4, None, RAGGED, "d")]
    assert lines[1] == 5
    found, _, _ = read(write(tmp_path, packed, "by_its_first_bytes.csv"))
    assert len(found) == 50_001
    found, _, _ = read(write(tmp_path, packed + pack(b"q,r,s\n"), f"two.csv{suffix}"))
    assert found[-1] == ("q", "r", "s")
    found, _, _ = read(
        write(tmp_path, pack(b'{"from":"a","rel":"b","to":"c"}'), f"in.jsonl{suffix}")
    )
    assert found == [("a", "b", "c")]
    for broken in (packed[: len(packed) // 2], packed[:-3], packed + b"garbage"):
        with pytest.raises(ImportAborted, match="damaged or cut"):
            open_source(write(tmp_path, broken, f"broken.csv{suffix}"))
    for odd in (b"", pack(b"")):
        with pytest.raises(ImportAborted, match="is empty"):
            open_source(write(tmp_path, odd, f"empty.csv{suffix}"))
    with pytest.raises(ImportAborted, match="named"):
        open_source(write(tmp_path, data, f"plain.csv{suffix}"))
    with pytest.raises(ImportAborted, match="packed Parquet"):
        open_source(write(tmp_path, packed, f"in.parquet{suffix}"))


def test_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(HEAD + b"a,b,c\n",))
    writer.start()
    with open_source(path) as source:
        assert [frame.rows() for frame in source.batches()] == [[("a", "b", "c")]]
        assert source.sha256 == hashlib.sha256(HEAD + b"a,b,c\n").hexdigest()
    writer.join()


def test_temporary_copies_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    path = write(tmp_path, TEXT.encode("utf-16"))
    source = open_source(path)
    assert len(list(folder.iterdir())) == 1
    source.close()
    assert not list(folder.iterdir())
    with pytest.raises(ImportAborted):
        open_source(write(tmp_path, "from\rto\r".encode("utf-16")))
    assert not list(folder.iterdir())
    folder.rmdir()
    with pytest.raises((StoreError, ImportAborted), match="tmp"):
        open_source(path)


def test_a_file_that_changes_meanwhile(tmp_path: Path) -> None:
    for name, data in (("in.csv", HEAD + b"a,b,c\n"), ("in.jsonl", b'{"from":1,"rel":2,"to":3}\n')):
        path = write(tmp_path, data, name)
        source = open_source(path)
        os.utime(path, ns=(1, 1))
        with pytest.raises(ImportAborted, match="changed while it was read"):
            list(source.batches())


def test_batches_keep_the_order_and_can_be_left(tmp_path: Path) -> None:
    path = write(tmp_path, HEAD + b"".join(b"a,b,%d\n" % i for i in range(150_000)))
    with open_source(path) as source:
        heights = []
        values = []
        for frame in source.batches(40_000):
            heights.append(frame.height)
            values += frame["to"].to_list()
        assert heights == [40_000, 40_000, 40_000, 30_000]
        assert values == [str(i) for i in range(150_000)]
        begun = source.batches(10)
        assert next(begun).height == 10
        begun.close()
        assert sum(frame.height for frame in source.batches()) == 150_000
        assert source.lines(pl.Series([149_999, 0, 0])) == [150_001, 2, 2]


# -- Parquet ---------------------------------------------------------------------------------------


def test_parquet_keeps_types(tmp_path: Path) -> None:
    stamps = [-1, 1_700_000_000_000_000_001]
    table = pa.table(
        {
            "from": pa.array([1, 2**62]),
            "predicate": pa.array(["p", "q"]).dictionary_encode(),
            "to": pa.array([b"b", None]),
            "attributes": pa.array([{"a": 1}, None]),
            "valid_from": pa.array(stamps, pa.timestamp("ns", "Europe/Berlin")),
            "valid_to": pa.array(stamps, pa.timestamp("ns")),
            "scope": pa.array(["project", None], pa.large_string()),
        }
    )
    path = tmp_path / "a.parquet"
    pq.write_table(table, path)
    with open_source(path) as source:
        (frame,) = source.batches()
        assert source.format == "parquet"
        assert frame.schema == {
            "from": pl.Int64,
            "predicate": pl.String,
            "to": pl.String,
            "attributes": pl.String,
            "valid_from": pl.Datetime("ns", "UTC"),
            "valid_to": pl.Datetime("ns"),
            "scope": pl.String,
        }
        assert frame["valid_from"].to_physical().to_list() == stamps
        assert frame["attributes"].to_list() == ['{"a":1}', None]
        assert source.lines([1, 0]) == [2, 1]


def test_parquet_of_relays_keeps_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(
        pa.table({"id": [b"r1", b"r\xff"], "body": [b"\xff\0", b""], "refs": [["a"], None]}), path
    )
    found, rejects, lines = read(path, kind="relays")
    assert found == [("r1", ["a"], b"\xff\0")]
    assert rejects == [(2, "id", "bad_encoding", "r\\xff")]
    assert lines == [1]


def test_parquet_rows_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    names = [b"a", b"\xff", b"c", b"\xfe", b"e", None]
    pq.write_table(pa.table({"from": names, "rel": ["p"] * 6, "to": ["x\0"] * 6}), path)
    found, rejects, lines = read(path, rows=2)
    assert found == [(one, "p", "x\0") for one in ("a", "c", "e", None)]
    assert [reject[:3] for reject in rejects] == [
        (2, "from", "bad_encoding"),
        (4, "from", "bad_encoding"),
    ]
    assert lines == [1, 3, 5, 6]


def test_parquet_of_newer_writers(tmp_path: Path) -> None:
    base = {"from": [f"A{i}" for i in range(300)], "rel": ["p"] * 300, "to": ["B"] * 300}
    rows = list(zip(*base.values(), strict=True))
    path = tmp_path / "delta.parquet"
    pq.write_table(
        pa.table(base),
        path,
        data_page_version="2.0",
        use_dictionary=False,
        column_encoding=dict.fromkeys(base, "DELTA_BYTE_ARRAY"),
        compression="zstd",
    )
    assert read(path)[0] == rows
    texts = pa.ExtensionArray.from_storage(pa.json_(), pa.array(['{"a": 1}'] * 300))
    path = tmp_path / "json.parquet"
    pq.write_table(pa.table({**base, "attributes": texts}), path)
    assert read(path)[0] == [(*row, '{"a": 1}') for row in rows]
    path = tmp_path / "future.parquet"
    pq.write_table(pa.table({**base, "zz_future": ["q"] * 300}), path, store_schema=False)
    known = b"zz_future" + bytes([0x25, 0x00, 0x4C, 0x1C, 0x00, 0x00, 0x00])
    unknown = b"zz_future" + bytes([0x25, 0x00, 0x4C, 0x9C, 0x00, 0x00, 0x00])
    data = path.read_bytes()
    assert data.count(known) == 1
    path.write_bytes(data.replace(known, unknown))
    assert read(path)[0] == rows
    assert open_source(path).resolution.ignored == ["zz_future"]


def test_damaged_parquet(tmp_path: Path) -> None:
    good = tmp_path / "good.parquet"
    pq.write_table(
        pa.table(
            {"from": [f"Ann{i}" for i in range(5000)], "rel": ["p"] * 5000, "to": ["B"] * 5000}
        ),
        good,
        compression="none",
        use_dictionary=False,
    )
    data = good.read_bytes()
    broken = bytearray(data)
    broken[200:264] = b"\xff" * 64
    for name, part in (
        ("empty.parquet", b""),
        ("cut.parquet", data[: len(data) // 2]),
        ("cut.tmp", data[: len(data) // 2]),
        ("page.parquet", bytes(broken)),
    ):
        path = write(tmp_path, part, name)
        with pytest.raises(ImportAborted, match="not readable as Parquet") as caught:
            read(path)
        assert caught.value.file == str(path)


@pytest.mark.parametrize("names", [["From", "from", "rel", "to"], ["from", "rel", "to", "to"]])
def test_parquet_headers_alike(tmp_path: Path, names: list[str]) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.Table.from_arrays([pa.array(["x"])] * 4, names=names), path)
    with pytest.raises(ImportAborted, match="are alike"):
        open_source(path)


def test_parquet_of_nested_columns_names_the_outermost(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    nested = pa.array([{"from": 1, "in": {"to": [1]}}])
    table = pa.table({"x": nested, "y": [[{"to": 1}]], "from": ["a"], "rel": ["b"], "to": ["c"]})
    pq.write_table(table, path)
    with open_source(path) as source:
        assert source.resolution.ignored == ["x", "y"]
        assert next(source.batches()).rows() == [("a", "b", "c")]


# -- JSON lines ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "members"),
    [
        ('{"a": "x", "b": null}', {"a": "x", "b": None}),
        (
            ' {"a":9007199254740993,"b":1.10, "c":-0,"d":1E2} ',
            {"a": "9007199254740993", "b": "1.10", "c": "-0", "d": "1E2"},
        ),
        ('{"a": true, "b": false}', {"a": "true", "b": "false"}),
        (
            '{"a": {"n": 9007199254740993, "k": 1, "k": 2}, "b": "{"}',
            {"a": '{"n": 9007199254740993, "k": 1, "k": 2}', "b": "{"},
        ),
        ('{"a": [1, {"b": 2.50}] , "c": "\\u00e9"}', {"a": '[1, {"b": 2.50}]', "c": "é"}),
        (
            '{"a": {"s": "\\ud800"}, "b": true, "c": 7.0}',
            {"a": '{"s": "\\ud800"}', "b": "true", "c": "7.0"},
        ),
        ('{"a": {"n": NaN}}', {"a": '{"n": NaN}'}),
        ("{}", {}),
    ],
)
def test_json_members_stay_as_written(line: str, members: dict[str, str | None]) -> None:
    assert parse_line(line) == members


@pytest.mark.parametrize(
    "line",
    [
        "[1]",
        "7",
        '"a"',
        "x",
        "{",
        '{"a": 1',
        '{"a": 1,}',
        '{"a": 1} x',
        '{"a": {}} x',
        '{"a": {},}',
        '{"a" {}}',
        "{1: {}}",
        '{"a": [}',
        '{"a": NaN}',
        '{"a": -Infinity, "b": []}',
        '{"a": 1, "a": 2}',
        '{"a": [], "a": 2}',
        '[{"a": 1}]',
    ],
)
def test_no_json_object(line: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        parse_line(line)


def test_json_lines(tmp_path: Path) -> None:
    lines = [
        b'{"from": "a", "rel": "p", "to": "b", "x": 1}',
        b"",
        b"[1, 2]",
        b'{"to": "c", "from": 7, "rel": "p", "attributes": {"n": 9007199254740993}}\r',
        b'{"from": "a", "rel": "p", "to": "\xff"}',
        b'{"from": "a", "from": "b", "rel": "p", "to": "c"}',
        b'{"from": "\\ud800", "rel": "p", "to": "c"}',
        b'{"from": "z\\ud83d\\udc09", "rel": "p", "to": null}',
        b'{"attributes": ' + b"[" * 200_000,
    ]
    path = write(tmp_path, BOM + b"\n".join(lines), "in.jsonl")
    found, rejects, places = read(path, rows=2)
    assert found == [
        ("a", "p", "b", None),
        ("7", "p", "c", '{"n": 9007199254740993}'),
        ("z🐉", "p", None, None),
    ]
    assert places == [1, 4, 8]
    assert [reject[:3] for reject in rejects] == [
        (3, None, RAGGED),
        (5, None, "bad_encoding"),
        (6, None, RAGGED),
        (7, "from", "bad_encoding"),
        (9, None, RAGGED),
    ]
    assert rejects[1][3].endswith('"\\xff"}')
    assert rejects[3][3] == "\\ud800"
    assert open_source(path).resolution.ignored == ["x"]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "no JSON object"),
        (b'[{"from": "a"}]', "one JSON array"),
        (b'{"from": "a"}\n', "'predicate'"),
        (b'{"from": "a", "rel": "p", "to": "b"}\n{"From": "a"}\n', "are alike"),
        ('{"from": "a"}'.encode("utf-16-le"), "--encoding"),
    ],
)
def test_json_lines_that_cannot_be_told(tmp_path: Path, data: bytes, words: str) -> None:
    with pytest.raises(ImportAborted, match=words):
        open_source(write(tmp_path, data, "in.jsonl"))


def test_json_lines_by_their_first_sign(tmp_path: Path) -> None:
    path = write(tmp_path, b' {"from": "a", "rel": "p", "to": "b"}', "in.txt")
    assert read(path)[0] == [("a", "p", "b")]


# -- names of files --------------------------------------------------------------------------------


def test_expand(tmp_path: Path) -> None:
    for name in ("b.csv", "a.csv", "c[1].csv", "c1.csv", "x*.csv"):
        write(tmp_path, HEAD, name)
    (tmp_path / "d.csv").mkdir()

    def names(*given: str) -> list[str]:
        return [path.name for path in expand([tmp_path / one for one in given])]

    assert names("b.csv", "a.csv") == ["b.csv", "a.csv"]
    assert names("[ab].csv") == ["a.csv", "b.csv"]
    assert names("c[1].csv") == ["c[1].csv"]
    assert names("x*.csv") == ["x*.csv"]
    assert names("b.csv", "*.csv") == ["b.csv", "a.csv", "c1.csv", "c[1].csv", "x*.csv"]
    assert expand(tmp_path / "a.csv") == [tmp_path / "a.csv"]
    for missing in ("none.csv", "n*.csv"):
        with pytest.raises(ImportAborted, match=re.escape(missing)):
            names(missing)
    with pytest.raises(ImportAborted, match="a folder; name its files"):
        names("d.csv")
    with pytest.raises(ImportAborted, match="none"):
        open_source(tmp_path / "none.csv")


# -- random files ----------------------------------------------------------------------------------

CELL = st.text(st.sampled_from('ab,"\n\r é'), max_size=6)
ROWS = st.lists(st.tuples(CELL, CELL, CELL), max_size=8)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    rows=ROWS,
    ending=st.sampled_from(["\n", "\r\n"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_what_csv_writers_write_comes_back(
    tmp_path: Path, rows: list[tuple[str, str, str]], ending: str, quoting: int
) -> None:
    out = io.StringIO()
    if any(
        "\r" in cell for row in rows for cell in row
    ):  # which the writer of older Pythons leaves bare
        quoting = csv.QUOTE_ALL
    writer = csv.writer(out, lineterminator=ending, quoting=quoting)
    writer.writerow(["from", "predicate", "to"])
    lines = []
    for row in rows:
        lines.append(out.getvalue().count("\n") + 1)
        writer.writerow(row)
    path = write(tmp_path, out.getvalue().encode())
    assert read(path) == (rows, [], lines)


@settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(body=st.text(st.sampled_from('ab,,""\n\n\r ,é\x01'), max_size=40))
def test_no_record_is_lost_or_counted_twice(tmp_path: Path, body: str) -> None:
    """Whatever stands in the file: each record is a row or a reject, or the file is refused."""
    path = write(tmp_path, HEAD + body.encode().replace(b"\x01", b"\xff"))
    try:
        found, rejects, lines = read(path)
    except ImportAborted as error:
        assert "never closed" in str(error)  # noqa: PT017
        return
    with open_source(path) as source, source._records() as records:
        assert len(found) + len(rejects) == records.count()
    places = sorted(lines + [line for line, *_ in rejects])
    assert len(set(places)) == len(places)


def test_places_in_small_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csvrecords, "_BLOCK", 16)
    data = HEAD + b'a,b,c\n\nlong enough for two blocks,b,c\n"x\n",b,c\nr\nd,e,f\n\n\ng,h,i'
    _, rejects, lines = read(write(tmp_path, data))
    assert lines == [2, 4, 5, 8, 11]
    assert [line for line, *_ in rejects] == [7]
