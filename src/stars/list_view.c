/* Lists of stars in device memory, and copies of them for what the host computes. */
#include <stdlib.h>

#include "stars/plan.h"

enum { ARRAYS = 6 };

/* The arrays of a list, NULL where there is none. */
static void arrays_of(penta_stars_list *stars, const double **out[ARRAYS])
{
    out[0] = &stars->x;
    out[1] = &stars->y;
    out[2] = &stars->magnitude;
    out[3] = &stars->flux;
    out[4] = &stars->motion_x;
    out[5] = &stars->motion_y;
}

bool stars_list_in_device(const penta_stars_list *stars)
{
    penta_stars_list list = *stars;
    const double **arrays[ARRAYS];
    bool any = false;

    arrays_of(&list, arrays);
    for (int i = 0; i < ARRAYS; i++)
        any = any || penta_is_device_array(*arrays[i]);
    return any;
}

penta_status stars_need_host(penta_context *ctx, const penta_stars_list *stars)
{
    if (!stars_list_in_device(stars))
        return PENTA_OK;
    return penta_fail(ctx, PENTA_INVALID, "the list of stars must be in host memory; there is a device array in it");
}

penta_status stars_check_arrays(penta_context *ctx, const penta_stars_list *stars)
{
    penta_status status = PENTA_OK;
    penta_stars_list list = *stars;
    const double **arrays[ARRAYS];

    arrays_of(&list, arrays);
    for (int i = 0; i < ARRAYS && stars->n > 0; i++)
        TRY(penta_check_array(ctx, *arrays[i], stars->n * sizeof(double)));
cleanup:
    return status;
}

penta_status stars_list_open(penta_context *ctx, const penta_stars_list *stars, stars_list_view *out)
{
    penta_status status = PENTA_OK;
    const double **arrays[ARRAYS];
    const void *view;

    *out = (stars_list_view){.list = *stars};
    arrays_of(&out->list, arrays);
    for (int i = 0; i < ARRAYS; i++) {
        TRY(penta_host_view(ctx, *arrays[i], stars->n * sizeof(double), &view, &out->copies[i]));
        *arrays[i] = view;
    }
cleanup:
    return status;
}

void stars_list_close(stars_list_view *view)
{
    for (int i = 0; i < ARRAYS; i++)
        free(view->copies[i]);
    *view = (stars_list_view){.list = view->list};
}

penta_status stars_refuse_any(penta_context *ctx, const penta_stars_options *o, const penta_stars_list *stars, size_t i)
{
    penta_status status = PENTA_OK;
    stars_list_view view;

    TRY(stars_list_open(ctx, stars, &view));
    status = stars_refuse(ctx, o, &view.list, i);
cleanup:
    stars_list_close(&view);
    return status;
}
