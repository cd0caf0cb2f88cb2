# -d cpu and gpu: drivers of the other devices are not opened. The one of a GPU is a library that says so when it is.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

set -- "${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}"/pocl*.icd
if ! [ -e "$1" ] || ! command -v "${CC:-cc}" >cc.path; then
    note 'no file of PoCL for the loader, or no compiler; not tried'
    exit 0
fi
mkdir vendors
cp "$1" vendors/pocl.icd
cat >driver.c <<'END'
#include <stdio.h>
#include <stdlib.h>
static __attribute__((constructor)) void say(void)
{
    FILE *file = fopen(getenv("OPENED"), "w");

    if (file) {
        fputs("opened", file);
        fclose(file);
    }
}
END
"${CC:-cc}" -shared -fPIC driver.c -o libnvidia-opencl.so.1 || fail 'the driver does not compile'
echo "$PWD/libnvidia-opencl.so.1" >vendors/nvidia.icd
export OPENED=$PWD/opened OCL_ICD_VENDORS=$PWD/vendors XDG_CACHE_HOME=$PWD/cache
unset PENTACL_DEVICE OCL_ICD_FILENAMES PENTACL_CACHE_DIR
hash_pixels 24 20 | pgm 24 20 >image.pgm
if ! "$PENTA" devices >out 2>&1; then
    note 'the file of PoCL opens no driver here; not tried'
    exit 0
fi

opens() # ARGUMENT...: the command succeeds, and the GPU's driver was opened
{
    rm -f opened
    expect 0 "$@"
    exists opened
}

spares() # ARGUMENT...: not opened
{
    rm -f opened
    expect 0 "$@"
    absent opened
}

image() # ARGUMENT...: a run
{
    rm -rf out.d
    "$@" --no-plots -o out.d image.pgm
}

opens devices
image opens autocorr
image opens autocorr -d 0
for selector in cpu CPU; do
    image spares autocorr -d $selector
done
image spares autocorr -v -d cpu
shows err "not opened for -d or PENTACL_DEVICE: $PWD/libnvidia-opencl.so.1"
export PENTACL_DEVICE=cpu
image spares autocorr
image opens autocorr -d 0
opens devices
unset PENTACL_DEVICE

# ---- the error where nothing fits names what was not opened ----
rm -f opened
refuse 1 "no OpenCL device .*not looked at for -d or PENTACL_DEVICE: $(head -n 1 vendors/pocl.icd)" \
    autocorr -d gpu --no-plots -o none image.pgm
exists opened
refuse 1 'no OpenCL device matches .gpu.; there is 0: ' autocorr -d 'gpu*' --no-plots -o none image.pgm

# ---- nothing is hidden where one more driver is not known, where others could write, or where there is no place ----
echo "$PWD/libnobody-knows.so" >vendors/other.icd
image opens autocorr -d cpu
rm vendors/other.icd
PENTACL_CACHE_DIR= image opens autocorr -d cpu
chmod 0777 cache/pentacl/programs
image opens autocorr -d cpu
chmod 0700 cache/pentacl/programs
image spares autocorr -d cpu

# ---- a list of libraries, which ocl-icd before 2.3.2 does not read ----
rm vendors/nvidia.icd
OCL_ICD_FILENAMES=$PWD/libnvidia-opencl.so.1 image spares autocorr -d cpu
