# GDAL is a module beside libpentacl_io: nothing loads it but files that need it, and without it all else works.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

library=$(ldd "$PENTA" | awk '$1 ~ /^libpentacl_io\.so/ { print $3 }')
modules=$([ "$library" ] && ls "${library%/*}"/libpentacl_io_gdal.so.* 2>/dev/null || :)
if [ -z "$modules" ]; then
    note 'this build is static, or has no GDAL; left out'
    exit 0
fi
! ldd "$PENTA" | grep -q libgdal || fail 'penta is linked with GDAL'
mkdir bin lib
cp "$PENTA" bin/penta
cp "${library%/*}"/libpentacl{,_io}.so.* lib/
expect 0 sample pca --bands 4 --rows 8 --cols 9 -o cubes
expect 0 pca -k 2 --format gtiff -o out.d cubes/scene.npy
exists out.d/components.tif
expect 0 pca -k 1 -o out.d/again out.d/components.tif
has_it() { "$PENTA" version --json | jq -e '.formats.cubes[] | select(.name == "GeoTIFF") | .read' >/dev/null; }
has_it || fail 'the module does not read GeoTIFF'

PENTA=$PWD/bin/penta
! has_it || fail 'GeoTIFF is read without the module'
expect 0 version --json
json '[.formats.cubes[] | select(.name == "GeoTIFF") | .install | test("^libpentacl_io_gdal.so")] == [true]'
json '.formats.cubes[] | select(.name == "ENVI") | .read and (.write | not) and .install == null'
expect 0 pca -k 2 -o out.e cubes/scene.img
expect 0 pca -k 2 -o out.e cubes/scene.npy
refuse 1 'this format is written by GDAL, and its module cannot be loaded' pca -k 2 --format gtiff -o out.g cubes/scene.npy
printf 'II*\0some more bytes of no TIFF' >some.tif
refuse 1 'some.tif: unknown format, or damaged \(GDAL: its module cannot be loaded: .*lib/libpentacl_io_gdal.so' pca -o out.f some.tif

# ---- a module of another build, and one from another folder ----
printf 'no library' >"lib/${modules##*/}"
refuse 1 'its module cannot be loaded' pca -o out.f some.tif
rm "lib/${modules##*/}"
cp $modules .
LD_LIBRARY_PATH=$PWD refuse 1 'its module cannot be loaded' pca -o out.f some.tif
cp $modules lib/
has_it || fail 'the module is not found beside the library'
