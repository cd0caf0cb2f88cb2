# Ctrl-C in a long series: what was finished is kept and summed up, one line, the signal as the end. SIGTERM likewise.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

hash_pixels 64 48 | pgm 64 48 >f.pgm
series=()
for ((i = 0; i < 60000; i++)); do # far more than can be done before the signal
    series+=(f.pgm)
done
expect 0 autocorr -R 20 --method naive --no-plots -o warm f.pgm # its kernels are compiled and cached now

interrupt() # SIGNAL FLAG...
{
    local signal=$1

    shift
    rm -rf stopped
    begin autocorr -R 20 --method naive --no-plots "$@" -o stopped "${series[@]}"
    last=("autocorr $* ...") # not all of them
    await stopped/f-20.c1d.csv
    [ -z "${twice-}" ] || (sleep "$twice" && kill -s "$signal" "$process" 2>/dev/null || :) &
    interrupted "$signal" 'interrupted after [0-9]+ of 60000 frames'
}

# A second Ctrl-C while that is kept changes nothing.
for signal in INT TERM 'INT 0.03' 'INT 0.2'; do
    read -r signal twice <<<"$signal"
    interrupt "$signal"
    done=$(grep -Eo 'after [0-9]+' err | cut -d ' ' -f 2)
    [ "$done" -ge 20 ] && [ "$done" -lt 60000 ] || fail "stopped after $done frames"
    no_temporaries stopped
    equal "$(head -1 stopped/series.csv)" index,file,time,r_max,r_max_se,c_max,r_min,c_min,status 'header of series.csv'
    equal "$(wc -l <stopped/series.csv)" $((done + 1)) 'lines of series.csv'
    equal "$(find stopped -name '*.c2d.npy' | wc -l)" "$done" 'files c2d'
    equal "$(find stopped -name '*.c1d.csv' | wc -l)" "$done" 'files c1d'
    same stopped/f.c2d.npy warm/f.c2d.npy
    same "stopped/f-$done.c2d.npy" warm/f.c2d.npy
    same "stopped/f-$done.c1d.csv" warm/f.c1d.csv
done
twice='' interrupt INT --json -q
exists stopped/series.csv

# ---- penta sample ----
begin sample autocorr -n 20000 -o sample
await sample/frame-0001.png
stop INT
equal "$code" 130 'exit code'
one_line 'interrupted after [0-9]+ of 20000 frames'
no_temporaries sample
