# Ctrl-C and SIGTERM in penta pca: one line, exit code 1, nothing is left; in the first pass and in the second.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

expect 0 sample pca -q -o in
expect 0 pca -o model in/exact.npy
npy '<i2' '8, 20000, 60000' >endless.npy # zeros that take no room on the disk
truncate -s $((128 + 2 * 8 * 20000 * 60000)) endless.npy
npy '<i2' '8, 30, 60000' >short.npy
truncate -s $((128 + 2 * 8 * 30 * 60000)) short.npy

runs=('--cov triangle' '--json -q' '--transform model/model.json -k 1 --type f32'
    '--transform model/model.json -k 1 --rescale 0,255 --filter')
for flags in "${runs[@]}"; do
    expect 0 pca $flags -o warm short.npy # its kernels are compiled and cached now
done

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

for flags in "${runs[@]}"; do
    interrupt INT 2 $flags
done
interrupt TERM 2 ${runs[0]}
interrupt TERM 2 ${runs[3]}
