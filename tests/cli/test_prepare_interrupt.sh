# Ctrl-C in a long series: what was finished is kept and listed, one line, the signal as the end. SIGTERM likewise.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

hash_pixels 64 48 | pgm 64 48 >f.pgm
plain='--flatten none --dust none --register none --batch 4'
series=()
for ((i = 0; i < 30000; i++)); do # far more than can be done before the signal
    series+=(f.pgm)
done
expect 0 prepare $plain -o warm f.pgm # its kernels are compiled and cached now

interrupt() # SIGNAL FLAG...
{
    local signal=$1 process i

    shift
    rm -rf stopped
    last=("prepare $* ... and SIG$signal")
    "$PENTA" prepare $plain "$@" -o stopped "${series[@]}" >out 2>err </dev/null &
    process=$!
    await stopped/f-20.mask.png
    kill -s "$signal" "$process" || fail "the series was over before the signal came"
    code=0
    wait "$process" || code=$?
    equal "$code" "$(by_signal "$signal")" 'exit code'
    one_line 'interrupted after [0-9]+ of 30000 frames'
    no_result interrupted
    no_temporaries stopped
}

for signal in INT TERM; do
    interrupt $signal
    done=$(grep -Eo 'after [0-9]+' err | cut -d ' ' -f 2)
    [ "$done" -ge 20 ] && [ "$done" -lt 30000 ] || fail "stopped after $done frames"
    equal "$(wc -l <stopped/drift.csv)" $((done + 1)) 'lines of drift.csv'
    equal "$(find stopped -name '*.mask.png' | wc -l)" "$done" 'masks'
    equal "$(find stopped -name 'f*.png' | wc -l)" $((2 * done)) 'frames and masks'
    same stopped/f.png warm/f.png
    same "stopped/f-$done.png" warm/f.png
    same "stopped/f-$done.mask.png" warm/f.mask.png
    exists stopped/report/sheet.png
done
interrupt INT --json -q --no-sheet
exists stopped/drift.csv
absent stopped/report

# ---- before the first frame was finished: nothing is left ----
last=("prepare --flatten series --smooth-drift 1 ... and SIGINT")
"$PENTA" prepare --smooth-drift 1 -o early "${series[@]}" >out 2>err </dev/null &
process=$!
sleep 3
kill -s INT "$process"
code=0
wait "$process" || code=$?
equal "$code" 130 'exit code'
one_line 'interrupted before the first frame'
absent early
