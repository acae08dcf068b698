"""The sequenced write: what a batch of calls supersedes, adds and adds again.

It is written in `sql/writes/`: `portions.sql` cuts the batch into stretches of valid time that do
not touch each other, `round.sql` applies one call of every stretch at a time, `settle.sql` writes
down what a transaction instant changed, `number.sql` numbers the rows. One definition serves the
single call and the bulk import.
"""

from __future__ import annotations

from mazarbul_analytics.engine.connection import Connection

__all__ = ["paint"]

FEW = 5000


def paint(connection: Connection, *, base: int) -> None:
    """Apply the calls of `ops` to the versions of `held`; both are temporary tables.

    Makes `outcomes` (`ord`, `status`: created, corrected, duplicate, removed or unchanged) and
    `numbered` (the rows to append, their versions counted up from `base` + 1).
    """
    connection.run("writes/portions.sql")
    turns = connection.rows(
        "select turn_no, count(*), bool_or(settles) from ranked group by turn_no order by turn_no"
    )
    threads = connection.scalar("select current_setting('threads')")
    for turn, calls, settles in turns:
        # handing few rows from thread to thread costs more than it saves
        connection.execute(f"set threads = {threads if calls > FEW else 1}")
        connection.run("writes/round.sql", turn=turn)
        if settles:
            connection.run("writes/settle.sql")
    connection.execute(f"set threads = {threads}")
    connection.run("writes/number.sql", base=base)
