# `make help` lists the targets. Everything runs in .venv, made from requirements/*.txt; PYTHON=… chooses its Python.
VENV := .venv
PY := $(VENV)/bin/python
SHELL := /bin/sh
CORES := $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 1)
# More workers than there are cores, because tests wait for processes; those of editors and browsers mostly wait, and only
# `make test` runs them. WORKERS=… chooses the number.
QUICK_WORKERS = $(or $(WORKERS),$(shell expr $(CORES) + 1))
ALL_WORKERS = $(or $(WORKERS),$(shell expr $(CORES) + 2))
# Tests start hundreds of processes, and each would otherwise compile all of uncuda again.
unexport PYTHONDONTWRITEBYTECODE
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup demo rule target test quick all-tests quick-tests lint format types generate check-generated bench fuzz witness test-execution test-execution-full wheel vsix vscode screenshots pycharm lock clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | awk -F'\t' '{ printf "  make %-20s %s\n", $$1, $$2 }'

setup: ## make .venv with everything the tests need
	@server/scripts/setup dev

demo: ## show findings and the diff for both accelerators on examples/train
	@server/scripts/setup run
	@server/scripts/demo

rule: setup ## begin a rule: make rule NAME
	@$(PY) server/scripts/scaffold.py rule $(NAME)

target: setup ## begin an accelerator: make target ID
	@$(PY) server/scripts/scaffold.py target $(NAME)

test: lint ## everything this machine can check; what CI runs
	@$(MAKE) --no-print-directory -j 3 types check-generated all-tests || $(FAILED)

quick: lint ## the inner loop: no large packages, nothing slow
	@$(MAKE) --no-print-directory -j 3 types check-generated quick-tests || $(FAILED)

# The tests run in parallel with the other checks, so make's own error message may be far above the end of the output.
FAILED = { echo "make $@: failed; a line above with '***' names each check that did" >&2; exit 1; }

all-tests: setup
	@$(PY) -m pytest -n $(ALL_WORKERS) $(PYTEST_ARGS)

quick-tests: setup
	@$(PY) -m pytest -n $(QUICK_WORKERS) -m "not slow and not corpus and not network" $(PYTEST_ARGS)

lint: setup ## ruff
	@$(PY) -m ruff check --quiet .
	@$(PY) -m ruff format --quiet --check .

format: setup ## let ruff format and repair
	@$(PY) -m ruff check --fix-only --quiet .
	@$(PY) -m ruff format .

types: setup ## mypy --strict
	@$(PY) -m mypy --no-error-summary

generate: setup ## write the generated files anew
	@server/scripts/generate

check-generated: setup ## fail if a generated file is stale
	@server/scripts/generate --check

bench: setup ## CPU time and memory beside ruff on large packages (BENCH_ARGS="--json FILE")
	@$(PY) tests/bench/run.py $(BENCH_ARGS)

fuzz: setup ## random input of every kind for MINUTES (10; SEED, KIND and CASE repeat what was found)
	@PYTHONPATH=tests $(PY) -m fuzz --minutes $(or $(MINUTES),10) $(if $(SEED),--seed $(SEED)) $(if $(KIND),--kind $(KIND)) $(if $(CASE),--case $(CASE))

witness: setup ## what `uncuda fix` leaves half in the pinned packages (WITNESS_ARGS="--packages mmcv --list"; --write)
	@PYTHONPATH=tests $(PY) -m support.witness $(WITNESS_ARGS)

test-execution: setup ## port programs and run them on a simulated NPU and MUSA (needs 6 GB for PyTorch, Linux)
	@tests/execution/setup
	@PYTHONPATH=tests:server $(PY) -m execution $(EXECUTION_ARGS)
	@$(if $(EXECUTION_ARGS),,PYTHONPATH=tests:server $(PY) -m execution.helper && PYTHONPATH=tests:server $(PY) -m execution.portable)

test-execution-full: setup ## the same for every version of the plugins, with mutants (EXECUTION_ARGS=--write)
	@tests/execution/setup
	@PYTHONPATH=tests:server $(PY) -m execution --full $(EXECUTION_ARGS)

wheel: setup ## build the sdist and the wheel into dist/
	@$(PY) -m build --no-isolation --outdir dist

vsix: ## build the VS Code extension, with the server inside, into vscode-extension/dist/uncuda.vsix
	@vscode-extension/scripts/package

vscode: setup ## VS Code in the browser, with the extension and a copy of examples/ open (VSCODE_ARGS="--locale zh-cn")
	@PYTHONPATH=tests $(PY) -m e2e.vscode.serve $(VSCODE_ARGS)

screenshots: setup ## take the pictures of VS Code that READMEs show
	@PYTHONPATH=tests $(PY) -m e2e.vscode.screenshots

pycharm: ## build the PyCharm plugin into pycharm-plugin/dist/
	@server/scripts/pycharm

lock: ## choose versions anew and write requirements/*.txt (LOCK_ARGS=--upgrade)
	@server/scripts/lock.sh $(LOCK_ARGS)

clean: ## remove everything that the targets made
	rm -rf $(VENV) .cache dist build vscode-extension/node_modules vscode-extension/bundle vscode-extension/dist
	rm -rf pycharm-plugin/dist pycharm-plugin/target pycharm-plugin/*/target .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +

# In `make rule NAME` and `make target ID`, the second word is an argument and not a target of make.
ifneq ($(filter rule target,$(firstword $(MAKECMDGOALS))),)
NAME := $(word 2,$(MAKECMDGOALS))
ifneq ($(NAME),)
.PHONY: $(NAME)
$(NAME): ; @:
endif
endif
