# A series that several ranks of mpirun prepare has the files of one process, to the byte, whatever frames need of those before
# them.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/mpi.sh"
. "$(dirname "${BASH_SOURCE[0]}")/members.sh"
. "$(dirname "${BASH_SOURCE[0]}")/mpi_alike.sh"

frames() # FOLDER NUMBER...
{
    printf "$1/frame-%04d.png\n" "${@:2}"
}

# How often the last run went back to a frame that needs the frame before it.
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
counts='2 4'
alike drifting 0 prepare -q $(frames still {0..29})
exists drifting-4/report/sheet.png
counts=3
alike levels 0 prepare -q --flatten poly --dust fill --contrast 1,99 --contrast-of first --depth u8 $(frames still {0..17})
alike smooth 0 prepare -q --smooth-drift 3 --flatten series --contrast 1,99 --contrast-of first $(frames still {0..17})
alike one 0 prepare -q still/frame-0003.png
expect 0 prepare --print-recipe --flatten poly --key-score 0.9
cp out recipe.json
alike by-recipe 0 prepare -q --recipe recipe.json --register none --format npy $(frames still {0..11})
expect_ranks 0 2 prepare --print-recipe --flatten poly --key-score 0.9
same out recipe.json

# ---- frames that need those before them: the key changes, the pattern grows, another pattern comes in between ----
counts='2 4'
alike changing 0 prepare -q --no-sheet --key-score 0.9 $(frames growing {0..15})
counts=3
alike never 1 prepare -q --no-sheet --keep-going --key-score 0 $(frames growing {0..15})
cmp -s changing/drift.csv never/drift.csv && fail 'no key has changed'
expect_ranks 0 3 prepare -q --no-sheet -v --key-score 0.9 -o told $(frames growing {0..15})
[ "$(returns)" -ge 1 ] || fail 'no rank has run a frame that did not stand'
jump="$(frames still {0..11}) $(frames others {0..5}) $(frames still {12..29})"
alike jump 1 prepare -q --keep-going $jump
[ "$(grep -c 'skipped: others/' jump.err)" -ge 3 ] || fail "$(cat jump.err)"
exists jump-3/frame-0029.png
alike jump-ends 1 prepare -q --no-sheet $jump

# ---- autocorr --recipe ----
expect 0 prepare --print-recipe --key-score 0.9
cp out key.json
counts=2
alike correlated 0 autocorr -q --recipe key.json $(frames growing {0..15})
counts=3
alike correlated-still 0 autocorr -q --no-plots --recipe key.json $(frames still {0..29})
alike correlated-bad 1 autocorr -q --no-plots --keep-going --recipe key.json $(frames still {0..9} 109) $(frames others {0..2}) \
    $(frames still {10..29})

# ---- who did what; wrong usage, told once ----
expect_ranks 0 3 prepare --json --no-sheet -o told $(frames still {0..29})
ranks_told 3
json '[.ranks[] | select(.share > 0)] | length > 1'
json '[.frames[].status] | length == 30 and (unique == ["ok"])'
expect_ranks 2 2 prepare -q --watch still -o watched
one_line '--watch prepares a series in one process, and there are ranks for 2'
expect_ranks 1 3 prepare -q --dark missing.png -o none $(frames still {0..3})
one_line 'missing.png'
absent none watched
