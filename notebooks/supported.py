"""Which releases were supported on a day, as known on another: an app of marimo over the door."""

import marimo

__generated_with = "0.25.2"
app = marimo.App(app_title="Supported releases")


@app.cell(hide_code=True)
def _(mo):
    mo.md("""
    # Supported releases

    A row is a release of Debian or Ubuntu that was supported **at** the one day, as it was known
    **as of** the other. All times are UTC.
    """)
    return


@app.cell
def _():
    import tempfile

    import duckdb
    import marimo as mo

    import mazarbul_analytics as mz

    # a store of the sample data; put the path of your own in its place
    store = mz.Store(f"{tempfile.mkdtemp()}/store", create=True)
    store.import_relations(
        mo.notebook_dir().parent / "data" / "lifetimes.csv", trust_recorded_at=True
    )
    door = store.path / "catalog.duckdb"
    return door, duckdb, mo, store


@app.cell
def _(mo):
    at = mo.ui.date(value="2026-06-20", label="at")
    as_of = mo.ui.date(value="2025-09-01", label="as of")
    renew = mo.ui.button(label="read again")
    mo.hstack([at, as_of, renew], justify="start")
    return as_of, at, renew


@app.cell
def _(door, duckdb, renew):
    _ = renew  # a click runs this cell, and what depends on it
    connection = duckdb.connect()
    connection.execute("set TimeZone = 'UTC'")
    _path = str(door).replace("'", "''")
    connection.execute(f"attach '{_path}' as door (read_only)")
    connection.execute("use door")
    return (connection,)


@app.cell
def _(as_of, at, connection, mo):
    # values are bound, as everywhere
    supported = connection.sql(
        """
        select subject, object, cast(valid_to as date) as until
        from relations_at($at, $as_of)
        where predicate = 'supported_by'
        order by subject
        """,
        params={"at": at.value, "as_of": as_of.value},
    ).pl()
    mo.ui.table(supported, selection=None)
    return (supported,)


@app.cell
def _(connection, mo):
    # a query without values may be a cell of SQL
    lengths = mo.sql(
        """
        select predicate, count(*) as relations, max(stints) as most_stints
        from relation_durations
        group by all
        order by predicate
        """,
        engine=connection,
    )
    return (lengths,)


if __name__ == "__main__":
    app.run()
