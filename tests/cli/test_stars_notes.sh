# What penta stars says of epochs, photons, narrow PSFs and bright backgrounds, and that it says nothing without a reason.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

place() # RA DEC: of the first star in t.csv, to 1e-7 deg
{
    near "$(column t.csv ra | head -1)" "$1" 1e-7 'right ascension'
    near "$(column t.csv dec | head -1)" "$2" 1e-7 'declination'
}

# ---- proper motions, as by astropy's apply_space_motion ----
printf '_RAJ2000\t_DEJ2000\tHR\tVmag\tpmRA\tpmDE\ndeg\tdeg\t \tmag\tarcsec/yr\tarcsec/yr\n-\t-\t-\t-\t-\t-\n' >cygni.tsv
printf '316.7246\t38.7494\t8085\t5.21\t+4.135\t+3.250\n' >>cygni.tsv
printf 'HIP,RAdeg,DEdeg,Plx,pmRA,pmDE,Hpmag\n87937,269.45402305,4.66828815,549.01,-797.84,10326.93,9.5\n' >barnard.csv
view='--size 32x32 --fov 2 --engine serial -o t.npy --truth t.csv'
expect 0 stars -c cygni.tsv -a 316.72,38.75,0 $view --epoch 2025
one_line 'note: cygni\.tsv: its positions are taken to be of J2000, as no column says of when; --catalog-epoch YEAR'
place 316.761431241 38.771963664
expect 0 stars -c barnard.csv -a 269.45,4.69,0 $view --epoch 2025
one_line 'note: barnard\.csv: its positions are taken to be of J1991\.25, as in Hipparcos; --catalog-epoch YEAR'
place 269.446517368 4.765102986
expect 0 stars -c barnard.csv -a 269.45,4.69,0 $view --epoch 1991.25 --catalog-epoch 1991.25 --json
silent
json '.catalog.epoch == 1991.25'
place 269.45402305 4.66828815
expect 0 stars -c barnard.csv -a 269.45,4.69,0 $view --epoch 2025 --catalog-epoch 2000 # the same motion for 25 years
place 269.4484634847 4.7400028820
expect 0 stars -c barnard.csv -a 269.45,4.69,0 $view # which says nothing where nothing moves
silent
printf 'ra,dec,mag,pm_ra_masyr,pm_dec_masyr\n269.4520773,4.6933910,9.54,-797.84,10326.93\n' >unknown.csv
expect 0 stars -c unknown.csv -a 269.45,4.69,0 $view --epoch 2025
one_line 'unknown\.csv: --epoch moves no star.*its columns pm_ra_masyr, pm_dec_masyr look like .*called pmra .*and pmdec, in mas/yr'
sed 's/pm_ra_masyr/pmra/; s/pm_dec_masyr/pmdec/' unknown.csv >renamed.csv
expect 0 stars -c renamed.csv -a 269.45,4.69,0 $view --epoch 2025 --catalog-epoch 2000
silent
printf 'id,ra_deg,dec_deg,mag\na,269.45,4.69,3\nb,269.45,4.69,NaN\n' >none.csv
expect 0 stars -c none.csv -a 269.45,4.69,0 $view --epoch 2025
shows err 'note: none\.csv: --epoch moves no star, as no proper motion is known$'
shows err 'left out 1 rows of the catalogue without a position or a magnitude'

# ---- photons ----
look='-a 83.8,-1.2,0 --size 32x32'
for flags in '--exposure 20' '--bits 12' '--exposure 0.02 --bits 12 --quantum-efficiency 0.5' '--read-noise 3' \
    '--rate 0,1,0 --exposure 2 --read-noise 3' '--dark 4'; do
    refuse 2 'photons, .*add --zero-point MAG, .*m \+ 2\.5 lg N.*--amplitude N' stars $look $flags -o no.npy
