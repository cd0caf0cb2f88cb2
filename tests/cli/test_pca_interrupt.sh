# Ctrl-C and SIGTERM in penta pca: one line, exit code 1, nothing is left; in the first pass and in the second.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

expect 0 sample pca -q -o in
expect 0 pca -o model in/exact.npy # its kernels are compiled and cached now

sparse() # DESCR SHAPE BYTES: zeros that take no room on the disk
{
    npy "$1" "$2"
}
sparse '<i2' '8, 20000, 60000' >endless.npy
truncate -s $((128 + 2 * 8 * 20000 * 60000)) endless.npy

interrupt() # SIGNAL WHEN FLAG...
{
    local signal=$1 pause=$2 process

    shift 2
    rm -rf stopped
    last=("pca $* and SIG$signal")
    "$PENTA" pca "$@" -o stopped endless.npy >out 2>err </dev/null &
    process=$!
    sleep "$pause"
    kill -s "$signal" "$process" || fail "the run was over before the signal came: $(cat err)"
    code=0
    wait "$process" || code=$?
    equal "$code" 1 'exit code'
    one_line 'interrupted; nothing was written'
    [ ! -s out ] || fail 'stdout is not empty'
    [ -z "$(ls -A stopped 2>/dev/null)" ] || fail "something is left: $(ls -A stopped)"
}

interrupt INT 2
interrupt TERM 2 --json -q
interrupt INT 2 --transform model/model.json -k 1 --type f32
interrupt TERM 2 --transform model/model.json -k 1 --rescale 0,255 --filter
