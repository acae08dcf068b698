"""The generated set: ROWS relations between ROWS / 5 entities, a half of them with an end."""

import os

import duckdb

ROWS = int(float(os.environ.get("MAZARBUL_BENCH_ROWS", "1e6")))


def write_csv(path, rows=ROWS):
    """Write the set as CSV (about 69 bytes a row); the same rows at every call."""
    entities = max(rows // 10, 10)
    duckdb.sql(f"""
        copy (
            select
                'Person ' || lpad(cast(hash(i * 7 + 1) % {entities} as varchar), 7, '0') as "from",
                ['works_at', 'knows', 'part_of', 'uses', 'reports_to', 'manages', 'prefers',
                    'created'][1 + cast(hash(i * 11 + 3) % 8 as bigint)] as relation,
                'Thing ' || lpad(cast(hash(i * 13 + 5) % {entities} as varchar), 7, '0') as "to",
                strftime(timestamp '2000-01-01'
                    + to_seconds(cast(hash(i * 17 + 7) % 600000000 as bigint)),
                    '%Y-%m-%dT%H:%M:%SZ') as valid_from,
                case when hash(i * 19 + 9) % 2 = 0 then strftime(timestamp '2019-01-08'
                    + to_seconds(cast(hash(i * 23 + 9) % 300000000 as bigint)),
                    '%Y-%m-%dT%H:%M:%SZ') end as valid_to
            from range({rows}) as r(i)
        ) to '{path}' (format csv, header)
    """)
