#!/bin/bash
# tools/setup, with package tools that install nothing: what a demo installs, what it leaves out and how that is added.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
cat >"$work/bin/dpkg-query" <<'END'
#!/bin/bash
grep -qx "${!#}" "$INSTALLED" && echo 'install ok installed'
END
cat >"$work/bin/apt-get" <<'END'
#!/bin/bash
for word in "$@"; do
    case $word in -* | update | install) ;; *) echo "$word" >>"$INSTALLED" ;; esac
done
END
printf '#!/bin/bash\nexec "$@"\n' >"$work/bin/sudo"
chmod +x "$work"/bin/*
export PATH=$work/bin:$PATH INSTALLED=$work/installed
: >"$INSTALLED"
fail() { echo "$*" >&2; exit 1; }

"$root/tools/setup" demo >"$work/said"
for package in libtiff-dev libcfitsio-dev libjpeg-dev libgif-dev libhdf5-dev libmatio-dev pocl-opencl-icd; do
    grep -qx "$package" "$INSTALLED" || fail "tools/setup demo leaves $package out"
done
for package in libgdal-dev libraw-dev libopenblas-dev libcmocka-dev; do
    if grep -qx "$package" "$INSTALLED"; then fail "tools/setup demo installs $package"; fi
done
[ "$(grep -c 'left out' "$work/said")" = 1 ] || fail "what is left out is not said in one line: $(cat "$work/said")"
grep -q 'camera raw images (tools/setup raw), cubes in GeoTIFF and others (tools/setup gdal)' "$work/said"

"$root/tools/setup" raw demo >"$work/said"
grep -qx libraw-dev "$INSTALLED"
if grep 'left out' "$work/said" | grep -q raw; then fail "raw is said to be left out"; fi
grep -q 'left out unless you add it: cubes in GeoTIFF' "$work/said"
"$root/tools/setup" gdal >"$work/said"
grep -qx libgdal-dev "$INSTALLED"
"$root/tools/setup" demo >"$work/said"
[ ! -s "$work/said" ] || fail "nothing is missing, and tools/setup says: $(cat "$work/said")"
"$root/tools/setup" check >"$work/said"
for package in libopenblas-dev libcmocka-dev; do grep -qx "$package" "$INSTALLED"; done
"$root/tools/setup" vendors >"$work/said"
grep -qx clang-16 "$INSTALLED"
if grep -qx intel-opencl-icd "$INSTALLED"; then fail "tools/setup vendors installs another OpenCL platform"; fi

for words in '' 'all' 'demo all'; do
    rc=0
    "$root/tools/setup" $words >"$work/said" 2>&1 || rc=$?
    [ $rc = 2 ] || fail "tools/setup $words exits with $rc"
    grep -q 'usage: tools/setup' "$work/said"
done

# Every package of docs/packages.md is in a group, and every group has a reason.
[ "$(sed -n '/^|---/,$ { /^|---/d; /^|/p }' "$root/docs/packages.md" | grep -cvE '^\| [a-z_]+ \| [a-z0-9 .+-]+ \| .+ \|$')" = 0 ] ||
    fail 'docs/packages.md has a row that tools/packages cannot read'
echo ok
