# Assertions for tests/cli/test_*.sh. A failed one says where and what, shows what the command printed, and ends the test.
# Needs bash, coreutils, awk, jq; run by run.sh in an empty folder with PENTA set.
set -u

: "${PENTA:?the penta program to test}"

fail() # TEXT...
{
    local i=0 at

    while [ "${BASH_SOURCE[i]}" = "${BASH_SOURCE[0]}" ] && [ $i -lt $((${#BASH_SOURCE[@]} - 1)) ]; do
        i=$((i + 1))
    done
    at="${BASH_SOURCE[i]##*/}:${BASH_LINENO[i - 1]}"
    echo "$at: $*" >&2
    echo "last command: penta ${last[*]-}, exit code ${code-none}" >&2
    [ -s out ] && { echo "--- its stdout"; head -c 3000 out; } >&2
    [ -s err ] && { echo "--- its stderr"; head -c 3000 err; } >&2
    exit 1
}

# What is left out, and why. With CI=true that fails, unless a line of tests/left-out.txt allows it.
note() # TEXT...
{
    local pattern

    echo "${0##*/}: $*" >&2
    [ "${CI:-}" = true ] || return 0
    while IFS=$'\t' read -r pattern _; do
        # shellcheck disable=SC2053
        [[ $pattern = '#'* || $* != $pattern ]] || return 0
    done <"$(dirname "${BASH_SOURCE[0]}")/../left-out.txt"
    fail "left out, which tests/left-out.txt does not allow: $*"
}

# The device under test, for -d, once, twice and three times.
one=${PENTACL_DEVICE:-0}
two=$one,$one
three=$two,$one

# Whether this build writes the format; a note where it does not.
has_format() # SUFFIX
{
    "$PENTA" stars --random 1 --size 8x8 -o "probe.$1" >/dev/null 2>probe.err && rm -f "probe.$1" probe.err && return
    grep -q 'this build cannot write' probe.err || fail "probe.$1: $(cat probe.err)"
    rm -f probe.err
    note "this build has no $1; its tests are left out"
    return 1
}

# Whether this build has GDAL, for the cube formats beside NPY and MATLAB; a note where it does not.
has_gdal() # CUBE: a small one
{
    "$PENTA" pca -q --format envi -o probe "$1" >/dev/null 2>probe.err && rm -rf probe probe.err && return
    grep -q 'this build cannot write' probe.err || fail "probe: $(cat probe.err)"
    rm -f probe.err
    note 'this build has no GDAL; its formats are left out'
    return 1
}

pictures() # NAME...: the names of their files
{
    printf '%s\n' "${@/%/.png}" "${@/%/.svg}"
}

# ---- running the command: files out and err, variable code ----

run() # ARGUMENT...
{
    last=("$@")
    code=0
    "$PENTA" "$@" >out 2>err </dev/null || code=$?
}

expect() # CODE ARGUMENT...
{
    local wanted=$1

    shift
    run "$@"
    [ "$code" -eq "$wanted" ] || fail "exit code $code instead of $wanted"
}

# No result on stdout: nothing, or with --json an answer of this status, whose error ends the last line on stderr.
no_result() # STATUS
{
    local text

    if [[ " ${last[*]} " != *' --json '* ]]; then
        [ ! -s out ] || fail "stdout is not empty"
        return
    fi
    json ".status == \"$1\""
    text=$(tail -1 err)
    [ "${text%"$(jq -r .error out)"}" != "$text" ] || fail 'the error of the answer is not the last line on stderr'
}

# A failure as users see it: CODE, no result, one line on stderr that names the command and matches PATTERN.
refuse() # CODE PATTERN ARGUMENT...
{
    local wanted=$1 pattern=$2

    shift 2
    expect "$wanted" "$@"
    no_result "$([ "$wanted" -eq 2 ] && echo usage || echo error)"
    one_line "$pattern"
}

# A run that a signal ends: begin, then stop. Variable process, then code.
begin() # ARGUMENT...
{
    last=("$@")
    : >out # what the command before wrote is not taken for this one's
    : >err
    "$PENTA" "$@" >out 2>err </dev/null &
    process=$!
}

await() # FILE: until the run has written it, be it under its temporary name
{
    local i

    for ((i = 0; i < 1200; i++)); do
        [ ! -e "$1" ] || return 0
        ! compgen -G "$1.tmp.*" >/dev/null || return 0
        sleep 0.05
    done
    fail "$1 was not written"
}

stop() # SIGNAL...
{
    local signal

    for signal; do
        kill -s "$signal" "$process" || fail "the run was over before SIG$signal came: $(cat err)"
        last+=("and SIG$signal")
    done
    code=0
    wait "$process" || code=$?
}

# What a shell has for a run that a signal ended: the run tidies up first, then it raises the signal again.
by_signal() # SIGNAL
{
    echo $((128 + $(kill -l "$1")))
}

# As stop; the run ends by the signal, with one line that matches PATTERN, and nothing on stdout.
interrupted() # SIGNAL PATTERN
{
    stop "$1"
    equal "$code" "$(by_signal "$1")" 'exit code'
    one_line "$2"
    no_result interrupted
}

one_line() # PATTERN: stderr is one whole line that matches it (extended, any case)
{
    [ "$(wc -l <err)" -eq 1 ] && [ -z "$(tail -c 1 err)" ] || fail "stderr is not exactly one line"
    grep -q '^penta' err || fail "the line on stderr does not begin with penta"
    grep -Eiq -- "$1" err || fail "the line on stderr does not match '$1'"
}

silent() # nothing on stderr
{
    [ ! -s err ] || fail "stderr is not empty"
}

shows() # FILE PATTERN
{
    grep -Eq -- "$2" "$1" || fail "$1 does not match '$2'"
}

lacks() # FILE PATTERN
{
    if grep -Eq -- "$2" "$1"; then
        fail "$1 matches '$2'"
    fi
}

# ---- files ----

exists() # FILE...
{
    local f

    for f; do
        [ -s "$f" ] || fail "$f is missing or empty"
    done
}

absent() # FILE...
{
    local f

    for f; do
        [ ! -e "$f" ] || fail "$f exists"
    done
}

no_temporaries() # DIR
{
    [ -z "$(find "$1" -name '*.tmp*')" ] || fail "temporary files are left in $1: $(find "$1" -name '*.tmp*')"
}

holds() # DIR FILE...: these and nothing else, but the manifest of a run and its record for --resume
{
    local folder=$1 wanted found

    shift
    wanted=$(printf '%s\n' "$@" | sort)
    found=$(cd "$folder" && ls -A | grep -vxE '\.penta-(run\.json|resume)' | sort)
    [ "$wanted" = "$found" ] || fail "$folder holds ${found//$'\n'/ } instead of ${wanted//$'\n'/ }"
}

same() # FILE FILE
{
    cmp -s "$1" "$2" || fail "$1 and $2 differ: $(cmp -l "$1" "$2" 2>&1 | awk '{ n++ } n <= 3 { s = s $0 "; " } END { print n " lines of cmp -l: " s }')"
}

equal() # GOT WANTED WHAT
{
    [ "$1" = "$2" ] || fail "$3 is '$1' instead of '$2'"
}

near() # GOT WANTED TOLERANCE WHAT
{
    awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { d = a - b; exit !(a == a + 0 && d <= t && -d <= t) }' ||
        fail "$4 is $1 instead of $2 +- $3"
}

json() # FILTER: stdout is one JSON value and nothing else, and the filter is true for it
{
    equal "$(jq -s length out 2>/dev/null)" 1 "number of JSON values on stdout"
    jq -e "$1" out >/dev/null || fail "not so in the JSON: $1"
}

valid() # FILE...: answers that keep to the schema; out where none is named
{
    local here

    here=$(dirname "${BASH_SOURCE[0]}")
    if ! /usr/bin/python3 -c 'import jsonschema' 2>/dev/null; then
        note "python3-jsonschema is missing; answers are not held against the schema"
        return
    fi
    /usr/bin/python3 "$here/validate.py" "$here/../../docs/penta.schema.json" "${@:-out}" >unseen || fail 'the schema is not kept to'
}

# ---- inputs ----

bytes() # HEX...: as binary on stdout, e.g. bytes 4949 2a00
{
    local hex

    hex=$(printf '%s' "$@")
    printf '%b' "$(sed 's/../\\x&/g' <<<"$hex")"
}

# Pixel values 0..255, one a line: WIDTH x HEIGHT pixels from (X0, Y0) of an image whose sums are known.
hash_pixels() # WIDTH HEIGHT [X0 Y0]
{
    local w=$1 h=$2 x0=${3-0} y0=${4-0} x y b i a=() row=()

    for ((x = 0; x < w; x++)); do
        a[x]=$(((x + x0) * 0x9E3779B1 & 0xffffffff))
    done
    for ((y = 0; y < h; y++)); do
        ((b = (y + y0) * 0x85EBCA77 & 0xffffffff, 1))
        for ((x = 0; x < w; x++)); do
            ((i = a[x] ^ b, i ^= i >> 15, i = i * 0x2C1B3C6D & 0xffffffff, i ^= i >> 12,
              i = i * 0x297A2D39 & 0xffffffff, i ^= i >> 15, row[x] = i & 255, 1))
        done
        printf '%d\n' "${row[@]}"
    done
}

pgm() # WIDTH HEIGHT: 8-bit binary PGM on stdout from decimal pixels on stdin
{
    printf 'P5\n%d %d\n255\n' "$1" "$2"
    printf '%b' "$(awk '{ printf "\\x%02x", $1 }')"
}

npy() # DESCR SHAPE HEX...: NPY on stdout, e.g. npy '<f8' '1, 2' 000000000000f03f 0000000000000040
{
    local header="{'descr': '$1', 'fortran_order': False, 'shape': ($2), }"

    shift 2
    printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "$header"
    bytes "$@"
}

# ---- outputs ----

npy_values() # FILE FORMAT: the elements of an NPY file one a line; FORMAT as of od: d8, f8
{
    od -A n -v -w8 -t "$2" -j 128 "$1" | awk '{ print $1 }'
}

npy_is() # FILE DESCR SIDE: version 1.0, 128 bytes of header, SIDE x SIDE elements of 8 bytes in C order
{
    local header

    equal "$(head -c 10 "$1" | od -A n -t x1 | tr -d ' ')" 934e554d50590100"$(printf %02x 118)"00 "start of $1"
    header=$(head -c 128 "$1" | tail -c 118 | sed 's/ *$//')
    equal "$header" "{'descr': '$2', 'fortran_order': False, 'shape': ($3, $3), }" "header of $1"
    equal "$(wc -c <"$1")" $((128 + 8 * $3 * $3)) "size of $1"
}

column() # CSV NAME: the values of one column
{
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { print $c }' "$1"
}

# N(X,Y) of decimal pixels (one a line, WIDTH wide), |X|, |Y| <= R, in the order of the NPY file. Exact below 2^53.
# With a second file: sum of its pixels at (x+X, y+Y).
numerators() # PIXELS WIDTH R [PIXELS]
{
    awk -v w="$2" -v R="$3" -v second="${4-$1}" '
        { a[NR - 1] = $1 }
        END {
            while ((getline v <second) > 0) b[n++] = v
            h = NR / w
            for (Y = -R; Y <= R; Y++)
                for (X = -R; X <= R; X++) {
                    s = 0
                    for (y = Y < 0 ? -Y : 0; y < h && y + Y < h; y++)
                        for (x = X < 0 ? -X : 0; x < w && x + X < w; x++)
                            s += a[y * w + x] * b[(y + Y) * w + x + X]
                    printf "%.0f\n", s
                }
        }' "$1"
}
