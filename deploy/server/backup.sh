#!/bin/sh
# Backs up what cannot be made anew, while the servers run: the catalog, and the uploaded PDFs that readers may open.
set -eu
umask 077

usage() {
    cat <<TEXT
Usage: backup.sh FOLDER [--keep N] [--every SECONDS]

  FOLDER           gets a folder for each backup, named by its time in UTC
  --keep N         how many are kept, the newest (14)
  --every SECONDS  go on until told to stop; what fails is told, and tried again after ten minutes

The catalog is PostgreSQL's where PGDATABASE is set, with PGHOST, PGUSER and PGPASSWORD as libpq knows them; otherwise
it is catalog.sqlite in the folder that RAGSTONE_DATA_DIR names.
TEXT
}

fail() {
    printf 'backup.sh: %s\n' "$1" >&2
    exit 1
}

folder=
keep=14
every=
while [ $# -gt 0 ]; do
    case $1 in
        -h | --help) usage && exit 0 ;;
        --keep | --every)
            [ $# -ge 2 ] || fail "$1 needs a value"
            case $2 in '' | 0* | *[!0-9]*) fail "$1 needs a number above 0: $2" ;; esac
            case $1 in
                --keep) keep=$2 ;;
                --every) every=$2 ;;
            esac
            shift 2
            ;;
        -*) usage >&2 && fail "unknown: $1" ;;
        *)
            [ -z "$folder" ] || fail "one folder is enough: $1"
            folder=$1
            shift
            ;;
    esac
done
[ -n "$folder" ] || { usage >&2 && fail "no folder is named"; }
data=${RAGSTONE_DATA_DIR:-}
[ -n "$data" ] || fail "RAGSTONE_DATA_DIR is not set: it names the data folder"

if [ -n "$every" ]; then
    trap 'exit 0' TERM INT
    while :; do
        pause=$every
        # As a program of its own: a failure ends that one alone.
        sh "$0" "$folder" --keep "$keep" || { [ "$every" -le 600 ] || pause=600; }
        sleep "$pause" &
        wait $!
    done
fi

[ -n "${PGDATABASE:-}" ] || [ -f "$data/catalog.sqlite" ] || fail "there is no $data/catalog.sqlite"
name=$(date -u +%Y-%m-%dT%H-%M-%SZ)
new=$folder/.$name.new
[ ! -e "$folder/$name" ] || fail "$folder/$name is there already"
mkdir -p -- "$folder"
rm -rf -- "$folder"/.[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]-[0-9][0-9]-[0-9][0-9]Z.new # what was killed
mkdir -- "$new"
trap 'rm -rf -- "$new"' EXIT

if [ -n "${PGDATABASE:-}" ]; then
    # One moment of the whole schema; nobody waits for it, and it waits a minute for nobody. The tables of pgvector are
    # made anew of the passages' own vectors, and a server without the extension can restore the rest.
    PGCONNECT_TIMEOUT=10 pg_dump --format=custom --schema=ragstone --no-owner --no-privileges \
        --exclude-table='ragstone.pgvector_*' \
        --lock-wait-timeout=60000 --file="$new/catalog.dump" || fail "the catalog was not backed up"
else
    "${PYTHON:-python3}" - "$data/catalog.sqlite" "$new/catalog.sqlite" <<'PROGRAM' || fail "the catalog was not backed up"
import sqlite3
import sys
from pathlib import Path

source = sqlite3.connect(f"{Path(sys.argv[1]).absolute().as_uri()}?mode=ro", uri=True, timeout=60)
target = sqlite3.connect(sys.argv[2])
source.backup(target)  # of one moment; who writes meanwhile does not wait
target.execute("PRAGMA journal_mode = DELETE")
found = target.execute("PRAGMA quick_check").fetchone()[0]
if found != "ok":
    sys.exit(f"the copy is damaged: {found}")
PROGRAM
fi
if [ -d "$data/pdfs" ]; then
    tar -C "$data" -cf "$new/pdfs.tar" pdfs || [ $? -eq 1 ] || fail "the PDFs were not backed up"
fi
(cd -- "$new" && sha256sum -- * >.sums && mv -- .sums SHA256SUMS)
sync -- "$new"/* "$new"
mv -T -- "$new" "$folder/$name"
trap - EXIT
printf '%s\n' "$folder/$name"

set --
for each in "$folder"/[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]-[0-9][0-9]-[0-9][0-9]Z; do
    if [ -f "$each/SHA256SUMS" ] && [ ! -L "$each" ]; then set -- "$@" "$each"; fi
done
while [ $# -gt "$keep" ]; do
    rm -rf -- "$1"
    shift
done
