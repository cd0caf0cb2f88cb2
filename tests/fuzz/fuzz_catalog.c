/* Star catalogues, in every unit, and lists of stars on an image. */
#include "fuzz/fuzz.h"

#include <math.h>

#include <pentacl/io/catalog.h>

static void read_catalog(const char *path, enum penta_io_ra_unit unit)
{
    penta_io_catalog_options options = {.mag_limit = unit == PENTA_IO_RA_DEG ? 5 : (double)INFINITY, .ra_unit = unit};
    penta_io_catalog catalog;
    penta_io_error err = {""};
    char name[PENTA_IO_STAR_NAME_BYTES];

    if (!penta_io_catalog_read(path, &options, &catalog, &err))
        fuzz_check_error(&err);
    for (size_t i = 0; i < catalog.n; i++) {
        fuzz_check(catalog.ra[i] >= 0 && catalog.ra[i] < 360 && fabs(catalog.dec[i]) <= 90, "a star is on the sky");
        fuzz_check(isfinite(catalog.mag[i]) && isfinite(catalog.pmra[i]) && isfinite(catalog.pmdec[i]),
                   "numbers of stars are finite");
        fuzz_check(*penta_io_star_name(&catalog.ids, i, name) != 0, "a star has a name");
    }
    penta_io_catalog_free(&catalog);
}

static void read_list(const char *path)
{
    penta_io_star_list list;
    penta_io_error err = {""};
    char name[PENTA_IO_STAR_NAME_BYTES];

    if (!penta_io_star_list_read(path, &list, &err))
        fuzz_check_error(&err);
    for (size_t i = 0; i < list.n; i++)
        fuzz_check(isfinite(list.x[i]) && isfinite(list.y[i]) && isfinite(list.mag[i]) &&
                       penta_io_star_name(&list.ids, i, name),
                   "numbers of stars are finite");
    penta_io_star_list_free(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file("catalog", data, size);

    for (int unit = PENTA_IO_RA_AUTO; unit <= PENTA_IO_RA_SEXAGESIMAL; unit++)
        read_catalog(path, (enum penta_io_ra_unit)unit);
    read_list(path);
    return 0;
}
