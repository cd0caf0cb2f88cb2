# A series in several ranks of mpirun leaves the files of one process, to the byte, says the same, and fails as one does.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/mpi.sh"
. "$(dirname "${BASH_SOURCE[0]}")/members.sh"
. "$(dirname "${BASH_SOURCE[0]}")/mpi_alike.sh"

frames() # NUMBER...
{
    printf 'rings/frame-%04d.png\n' "$@"
}

expect 0 sample autocorr --frames 30 --width 48 --height 48 -o rings -q
expect 0 sample autocorr --frames 2 --width 40 --height 48 -o others -q
head -c 300 rings/frame-0009.png >rings/frame-0109.png # cut short
cp others/frame-0001.png rings/frame-0117.png          # of another size

counts='2 4'
alike series 0 autocorr --numerators --interval 2 $(frames {0..29})
counts=3
alike shifts 0 autocorr --no-plots --with rings/frame-0000.png -R 9 $(frames {1..12})
alike one 0 autocorr --no-plots rings/frame-0003.png
counts=2
alike bad-first 1 autocorr -q --no-plots --keep-going rings/frame-0109.png $(frames {0..8})

# A bad frame: those before it are kept, and those behind it are not written, or with --keep-going all others are.
counts='2 4'
alike bad 1 autocorr -q --no-plots $(frames {0..16} 109 {17..29})
[ -e bad-4/frame-0016.c2d.npy ] || fail 'a frame before the bad one is missing'
[ ! -e bad-4/frame-0017.c2d.npy ] || fail 'a frame behind the bad one was written'
counts=3
alike skipped 1 autocorr --no-plots --keep-going $(frames {0..8} 109 {9..20} 117 {21..29})
for n in 2; do # no frame is good, so there is nothing to write
    expect_ranks 1 $n autocorr -q --keep-going -o none-$n rings/frame-0109.png rings/frame-0109.png rings/frame-0109.png
    [ "$(grep -c skipped: err)" -eq 3 ] || fail "$(cat err)"
    grep -q 'no frame could be used' err || fail "$(cat err)"
    [ ! -e none-$n ] || fail 'there is a folder without results'
done
leftover=$(find . -name '*.tmp.penta.*')
[ -z "$leftover" ] || fail "temporary files are left: $leftover"

# Who did what.
expect_ranks 0 3 autocorr --json --no-plots -o told $(frames {0..29})
ranks_told 3

# Wrong usage is told once.
expect_ranks 2 4 autocorr -q $(frames 0)
[ "$(wc -l <err)" -eq 1 ] || fail 'the error is not one line'
expect_ranks 2 2 autocorr -o nothing -
grep -q 'is read by one process, and there are 2' err || fail 'standard input is not refused'
expect_ranks 1 2 autocorr -o nothing missing.png
[ "$(wc -l <err)" -eq 1 ] || fail 'the error is not one line'
expect_ranks 1 2 autocorr -d nosuch -o nothing $(frames 0)
[ "$(wc -l <err)" -eq 1 ] || fail 'the error is not one line'
