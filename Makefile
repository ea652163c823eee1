# `make demo`, `make test` and `make reproduce` set up all they need on a machine that has Python 3.11+ and make.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/ready

.PHONY: demo test reproduce lint bench clean

demo: $(READY)
	$(BIN)/anonymizer demo --out results/demo

test: $(READY)
	$(BIN)/pytest -n auto

reproduce: $(READY)
	$(BIN)/python -m experiments.adult
	$(BIN)/anonymizer reproduce prasser2016 --out reproduced/prasser2016

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(READY)
	$(BIN)/python -m experiments.benchmark

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) reproduced .mypy_cache .ruff_cache .pytest_cache build dist
