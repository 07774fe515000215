#!/bin/sh
# Rewrites requirements/*.txt: every version and hash, for Python 3.10 and newer on any system, without naming an index.
# Installs the uv that is named here into .cache/lock: another may write the same versions another way.
# `lock.sh --upgrade` takes the newest versions.
set -eu
cd "$(dirname "$0")/../.."
python=${PYTHON:-python3}
uv=0.13.9
if [ "$(.cache/lock/bin/uv --version 2>/dev/null | cut -d ' ' -f 2)" != "$uv" ]; then
    "$python" -m venv --clear .cache/lock
    .cache/lock/bin/pip --quiet install --only-binary :all: "uv==$uv"
fi
PATH="$PWD/.cache/lock/bin:$PATH"

compile() { # OUTPUT ARGUMENTS…
    output=$1
    shift
    uv pip compile --quiet --universal --python-version 3.10 --generate-hashes --no-emit-index-url \
        --custom-compile-command "make lock" --output-file "requirements/$output" "$@"
}

compile dev.txt --extra structural --group dev "$@" pyproject.toml
# What editors' extensions carry with them: nothing that is built for one platform.
compile bundle.txt --constraint requirements/dev.txt "$@" pyproject.toml
compile run.txt --extra structural --group build --constraint requirements/dev.txt pyproject.toml
# The last hypothesis that is one wheel for every system, WebAssembly included.
echo 'hypothesis<=6.155.7' | compile portable.txt --group portable --constraint - pyproject.toml
compile hooks.txt --group hooks "$@"
compile browser.txt --group browser "$@"
