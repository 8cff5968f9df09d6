# Everything installs what it needs into .venv; the second time that takes no time.
PYTHON ?= python3
BIN := .venv/bin
.DEFAULT_GOAL := help

help: ## what there is
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | while IFS="$$(printf '\t')" read -r name what; do printf '  make %-6s %s\n' "$$name" "$$what"; done

demo: .venv/ready ## one word in six sentences, then a tagger with and without ELMo
	@$(BIN)/elmo-bench demo

test: lint ## style, types and every test
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses=auto --dist=loadfile

lint: .venv/ready ## style and types alone
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: .venv/ready ## how fast the biLM runs on this machine (about three minutes)
	$(BIN)/elmo-bench speed

.venv/ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed, $(PYTHON) is older: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@echo "Installing into .venv (once; about a minute) …"
	@$(PYTHON) -m venv .venv
	@$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	@touch $@

.PHONY: help demo test lint bench
