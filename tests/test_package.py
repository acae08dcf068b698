"""The package as it is shipped: the wheel, public names, what loads when, how imports run."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from stores import python

import mazarbul_analytics as mz

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "mazarbul_analytics"


# --- the wheel -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Build the wheel and list what is in it."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=60)
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


def tracked(*under):
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *under]
    out = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return {name for name in out.split("\0") if name and (ROOT / name).exists()}


def test_the_wheel_holds_the_sql_that_git_knows(wheel):
    inside = "mazarbul_analytics/sql/"
    held = {n.removeprefix("mazarbul_analytics/") for n in wheel.namelist() if n.startswith(inside)}
    assert held == tracked("sql")
    assert len(held) > 20
    for name in held:
        assert wheel.read(f"mazarbul_analytics/{name}") == (ROOT / name).read_bytes()


def test_the_wheel_holds_the_package_and_nothing_else(wheel):
    names = set(wheel.namelist())
    assert "mazarbul_analytics/py.typed" in names
    code = {
        n for n in names if ".dist-info/" not in n and not n.startswith("mazarbul_analytics/sql/")
    }
    assert code == tracked("mazarbul_analytics")
    (points,) = [n for n in names if n.endswith("entry_points.txt")]
    assert "mazarbul = mazarbul_analytics.cli:main" in wheel.read(points).decode()


def test_the_wheel_works_without_the_checkout(wheel, tmp_path):
    wheel.extractall(tmp_path / "site")
    code = """
        import sys
        sys.path.insert(0, sys.argv[1])
        import mazarbul_analytics as mz
        assert mz.__file__.startswith(sys.argv[1])
        store = mz.Store(sys.argv[2], create=True)
        print(store.relate("Ada", "knows", "Bob").status, len(store.relations("Ada")))
    """
    done = python(code, tmp_path / "site", tmp_path / "store", cwd=tmp_path)
    assert done[:2] == (0, "created 1\n"), done


# --- public names --------------------------------------------------------------------------------


def test_the_public_names_are_there_and_documented():
    assert mz.__all__ == sorted(mz.__all__, key=str)
    for name in mz.__all__:
        thing = getattr(mz, name)
        assert inspect.getdoc(thing), name
        assert thing.__doc__, f"{name} inherits its text"
        if inspect.isclass(thing):
            for verb, member in vars(thing).items():
                if not verb.startswith("_") and (callable(member) or isinstance(member, property)):
                    assert member.__doc__, f"{name}.{verb}"
    assert set(mz.__all__) <= set(dir(mz))
    with pytest.raises(AttributeError, match="nonsense"):
        _ = mz.nonsense


def test_every_error_is_a_mazarbul_error():
    errors = [getattr(mz, n) for n in mz.__all__ if inspect.isclass(getattr(mz, n))]
    errors = [e for e in errors if issubclass(e, Exception)]
    assert len(errors) >= 12
    assert all(issubclass(e, mz.MazarbulError) for e in errors)


@pytest.mark.parametrize(
    "path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE))
)
def test_a_module_has_a_docstring_and_says_what_is_public(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert ast.get_docstring(tree)
    if path.name == "__main__.py" or len(tree.body) == 1:  # a room's __init__ says what it holds
        return
    (found,) = [
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    ]
    defined = {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    imported = {
        a.asname or a.name for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) for a in n.names
    }
    assert set(found) <= defined | names | imported
    assert len(set(found)) == len(found)


def test_importing_the_package_loads_no_engine():
    code = """
        import sys
        import mazarbul_analytics, mazarbul_analytics.errors
        from mazarbul_analytics import MazarbulError
        print(sorted({m.partition(".")[0] for m in sys.modules} & set(sys.argv[1:])))
    """
    heavy = ["duckdb", "polars", "pyarrow", "deltalake", "pandas", "numpy", "rich", "click"]
    assert python(code, *heavy)[:2] == (0, "[]\n")


def test_reading_a_store_loads_no_frames(tmp_path):
    """Polars is for imports; pandas and pyarrow.dataset are for nobody."""
    store = mz.Store(tmp_path / "store", create=True)
    store.relate("Ada", "knows", "Bob")
    code = """
        import sys
        import mazarbul_analytics as mz
        assert len(mz.Store(sys.argv[1]).relations("Ada")) == 1
        print(sorted(set(sys.modules) & set(sys.argv[2:])))
    """
    assert python(code, store.path, "polars", "pandas", "pyarrow.dataset")[:2] == (0, "[]\n")


# --- one idea a module (which way imports run is held by the contract in pyproject.toml) ----------


def test_only_faces_talk_to_people():
    for path in PACKAGE.rglob("*.py"):
        if "cli" not in path.parts:
            words = {
                n.id
                for n in ast.walk(ast.parse(path.read_text("utf-8")))
                if isinstance(n, ast.Name)
            }
            assert not words & {"print", "click"}, path


def test_a_module_is_one_idea():
    for path in PACKAGE.rglob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 400 or path.name == "store.py"
