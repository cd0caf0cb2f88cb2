# A machine without an OpenCL driver, as an ICD loader that finds none shows it.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

hash_pixels 24 20 | pgm 24 20 >image.pgm
expect 0 devices # there is a driver, so what follows tests something
export OCL_ICD_VENDORS=/nonexistent OPENCL_VENDOR_PATH=/nonexistent OCL_ICD_FILENAMES=
if "$PENTA" devices >out 2>/dev/null; then
    note "this OpenCL loader finds its driver whatever the environment says; not tried"
    exit 0
fi

refuse 1 'no OpenCL device found; install a driver' devices
expect 0 devices --json
silent
json '.devices == []'
refuse 1 'no OpenCL device found; install a driver' autocorr -o out.d image.pgm
refuse 1 'no OpenCL device found; install a driver' autocorr --json -o out.d image.pgm
refuse 1 'no OpenCL device found' autocorr -d cpu -o out.d image.pgm
refuse 1 'no OpenCL device found; install a driver' selftest
refuse 1 'no OpenCL device found; install a driver' selftest --json
absent out.d

# what needs no device works
expect 0 version
expect 0 options --json
json '.autocorr.options | length > 0'
expect 0 autocorr --help
expect 0 sample autocorr -n 1 --width 40 --height 30 -q -o frames
exists frames/frame-0000.png frames/times.csv
