# Frames that penta prepare cannot use: those before are kept, or those behind with --keep-going; outputs that are inputs; recipes.
# What is refused at once is in refused_prepare.txt.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

W=64 H=48
hash_pixels $W $H | pgm $W $H >a.pgm
hash_pixels $W $H 2 1 | pgm $W $H >b.pgm
hash_pixels $W $H 0 3 | pgm $W $H >c.pgm
hash_pixels 70 48 | pgm 70 48 >wider.pgm
hash_pixels $W $H 5000 7000 | pgm $W $H >other.pgm
hash_pixels $W $H | awk '{ print 0 }' | pgm $W $H >black.pgm
hash_pixels $W $H | awk '{ print 250 }' | pgm $W $H >white.pgm
{
    printf 'P5 %d %d 65535\n' $W $H
    printf '%b' "$(hash_pixels $W $H | awk '{ printf "\\x%02x\\x%02x", $1, $1 }')"
} >deep.pgm
{
    printf 'P6 %d %d 255\n' $W $H
    printf '%b' "$(hash_pixels $W $H | awk '{ printf "\\x%02x\\x%02x\\x%02x", $1, $1, $1 }')"
} >colour.ppm
head -c 1000 a.pgm >cut.pgm
plain='--flatten none --dust none --register none'

# ---- frames that do not belong together: those before are kept ----
stops() # PATTERN FRAME ARGUMENT...: at FRAME, after a.pgm and b.pgm
{
    local pattern=$1 frame=$2

    shift 2
    rm -rf out.d
    refuse 1 "$pattern" prepare --no-sheet -o out.d "$@" a.pgm b.pgm "$frame" c.pgm
    holds out.d {a,b}.png {a,b}.mask.png drift.csv
    equal "$(cut -d, -f1,2 out.d/drift.csv | tail -n +2 | paste -sd ' ')" '0,a.pgm 1,b.pgm' 'rows of drift.csv'
    rm -rf out.d
    expect 1 prepare --json --keep-going -o out.d "$@" a.pgm b.pgm "$frame" c.pgm
    one_line "skipped: $pattern"
    holds out.d {a,b,c}.png {a,b,c}.mask.png drift.csv report
    equal "$(cut -d, -f1,2 out.d/drift.csv | tail -n +2 | paste -sd ' ')" '0,a.pgm 1,b.pgm 2,c.pgm' 'rows of drift.csv'
    json '.frames | length == 4 and ([.[].status] | .[0] == "ok" and .[1] == "ok" and .[3] == "ok")'
    expect 0 prepare -q -o without "$@" a.pgm b.pgm c.pgm
    for f in {a,b,c}.png {a,b,c}.mask.png drift.csv; do # as if it had not been there
        same out.d/$f without/$f
    done
    expect 1 prepare --json --keep-going -o out.d "$@" a.pgm b.pgm "$frame" c.pgm
}

for flags in "$plain" ''; do
    stops 'wider\.pgm is 70 x 48, but the series began with 64 x 48' wider.pgm $flags
    json '.frames[2] | .status == "error" and .dx == null and .dust_pixels == null'
done
stops 'deep\.pgm holds u16 pixels, but the series began with u8' deep.pgm $plain
stops 'colour\.ppm is in colour, but the series began grey' colour.ppm $plain
stops 'cut\.pgm: .*truncated' cut.pgm $plain
stops 'gone\.pgm: .*no such file' gone.pgm $plain
stops 'white\.pgm: 100\.0 % of it is dust' white.pgm --dust-key 0,249 --dust-limit 0 --dust-grow 0 --register none
json '.frames[2] | .status == "dust" and .dx == null and .dust_pixels == 64 * 48'
stops 'other\.pgm: its shift cannot be found: no place where it may lie fits clearly better than others; more of the picture in common helps .*--register none leaves all frames where they are, --keep-going leaves this one out$' other.pgm --min-score 0.5
json '.frames[2] | .status == "lost" and .dx == null and .score == -1'
for level in 0 255 77; do
    hash_pixels $W $H | awk -v v=$level '{ print v }' | pgm $W $H >flat.pgm
    stops 'flat\.pgm: there is nothing in it to register: all its pixels are alike$' flat.pgm
    json '.frames[2] | .status == "blank" and .dx == null and .score == null and .dust_pixels == 0'
