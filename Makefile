# One line per target; `make demo` and `make test` need only Python 3.11+, git and make.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
DEMO ?= build/demo

.PHONY: demo test test-outside bench docs clean

demo: $(VENV)/ok          ## make a store of the sample data and show the tour
	@$(BIN)/python tools/demo.py $(DEMO)

test: $(VENV)/ok          ## lint, type check, and every test that needs only Python
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest

test-outside: $(VENV)/ok  ## the tests that need chromium, promtool (prometheus) or postgresql
	$(BIN)/python -m pytest -m "browser or service"

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

clean:
	rm -rf $(VENV) build dist
