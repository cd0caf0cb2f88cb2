# Movies in several ranks of mpirun: the files, messages and answers of one process, in order.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/mpi.sh"
. "$(dirname "${BASH_SOURCE[0]}")/members.sh"
. "$(dirname "${BASH_SOURCE[0]}")/mpi_alike.sh"

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

counts='2 4'
alike all 0 optmap $plain --shifts --average --phase long.npy movie-1.npy movie-2.npy again/movie-1.npy movie-3.npy movie-4.npy
exists all-4/movie-1-2/activation.npy
counts=3
alike one 0 optmap $plain movie-1.npy
alike literal 0 optmap $plain --engine literal movie-1.npy movie-2.npy

# Pictures, too; the report tells times.
expect 0 optmap -q --rate 1000 -o pictures movie-1.npy movie-2.npy
expect_ranks 0 2 optmap -q --rate 1000 -o pictures-2 movie-1.npy movie-2.npy
diff -r -x .penta-run.json -x report.html pictures pictures-2 >differences || fail "$(cat differences)"
exists pictures-2/movie-2/report.html

# The answer is that of one process, times and shares aside.
told() # FILE
{
    jq 'del(.seconds, .stages, .ranks, .arguments, .device, .movies[].seconds, .movies[].real_time_factor, .inputs[].seconds,
        .inputs[].real_time_factor) | del(.. | .line?, .d?)' out >"$1" || fail 'no answer'
}
told_of="$plain --keep-going --json -o told movie-1.npy broken.npy long.npy movie-2.npy"
expect 1 optmap $told_of
told answer
expect_ranks 1 3 optmap $told_of
told answer-3
diff answer answer-3 >differences || fail "$(cat differences)"
ranks_told 3
json '[.ranks[] | select(.share > 0)] | length > 1'
json '.seconds.device > 0 and .seconds.read > 0'
expect_ranks 0 3 optmap --rate 1000 --no-report -o pair movie-1.npy movie-2.npy
grep -q '1 of 3 ranks have nothing to do' err || fail 'no note about idle ranks'

# One movie, which rank 0 does.
counts=3
alike alone 0 optmap $plain --shifts --average --phase long.npy
alike bad-alone 1 optmap $plain broken.npy
expect_ranks 0 3 optmap --rate 1000 --no-report --json -o single movie-1.npy
shows err '2 of 3 ranks have nothing to do: each movie is analysed on one'
json '[.ranks[].share] == [1, 0, 0]'

# Wrong usage is told once.
expect_ranks 2 3 optmap -q --rate 1000 --raw 3 -o nothing movie-1.npy
[ "$(wc -l <err)" -eq 1 ] || fail 'the error is not one line'
expect_ranks 1 2 optmap -q --rate 1000 -d nosuch -o nothing movie-1.npy movie-2.npy
[ "$(wc -l <err)" -eq 1 ] || fail 'the error is not one line'
absent nothing
