# FITS that is compressed by gzip, written by penta stars and penta prepare and read again by all that read FITS.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

has_format fits || exit 0
sky='stars --attitude 83.8,-1.2,0 --fov 20 --size 48x32'
for options in '' '--read-noise 12 --bits 12 --zero-point 12 --exposure 1' '--precision double'; do
    expect 0 $sky $options -q -o a.fits
    expect 0 $sky $options -q -o a.fits.gz
    gunzip -c a.fits.gz >unpacked || fail "gunzip does not like it"
    same unpacked a.fits
    [ "$(wc -c <a.fits.gz)" -lt "$(wc -c <a.fits)" ] || fail 'it is not smaller'
done
expect 0 stars --wcs a.fits.gz -q -o again.fits # its coordinates
expect 0 stars --wcs a.fits -q -o same.fits
same again.fits same.fits
expect 0 $sky -q --format fits.gz -o -
gunzip -c out | head -c 9 >start || fail 'what goes to standard output is no gzip'
equal "$(cat start)" 'SIMPLE  =' 'start of the unpacked standard output'
expect 0 sample stars -q -o in
expect 0 stars --track in/track.csv --fov 30 --size 32x32 --format fits.gz -q -o frames
[ "$(ls frames | grep -c '^frame-....\.fits\.gz$')" -eq "$(($(wc -l <in/track.csv) - 1))" ] || fail "frames: $(ls frames)"

expect 0 sample prepare -q -n 2 --width 320 --height 256 -o photos
for format in fits fits.gz; do
    expect 0 prepare -q --no-sheet --format $format -o clean.$format photos/*.png
done
for i in 0 1; do
    gunzip -c clean.fits.gz/frame-000$i.fits.gz >unpacked || fail 'a frame is no gzip'
    same unpacked clean.fits/frame-000$i.fits
done
expect 0 autocorr --no-plots -R 12 -q -o plain clean.fits/*.fits
expect 0 autocorr --no-plots -R 12 -q -o packed clean.fits.gz/*.fits.gz
equal "$(cut -d, -f3- packed/series.csv)" "$(cut -d, -f3- plain/series.csv)" 'series of both'
if [ -w /dev/full ]; then
    ln -s /dev/full full.fits.gz
    refuse 1 'full\.fits\.gz: cannot be written: No space left' $sky -o full.fits.gz
fi
