# Movies that several share leave the files, messages and answers of one device, in order, and fail as on one.
. "$(dirname "${BASH_SOURCE[0]}")/shared.sh"

size='--width 24 --height 20'
for i in 1 2 3 4; do
    expect 0 sample optmap -q $size --noise 50 --seed $i -o made
    cp made/movie.npy movie-$i.npy
done
expect 0 sample optmap -q $size --frames 900 --noise 50 -o made # takes longer than the others
cp made/movie.npy long.npy
head -c 500 movie-1.npy >broken.npy
mkdir again
cp movie-2.npy again/movie-1.npy # a name twice
plain='-q --rate 1000 --no-report --pixel-size 0.02'
times='real time from reading to writing'

counts=$wide alike all 0 optmap $plain --shifts --average --phase long.npy movie-1.npy movie-2.npy again/movie-1.npy movie-3.npy movie-4.npy
exists all/movie-1-2/activation.npy
alike literal 0 optmap $plain --engine literal movie-1.npy movie-2.npy
alike one 0 optmap $plain movie-1.npy

# Pictures, too; the report tells times.
expect 0 optmap -q --rate 1000 "${alone[@]}" -o pictures movie-1.npy movie-2.npy
team 0 2 optmap -q --rate 1000 -o pictures-2 movie-1.npy movie-2.npy
diff -r -x .penta-run.json -x report.html pictures pictures-2 >differences || fail "$(cat differences)"
exists pictures-2/movie-2/report.html

# A bad movie: those before it are kept, and of those behind it nothing is left, or with --keep-going all others are there.
alike bad 1 optmap $plain long.npy movie-1.npy broken.npy movie-2.npy movie-3.npy movie-4.npy
exists bad/movie-1/activation.npy
absent bad/movie-2
alike skipped 1 optmap $plain --keep-going broken.npy long.npy movie-1.npy broken.npy movie-2.npy movie-3.npy
exists skipped/movie-3/activation.npy
equal "$(grep -c 'broken.npy' skipped.err)" 2 'lines about the bad movie'
team 1 3 optmap $plain -o none/below broken.npy movie-1.npy movie-2.npy
team 1 2 optmap $plain --keep-going -o none broken.npy broken.npy
absent none

# The answer is that of one device, times and shares aside.
answer() # FILE
{
    jq 'del(.seconds, .stages, .ranks, .arguments, .device, .movies[].seconds, .movies[].real_time_factor, .inputs[].seconds,
        .inputs[].real_time_factor) | del(.. | .line?, .d?)' out >"$1" || fail 'no answer'
}
several="$plain --keep-going --json -o told movie-1.npy broken.npy long.npy movie-2.npy"
expect 1 optmap $several "${alone[@]}"
json '.movies | map(.status) == ["ok", "error", "ok", "ok"]'
answer answer
team 1 3 optmap $several
answer answer-3
same answer answer-3
told 3
json '[.ranks[] | select(.share > 0)] | length > 1'
json '.seconds.device > 0 and .seconds.read > 0'
team 0 3 optmap --rate 1000 --no-report -o pair movie-1.npy movie-2.npy
shows err "1 of 3 $who have nothing to do"

# One movie, which the first does.
alike alone 0 optmap $plain --shifts --average --phase long.npy
alike bad-alone 1 optmap $plain broken.npy
team 0 3 optmap --rate 1000 --no-report --json -o single movie-1.npy
shows err "2 of 3 $who have nothing to do: each movie is analysed on one"
json '[.ranks[].share] == [1, 0, 0]'
team 1 2 optmap $plain -o none broken.npy
absent none

if [ "$LAUNCHER" = mpi ]; then # wrong usage is told once
    expect_ranks 2 3 optmap -q --rate 1000 --raw 3 -o nothing movie-1.npy
    one_line ''
    expect_ranks 1 2 optmap -q --rate 1000 -d nosuch -o nothing movie-1.npy movie-2.npy
    one_line ''
    absent nothing
    exit
fi

# ---- Ctrl-C: what was finished is kept, and nothing of the others ----
series=()
mkdir many
for ((i = 0; i < 400; i++)); do
    ln -s ../movie-1.npy "many/m$i.npy"
    series+=("many/m$i.npy")
done
last=('optmap -d $two ... and SIGINT')
"$PENTA" optmap $plain --json -d $two -o stopped "${series[@]}" >out 2>err </dev/null &
process=$!
await stopped/m6/activation.npy # two devices work on four movies at a time: three have had their turn
kill -s INT "$process" || fail 'the run was over before the signal came'
code=0
wait "$process" || code=$?
equal "$code" 130 'exit code'
one_line 'interrupted; nothing was written of many/m[0-9]+.npy'
done=$(grep -Eo 'many/m[0-9]+' err | grep -Eo '[0-9]+$')
[ "$done" -ge 3 ] && [ "$done" -lt 400 ] || fail "stopped at movie $done"
equal "$(find stopped -name activation.npy | wc -l)" "$done" 'movies that are kept'
equal "$(find stopped -mindepth 1 -maxdepth 1 -type d | wc -l)" "$done" 'folders'
json "[.inputs[].status] | .[:$done] == [range($done) | \"ok\"]"
json ".inputs[$done].status == \"interrupted\" and .inputs[$done + 1].status == \"not_run\""
same stopped/m0/activation.npy all/movie-1/activation.npy
