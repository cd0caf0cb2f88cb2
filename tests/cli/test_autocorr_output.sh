# Where penta autocorr cannot write: one line, exit code 1, no partial file, nothing else touched.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

mounted=
trap '[ -z "$mounted" ] || umount "$mounted"' EXIT

hash_pixels 200 200 | pgm 200 200 >big.pgm
hash_pixels 24 20 | pgm 24 20 >small.pgm
expect 0 autocorr -R 199 --no-plots -o fits big.pgm # its kernels are compiled and cached now
exists fits/big.c2d.npy

# ---- no directory can be there ----
echo precious >file
for directory in file file/under /dev/null/out /proc/no/such/place; do
    refuse 1 "${directory%%/under}" autocorr --no-plots -o "$directory" small.pgm
done
equal "$(cat file)" precious 'the file in the way'
run autocorr --no-plots -o '' small.pgm
[ "$code" -ne 0 ] || fail "an empty name of the output directory was accepted"
one_line 'empty'

# ---- a file's place is taken by a directory: nothing is written over, and no part is left ----
mkdir -p taken/small.c2d.npy
refuse 1 'small\.c2d\.npy.*directory' autocorr --no-plots -o taken small.pgm
holds taken small.c2d.npy
mkdir -p taken2/small.c1d.csv
refuse 1 'small\.c1d\.csv.*directory' autocorr --no-plots -o taken2 small.pgm small.pgm small.pgm
no_temporaries taken2
mkdir -p taken3/series.csv
refuse 1 'series\.csv.*directory' autocorr --no-plots -o taken3 small.pgm
holds taken3 series.csv
no_temporaries taken3

# ---- what is there already is replaced whole, and kept when the run fails ----
mkdir keep
echo old >keep/small.c2d.npy
echo other >keep/other.txt
refuse 1 'missing' autocorr --no-plots -o keep missing.pgm
equal "$(cat keep/small.c2d.npy)" old 'the old result after a failed run'
expect 0 autocorr -R 5 --no-plots -o keep small.pgm
npy_is keep/small.c2d.npy '<f8' 11
equal "$(cat keep/other.txt)" other 'a stranger in the directory'

# ---- a directory without the right to write ----
if [ "$(id -u)" -ne 0 ]; then
    mkdir locked
    chmod a-w locked
    refuse 1 'locked.*permission' autocorr --no-plots -o locked small.pgm
    refuse 1 'locked' autocorr --no-plots -o locked/under small.pgm
    holds locked
else
    note "root may write everywhere; a read-only directory is not tried"
fi

# ---- writing fails half-way: a limit on the size of files, and a full disk where one can be mounted ----
mkdir limited
last=("autocorr -R 199 with files of 1 MiB at most")
code=0
(
    trap '' XFSZ # write() then fails with EFBIG
    ulimit -f 1024 # KiB; the OpenCL driver writes smaller files, c2d has 1.2 MiB
    exec "$PENTA" autocorr -R 199 --no-plots -o limited big.pgm
) >out 2>err || code=$?
equal "$code" 1 'exit code with a limit on file sizes'
[ ! -s out ] || fail "stdout is not empty"
one_line 'big\.c2d\.npy: cannot be written'
holds limited

mkdir disk
if [ "$(id -u)" -eq 0 ] && mount -t tmpfs -o size=512k tmpfs disk 2>/dev/null; then
    mounted=$PWD/disk
    refuse 1 'big\.c2d\.npy: cannot be written: no space' autocorr -R 199 --no-plots -o disk big.pgm
    holds disk
    expect 0 autocorr -R 5 --no-plots -o disk small.pgm
    exists disk/small.c2d.npy disk/small.c1d.csv disk/series.csv
    refuse 1 'big\.n2d\.npy: cannot be written: no space' autocorr -R 120 --numerators --no-plots -o disk big.pgm
    exists disk/small.c2d.npy
    no_temporaries disk
else
    note "no file system can be mounted here; a full disk is not tried"
fi

# ---- pictures: without Cairo everything else is there, and a note says so ----
mkdir nothing
: >nothing/libcairo.so.2
without_cairo() { LD_LIBRARY_PATH=$PWD/nothing${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} expect 0 "$@"; }
without_cairo autocorr -R 5 -o plain small.pgm small.pgm small.pgm
one_line 'no pictures are drawn: libcairo.so.2 is missing'
exists plain/small.c2d.npy plain/series.csv
absent plain/c1d.png plain/c1d.svg plain/growth.png
no_temporaries plain
without_cairo autocorr -q -R 5 -o plain small.pgm
silent
mkdir -p spoilt/c1d.png
run autocorr -R 5 -o spoilt small.pgm
equal "$code" 1 'exit code when a picture cannot be written'
one_line 'c1d\.png'
exists spoilt/small.c2d.npy spoilt/series.csv
no_temporaries spoilt
