# Flags of penta pca that are missing, contradict one another, or have no effect are refused, whatever their values.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

refuses() # PATTERN ARGUMENT...
{
    local pattern=$1

    shift
    refuse 2 "$pattern" pca -o no.d "$@"
    absent no.d
}

expect 0 pca --help
for flag in '-k, --components' --variance --standardize --whiten --kind --cov --precision --ddof --no-data --variable --shape \
    '-b, --bands' --drop-bands --window '-m, --mask' --transform --inverse '-f, --filter' --rescale --type \
    --format '-o, --output' --json; do
    shows out "^ +(-.,)? +?$flag|^ +$flag"
done
shows out 'auto\|triangle\|syrk\|gemm\|splitk\|square\|volkov'
expect 0 sample pca --help
expect 0 sample pca -q -o in
[ ! -s out ] || fail 'text in spite of -q'

# ---- what is missing or too much ----
refuse 2 'needs one cube, but got 0' pca -o no.d
refuse 2 'needs one cube, but got 2' pca -o no.d in/scene.npy in/scene.npy
refuse 2 '-o DIR is missing' pca in/scene.npy
refuse 2 '-o DIR is missing' sample pca

# ---- values ----
refuses 'components' -k -1 in/scene.npy
refuses 'components' -k 5000 in/scene.npy
refuses 'components' -k three in/scene.npy
refuses 'variance' --variance 101 in/scene.npy
refuses 'variance' --variance nan in/scene.npy
refuses 'ddof' --ddof -1 in/scene.npy
refuses 'cov' --cov cublas in/scene.npy
refuses 'precision' --precision half in/scene.npy
refuses 'kind' --kind ica in/scene.npy
refuses 'format' --format png in/scene.npy
refuses 'type' --type u8 in/scene.npy
for text in 1 1, ,1 1,2,3 2,1 1,1 0,inf nan,1 a,b ''; do
    refuses "--rescale '$text'" --rescale "$text" in/scene.npy
done
for text in 1 1,2,3 1,2,3,4,5 0,0,0,5 -1,0,2,2 a 1,2,3,4x; do
    refuses "--window '$text'" --window="$text" in/scene.npy
done
for text in 3 3x 0x3 axb 3x4x5; do
    refuses "--shape '$text'" --shape "$text" in/scene.npy
done
refuses "no.data.? 'grey'" --no-data grey in/scene.npy
for text in '' 0 1- -1 1,,2 1-2, a 5-3 1x 33 1-33 99999999999999999999; do
    refuses '--bands' --bands="$text" in/scene.npy
    refuses '--drop-bands' --drop-bands="$text" in/scene.npy
done
refuses 'band 3 is listed twice' --bands 1-5,3 in/scene.npy
refuses 'there is no band 33; the cube has bands 1 to 32' --bands 1-33 in/scene.npy
refuses '--drop-bands leaves no band' --drop-bands 1-32 in/scene.npy
refuses 'in/scene.npy: .?-*components.? is 33; it must be at most the number of bands, 32' -k 33 in/scene.npy
refuses 'components.? is 5; it must be at most the number of bands, 4' -k 5 --bands 1-4 in/scene.npy
refuses '--window 60,0,5,5 lies outside .*64 x 48' --window 60,0,5,5 in/scene.npy
refuses '--window 0,0,64,49 lies outside' --window 0,0,64,49 in/scene.npy

# ---- two answers to one question, no effect ----
expect 0 pca -k 3 -o model in/scene.npy
refuses 'components.? and .?-*variance.? both say how many' -k 3 --variance 90 in/scene.npy
refuses '--transform and --inverse both say' --transform model/model.json --inverse model/model.json in/scene.npy
while IFS='|' read -r flag run; do
    refuses "^penta pca: error: ${flag%% *} has no effect: .+; leave it out\$" $run $flag
done <<'END'
--variance 90|--transform model/model.json in/scene.npy
--standardize|--transform model/model.json in/scene.npy
--whiten|--transform model/model.json in/scene.npy
--kind pca|--transform model/model.json in/scene.npy
--cov auto|--transform model/model.json in/scene.npy
--ddof 1|--transform model/model.json in/scene.npy
--ddof 1|--inverse model/model.json model/components.npy
--bands 1|--inverse model/model.json model/components.npy
--drop-bands 1|--inverse model/model.json model/components.npy
--rescale 0,1|--inverse model/model.json model/components.npy
--filter|--inverse model/model.json model/components.npy
--variable Y|in/scene.npy
--shape 48x64|in/scene.npy
--gdal-drivers VRT|in/scene.npy
END
refuses '-k 4: the model has only 3 components' --transform model/model.json -k 4 in/scene.npy
refuses '-k 4: the model has only 3 components' --inverse model/model.json -k 4 model/components.npy

# ---- outputs that are inputs ----
cp in/scene.npy model/components.npy
refuse 2 'model/components\.npy is an input' pca -o model model/components.npy
refuse 2 'model/model\.json is an input' pca -o model --transform model/model.json in/scene.npy
same in/scene.npy model/components.npy
cp in/scene.npy model/reconstructed.npy
refuse 2 'model/reconstructed\.npy is an input' pca -f -o ./model/ model/reconstructed.npy
if ! grep -q 'cannot write' <("$PENTA" pca --format envi -o probe in/exact.npy 2>&1); then
    mkdir own away
    cp in/scene.img own/components.dat && cp in/scene.hdr own/components.hdr
    refuse 2 'own/components\.hdr is an input, and would be overwritten' pca --format envi -o own own/components.dat
    mv own/components.dat own/components.img && ln -s components.img own/other.img && mv own/components.hdr own/other.hdr
    for cube in other.hdr other.img; do
        refuse 2 'own/.*(components|other)\.img is an input, and would' pca --format envi -o own own/$cube
    done
    same in/scene.img own/components.img
    mkdir linked
    cp in/scene.img away/far.dat && cp in/scene.hdr away/far.hdr && : >away/far.img
    ln -s ../away/far.img linked/components.img # far.hdr would be the header of what is written
    refuse 2 'away/far\.hdr is an input' pca --format envi -o linked away/far.dat
    same in/scene.hdr away/far.hdr
else
    note 'this build has no ENVI; its files are left out'
fi
