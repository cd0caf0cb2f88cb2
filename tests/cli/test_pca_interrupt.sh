# Ctrl-C and SIGTERM in penta pca: one line, the signal as the end, nothing is left; in the first pass and in the second. A second
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
    local signal=$1 pause=$2

    shift 2
    rm -rf stopped
    begin pca "$@" -o stopped endless.npy
    sleep "$pause"
    interrupted "$signal" 'interrupted; nothing was written'
    absent stopped
}

interrupt_twice() # FLAG...
{
    rm -rf stopped
    begin pca "$@" -o stopped/below endless.npy
    for _ in {1..300}; do
        [ -z "$(ls -A stopped/below 2>/dev/null)" ] || break
        sleep 0.1
    done
    [ -n "$(ls -A stopped/below)" ] || fail 'no temporary file is there when the signals come'
    stop INT TERM
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
begin sample pca --rows 2000 --cols 2000 -o stopped # looks at no signal
sleep 0.3
stop TERM
equal $code 143 'exit code'
absent stopped
