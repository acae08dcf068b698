# One line per target; `make demo` and `make test` need only Python 3.11+, git and make.
PYTHON ?= python3
VENV ?= .venv
BI_VENV ?= .venv-bi
BIN = $(VENV)/bin
DEMO ?= build/demo
WORKERS ?= auto

.PHONY: demo test test-outside test-bi bench docs clean

demo: $(VENV)/ok          ## make a store of the sample data and show the tour
	@$(BIN)/python tools/demo.py $(DEMO)

test: $(VENV)/ok          ## lint, type check, and every test that needs only Python
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/mypy
	$(BIN)/python -m pytest -n $(WORKERS) --maxprocesses 8 --dist worksteal

test-outside: $(VENV)/ok  ## the tests that need chromium, promtool (prometheus) or postgresql
	$(BIN)/python -m pytest -m "browser or service" -n $(WORKERS) --maxprocesses 8 --dist worksteal

test-bi: $(VENV)/ok $(BI_VENV)/ok  ## the door held open by a real Apache Superset, and by the oldest DuckDB
	BI_VENV=$(BI_VENV) $(BIN)/python -m pytest -m bi

bench: $(VENV)/ok         ## speed as ratios against a baseline in the same run
	$(BIN)/python -m pytest -m benchmark -s

docs: $(VENV)/ok          ## write the generated parts of the docs again
	$(BIN)/python tools/write_cli_reference.py
	$(BIN)/python tools/write_sql_reference.py
	$(BIN)/python tools/write_console_blocks.py

$(VENV)/ok: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -e ".[dev]"
	@touch $@

$(BI_VENV)/ok: tests/bi/requirements.txt tests/bi/constraints.txt
	$(PYTHON) -m venv $(BI_VENV)
	$(BI_VENV)/bin/python -m pip install --quiet --no-compile -r tests/bi/requirements.txt -c tests/bi/constraints.txt
	$(BI_VENV)/bin/python -m pip install --quiet --no-compile --no-deps --upgrade --target $(BI_VENV)/duckdb-oldest duckdb==1.2.2
	@touch $@

clean:
	rm -rf $(VENV) $(BI_VENV) build dist
