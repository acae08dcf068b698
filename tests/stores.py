"""Stores for tests that write to one: an empty one is made once and copied."""

from __future__ import annotations

import atexit
import functools
import shutil
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

from engine import rows

import mazarbul_analytics as mz

__all__ = ["empty_store", "history_of", "load", "python", "small_store", "started", "state_of"]


@functools.cache
def _template():
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return mz.Store(Path(folder) / "store", create=True).path


def empty_store(path):
    """Return a new empty store at `path`."""
    shutil.copytree(_template(), path)
    return mz.Store(path)


@functools.cache
def _small_template():
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    store = empty_store(Path(folder) / "store")
    store.relate("Ada", "knows", "Bob", valid_from="2020-01-01")
    return store.path


def small_store(path):
    """Return a new store at `path` that holds one relation: Ada knows Bob since 2020."""
    shutil.copytree(_small_template(), path)
    return mz.Store(path)


def load(store, folder, text, name="rows.csv", **options):
    """Import a small CSV, written to `folder` first."""
    path = folder / name
    path.write_text(textwrap.dedent(text).strip() + "\n", encoding="utf-8")
    return store.import_relations(path, **options)


def history_of(store):
    """List every version: subject, predicate, object, start, end, and when it was superseded."""
    query = """
        select version, scope, subject, predicate, object, attributes, valid_from, valid_to,
               recorded_at, superseded_at, source_event_uid
        from relation_history order by version
    """
    return [tuple(row.values()) for row in rows(store.sql(query))]


def state_of(store):
    """List every row of every table that a reader sees, imports without their times."""
    names = rows(store.sql("select entity_uid, name, type from entities order by entity_uid"))
    imports = rows(store.sql("select file, rows, created, rejected from imports order by all"))
    return history_of(store), names, imports


def started(code, *args, **options):
    """Start Python on some code in a process of its own."""
    command = [sys.executable, "-c", textwrap.dedent(code), *map(str, args)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, **(pipes | options))


def python(code, *args, **options):
    """Run Python on some code in a process of its own; return its exit code and what it wrote."""
    process = started(code, *args, **options)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err
