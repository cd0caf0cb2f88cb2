/* The arrays of a catalogue and of a list of stars. */
#include "io/catalog_format.h"

#include <stdlib.h>

enum { ARRAYS = 5 };

static void list_arrays(penta_io_catalog *c, double **arrays[ARRAYS])
{
    arrays[0] = &c->ra;
    arrays[1] = &c->dec;
    arrays[2] = &c->mag;
    arrays[3] = &c->pmra;
    arrays[4] = &c->pmdec;
}

bool io_catalog_reserve(penta_io_catalog *catalog, size_t most, const char *name, penta_io_error *err)
{
    double **arrays[ARRAYS];
    bool ok = io_star_ids_reserve(&catalog->ids, most);

    list_arrays(catalog, arrays);
    for (int i = 0; ok && i < ARRAYS; i++) {
        *arrays[i] = calloc(most ? most : 1, sizeof **arrays[i]);
        ok = *arrays[i] != NULL;
    }
    return ok || penta_io_fail(err, "%s: out of memory for %zu stars; split the catalogue", name, most);
}

void io_catalog_trim(penta_io_catalog *catalog)
{
    double **arrays[ARRAYS];

    list_arrays(catalog, arrays);
    for (int i = 0; i < ARRAYS; i++) {
        double *less = realloc(*arrays[i], (catalog->n ? catalog->n : 1) * sizeof *less);

        if (less)
            *arrays[i] = less;
    }
}

bool io_catalog_add(penta_io_catalog *catalog, const io_star *star, double mag_limit)
{
    size_t i = catalog->n;
    double ra = star->ra < 0 ? star->ra + 360 : star->ra;

    if (star->mag > mag_limit) {
        catalog->faint++;
        return false;
    }
    catalog->ra[i] = ra < 360 ? ra : 0; /* a tiny negative value rounds up to 360 */
    catalog->dec[i] = star->dec;
    catalog->mag[i] = star->mag;
    catalog->pmra[i] = star->pmra;
    catalog->pmdec[i] = star->pmdec;
    catalog->moving += star->moves;
    catalog->n++;
    return true;
}

void penta_io_catalog_free(penta_io_catalog *catalog)
{
    double **arrays[ARRAYS];

    list_arrays(catalog, arrays);
    for (int i = 0; i < ARRAYS; i++)
        free(*arrays[i]);
    penta_io_star_ids_free(&catalog->ids);
    *catalog = (penta_io_catalog){0};
}

void penta_io_star_list_free(penta_io_star_list *list)
{
    free(list->x);
    free(list->y);
    free(list->mag);
    free(list->motion_x);
    free(list->motion_y);
    penta_io_star_ids_free(&list->ids);
    *list = (penta_io_star_list){0};
}
