# A series on several devices leaves the files of one device, to the byte, and fails as one does. One device stands for
# several: named twice or three times, it is divided where it can be, and shared where not.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
. "$(dirname "${BASH_SOURCE[0]}")/members.sh"

frames() # NUMBER...
{
    printf 'rings/frame-%04d.png\n' "$@"
}

expect 0 sample autocorr --frames 30 --width 48 --height 48 -o rings -q
expect 0 sample autocorr --frames 2 --width 40 --height 48 -o others -q
head -c 300 rings/frame-0009.png >rings/frame-0109.png # cut short
cp others/frame-0001.png rings/frame-0117.png          # of another size

# ---- autocorr ----
alike series 0 autocorr -q --no-plots --numerators --interval 2 $(frames {0..29})
alike curve 0 autocorr -q --no-plots --bootstrap 20 --demean plane $(frames {0..6})
alike shifts 0 autocorr -q --no-plots --with rings/frame-0000.png -R 9 $(frames {1..12})
alike one 0 autocorr -q --no-plots rings/frame-0003.png
alike bad-first 1 autocorr -q --no-plots --keep-going rings/frame-0109.png $(frames {0..8})

# A bad frame: those before it are kept, and those behind it are not written, or with --keep-going all others are.
alike bad 1 autocorr -q --no-plots $(frames {0..16} 109 {17..29})
[ -e bad/frame-0016.c2d.npy ] || fail 'a frame before the bad one is missing'
[ ! -e bad/frame-0017.c2d.npy ] || fail 'a frame behind the bad one was written'
alike skipped 1 autocorr -q --no-plots --keep-going $(frames {0..8} 109 {9..20} 117 {21..29})
[ "$(grep -c skipped: skipped.err)" -eq 2 ] || fail "$(cat skipped.err)"
[ -e skipped/frame-0029.c2d.npy ] || fail 'a frame behind the bad ones is missing'

# Who did what.
expect 0 autocorr -d $three --json --no-plots -o told $(frames {0..29})
json '[.ranks[].rank] == [0, 1, 2]'
json '[.ranks[] | .host != "" and .device != "" and .share >= 0 and .seconds >= 0] | all'
json '([.ranks[].share] | add) as $all | ($all - 1 | fabs) < 1e-9'
expect 0 autocorr -d $one --json --no-plots -o told-1 $(frames 0)
json 'has("ranks") | not'
PENTACL_DEVICE=$two expect 0 autocorr --no-plots -o by-environment $(frames {0..4})
[ "$(grep -c '^member [01]: device [0-9]' out)" -eq 2 ] || fail "$(cat out)"
