# A series that several ranks of mpirun prepare has the files of one process, to the byte: frames that need none before them are
# shared, other series are rank 0's.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/mpi.sh"
. "$(dirname "${BASH_SOURCE[0]}")/members.sh"
. "$(dirname "${BASH_SOURCE[0]}")/mpi_alike.sh"

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
counts='2 4'
alike unmoved 0 prepare -q --register none $(frames still {0..29})
exists unmoved-4/report/sheet.png
counts=3
alike levels 0 prepare -q --register none --flatten poly --dust fill --contrast 1,99 --depth u8 $(frames still {0..17})
alike smooth 0 prepare -q --smooth-drift 3 --flatten series $(frames still {0..17})
alike one 0 prepare -q --register none still/frame-0003.png
expect 0 prepare --print-recipe --flatten poly --key-score 0.9
cp out recipe.json
alike by-recipe 0 prepare -q --recipe recipe.json --register none --format npy $(frames still {0..11})
expect_ranks 0 2 prepare --print-recipe --flatten poly --key-score 0.9
same out recipe.json

# ---- frames that need those before them: rank 0 prepares them ----
alike changing 0 prepare -q --no-sheet --key-score 0.9 $(frames growing {0..15})
alike first 0 prepare -q --register none --contrast 1,99 --contrast-of first $(frames still {0..5})
expect_ranks 0 3 prepare --json --no-sheet -o in-order $(frames still {0..5})
one_line 'frames need those before them: of 3 ranks the first does them all'
json '[.ranks[].share] == [1, 0, 0]'

# ---- autocorr --recipe ----
expect 0 prepare --print-recipe --register none --flatten series
cp out unmoved.json
counts=2
alike correlated 0 autocorr -q --recipe unmoved.json $(frames still {0..15})
alike correlated-in-order 0 autocorr -q --no-plots --recipe recipe.json $(frames growing {0..15})
counts=3
alike correlated-bad 1 autocorr -q --no-plots --keep-going --recipe unmoved.json $(frames still 109 {0..9} 117 {10..29})

# ---- who did what; wrong usage, told once ----
expect_ranks 0 3 prepare --json --no-sheet --register none -o told $(frames still {0..29})
ranks_told 3
json '[.ranks[] | select(.share > 0)] | length > 1'
json '[.frames[].status] | length == 30 and (unique == ["ok"])'
expect_ranks 2 2 prepare -q --watch still -o watched
one_line '--watch prepares a series in one process, and there are ranks for 2'
expect_ranks 1 3 prepare -q --dark missing.png -o none $(frames still {0..3})
one_line 'missing.png'
absent none watched
