#!/bin/bash
# Every public header compiles alone, in C11 and C++, and shows nobody else's types but those of <pentacl/opencl.h>; the
# shared libraries export nothing but their own names, and libpentacl does not need libpentacl_io. Usage: test_headers.sh BUILD
set -eu
build=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
complain() { echo "$*" >&2; failed=1; }

cd "$root/include"
headers=$(find pentacl -name '*.h' | sort)
[ "$(wc -w <<<"$headers")" -gt 20 ] || complain "there are hardly any public headers in $PWD"
mpi=$(pkg-config --cflags ompi-c 2>/dev/null || pkg-config --cflags mpich 2>/dev/null) || mpi=
for header in $headers; do
    if [ "$header" = pentacl/mpi.h ]; then # needs that of MPI
        [ -z "$mpi" ] || "${CC:-cc}" -std=c11 -Wall -Wextra -Werror -I. $mpi -fsyntax-only -x c "$header" ||
            complain "$header does not compile alone"
        continue
    fi
    if ! "${CC:-cc}" -std=c11 -Wall -Wextra -Wstrict-prototypes -Werror -I. -I"$build/generated" -fsyntax-only -x c "$header" 2>"$work/log" &&
        ! grep -q 'pragma once' "$work/log"; then
        complain "$header does not compile alone in C: $(head -n 3 "$work/log")"
    fi
    if command -v "${CXX:-c++}" >/dev/null &&
        ! "${CXX:-c++}" -std=c++14 -Wall -Wextra -Werror -I. -I"$build/generated" -fsyntax-only -x c++ "$header" 2>"$work/log"; then
        complain "$header does not compile alone in C++: $(head -n 3 "$work/log")"
    fi
done
foreign=$(grep -nE '#include [<"](jansson|png|zlib|tiff|fitsio|hdf5|gdal|matio|libraw|gif_lib|CL/)' $headers | grep -v '^pentacl/opencl.h:') || true
[ -z "$foreign" ] || complain "public headers include those of other libraries: $foreign"

exports() { nm -D --defined-only "$1" | awk '$2 ~ /[A-Z]/ { print $3 }' | grep -vE '^(_init|_fini|__bss_start|_edata|_end)$' | grep -v "^$2" || true; }
for library in pentacl:penta_ pentacl_io:penta_io_ pentacl_mpi:penta_; do
    file=$build/lib/lib${library%:*}.so
    [ -e "$file" ] || continue # the build is static, or without it
    others=$(exports "$file" "${library#*:}")
    [ -z "$others" ] || complain "$file exports" $others
    # An array would have the length that programs were built with. This one stays until the SOVERSION changes (docs/abi.md).
    data=$(nm -D --defined-only "$file" | awk '$2 ~ /[BDGRSV]/ { print $3 }' | grep -vx 'penta_apd_levels' || true)
    [ -z "$data" ] || complain "$file exports data, which belongs behind functions:" $data
done
if [ -e "$build/lib/libpentacl.so" ] && readelf -d "$build/lib/libpentacl.so" | grep -q 'NEEDED.*pentacl_io'; then
    complain "libpentacl needs libpentacl_io"
fi
exit $failed
