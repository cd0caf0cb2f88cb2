# The first run on a machine: kernels compile, into a cache that may be missing, unusable or damaged (PoCL's).
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

if ! "$PENTA" devices --json | jq -e '.devices[] | select(.platform == "Portable Computing Language")' >/dev/null; then
    note "there is no PoCL; left out"
    exit 0
fi
unset XDG_CACHE_HOME POCL_CACHE_DIR POCL_KERNEL_CACHE PENTACL_CACHE PENTACL_CACHE_DIR
export PENTACL_DEVICE=portable HOME=$PWD/home TMPDIR=$PWD/tmp
mkdir home tmp
hash_pixels 24 20 | pgm 24 20 >image.pgm

# on_terminal TERM ARGUMENT...: standard error is a terminal; typescript: what it got
on_terminal()
{
    local term=$1
    shift
    TERM=$term script -qefc "$(printf '%q ' "$PENTA" "$@")" typescript >/dev/null </dev/null ||
        fail "penta $* on a terminal: $(cat typescript)"
}

# ---- a line while they compile, on a terminal that can draw it ----
export POCL_CACHE_DIR=$PWD/cold
on_terminal xterm autocorr -o out.d image.pgm
grep -q 'compiling kernels (first run): [0-9]* done, .*autocorr' typescript || fail "no line: $(cat -v typescript)"
tr '\r' '\n' <typescript | grep -v compiling | grep -q 'image.pgm' || fail "the line is not cleared"
rm -rf cold
on_terminal dumb autocorr -o out.d image.pgm
! grep -q compiling typescript || fail "drawn on a dumb terminal"
rm -rf cold
expect 0 autocorr -o out.d image.pgm
! grep -q compiling err out || fail "drawn where there is no terminal"
on_terminal xterm autocorr -q -o out.d image.pgm
! grep -q compiling typescript || fail "drawn in spite of -q"

# ---- damaged files are found, said and compiled again ----
cp out.d/*c1d*.csv sound.csv
# (long ago: files that changed just now may still be written by another process, and there is a minute between looks)
set_back()
{
    touch -d '1 hour ago' "$@" cold/pentacl-checked
}
find cold -name '*.so' -exec truncate -s 4096 {} +
set_back $(find cold -name '*.so')
expect 0 autocorr -o out.d image.pgm
grep -q "removed [0-9]* damaged files from PoCL's kernel cache $PWD/cold" err || fail "no note: $(cat err)"
cmp sound.csv out.d/*c1d*.csv
find cold -name program.bc -exec truncate -s 0 {} +
set_back $(find cold -name program.bc)
expect 0 autocorr -o out.d image.pgm
grep -q 'removed [0-9]* damaged file' err || fail "no note: $(cat err)"
expect 0 autocorr -o out.d image.pgm
! grep -q damaged err || fail "noted again"

# ---- a folder that is none ----
export POCL_CACHE_DIR=$PWD/image.pgm
refuse 1 "cannot be used: PoCL cannot keep kernels in POCL_CACHE_DIR $PWD/image.pgm: is no folder" autocorr -o out.e image.pgm
absent out.e
unset POCL_CACHE_DIR HOME
expect 0 autocorr -o out.d image.pgm
grep -q "kernels are kept in $PWD/tmp/pentacl-$(id -u)" err || fail "no note: $(cat err)"
exists "tmp/pentacl-$(id -u)"
