#!/bin/bash
# Every installed program and library has the protections of cmake/PentaclHardening.cmake, and no program of the build tree
# or of the installation takes a library from the current directory. Usage: test_hardening.sh BUILD
set -eu
build=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

setting() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt"; }
fail() {
    echo "$*" >&2
    exit 1
}
is_elf() { [ "$(head -c 4 "$1" | tr -d '\0')" = $'\x7fELF' ] && ! [ -L "$1" ]; }
binaries() { # FOLDER: programs and shared libraries below it
    find "$1" -type f \( -perm -u+x -o -name '*.so*' \) | sort | while read -r file; do
        if is_elf "$file"; then echo "$file"; fi
    done
}

# An empty element, or one that is not absolute, is the current directory or below it.
check_path() { # FILE
    local path
    path=$(readelf -d "$1" | sed -n 's/.*(R\(UN\)\?PATH).*\[\(.*\)\]/\2/p')
    [ -z "$path" ] && return
    case ":$path:" in
    *::*) fail "$1: RUNPATH '$path' has an empty element, which is the current directory" ;;
    esac
    grep -qE '(^|:)/(usr/)?lib' <<<"$path" && fail "$1: RUNPATH '$path' is a folder where the loader looks anyway"
    tr ':' '\n' <<<"$path" | grep -qvE '^(/|\$ORIGIN(/|$))' && fail "$1: RUNPATH '$path' is not all absolute"
    return 0
}
[ "$(binaries "$build/bin" | wc -l)" -gt 0 ] || fail "no program in $build/bin"
for file in $(binaries "$build/bin") $(binaries "$build/lib"); do
    check_path "$file"
done

# What the loader really does: a file of a library's name in the current directory is not looked at.
if [ -z "$(setting PENTACL_SANITIZE)" ]; then
    mkdir here
    for library in $(readelf -d "$build/bin/penta" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
        echo "not a library" >"here/$library"
    done
    [ "$(ls here | wc -l)" -gt 2 ] || fail "penta needs no library"
    (cd here && env -u LD_LIBRARY_PATH "$build/bin/penta" version) >log 2>&1 ||
        fail "penta took a library from the current directory: $(cat log)"
fi

cmake --install "$build" --prefix "$work/prefix" >log 2>&1 || fail "cmake --install failed: $(tail -n 5 log)"
installed=$(binaries prefix)
[ -n "$installed" ] || fail "nothing was installed"
for file in $installed; do
    check_path "$file"
    readelf -d "$file" | grep -qF "[$build" && fail "$file looks for libraries in the build tree"
done
if [ -z "$(setting PENTACL_SANITIZE)" ]; then
    (cd here && env -u LD_LIBRARY_PATH ../prefix/bin/penta version) >log 2>&1 || fail "installed penta does not run: $(cat log)"
fi

if [ "$(setting PENTACL_HARDENING)" != ON ]; then
    echo "paths only: this build has PENTACL_HARDENING=OFF"
    exit 0
fi

# ---- the protections, one by one ----
flags=$(sed -n 's/.*"command": "\(.*\)",*/\1/p' "$build/compile_commands.json" | grep -m 1 'src/core/context')
flag() { grep -qF -- " $1" <<<"$flags"; }
imports() { readelf -W --dyn-syms "$1" | grep -qE " UND $2(@| |\$)"; }
for file in $installed; do
    headers=$(readelf -W -l "$file")
    dynamic=$(readelf -W -d "$file")
    grep -q 'GNU_RELRO' <<<"$headers" || fail "$file has no RELRO"
    grep -qE 'BIND_NOW|Flags: .*NOW' <<<"$dynamic" || fail "$file binds its functions late: RELRO is partial"
    grep -q 'GNU_STACK.* RW ' <<<"$headers" || fail "$file has an executable stack"
    case $file in
    */bin/*) grep -q 'Flags:.* PIE' <<<"$dynamic" || fail "$file is not position-independent" ;;
    esac
    case $file in
    */libpentacl_io_gdal.so.*) continue ;; # a table and one function, without an array or a call
    esac
    if flag -fstack-protector-strong; then
        imports "$file" __stack_chk_fail || fail "$file has no stack protector"
    fi
    if flag -D_FORTIFY_SOURCE=3; then
        imports "$file" '__[a-z]+_chk' || fail "$file has no fortified function"
    fi
    # endbr64, where a function or a label may be reached by a pointer. The mark of a whole program is missing where the
    # C library's own start files lack it, as in Debian 12.
    if flag -fcf-protection; then
        least=50
        [[ $file != *pentacl_mpi* ]] || least=5 # it is one small file
        [[ $file != *penta-bench-bare ]] || least=2 # of main and the C library's start files
        [ "$(LC_ALL=C grep -aoP '\xf3\x0f\x1e\xfa' "$file" | wc -l)" -gt $least ] || fail "$file has no control-flow protection (CET)"
    fi
done
case $(setting CMAKE_BUILD_TYPE) in
Release | RelWithDebInfo | MinSizeRel) flag -D_FORTIFY_SOURCE=3 || [ -n "$(setting PENTACL_SANITIZE)" ] || fail "no _FORTIFY_SOURCE" ;;
esac
# Nothing in a binary shows it; the compiler says whether it has it.
if echo 'int x;' | "$(setting CMAKE_C_COMPILER)" -Werror -fstack-clash-protection -x c -c -o /dev/null - 2>/dev/null; then
    flag -fstack-clash-protection || fail "the compiler has -fstack-clash-protection, and it is not used"
fi
echo "$(wc -w <<<"$installed") binaries are hardened"
