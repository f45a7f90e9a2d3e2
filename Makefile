# make site | make pdf | make test | make quick | make lint | make serve | make update | make lock | make clean
# Linux without a GPU: TORCH_INDEX chooses PyTorch's CPU wheels (see README.md).
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready
JUDGES := $(VENV)/.judges
PIP    := $(BIN)/python -m pip --disable-pip-version-check
PYTEST := $(BIN)/python -m pytest -q --numprocesses 2 --dist loadfile
# One thread a worker: small tensors gain nothing from more, and wait where other programs run.
ALONE  := OMP_NUM_THREADS=1
# The plainest CPU code; oneDNN's too, or where there is AMX torch packs bfloat16, then refuses it.
PLAIN  := ATEN_CPU_CAPABILITY=default ONEDNN_MAX_CPU_ISA=SSE41
# Another machine: plain, with two threads, the pages in an order of this day.
OTHER  := $(PLAIN) OMP_NUM_THREADS=2 OMP_WAIT_POLICY=passive
ORDER  := --no-loadscope-reorder --shuffle-pages $(shell date +%j)
INDEX  := $(if $(TORCH_INDEX),--extra-index-url $(TORCH_INDEX))
# Files, and the folders of docs, whose time changes when a page is removed.
BOOK   := $(shell find docs; find attention literate -name '*.py')

export NO_MKDOCS_2_WARNING = 1
# Compiled files are kept, whatever the caller says: each worker imports everything.
export PYTHONDONTWRITEBYTECODE =
.PHONY: site pdf test quick lint lint-code lint-pages serve update lock clean
.DELETE_ON_ERROR:

site: site/index.html

site/index.html: $(READY) mkdocs.yml $(BOOK)
	$(BIN)/python -m literate build --site-dir site
	$(BIN)/python -m literate export --site-dir site
	@touch $@

# The whole book on paper: needs Chromium or Chrome.
pdf: site
	$(BIN)/python -m literate pdf

# The pages a second time as on another machine: no digit may depend on it, nor on their order.
# The tests of the package run with every shape annotation checked at every call.
test: lint
	$(ALONE) $(PYTEST) -m "not typed"
	$(ALONE) $(PYTEST) -m typed --jaxtyping-packages=attention,beartype.beartype tests/package
	$(OTHER) $(PYTEST) $(ORDER) README.md docs

# What an author runs all day: the pages, and the package but what takes long. In this order: a
# long page that is begun last would be waited for.
quick: lint
	$(ALONE) $(PYTEST) --no-loadscope-reorder -m "not slow" docs README.md attention tests/package

# Side by side: 11 s in the place of 14.
lint: $(JUDGES)
	@$(MAKE) --no-print-directory --jobs 2 lint-code lint-pages

lint-code:
	$(BIN)/ruff format --check --quiet attention literate tests benchmarks
	$(BIN)/ruff check --quiet attention literate tests benchmarks
	$(BIN)/basedpyright --level error

lint-pages:
	$(BIN)/python -m literate lint
	$(BIN)/python -m literate words

serve: $(READY)
	$(BIN)/python -m literate serve

update: $(READY)
	$(BIN)/ruff format --quiet --preview --line-length 76 README.md docs
	$(BIN)/python -m literate bibliography
	$(BIN)/python -m pytest -q --update-docs README.md docs
	$(PLAIN) OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q --update-spread README.md docs
	$(BIN)/python -m literate break
	$(BIN)/python -m literate count

# What the site serves of the npm packages. Node.js comes from PyPI, so a machine needs none.
$(READY): $(VENV)/.packages package.json package-lock.json literate/site/vendor.py literate/site/stand_ins.py
	PATH="$(CURDIR)/$(BIN):$$PATH" npm ci --silent --omit=dev
	$(BIN)/python -m literate vendor
	@touch $@

# What judges the words, and the built site in a browser: hundreds of packages, for which the site does not wait.
$(JUDGES): $(READY)
	PATH="$(CURDIR)/$(BIN):$$PATH" npm ci --silent
	@touch $@

$(VENV)/.packages: pyproject.toml requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "$(PYTHON) is $$($(PYTHON) --version 2>/dev/null || echo missing): this book needs Python 3.11 or newer, as in: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "$(PYTHON) has no venv, which Debian packages apart: apt install python3-venv"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --quiet --require-hashes --only-binary :all: --requirement requirements.txt
	$(PIP) install --quiet $(INDEX) --group torch
	$(PIP) install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

# Every version again, with the hashes of all its files, for every machine; kept where it still fits.
# Newer ones: make lock LOCK=--upgrade
lock:
	$(BIN)/uv pip compile pyproject.toml --quiet $(LOCK) --group dev --group torch --no-emit-package torch \
	  --universal --no-strip-extras --fork-strategy fewest --python-version 3.11 --generate-hashes \
	  --custom-compile-command "make lock" --output-file requirements.txt

clean:
	rm -rf site build node_modules docs/assets/vendor $(VENV)
