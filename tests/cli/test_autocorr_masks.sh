# penta autocorr: STEM.mask.png beside STEM.* is its mask, whatever the order of the operands, and no frame.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# Masks are told by their names; what is in them may be of any format.
hash_pixels 40 30 | pgm 40 30 >a.pgm
hash_pixels 40 30 40 0 | pgm 40 30 >b.pgm
hash_pixels 40 30 7 9 | awk '{ print ($1 > 60) * 255 }' | pgm 40 30 >a.mask.png
hash_pixels 40 30 3 5 | awk '{ print ($1 > 90) }' | pgm 40 30 >b.mask.png
hash_pixels 40 30 1 2 | awk '{ print ($1 > 40) }' >third
pgm 40 30 <third >third.pgm

same_frame() # DIR DIR STEM...: the frames have the same results in both
{
    local first=$1 second=$2 stem

    shift 2
    for stem; do
        same "$first/$stem.c2d.npy" "$second/$stem.c2d.npy"
        same "$first/$stem.c1d.csv" "$second/$stem.c1d.csv"
    done
}

# ---- each frame has its own, as --mask has it for one ----
expect 0 autocorr --no-plots -R 7 --mask a.mask.png -o one a.pgm
expect 0 autocorr --no-plots -R 7 --mask b.mask.png -o one b.pgm
expect 0 autocorr --no-plots -R 7 -o bare a.pgm b.pgm
expect 0 autocorr --no-plots -R 7 -o pairs a.mask.png a.pgm b.mask.png b.pgm
holds pairs {a,b}.c2d.npy {a,b}.c1d.csv series.csv
same_frame pairs one a b
if cmp -s pairs/a.c2d.npy bare/a.c2d.npy; then fail 'the mask of a.pgm has no effect'; fi
equal "$(column pairs/series.csv file | paste -sd ' ')" 'a.pgm b.pgm' 'frames'
expect 0 autocorr --no-plots -R 7 -o turned b.mask.png a.pgm b.pgm a.mask.png
same_frame turned one a b
equal "$(column turned/series.csv file | paste -sd ' ')" 'a.pgm b.pgm' 'frames'

# ---- --mask counts too ----
paste -d ' ' third <(hash_pixels 40 30 7 9) | awk '{ print ($1 && $2 > 60) }' | pgm 40 30 >both.pgm
expect 0 autocorr --no-plots -R 7 --mask both.pgm -o both a.pgm
expect 0 autocorr --no-plots -R 7 --mask third.pgm -o three a.pgm a.mask.png
same_frame three both a

# ---- of all pages of a file ----
cat a.pgm b.pgm >stack.pgm
cp a.mask.png stack.mask.png
expect 0 autocorr --no-plots -R 7 --mask a.mask.png -o one b.pgm
expect 0 autocorr --no-plots -R 7 -o pages stack.pgm stack.mask.png
holds pages stack-000{0,1}.c2d.npy stack-000{0,1}.c1d.csv series.csv
same pages/stack-0000.c2d.npy one/a.c2d.npy
same pages/stack-0001.c2d.npy one/b.c2d.npy

# ---- what is no mask: without its frame, or in another directory ----
mkdir other
cp a.mask.png other/a.mask.png
cp a.mask.png alone.mask.png
expect 0 autocorr --no-plots -R 7 -o frames a.pgm other/a.mask.png alone.mask.png
equal "$(column frames/series.csv file | paste -sd ' ')" 'a.pgm other/a.mask.png alone.mask.png' 'frames'

# ---- errors ----
refuse 1 'b\.pgm has no mask' autocorr --no-plots -o bad a.pgm b.pgm a.mask.png
absent bad
hash_pixels 39 30 | pgm 39 30 >b.mask.png
refuse 1 'b\.mask\.png is 39 x 30.*b\.pgm, is 40 x 30' autocorr --no-plots -R 7 -o bad b.pgm b.mask.png
expect 1 autocorr --no-plots -q --keep-going -R 7 -o most a.pgm a.mask.png b.pgm b.mask.png
one_line 'skipped: b\.mask\.png is 39 x 30'
same_frame most turned a
equal "$(column most/series.csv status | tail -1)" error 'status of the frame whose mask is bad'
echo nothing >b.mask.png
refuse 1 'b\.mask\.png' autocorr --no-plots -o bad b.pgm b.mask.png
pgm 40 30 < <(yes 0 | head -1200) >b.mask.png
refuse 1 'b\.pgm.*mask' autocorr --no-plots -R 7 -o bad b.pgm b.mask.png
echo '{}' >recipe.json
refuse 2 'a\.mask\.png is the mask of a frame that has been prepared; leave --recipe out' \
    autocorr --no-plots --recipe recipe.json -o bad a.pgm a.mask.png
