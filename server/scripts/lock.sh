#!/bin/sh
# Rewrites requirements/*.txt: every version and hash, for Python 3.10 and newer on any system, without naming an index.
# Installs the version of uv that is named below into .cache/lock, because another version may format the files
# differently.
# `lock.sh --upgrade` chooses the newest versions.
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
# The packages in the bundle of the editors' extensions: none is built for one platform only.
compile bundle.txt --constraint requirements/dev.txt "$@" pyproject.toml
compile run.txt --extra structural --group build --constraint requirements/dev.txt pyproject.toml
# This is the last version of hypothesis with one wheel for every system, including WebAssembly.
echo 'hypothesis<=6.155.7' | compile portable.txt --group portable --constraint - pyproject.toml
compile hooks.txt --group hooks "$@"
compile browser.txt --group browser "$@"