done
refuse 2 '--exposure has no effect: --amplitude gives' stars $look --exposure 2 -A 50000 -o no.npy
for seconds in 0.02 20; do
    expect 0 stars $look --zero-point 15 --exposure $seconds --bits 12 --json -o e.npy
    jq .flux_total out >flux.$seconds
done
near "$(cat flux.20)" "$(awk '{ print 1000 * $1 }' flux.0.02)" "$(awk '{ print 1e-5 * $1 }' flux.20)" 'flux of 1000 times the exposure'

# ---- a PSF that is narrow at pixel centres ----
printf 'x,y,mag\n16,16,0\n16.5,16.5,0\n' >list.csv
draw='stars -l list.csv --size 32x32 --engine serial -o p.npy'
for psf in '0.42:0\.88[0-9]* to 1\.1[23]' '0.3:0\.44 to 1\.8 ' '0.49:0\.96[0-9]* to 1\.04' '1.2 --sigma-y 0.45:0\.96[0-9]* to 1\.04'; do
    expect 0 $draw --sigma ${psf%%:*}
    one_line "warning: the PSF is too narrow .* ${psf##*:}.*--psf integrated"
done
expect 0 $draw --sigma 0.3 --psf moffat
one_line 'warning: .*--quadrature 8 a Moffat'
# a narrow Gaussian, four samples a pixel, drawn by this command; and what the warning advises
printf 'x,y,mag\n16,16,0\n' >one.csv
expect 0 stars -l one.csv --size 33x33 --sigma 1.4 --roi 33 -o narrow.npy
expect 0 $draw --psf image --psf-image narrow.npy --oversampling 4
one_line 'warning: the PSF is too narrow .*--psf-image must be averaged over the area of a pixel'

# ---- bright backgrounds ----
for flags in '--bits 12 --bias 5000' '--bits 8 --sky 300' '--bits 12 --bias -4' '--full-well 100 --sky 300' '--bits 12 --dark 4095'; do
    expect 0 stars -l list.csv --size 32x32 --zero-point 10 $flags -o b.npy
    one_line 'note: a pixel without stars has [-0-9]+ DN by --bias, --sky and --dark'
done
expect 0 stars -l list.csv --size 32x32 --zero-point 10 --bias 256 -o b.png
one_line 'has 256 DN.* 0 to 255 DN are written'

# ---- the frames of a track ----
printf 'ra,dec\n83.8,-1.2\n84,-1.2\n84.2,-1.2\n' >track.csv
expect 0 stars --track track.csv --size 32x32 -o frames
shows out '^3 frames of 32 x 32 px: [12]?[0-9]?[0-9] of 9096 stars drawn in each on average \('

# ---- 42 runs without a reason for any of it ----
awk 'BEGIN { srand(1); print "id,ra_deg,dec_deg,mag,pmra,pmdec,epoch"
    for (i = 0; i < 50; i++) print i "," 80 + 8 * rand() "," 8 * rand() - 5 "," 6 * rand() ",5,-7,1991.25" }' >clean.csv
n=0
for psf in '--sigma 0.5' '--sigma 0.6' '--sigma 1.2' '--sigma 2 --sigma-y 0.8 --angle 30' '--psf integrated --sigma 0.2' '--sigma 0.9 --roi 6' \
    '--psf moffat --sigma 1.5 --roi 60 --size 80x80'; do
    for flags in '--epoch 2026' '--epoch 2026 --aberration' '--zero-point 15 --bits 12 --bias 100 --sky 50 --read-noise 4' \
        '--zero-point 14 --exposure 0.1 --full-well 20000' '--bits 8 -A 100 --bias 4' '--rate 0,0.1,0 --exposure 0.5'; do
        case "$psf $flags" in *moffat*rate* | *angle*rate*) flags='--mag-limit 5' ;; esac
        expect 0 stars -c clean.csv -a 83.8,-1.2,0 --size 64x64 --engine serial $psf $flags -o clean.npy
        silent
        n=$((n + 1))
    done
done
equal $n 42 'clean runs'
