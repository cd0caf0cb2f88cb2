# Flags of penta stars that contradict one another or have no effect are refused, whatever their values; the rest counts.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

look='--attitude 83.8,-1.2,0'
printf 'x,y,mag\n3,4,5\n' >list.csv

refuses() # PATTERN ARGUMENT...
{
    local pattern=$1

    shift
    refuse 2 "$pattern" stars -o frame.npy "$@"
    absent frame.npy
}

# ---- two answers to one question: the values are those of the defaults ----
refuses '--zero-point and --amplitude both say how bright' $look --zero-point 20 --amplitude 50000
refuses '--zero-point and --amplitude both say how bright' $look -A 50000 --zero-point 20
refuses '--fov and --focal both say' $look --fov 20 --focal 50 --pitch 5
refuses '--attitude and --quaternion both say' $look --quaternion 1,0,0,0
refuses '--attitude and --wcs both say' $look --wcs x.wcs
refuses '--track and --exposure-track both say' --track x --exposure-track x
refuses '--rate and --exposure-track both say' --rate 0,0,0 --exposure-track x
refuses '--catalog and --list both say' --catalog x --list x
refuses '--list and --random both say' --list x --random 1

# ---- without effect: FLAG VALUE, then the run ----
while read -r flag value run; do
    refuses "^penta stars: error: $flag has no effect: .+; leave it out\$" ${run//LOOK/$look} "$flag" $value
done <<'END'
--fov 20 --wcs x
--focal 5 --wcs x --pitch 5
--principal 1,1 --wcs x
--distortion 0 --wcs x
--rate 0,0,0 --wcs x
--fov 20 --random 5
--epoch 2000 --list list.csv
--attitude 0,0,0 --list list.csv
--ra-unit auto --list list.csv
--ra-unit deg --random 5
--ra-unit auto LOOK
--exposure 1 --exposure-track x
--seed 1 LOOK
--seed 1 --list list.csv
--seed 1 LOOK --rate 0,1,0 --exposure 2
--psf-image x LOOK
--oversampling 1 LOOK
--sigma 1.2 LOOK --psf image --psf-image x
--sigma-y 0 LOOK --psf image --psf-image x
--beta 3 LOOK
--beta 3 LOOK --psf integrated
--angle 0 LOOK
--angle 30 LOOK --psf moffat --sigma 2
--quadrature 0 LOOK
--quadrature 8 LOOK --psf integrated
--quadrature 8 LOOK --psf image --psf-image x
--roi 10 LOOK --flux-tolerance 0.01
--mag-base 2.512 LOOK --zero-point 20
--format png LOOK
--png-bits auto LOOK
--stretch none LOOK
END
refuse 2 '--stretch has no effect: it is for PNG and JPEG' stars --format npy --track x --stretch asinh -o frames

# ---- nothing without the other ----
refuses '--hot-fraction does nothing without --hot-rate' $look --hot-fraction 0
refuses '--hot-rate does nothing without --hot-fraction' $look --hot-rate 0
refuses '--focal does nothing without --pitch' $look --focal 50

# ---- what counts is let through: FLAGS that change the frame of --list or --random ----
scene='--list list.csv --size 16x16'
expect 0 stars $scene -o plain.npy
for flags in '--psf moffat --beta 2' '--sigma-y 2 --angle 30' '--psf integrated --sigma-y 2 --angle 30 --quadrature 1' \
    '--psf moffat --quadrature 3' '--zero-point 20 --mag-base pogson' '-A 50000 --read-noise 3 --seed 4' \
    '--exposure 2 --zero-point 12' '--flux-tolerance 0.2' '--flux-tolerance 0 --roi 4' '--mag-limit 3' '-A 50000 --hot-fraction 0.5 --hot-rate 9'; do
    expect 0 stars $scene $flags -o other.npy
    ! cmp -s plain.npy other.npy || fail "$flags changed nothing"
done
expect 0 stars --random 5 --seed 1 --size 16x16 -o random.png --png-bits 8 --stretch none
expect 0 stars $look --psf integrated --quadrature 8 --rate 0,1,0 --size 64x64 --exposure 1 -o turned.npy
printf 'ra,dec\n83.8,-1.2\n' >track.csv
expect 0 stars --track track.csv --size 16x16 --format png --png-bits auto -o frames
exists frames/frame-0000.png

# ---- penta autocorr ----
npy '<f8' '4, 4' "$(printf '%032d' 0)" "$(printf '%0224d' 1)" >image.npy
printf 'time\n1\n' >times.csv
refuse 2 '--times and --interval both say when' autocorr --times times.csv --interval 0 -o out.d image.npy
