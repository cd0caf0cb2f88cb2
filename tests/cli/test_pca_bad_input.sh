# penta pca with odd numbers that are no error, places that are full, and outputs that are inputs; what is refused at once is in
# refused_pca.txt.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

expect 0 sample pca -q -o in
expect 0 pca -k 3 -o model in/scene.npy

# ---- numbers ----
npy '<f4' '2, 1, 3' 0000803f 0000c07f 00004040 00008040 0000a040 0000c040 >nan.npy
expect 0 pca --no-data nan -k 1 --json -o two nan.npy
json '.valid_pixels == 2'
npy '|u1' '2, 1, 3' 010203 040404 >constant.npy
expect 0 pca --json -o constant constant.npy # without it a constant band is one more of no variance
json '.eigenvalues == [1, 0]'
npy '|u1' '2, 1, 3' 070707 040404 >still.npy
expect 0 pca --json -o still still.npy # nothing varies, which is an answer
json '.eigenvalues == [0, 0] and .percent[0] <= 100'

# ---- no-data values that no element can have ----
never() # VALUE FILE
{
    expect 0 pca --no-data "$1" --json -o never "$2"
    one_line "penta pca: warning: --no-data $1 leaves no pixel out: no number of type [uif0-9]+ is that\$"
    expect 0 pca --no-data "$1" -q -o never "$2" # a warning, not a note
    one_line "penta pca: warning: --no-data $1 leaves no pixel out"
}
npy '|u1' '2, 1, 3' 010203 ff0402 >bytes.npy
npy '<f4' '2, 1, 3' 0000803f 00004040 00000040 00008040 0000a040 0000c040 >floats.npy
for value in 256 -1 1.5 nan; do
    never $value bytes.npy
done
never 70000 in/scene.npy
never 1e39 floats.npy
for value in 255 7 none; do
    expect 0 pca --no-data $value --json -o never bytes.npy
    silent
done
for value in nan 0.1 -3.4e38; do
    expect 0 pca --no-data $value --json -o never floats.npy
    silent
done

# ---- a model of numbers that were not finite ----
jq '.orthogonality = null | .residual = null' model/model.json >fine.json # what was not finite
expect 0 pca --json --transform fine.json -o fine in/scene.npy
json '.orthogonality == null and .residual == null'
equal "$(jq -c '[.orthogonality, .residual]' fine/model.json)" '[null,null]' 'what the model says'

# ---- places that are full ----
if [ -w /dev/full ]; then
    for name in model.json rgb.png; do
        rm -rf full
        mkdir full
        ln -s /dev/full full/$name
        refuse 1 "full/$name: cannot be written: No space left" pca -f -o full in/scene.npy
        equal "$(ls -A full)" "$name" 'what is left'
    done
else
    note 'there is no /dev/full; full disks are left out'
fi
if unshare -rm true 2>/dev/null; then
    cat >small.sh <<'END'
mkdir -p small
mount -t tmpfs -o size=300k tmpfs small || exit 77
"$PENTA" pca -o small in/scene.npy
code=$?
ls -A small >left
exit $code
END
    last=('pca on a disk of 300 kB')
    code=0
    unshare -rm bash small.sh >out 2>err || code=$?
    if [ $code -ne 77 ]; then
        equal $code 1 'exit code'
        one_line 'cannot be written: No space left'
        [ ! -s left ] || fail "something is left: $(cat left)"
    else
        note 'no tmpfs can be mounted; a small disk is left out'
    fi
else
    note 'there is no unshare; a small disk is left out'
fi

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
