/* Coordinates of FITS headers: penta_io_fits_wcs. */
#include "fuzz/fuzz.h"

#include <math.h>

#include <pentacl/io/image.h>

static void read_wcs(const char *path)
{
    penta_io_fits_wcs_cards cards;
    penta_io_error err = {""};

    if (penta_io_fits_wcs(path, &cards, &err))
        fuzz_check(isfinite(cards.wcs.crval[0]) && isfinite(cards.wcs.crval[1]), "coordinates are finite");
    else
        fuzz_check_error(&err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file("wcs", data, size);

    if (fuzz_is_foreign(data, size))
        fuzz_guard(read_wcs, path);
    else
        read_wcs(path);
    return 0;
}
