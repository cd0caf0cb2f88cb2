#!/bin/bash
# tools/plan, and the help of tools/demo and tools/check, with package tools that install nothing: what would be installed is
# said, how much that is, and what it changes; nothing is installed.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
cat >"$work/bin/dpkg-query" <<'END'
#!/bin/bash
grep -qx "${!#}" "$INSTALLED" && echo 'install ok installed'
END
# A plan of each named package and one that it needs; 1.5 MB to download each, 4 MB on disk each.
cat >"$work/bin/apt-get" <<'END'
#!/bin/bash
names=() simulated=false printed=false
for word in "$@"; do
    case $word in
    -s) simulated=true ;;
    --print-uris) printed=true ;;
    -* | *::*) ;;
    install) ;;
    *) names+=("$word" "$word-needs") ;;
    esac
done
$simulated || $printed || { echo "$@" >>"$CHANGED"; exit 0; }
for name in "${names[@]}"; do
    if $simulated; then
        echo "Inst $name (1.0 Debian:12 [amd64])"
        echo "Conf $name (1.0 Debian:12 [amd64])"
    else
        echo "'http://there/$name.deb' $name.deb 1500000 SHA256:0"
    fi
done
END
cat >"$work/bin/apt-cache" <<'END'
#!/bin/bash
for word in "${@:3}"; do printf 'Package: %s\nInstalled-Size: 4000\n\n' "$word"; done
END
chmod +x "$work"/bin/*
export PATH=$work/bin:$PATH INSTALLED=$work/installed CHANGED=$work/changed
printf 'gcc\nmake\n' >"$INSTALLED"
: >"$CHANGED"
fail() { echo "$*" >&2; exit 1; }
says() { grep -qF -- "$1" "$work/said" || fail "'$1' is not said: $(cat "$work/said")"; }

"$root/tools/plan" gcc make >"$work/said"
says 'To install: nothing, all packages are there.'
"$root/tools/plan" gcc libone libtwo make >"$work/said"
says 'To install: libone libtwo'
says 'With what they need: 4 packages, 6.0 MB to download, 16.0 MB on disk.'
if grep -q OpenBLAS "$work/said"; then fail 'OpenBLAS is not among them'; fi
"$root/tools/plan" libopenblas-dev >"$work/said"
says 'OpenBLAS is among them: Debian makes it the BLAS and LAPACK of all programs of this machine'

: >"$INSTALLED"

# ---- the help of the scripts says the same of their packages ----
. "$root/tools/packages"
"$root/tools/demo" --help >"$work/said"
for package in $packages_build $packages_run; do
    says " $package"
done
for workload in autocorr prepare stars nbody pca optmap; do
    grep -Eq "^  $workload +[0-9]+ s" "$work/said" || fail "tools/demo --help does not say how long $workload takes"
done
"$root/tools/check" --help >"$work/said"
for package in $packages_build $packages_check; do
    says " $package"
done
says 'OpenBLAS is among them'
for way in quick --fuzz --oclgrind --vendors; do
    says "tools/check $way"
done

# ---- wrong words change nothing ----
code=0
"$root/tools/demo" nosuch >"$work/said" 2>&1 || code=$?
[ $code = 2 ] || fail "tools/demo nosuch ends with $code"
says "there is no demo of 'nosuch'"
code=0
"$root/tools/check" nosuch >"$work/said" 2>&1 || code=$?
[ $code = 2 ] || fail "tools/check nosuch ends with $code"
[ ! -s "$CHANGED" ] || fail "a help installed something: $(cat "$CHANGED")"
