# Ctrl-C and SIGTERM in penta optmap: one line, the signal as the end, nothing is left of the movie at work.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/optmap.sh"

wave 63 128 1 1 >rows # 63 rows of 128, so that pixels change from frame to frame
for i in $(seq 4064); do cat rows; done | head -c $((2 * 2000 * 128 * 128)) >movie.raw
flags=(-q --rate 1000 --engine literal --batch 1 --saturated ok) # Ctrl-C is heard between batches
head -c $((2 * 6 * 128 * 128)) movie.raw >small.raw
expect 0 optmap "${flags[@]}" --raw 128x128x6:u16le --no-report -o warm small.raw # its kernels are compiled and cached now
# Those of the long movie, too: a compiler that a signal interrupts has lines of its own to say.
(timeout -s KILL 15 "$PENTA" optmap "${flags[@]}" --raw 128x128x2000:u16le -o warm movie.raw) >/dev/null 2>&1
code=$?
if [ $code -eq 0 ]; then
    note 'this device is through with the long movie before a signal comes; signals are not tested on it'
    exit 0
fi
[ $code -eq 137 ] || fail "the long movie ended with $code"

interrupt() # SIGNAL WHEN
{
    rm -rf stopped
    begin optmap "${flags[@]}" --raw 128x128x2000:u16le -o stopped movie.raw
    sleep "$2"
    interrupted "$1" 'interrupted; nothing was written'
    [ -z "$(ls -A stopped 2>/dev/null)" ] || fail "something is left: $(ls -A stopped)"
}

interrupt INT 3
interrupt TERM 4

# Of several movies those before stay, and --keep-going goes no further.
rm -rf stopped
begin optmap "${flags[@]}" --keep-going --no-report --raw 128x128:u16le -o stopped small.raw movie.raw small.raw
await stopped/small/rotors.csv
sleep 3
stop INT
equal "$code" 130 'exit code'
sed -i '/: warning: /d' err
one_line 'interrupted; nothing was written of movie\.raw'
lacks out '^movie'
exists stopped/small/filtered.npy
[ -z "$(find stopped/movie -type f 2>/dev/null)" ] || fail "something is left: $(find stopped/movie -type f)"
absent stopped/small-2
