# Two commands do everything on a fresh machine with Python >= 3.11 and a C++ compiler: make demo, make test.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
CORE   := $(wildcard src/oracledp/_core/*.hpp src/oracledp/_core/*/*.hpp src/oracledp/_core/*/*.cpp)
CPP    := $(CORE) tests/audit/broken_trees.cpp benchmarks/oracles/bandwidth.cpp

.PHONY: demo docs wheel test check sanitize audit mutants format clean

$(VENV)/.ready: pyproject.toml setup.py $(CORE)
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "oracledp needs Python 3.11 or newer")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[test]"
	touch $@

$(VENV)/.spark: $(VENV)/.ready
	if command -v java >/dev/null; then $(BIN)/python -m pip install --quiet "oracledp[spark]" \
	|| echo "pyspark could not be installed: its tests are skipped"; fi
	touch $@

$(VENV)/.demo: pyproject.toml setup.py $(CORE)
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "oracledp needs Python 3.11 or newer")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile --editable ".[demo]"
	touch $@

demo: $(VENV)/.demo  ## learn a private rule from a real public table, and draw it
	$(BIN)/oracledp demo --report demo.html

docs: $(VENV)/.ready  ## the documentation site in build/site, with every notebook executed; no network is used
	$(BIN)/python -m pip install --quiet "oracledp[docs]"
	$(BIN)/python docs/tools/reference.py
	$(BIN)/python docs/tools/notebooks.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "open build/site/index.html"

wheel: $(VENV)/.ready  ## a portable wheel and the sdist in dist, tried in an empty environment without a compiler
	.ci/wheel $(BIN)/python

test: check $(VENV)/.spark  ## static checks, then every test but the slow ones, which `make audit` runs
	$(BIN)/python -m pytest -n 2 -m "not slow"

check: $(VENV)/.ready  ## formatting, lint, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/clang-format --dry-run --Werror $(CPP)
	$(BIN)/mypy
	$(BIN)/codespell

sanitize: $(VENV)/.ready  ## the compiled core under ASan and UBSan, built apart
	.ci/sanitize full $(BIN)/python

audit: $(VENV)/.ready  ## every tier of the audit, broken mechanisms, sanitizers, the machine-checked proofs
	$(BIN)/python -m pytest -m slow
	$(BIN)/oracledp audit --tier all
	$(BIN)/oracledp audit --mutants
	.ci/sanitize full $(BIN)/python
	@if command -v coqc >/dev/null; then $(MAKE) -s -C proofs/formal check; \
	else echo "coqc is not installed: the machine-checked proof was not checked"; fi

mutants: $(VENV)/.ready  ## change every source on the privacy path in one place at a time: the tests must notice
	$(BIN)/python tests/mutants/run.py --find-judges
	$(BIN)/python tests/mutants/run.py --count 400
	$(BIN)/python tests/mutants/core.py --count 60

format: $(VENV)/.ready
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/clang-format -i $(CPP)

clean:
	rm -rf $(VENV) build dist src/*.egg-info src/oracledp/_engine*.so
