# The commands of this repository; `make` alone lists them.

VENV ?= .venv
PYTHON ?=
JOBS ?= 2
# Where a benchmark outside this clone may lie; `make bench` runs its evaluate.py.
BENCH ?= ../shared/bench
PYTEST_ARGS ?=

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install -q --disable-pip-version-check
# As pip does for all but editable installs: else every start compiles the sources where Python may not write bytecode.
COMPILE := $(BIN)/python -m compileall -q src
WITH_VENV := PATH="$(abspath $(BIN)):$$PATH"

.DEFAULT_GOAL := help
.PHONY: help demo test check-format lint types laws tests map format hostile power bench benchmarks clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.stamp-demo ## collide the worked example, three rate limiters that are all green
	@$(WITH_VENV) sh examples/rate_limiter/demo.sh

test: $(VENV)/.stamp-test ## format, lint, types, import laws, tests: all that must hold
	@$(MAKE) --no-print-directory check-format
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory types
	@$(MAKE) --no-print-directory laws
	@$(MAKE) --no-print-directory tests

check-format: $(VENV)/.stamp-dev
	$(BIN)/ruff format --check .

lint: $(VENV)/.stamp-dev
	$(BIN)/ruff check .

types: $(VENV)/.stamp-dev
	$(BIN)/mypy

laws: $(VENV)/.stamp-dev
	$(WITH_VENV) lint-imports --no-cache --no-logo

tests: $(VENV)/.stamp-test
	$(WITH_VENV) python -m pytest -n $(JOBS) -m "not power and not agents and not hostile_full" $(PYTEST_ARGS)

map: $(VENV)/.stamp-dev ## rewrite ARCHITECTURE.md from the modules' docstrings
	$(BIN)/python tools/architecture.py

format: $(VENV)/.stamp-dev ## format the code and apply the safe fixes of the linter
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

hostile: $(VENV)/.stamp-test ## only the cases that try to break out or to forge a verdict
	$(WITH_VENV) python -m pytest -n $(JOBS) -m "hostile or hostile_full" $(PYTEST_ARGS)

power: $(VENV)/.stamp-test ## does a budget still find each planted flaw? (minutes)
	$(WITH_VENV) python -m pytest -n $(JOBS) -m power $(PYTEST_ARGS)

bench: $(VENV)/.stamp-demo ## run the benchmark outside this clone, if it is there (BENCH=DIR)
	@if [ -f "$(BENCH)/evaluate.py" ]; then \
		$(WITH_VENV) python "$(BENCH)/evaluate.py" $(BENCH_ARGS); \
	else \
		echo "no benchmark: looked for $(BENCH)/evaluate.py; name its folder with make bench BENCH=DIR"; \
	fi

benchmarks: $(VENV)/.stamp-test ## ratios against other tools, run on demand
	@for script in benchmarks/*.py; do $(WITH_VENV) python "$$script" || exit 1; done

clean: ## remove the environment, caches and build products
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .coverage .coverage.*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.stamp-venv:
	@python=$$(sh tools/python.sh $(PYTHON)) && { [ -x $(BIN)/python ] || "$$python" -m venv $(VENV); }
	@touch $@

$(VENV)/.stamp-demo: $(VENV)/.stamp-venv pyproject.toml
	@echo "pqa: installing into $(VENV)" && $(PIP) -e .
	@$(COMPILE)
	@sh tools/bubblewrap.sh $(VENV)
	@touch $@

$(VENV)/.stamp-dev: $(VENV)/.stamp-venv pyproject.toml
	@echo "pqa: installing the development tools into $(VENV)" && $(PIP) -e '.[dev]'
	@$(COMPILE)
	@touch $@

$(VENV)/.stamp-test: $(VENV)/.stamp-dev
	@sh tools/bubblewrap.sh $(VENV) --no-system
	@touch $@
