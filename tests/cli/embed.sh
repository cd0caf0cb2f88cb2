# What the tests of docs/examples share: the build installed at $prefix, its pkg-config as pkg, a step that must succeed.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

build=$(realpath "$(dirname "$PENTA")/..")
examples=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../../docs/examples")
prefix=$(realpath .)/prefix

sanitizers=$(sed -n 's/^PENTACL_SANITIZE:[A-Z]*=//p' "$build/CMakeCache.txt") || fail "$PENTA is in no build tree"
if [ -n "$sanitizers" ]; then
    note "skipped: a plain program cannot load a library built with -fsanitize=$sanitizers"
    exit 0
fi

step() # WHAT COMMAND...: its output in file log
{
    local what=$1

    shift
    "$@" >log 2>&1 || { tail -n 20 log >&2; fail "$what failed"; }
}

step "cmake --install" cmake --install "$build" --prefix "$prefix"
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name pentacl-io.pc)")
export PKG_CONFIG_PATH
pkg() # FLAG...: of package $package
{
    pkg-config --define-variable=prefix="$prefix" "$@" ${package-pentacl-io} || fail "pkg-config $* failed"
}
