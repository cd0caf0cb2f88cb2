#!/bin/bash
# The way of a new user, on an empty Debian 12 in a folder: the packages install and work, the README's first commands work, the last
# line of the demo works as it is printed, and a source release builds and tests without git.
# Usage: tests/packages.sh [package] [demo] [release]; without words all. Needs root, tools/setup package and Debian's archive.
set -euo pipefail
cd "$(dirname "$0")/.."
start=$SECONDS
say() { echo "== packages [$((SECONDS - start)) s]: $*"; }
parts=${*:-package demo release wheel}
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
cache=${PENTACL_CHECK_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/pentacl-check}/debian.tar
archive=${PENTACL_DEBIAN_ARCHIVE:-http://deb.debian.org/debian}

empty_debian() { # FOLDER
    if [ ! -e "$cache" ]; then
        mkdir -p "$(dirname "$cache")"
        debootstrap --variant=minbase bookworm "$work/base" "$archive" >"$work/log" || { tail "$work/log"; exit 1; }
        tar -C "$work/base" -cf "$cache.new" . && mv "$cache.new" "$cache"
    fi
    mkdir "$1"
    tar -C "$1" -xf "$cache"
    cp /etc/resolv.conf "$1/etc/" 2>/dev/null || true
}
# in_debian FOLDER COMMAND: with its own mounts, which end with it
# shellcheck disable=SC2016
in_debian() {
    unshare --mount --propagation private bash -ec 'mount -t proc proc "$0/proc"; mount --rbind /sys "$0/sys"
        mount --rbind /dev "$0/dev"; exec chroot "$0" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin bash -ec "$1"' "$@"
}
can_change_root() {
    [ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null && unshare --mount true 2>/dev/null
}

# shellcheck disable=SC2016
try_packages() {
    say "building them; lintian"
    cmake --preset package -G Ninja >/dev/null
    rm -f build/package/*.deb
    cmake --build --preset package >"$work/log" || { tail -n 30 "$work/log"; exit 1; }
    lintian --allow-root --fail-on error build/package/*.deb
    can_change_root || { echo "left out: the packages are not installed, as this user cannot change the root"; return; }
    say "installing them in an empty Debian"
    empty_debian "$work/packages"
    cp build/package/*.deb docs/examples/embed.c "$work/packages/root"
    in_debian "$work/packages" 'cd; apt-get update -qq
        apt-get install -y -qq --no-install-recommends ./*.deb pocl-opencl-icd libcairo2 gcc libc6-dev pkg-config >/dev/null
        penta selftest
        penta sample autocorr -o frames && penta autocorr -o growth frames/*.png >/dev/null && test -s growth/growth.png
        gcc embed.c -o embed $(pkg-config --cflags --libs pentacl) -lm && ./embed
        test -s /usr/share/man/man1/penta.1.gz
        test -z "$(readelf -d /usr/bin/penta /usr/lib/*/libpentacl*.so* | grep RUNPATH)"
        apt-get remove -y -qq "*pentacl*" >/dev/null; test ! -e /usr/bin/penta' | tee "$work/log"
    grep -q '(ok)$' "$work/log"
    rm -rf --one-file-system "$work/packages"
}

try_demo() {
    can_change_root || { echo "left out: the demo in an empty Debian, as this user cannot change the root"; return; }
    empty_debian "$work/demo"
    tools/sources release "$work" >/dev/null
    mkdir "$work/demo/root/my source" # a path with a space
    tar -C "$work/demo/root/my source" --strip-components 1 -xf "$work"/pentacl-*.tar.gz
    say "tools/demo in an empty Debian"
    local TIMEFORMAT='that took %R s, and %U + %S s of processor time'
    time in_debian "$work/demo" "cd '/root/my source'; tools/demo" >"$work/log" || { tail -n 30 "$work/log"; exit 1; }
    say "its last line is $(tail -n 1 "$work/log")"
    in_debian "$work/demo" "cd /tmp; $(tail -n 1 "$work/log") >/dev/null; test -s my-autocorr/growth.png
        cd '/root/my source'; tools/install; PATH=/root/.local/bin:\$PATH; penta devices >/dev/null; tools/install --remove
        test ! -e /root/.local/bin/penta; cmake --preset release -G Ninja | grep 'cmocka was not found'"
    rm -rf --one-file-system "$work/demo"
}

try_release() {
    say "a source release builds and tests without git"
    cmake --build build/release --target dist >/dev/null
    tar -C "$work" -xf build/release/pentacl-*.tar.gz
    cd "$work"/pentacl-*/
    CCACHE_BASEDIR=$PWD cmake --preset release -G Ninja >/dev/null
    CCACHE_BASEDIR=$PWD cmake --build --preset release >"$work/log" || { tail -n 30 "$work/log"; exit 1; }
    ctest --preset release --no-tests=error -L 'house|unit' -LE 'slow|long'
}

# The numbers of the command, with the driver of OCL_ICD_VENDORS where that is set, are those in FOLDER, to the bit.
same_as_penta() { # FOLDER
    rm -rf "$work/penta"
    mkdir "$work/penta"
    "$work/env/bin/python" tests/wheel.py penta build/release/bin/penta "$work/inputs" "$work/penta"
    "$work/env/bin/python" tests/wheel.py same "$1" "$work/penta"
}

try_wheel() {
    local python wheel sdist root=$work/wheel/root TIMEFORMAT='that took %R s'
    python3 -m venv "$work/env"
    "$work/env/bin/pip" -q download --no-deps -d "$work/probe" scikit-build-core >/dev/null 2>&1 ||
        { echo "left out: the wheel, as pip has no index here"; return; }
    packaging/wheel
    wheel=$(echo "$PWD"/build/wheel/dist/*.whl)
    sdist=$(echo "$PWD"/build/wheel/dist/*.tar.gz)
    build/release/bin/penta sample autocorr -q -o "$work/inputs/autocorr"
    for part in prepare nbody pca optmap; do build/release/bin/penta sample $part -q -o "$work/inputs/$part"; done
    for python in "$wheel" "$sdist"; do
        say "with this machine's driver: $(basename "$python")"
        rm -rf "$work/env" "$work/made"
        python3 -m venv "$work/env"
        mkdir "$work/made"
        (cd "$work" && CCACHE_BASEDIR=/ "$work/env/bin/pip" -q install "$python")
        "$work/env/bin/python" tests/wheel.py call "$work/inputs" "$work/made"
        same_as_penta "$work/made"
    done
    can_change_root || { echo "left out: the wheel in an empty Debian, as this user cannot change the root"; return; }
    empty_debian "$work/wheel"
    say "the wheel in an empty Debian with Python"
    in_debian "$work/wheel" 'apt-get update -qq; apt-get install -y -qq --no-install-recommends python3-venv >/dev/null
        test -z "$(command -v ld gcc; find / -xdev -name "libOpenCL*")"'
    "$work/env/bin/pip" -q download --only-binary=:all: --python-version 3.11 -d "$root/wheels" "$wheel[cpu,pocl]"
    cp -r tests/wheel.py "$work/inputs" "$root"
    for part in cpu pocl; do
        [ $part = cpu ] || in_debian "$work/wheel" 'apt-get install -y -qq --no-install-recommends gcc libc6-dev >/dev/null'
        time in_debian "$work/wheel" "cd; python3 -m venv $part
            $part/bin/pip -q install --no-index --find-links wheels \"\$(ls wheels/pentacl-*)[$part]\"
            du -s -h $part; mkdir made-$part; $part/bin/python wheel.py call inputs made-$part"
        OCL_ICD_VENDORS=$(find "$root/$part" -name libintelocl.so -o -name 'libpocl*.so') same_as_penta "$root/made-$part"
        [ $part = pocl ] || in_debian "$work/wheel" "cd; python3 -m venv none
            none/bin/pip -q install --no-index --find-links wheels 'pentacl[pocl]'
            none/bin/python -c 'import pentacl; pentacl.devices()' 2>&1 | tee said || true; grep -q 'needs ld, libgcc and libc' said"
    done
    rm -rf --one-file-system "$work/wheel"
}

for part in $parts; do
    case $part in
    package) try_packages ;;
    demo) try_demo ;;
    release) (try_release) ;;
    wheel) try_wheel ;;
    *) echo "tests/packages.sh: there is no part '$part'" >&2 && exit 2 ;;
    esac
done
say "passed: $parts"
