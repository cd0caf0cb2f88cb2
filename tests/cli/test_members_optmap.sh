# Movies that several devices analyse side by side leave the files, messages and answers of one device, in order, and fail as on
# one.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/members.sh"

size='--width 24 --height 20'
for i in 1 2 3 4; do
    expect 0 sample optmap -q $size --noise 50 --seed $i -o made
    cp made/movie.npy movie-$i.npy
done
expect 0 sample optmap -q --width 24 --height 20 --frames 900 --noise 50 -o made # takes longer than the others
cp made/movie.npy long.npy
head -c 500 movie-1.npy >broken.npy
mkdir again
cp movie-2.npy again/movie-1.npy # a name twice
good='long.npy movie-1.npy movie-2.npy again/movie-1.npy movie-3.npy movie-4.npy'
plain='-q --rate 1000 --no-report --pixel-size 0.02'

alike all 0 optmap $plain --shifts --average --phase $good
[ -e all/movie-1-2/activation.npy ] || fail 'the second movie of a name is missing'
alike literal 0 optmap $plain --engine literal movie-1.npy movie-2.npy
alike one 0 optmap $plain movie-1.npy

# Pictures, too; the report tells times.
for list in $one $two; do
    expect 0 optmap -q --rate 1000 -d "$list" -o "pictures-$list" movie-1.npy movie-2.npy
done
diff -r -x .penta-run.json -x report.html pictures-$one pictures-$two >differences || fail "$(cat differences)"
exists pictures-$two/movie-2/report.html

# A bad movie: those before it are kept, and of those behind it nothing is left, or with --keep-going all others are there.
alike bad 1 optmap $plain long.npy movie-1.npy broken.npy movie-2.npy movie-3.npy movie-4.npy
exists bad/movie-1/activation.npy
absent bad/movie-2
alike skipped 1 optmap $plain --keep-going broken.npy long.npy movie-1.npy broken.npy movie-2.npy movie-3.npy
exists skipped/movie-3/activation.npy
equal "$(grep -c 'broken.npy' skipped.err)" 2 'lines about the bad movie'
expect 1 optmap $plain -d $two -o none broken.npy movie-1.npy movie-2.npy
absent none

# The answer is that of one device, times and shares aside.
answer() # LIST
{
    expect 1 optmap $plain --keep-going --json -d "$1" -o told movie-1.npy broken.npy long.npy movie-2.npy
    jq 'del(.seconds, .stages, .ranks, .arguments, .device, .movies[].seconds, .movies[].real_time_factor, .inputs[].seconds,
        .inputs[].real_time_factor) | del(.. | .line?, .d?)' out >"answer-$1" || fail 'no answer'
}
answer $one
answer $three
jq -e '.movies | map(.status) == ["ok", "error", "ok", "ok"]' "answer-$one" >/dev/null || fail "$(cat answer-$one)"
diff answer-$one answer-$three >differences || fail "$(cat differences)"
json '[.ranks[].rank] == [0, 1, 2]'
json '[.ranks[] | .host != "" and .device != "" and .seconds >= 0] | all'
json '([.ranks[].share] | add) as $all | ($all - 1 | fabs) < 1e-9'
json '[.ranks[] | select(.share > 0)] | length > 1'
expect 0 optmap --rate 1000 --no-report -d $three -o pair movie-1.npy movie-2.npy
grep -q '1 of 3 devices have nothing to do' err || fail 'no note about idle devices'

# ---- one movie, which the first device does ----
alike alone 0 optmap $plain --shifts --average --phase long.npy
expect 0 optmap --rate 1000 --no-report --json -d $three -o single movie-1.npy
shows err '2 of 3 devices have nothing to do: each movie is analysed on one'
json '[.ranks[].share] == [1, 0, 0]'
expect 1 optmap $plain -d $two -o none broken.npy
absent none

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
