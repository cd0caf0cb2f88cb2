# A series that several share leaves the files of one device, to the byte, says the same, and fails as on one.
. "$(dirname "${BASH_SOURCE[0]}")/shared.sh"

frames() # NUMBER...
{
    printf 'rings/frame-%04d.png\n' "$@"
}

expect 0 sample autocorr --frames 30 --width 48 --height 48 -o rings -q
expect 0 sample autocorr --frames 2 --width 40 --height 48 -o others -q
head -c 300 rings/frame-0009.png >rings/frame-0109.png # cut short
cp others/frame-0001.png rings/frame-0117.png          # of another size

counts=$wide alike series 0 autocorr --numerators --interval 2 $(frames {0..29})
alike curve 0 autocorr -q --no-plots --bootstrap 20 --demean plane $(frames {0..6})
alike shifts 0 autocorr --no-plots --with rings/frame-0000.png -R 9 $(frames {1..12})
alike one 0 autocorr --no-plots rings/frame-0003.png
counts=2 alike bad-first 1 autocorr -q --no-plots --keep-going rings/frame-0109.png $(frames {0..8})

# A bad frame: those before it are kept, and those behind it are not written, or with --keep-going all others are.
counts=$wide alike bad 1 autocorr -q --no-plots $(frames {0..16} 109 {17..29})
exists bad/frame-0016.c2d.npy
absent bad/frame-0017.c2d.npy
alike skipped 1 autocorr --no-plots --keep-going $(frames {0..8} 109 {9..20} 117 {21..29})
equal "$(grep -c skipped: skipped.err)" 2 'frames that are skipped'
exists skipped/frame-0029.c2d.npy
team 1 2 autocorr -q --keep-going -o none rings/frame-0109.png rings/frame-0109.png rings/frame-0109.png # none is good
equal "$(grep -c skipped: err)" 3 'frames that are skipped'
shows err 'no frame could be used'
absent none
no_temporaries .

# Who did what.
team 0 3 autocorr --json --no-plots -o told $(frames {0..29})
told 3
if [ "$LAUNCHER" = members ]; then
    told_alone autocorr --no-plots $(frames {0..4})
    exit
fi

# Wrong usage is told once.
for wrong in "2 4 $(frames 0)" '2 2 -o nothing -' '1 2 -o nothing missing.png' "1 2 -d nosuch -o nothing $(frames 0)"; do
    read -r code n wrong <<<"$wrong"
    expect_ranks "$code" "$n" autocorr -q $wrong
    one_line "$([ "${wrong##* }" = - ] && echo 'is read by one process, and there are 2')"
done