done
hash_pixels $W $H | awk 'NR == 777 { print 255; next } { print 3 }' | pgm $W $H >flat.pgm # and a hot pixel
stops 'flat\.pgm: there is nothing in it to register: all its pixels are alike, dust aside$' flat.pgm --dust-key 0,254 --dust-limit 0
json '.frames[2].dust_pixels == 21'
rm -rf out.d # of smoothed drifts a frame that is left out keeps its place in time
refuse 1 'other\.pgm: its shift cannot be found' prepare --no-sheet -o out.d --min-score 0.5 --smooth-drift 1 {a,b,other,c}.pgm
holds out.d {a,b}.png {a,b}.mask.png drift.csv
expect 1 prepare --json --keep-going -o out.d --min-score 0.5 --smooth-drift 1 {a,b,other,c}.pgm
one_line 'skipped: other\.pgm: its shift cannot be found'
json '[.frames[].status] == ["ok", "ok", "lost", "ok"]'

# ---- a first frame that cannot be used, and none that can ----
for flags in '' '--flatten series' '--flatten poly --dust copy' '--smooth-drift 1' '--register rigid' \
    '--contrast 1,99 --contrast-of first'; do
    rm -rf out.d without
    expect 1 prepare -q --keep-going $flags -o out.d black.pgm a.pgm b.pgm black.pgm c.pgm
    equal "$(grep -c 'skipped: black\.pgm: there is nothing in it to register' err)" 2 "lines about black.pgm with $flags"
    equal "$(cut -d, -f1,2 out.d/drift.csv | tail -n +2 | paste -sd ' ')" '0,a.pgm 1,b.pgm 2,c.pgm' "rows with $flags"
    case $flags in *smooth* | *series*) continue ;; esac
    expect 0 prepare -q $flags -o without a.pgm b.pgm c.pgm
    for f in {a,b,c}.png drift.csv; do
        same out.d/$f without/$f
    done
done
for flags in "$plain" '--register none'; do # where nothing is registered it may be
    expect 0 prepare -q $flags -o dark black.pgm white.pgm
    holds dark {black,white}.png {black,white}.mask.png drift.csv report
done
rm -rf out.d
expect 1 prepare -q --keep-going -o out.d black.pgm white.pgm
shows err 'no frame could be used'
expect 1 prepare --keep-going $plain -o late cut.pgm wider.pgm
holds late wider.png wider.mask.png drift.csv report
one_line 'skipped: cut\.pgm'
rm -rf out.d
expect 1 prepare --keep-going --dust-key 0,249 --dust-limit 0 -o out.d white.pgm
shows err 'no frame could be used'
absent out.d

# ---- places that are full ----
if [ -e /dev/full ]; then
    mkdir full
    ln -s /dev/full full/a.png
    refuse 1 'full/a\.png.*No space left' prepare $plain -o full a.pgm
fi

# ---- inputs that an output would take the place of ----
mkdir -p in/report
hash_pixels 48 40 | pgm 48 40 >in/x.pgm
expect 0 prepare -q --register none --dust none -o in in/x.pgm
refuse 2 'in/x\.png is an input, and would be overwritten' prepare -o in in/x.png
cp in/x.png keep.png
refuse 2 'keep\.png is an input' prepare -o . keep.png # under the same name
ln keep.png keep.mask.png
refuse 2 'keep\.mask\.png is an input' prepare -o . --format npy --flat keep.mask.png keep.png
same keep.png in/x.png
refuse 2 'in/x\.mask\.png has the name of the mask' prepare -o new.d in/x.png in/x.mask.png
absent new.d
refuse 2 'in/drift\.csv is an input' prepare -o in --dark in/drift.csv a.pgm

# ---- recipes are printed without a device, an image or a place ----
expect 0 prepare --flatten poly --print-recipe
silent
json '.flatten == "poly" and .register == "shift" and .dust == "mask" and has("dark")'
refuse 2 '--contrast is 98,2' prepare --contrast 98,2 --print-recipe
expect 0 prepare --print-recipe -d nosuchdevice
no_temporaries .
