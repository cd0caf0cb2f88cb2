/* Members of one process that draw few stars read each other's lists, one behind the other. */
#include <stdlib.h>
#include <string.h>

#include "stars/shared.h"

static penta_status join(const stars_shared *s, double **memory, penta_stars_list *out)
{
    penta_status status = PENTA_OK;
    size_t at = 0, columns = s->moving ? STARS_COLUMNS : 3;
    double *column[STARS_COLUMNS] = {NULL};

    TRY(penta_calloc(s->plan->ctx, s->total * columns, sizeof **memory, memory));
    for (size_t c = 0; c < columns; c++)
        column[c] = *memory + c * s->total;
    for (size_t m = 0; m < s->members; at += s->lists[m++].n) {
        const penta_stars_list *l = &s->lists[m];
        const double *from[STARS_COLUMNS] = {l->x, l->y, s->by_flux ? l->flux : l->magnitude, l->motion_x, l->motion_y};

        for (size_t c = 0; l->n > 0 && c < columns; c++)
            memcpy(column[c] + at, from[c], l->n * sizeof *from[c]);
    }
    *out = stars_shared_list(s, column, s->total);
cleanup:
    return status;
}

static penta_status draw(const stars_shared *s, penta_stars_result *result)
{
    penta_status status = PENTA_OK;
    penta_stars_list all;
    double *memory = NULL;
    size_t first, rows;

    TRY(join(s, &memory, &all));
    penta_group_slice(s->group, s->rank, s->plan->height, &first, &rows);
    if (rows > 0)
        TRY(stars_device_run_weighed(s->device, &all, s->weights, first, rows, result));
cleanup:
    free(memory);
    return status;
}

penta_status stars_shared_few(const stars_shared *s, penta_stars_result *result)
{
    return stars_shared_agree(s, (stars_word){draw(s, result), SIZE_MAX}, NULL);
}
