# A series that several prepare has the files of one device, to the byte, and fails as on one: frames that need none before them
# are shared, other series are the first one's.
. "$(dirname "${BASH_SOURCE[0]}")/shared.sh"

frames() # FOLDER NUMBER...
{
    printf "$1/frame-%04d.png\n" "${@:2}"
}

size='--width 120 --height 96 --r0 8 --drift 6'
expect 0 sample prepare -q -n 30 $size -o still
expect 0 sample prepare -q -n 16 $size --speed 0.15 -o growing
expect 0 sample prepare -q -n 2 --width 100 --height 96 -o wide
head -c 300 still/frame-0009.png >still/frame-0109.png # cut short
cp wide/frame-0001.png still/frame-0117.png            # of another size

# ---- frames that need none before them ----
counts=$wide alike unmoved 0 prepare -q --register none $(frames still {0..29})
exists unmoved/report/sheet.png
alike levels 0 prepare -q --register none --flatten poly --dust fill --contrast 1,99 --depth u8 --batch 3 $(frames still {0..17})
alike smooth 0 prepare -q --smooth-drift 3 --flatten series $(frames still {0..17})
alike smooth-turned 0 prepare -q --no-sheet --smooth-drift 3 --register rigid $(frames growing {0..15})
alike one 0 prepare -q --register none still/frame-0003.png
expect 0 prepare --print-recipe --flatten poly --key-score 0.9
cp out recipe.json
alike by-recipe 0 prepare -q --recipe recipe.json --register none --format npy $(frames still {0..11})

# ---- frames that need those before them: the first prepares them ----
alike changing 0 prepare -q --key-score 0.9 $(frames growing {0..15})
alike first 0 prepare -q --no-sheet --register none --contrast 1,99 --contrast-of first $(frames still {0..5})
for way in '' '--register rigid' '--register none --contrast 1,99 --contrast-of first'; do
    team 0 3 prepare --no-sheet --json $way -o told $(frames still {0..5})
    one_line "frames need those before them: of 3 $who the first does them all"
    json '[.ranks[].share] == [1, 0, 0]'
done

# ---- bad frames ----
alike bad 1 prepare -q --register none $(frames still {0..13} 109 {14..29})
exists bad/frame-0013.png
absent bad/frame-0014.png
alike skipped 1 prepare -q --register none --keep-going $(frames still 109 {0..8} 117 {9..29})
equal "$(grep -c skipped: skipped.err)" 2 'frames that are skipped'
exists skipped/frame-0029.png
alike bad-in-order 1 prepare -q $(frames still {0..3} 109 {4..5})
team 1 2 prepare -q --register none -o none $(frames still 109 0 1)
one_line 'frame-0109.png'
absent none
no_temporaries .

# ---- autocorr --recipe ----
expect 0 prepare --print-recipe --register none --flatten series
cp out unmoved.json
alike correlated 0 autocorr -q --no-plots --recipe recipe.json $(frames growing {0..15})
counts=2 alike correlated-unmoved 0 autocorr -q --recipe unmoved.json $(frames still {0..29})
alike correlated-bad 1 autocorr -q --no-plots --keep-going --recipe unmoved.json $(frames still 109 {0..9} 117 {10..29})
team 0 3 autocorr --no-plots --json --recipe recipe.json -o told-2 $(frames still {0..5})
one_line "frames need those before them: of 3 $who the first does them all"
json '[.ranks[].share] == [1, 0, 0]'

# ---- who did what; wrong usage, told once ----
team 0 3 prepare --json --no-sheet --register none -o told $(frames still {0..29})
told 3
json '[.ranks[] | select(.share > 0)] | length > 1'
json '[.frames[].status] | length == 30 and (unique == ["ok"])'
team 2 2 prepare -q --watch still -o watched
if [ "$LAUNCHER" = mpi ]; then
    one_line '--watch prepares a series in one process, and there are ranks for 2'
    expect_ranks 1 3 prepare -q --dark missing.png -o none $(frames still {0..3})
    one_line 'missing.png'
    absent none watched
    expect_ranks 0 2 prepare --print-recipe --flatten poly --key-score 0.9
    same out recipe.json
    exit
fi
one_line "'$two' names 2 devices, but one is used here"

# ---- Ctrl-C ----
series=()
for ((i = 0; i < 600; i++)); do
    series+=($(frames still {0..29}))
done
last=('prepare ... and SIGINT')
"$PENTA" prepare --no-sheet --register none -d $two -o stopped "${series[@]}" >out 2>err </dev/null &
process=$!
await stopped/frame-0029-2.mask.png
kill -s INT "$process" || fail 'the series was over before the signal came'
code=0
wait "$process" || code=$?
equal "$code" 130 'exit code'
grep -Eq 'interrupted after [0-9]+ of 18000 frames' err || fail 'no line about the interruption'
done=$(grep -Eo 'after [0-9]+' err | cut -d ' ' -f 2)
equal "$(wc -l <stopped/drift.csv)" $((done + 1)) 'lines of drift.csv'
equal "$(find stopped -name '*.mask.png' | wc -l)" "$done" 'masks'
same stopped/frame-0029.png "$(frames unmoved 29)"
no_temporaries stopped
