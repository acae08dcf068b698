"""The sequenced write: what a batch of calls supersedes, adds and adds again.

It is written in `sql/writes/`: `portions.sql` cuts the batch into stretches of valid time that do
not touch each other, `round.sql` applies one call of every stretch at a time, `number.sql` numbers
the rows. One definition serves the single call and the bulk import.
"""

from __future__ import annotations

from mazarbul_analytics.connection import Connection

__all__ = ["paint"]


def paint(connection: Connection, *, base: int) -> None:
    """Apply the calls of `ops` to the versions of `held`; both are temporary tables.

    Makes `outcomes` (`ord`, `status`: created, corrected, duplicate, removed or unchanged) and
    `numbered` (the rows to append, their versions counted up from `base` + 1).
    """
    connection.run("writes/portions.sql")
    turns = connection.scalar("select coalesce(max(turn_no), 0) from ranked")
    for turn in range(1, turns + 1):
        connection.run("writes/round.sql", turn=turn)
    connection.run("writes/number.sql", base=base)
