# Ctrl-C and SIGTERM in penta pca: one line, exit code 1, nothing is left; in the first pass and in the second. A second
# signal ends it at once, and still nothing is left.
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
    absent stopped
}

interrupt_twice() # FLAG...
{
    local process

    rm -rf stopped
    last=("pca $* and two signals")
    "$PENTA" pca "$@" -o stopped/below endless.npy >out 2>err </dev/null &
    process=$!
    sleep 2
    [ -n "$(ls -A stopped/below)" ] || fail 'no temporary file is there when the signals come'
    kill -s INT "$process" && kill -s TERM "$process" || fail "the run was over before the signals came: $(cat err)"
    code=0
    wait "$process" || code=$?
    [ $code -eq 130 ] || [ $code -eq 143 ] || fail "exit code $code instead of 130 or 143"
    absent stopped
}

for flags in "${runs[@]}"; do
    interrupt INT 2 $flags
done
interrupt TERM 2 ${runs[0]}
interrupt TERM 2 ${runs[3]}

interrupt_twice ${runs[3]}
if "$PENTA" pca -q --format envi -o probe in/exact.npy 2>err; then
    interrupt_twice ${runs[3]} --format envi
    interrupt_twice ${runs[3]} --format gtiff
else
    grep -q 'this build cannot write' err || fail "ENVI: $(cat err)"
    note 'this build has no GDAL; its temporary files are left out'
fi
"$PENTA" sample pca --rows 2000 --cols 2000 -o stopped >out 2>err & # looks at no signal
process=$!
sleep 0.3
kill -s TERM $process || fail 'sample pca was over before the signal came'
code=0
wait $process || code=$?
equal $code 143 'exit code'
absent stopped
