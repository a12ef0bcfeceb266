# On a machine with Python 3.11 or later, make and pip:
#   make run     sets everything up, parses text, and shows arctree on the paper's sentence
#   make test    sets everything up and runs ruff, mypy --strict and the tests
#   make explore opens the explorer in the browser
#   make study   does the paper's study in small: seven systems on a little language, two minutes once installed
#   make bench   measures the core against its peers (ARCTREE_DATA names the treebanks)

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
SENTENCE := examples/book.conllu
TEXT := "Book me the morning flight. She wants to know when it leaves."

.PHONY: run explore study test format bench pictures clean

run: $(VENV)/.installed
	@echo '$$ arctree parse --text $(TEXT) --to table' && $(BIN)/arctree parse --text $(TEXT) --to table
	@echo '$$ arctree draw $(SENTENCE) --view arcs' && $(BIN)/arctree draw $(SENTENCE) --view arcs
	@echo '$$ arctree draw $(SENTENCE) --view tree' && $(BIN)/arctree draw $(SENTENCE) --view tree
	@echo '$$ arctree derive $(SENTENCE)' && $(BIN)/arctree derive $(SENTENCE)
	@echo '$$ arctree convert $(SENTENCE)' && $(BIN)/arctree convert $(SENTENCE)
	@echo && echo '$$ arctree convert $(SENTENCE) | arctree recover -' \
	  && $(BIN)/arctree convert $(SENTENCE) | $(BIN)/arctree recover -
	@echo '$$ arctree verify --max-length 5' && $(BIN)/arctree verify --max-length 5

explore: $(VENV)/.installed-web
	$(BIN)/arctree serve

study: $(VENV)/.installed-study
	$(BIN)/arctree study examples/study/toy.toml

test: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	OMP_NUM_THREADS=1 $(BIN)/pytest -n auto --dist loadgroup

format: $(VENV)/.installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.installed-bench
	$(BIN)/python benchmarks/core.py
	$(BIN)/python benchmarks/chains.py

pictures: $(VENV)/.installed
	for view in arcs tree derivation; do \
	  $(BIN)/arctree draw $(SENTENCE) --view $$view --to svg -o docs/images/$$view.svg; done

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "arctree needs Python 3.11 or later")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(BIN)/python pyproject.toml constraints.txt
	$(PIP) --editable .
	@touch $@

$(VENV)/.installed-web: $(VENV)/.installed
	$(PIP) --editable '.[web]'
	@touch $@

# Torch first, in the version of the constraints: what depends on it would fetch another.
$(VENV)/.installed-study: $(VENV)/.installed
	$(PIP) torch
	$(PIP) --editable '.[train,stanza]'
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(PIP) torch
	$(PIP) --editable '.[dev]'
	@touch $@

$(VENV)/.installed-bench: $(VENV)/.installed-dev
	$(PIP) --editable '.[dev,bench]'
	@touch $@

clean:
	rm -rf $(VENV) dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis
