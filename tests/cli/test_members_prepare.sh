# A series that is prepared on several devices has the files of one device, to the byte, whatever frames need of those before
# them, and fails as on one.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/members.sh"

frames() # FOLDER NUMBER...
{
    printf "$1/frame-%04d.png\n" "${@:2}"
}

# How often the last run of three members went back to a frame that needs the frame before it.
returns()
{
    grep -c 'members: .* needs the frame before it' err
}

size='--width 120 --height 96 --r0 8 --drift 6'
expect 0 sample prepare -q -n 30 $size -o still
expect 0 sample prepare -q -n 16 $size --speed 0.15 -o growing
expect 0 sample prepare -q -n 6 $size --seed 7 -o others # nothing of `still` is in them
expect 0 sample prepare -q -n 2 --width 100 --height 96 -o wide
head -c 300 still/frame-0009.png >still/frame-0109.png # cut short
cp wide/frame-0001.png still/frame-0117.png            # of another size

# ---- a pattern that drifts: all frames are like the first ----
alike drifting 0 prepare -q $(frames still {0..29})
alike levels 0 prepare -q --flatten poly --dust fill --contrast 1,99 --contrast-of first --depth u8 --batch 3 \
    $(frames still {0..17})
alike turned 0 prepare -q --register rigid --flatten series $(frames still {0..17})
alike smooth 0 prepare -q --smooth-drift 3 --flatten series --contrast 1,99 --contrast-of first $(frames still {0..17})
alike alone 0 prepare -q --register none --dust copy $(frames still {0..17})
alike one 0 prepare -q still/frame-0003.png

# ---- frames that need those before them: the key changes, the pattern grows, another pattern comes in between ----
alike grown 0 prepare -q --no-sheet $(frames growing {0..15})
alike changing 0 prepare -q --no-sheet --key-score 0.9 $(frames growing {0..15})
alike always 0 prepare -q --no-sheet --key-score 1 $(frames still {0..11})
alike never 1 prepare -q --no-sheet --keep-going --key-score 0 $(frames growing {0..15})
cmp -s changing/drift.csv never/drift.csv && fail 'no key has changed'
expect 0 prepare -q --no-sheet -v --key-score 0.9 -d $three -o told $(frames growing {0..15})
[ "$(returns)" -ge 1 ] || fail 'no member has run a frame that did not stand'
alike jump 1 prepare -q --no-sheet --keep-going $(frames still {0..11}) $(frames others {0..5}) $(frames still {12..29})
[ "$(grep -c 'skipped: others/' jump.err)" -ge 3 ] || fail "$(cat jump.err)"
[ -e jump/frame-0029.png ] || fail 'a frame behind the jump is missing'
expect 1 prepare -q --no-sheet -v --keep-going -d $three -o told $(frames still {0..11}) $(frames others {0..5}) \
    $(frames still {12..29})
[ "$(returns)" -ge 1 ] || fail 'a frame of another pattern has been taken as it was'
alike jump-ends 1 prepare -q --no-sheet $(frames still {0..11}) $(frames others {0..5}) $(frames still {12..29})

# ---- bad frames ----
alike bad 1 prepare -q $(frames still {0..13} 109 {14..29})
[ -e bad/frame-0013.png ] || fail 'a frame before the bad one is missing'
[ ! -e bad/frame-0014.png ] || fail 'a frame behind the bad one was written'
alike skipped 1 prepare -q --keep-going $(frames still 109 {0..8} 117 {9..29})
[ "$(grep -c skipped: skipped.err)" -eq 2 ] || fail "$(cat skipped.err)"
[ -e skipped/frame-0029.png ] || fail 'a frame behind the bad ones is missing'

# ---- autocorr --recipe ----
expect 0 prepare --print-recipe --key-score 0.9
cp out recipe.json
alike correlated 0 autocorr -q --no-plots --recipe recipe.json $(frames growing {0..15})
alike correlated-still 0 autocorr -q --no-plots --recipe recipe.json $(frames still {0..29})
alike correlated-bad 1 autocorr -q --no-plots --keep-going --recipe recipe.json $(frames still {0..9} 109) \
    $(frames others {0..2}) $(frames still {10..29})

# ---- who did what, and Ctrl-C ----
expect 0 prepare -d $three --json --no-sheet -o told $(frames still {0..29})
json '[.ranks[].rank] == [0, 1, 2]'
json '([.ranks[].share] | add) as $all | ($all - 1 | fabs) < 1e-9'
json '[.ranks[] | select(.share > 0)] | length > 1'
expect 2 prepare -d $two --watch still -o watched
grep -q "'$two' names 2 devices, but one is used here" err || fail 'no reason is given'

series=()
for ((i = 0; i < 600; i++)); do
    series+=($(frames still {0..29}))
done
last=('prepare ... and SIGINT')
"$PENTA" prepare --no-sheet -d $two -o stopped "${series[@]}" >out 2>err </dev/null &
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
same stopped/frame-0029.png drifting/frame-0029.png
no_temporaries stopped
