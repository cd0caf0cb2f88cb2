# Ctrl-C and SIGTERM in penta optmap: one line, exit code 1, nothing is left of the movie at work.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/optmap.sh"

wave_npy 100 16 16 1 >short.npy
expect 0 optmap -q --rate 1000 --engine literal --no-report -o warm short.npy # its kernels are compiled and cached now
wave 63 128 1 1 >rows # 63 rows of 128, so that pixels change from frame to frame
for i in $(seq 1016); do cat rows; done | head -c $((2 * 500 * 128 * 128)) >movie.raw

interrupt() # SIGNAL WHEN
{
    local process

    rm -rf stopped
    last=("optmap movie.raw and SIG$1")
    "$PENTA" optmap -q --rate 1000 --engine literal --window 9 --saturated ok --raw 128x128x500:u16le -o stopped movie.raw \
        >out 2>err </dev/null &
    process=$!
    sleep "$2"
    kill -s "$1" "$process" || fail "the run was over before the signal came: $(cat err)"
    code=0
    wait "$process" || code=$?
    equal "$code" 1 'exit code'
    one_line 'interrupted; nothing was written'
    [ ! -s out ] || fail 'stdout is not empty'
    [ -z "$(ls -A stopped 2>/dev/null)" ] || fail "something is left: $(ls -A stopped)"
}

interrupt INT 1
interrupt TERM 1.5

# Of several movies those before stay, and --keep-going goes no further.
rm -rf stopped
head -c $((6 * 2 * 128 * 128)) movie.raw >small.raw
last=("optmap -k small.raw movie.raw small.raw and SIGINT")
"$PENTA" optmap -q -k --rate 1000 --engine literal --window 9 --no-report --saturated ok --raw 128x128:u16le -o stopped small.raw \
    movie.raw small.raw >out 2>err </dev/null &
process=$!
for i in $(seq 100); do
    [ ! -e stopped/small/rotors.csv ] || break
    sleep 0.2
done
sleep 1
kill -s INT "$process" || fail "the run was over before the signal came: $(cat err)"
code=0
wait "$process" || code=$?
equal "$code" 1 'exit code'
one_line 'interrupted; nothing was written of movie\.raw'
exists stopped/small/filtered.npy
[ -z "$(find stopped/movie -type f 2>/dev/null)" ] || fail "something is left: $(find stopped/movie -type f)"
absent stopped/small-2
