"""The writers' queue: one writer of a machine at a time."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from mazarbul_analytics.errors import StoreError, WriterBusy
from mazarbul_analytics.rules.switches import lock_timeout

__all__ = ["writer"]


@contextlib.contextmanager
def writer(root: Path) -> Iterator[None]:
    """Hold the store's lock: one writer of this machine at a time, first come first served.

    Waits as long as `MAZARBUL_LOCK_TIMEOUT` says (seconds, default 300); the system frees the
    lock of a process that dies. Raises `WriterBusy`, which names the holder.
    """
    from filelock import FileLock, Timeout  # noqa: PLC0415 - readers never need it

    limit = lock_timeout()
    note = root / ".writer"
    lock = FileLock(str(root / ".lock"), timeout=limit)
    try:
        lock.acquire()
    except Timeout as error:
        with contextlib.suppress(OSError):
            holder = note.read_text(encoding="utf-8")
            raise WriterBusy(
                f"another writer holds {root}: {holder} (waited {limit:g} s)\n"
                "Try again when it is done, or wait longer with MAZARBUL_LOCK_TIMEOUT=SECONDS.",
                holder=holder,
            ) from error
        raise WriterBusy(f"another writer holds {root} (waited {limit:g} s)") from error
    except OSError as error:
        raise StoreError(f"cannot write to {root}: {error.strerror or error}") from error
    try:
        with contextlib.suppress(OSError):
            since = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            note.write_text(f"process {os.getpid()} since {since}", encoding="utf-8")
        yield
    finally:
        lock.release()
