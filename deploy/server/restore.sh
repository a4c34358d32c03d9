#!/bin/sh
# Restores a backup of backup.sh, while no server runs. What was there before is kept aside.
set -eu
umask 077

usage() {
    cat <<TEXT
Usage: restore.sh BACKUP

BACKUP is one folder that backup.sh made. It goes where backup.sh took it from: PostgreSQL where PGDATABASE is set, with
PGHOST, PGUSER and PGPASSWORD as libpq knows them, otherwise the folder that RAGSTONE_DATA_DIR names.
TEXT
}

fail() {
    printf 'restore.sh: %s\n' "$1" >&2
    [ $# -lt 2 ] || printf '            %s\n' "$2" >&2
    exit 1
}

case ${1:-} in
    -h | --help) usage && exit 0 ;;
    '' | -*) usage >&2 && fail "no backup is named" ;;
esac
[ $# -eq 1 ] || fail "one backup is enough: $2"
backup=$1
data=${RAGSTONE_DATA_DIR:-}
[ -n "$data" ] || fail "RAGSTONE_DATA_DIR is not set: it names the data folder"

# Everything that can be wrong is looked at before anything is changed.

[ -f "$backup/SHA256SUMS" ] || fail "there is no backup in $backup"
(cd -- "$backup" && sha256sum --check --strict --quiet SHA256SUMS >&2) || fail "the backup is damaged" "take another one"
if [ -e "$data/index/lock" ]; then
    flock --nonblock "$data/index/lock" true || fail "a server is using $data" "stop all of them first"
fi

tell() {
    PGCONNECT_TIMEOUT=10 psql --no-psqlrc --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 --command="$1"
}

if [ -n "${PGDATABASE:-}" ]; then
    [ -f "$backup/catalog.dump" ] || fail "$backup holds no catalog of PostgreSQL" "without PGDATABASE it goes to SQLite"
    used=$(tell "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'ragstone'") ||
        fail "the database does not answer"
    [ "$used" = 0 ] || fail "$used connections of a server are open" "stop all servers first"
    [ "$(tell "SELECT to_regnamespace('ragstone_before') IS NULL")" = t ] ||
        fail "what an earlier restoring kept aside is still there" "remove it: DROP SCHEMA ragstone_before CASCADE"
    there=$(tell "SELECT to_regnamespace('ragstone') IS NOT NULL")
    [ "$there" = f ] || tell "ALTER SCHEMA ragstone RENAME TO ragstone_before"
    if ! pg_restore --exit-on-error --single-transaction --no-owner --dbname="$PGDATABASE" "$backup/catalog.dump"; then
        [ "$there" = f ] || tell "ALTER SCHEMA ragstone_before RENAME TO ragstone"
        fail "the catalog was not restored; the one before is as it was"
    fi
    [ "$there" = f ] || printf 'The catalog of before is kept: DROP SCHEMA ragstone_before CASCADE removes it.\n'
else
    [ -f "$backup/catalog.sqlite" ] || fail "$backup holds no catalog of SQLite" "set PGDATABASE for PostgreSQL"
    mkdir -p -- "$data"
    cp -- "$backup/catalog.sqlite" "$data/catalog.sqlite.new"
    sync -- "$data/catalog.sqlite.new"
    if [ -e "$data/catalog.sqlite" ]; then
        [ ! -e "$data/catalog.sqlite.before" ] || fail "what an earlier restoring kept aside is still there" \
            "remove it: $data/catalog.sqlite.before"
        for end in -wal -shm ''; do
            [ ! -e "$data/catalog.sqlite$end" ] || mv -- "$data/catalog.sqlite$end" "$data/catalog.sqlite.before$end"
        done
        printf 'The catalog of before is kept: %s\n' "$data/catalog.sqlite.before"
    fi
    mv -- "$data/catalog.sqlite.new" "$data/catalog.sqlite"
fi
# What remembers the catalog of before, which may be another one.
rm -f -- "$data/catalog.sqlite.id" "$data"/postgresql-????????????.id

# An index of later changes than the catalog's would be believed; without one it is made anew. The deployment's name
# stays, so that a Chroma server's collections are used again; and so does whatever else lies there.
if [ -d "$data/index" ] && [ ! -L "$data/index" ]; then
    for each in "$data/index"/*/state.json; do
        index=${each%/state.json}
        if [ ! -f "$each" ] || [ -L "$index" ]; then continue; fi
        rm -rf -- "$each" "$index"/store-[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]
    done
fi
if [ -f "$backup/pdfs.tar" ]; then
    mkdir -p -- "$data"
    tar -C "$data" -xf "$backup/pdfs.tar"
fi
printf 'Restored %s. Start the servers: they answer at once, and make the vector index anew.\n' "$backup"
