/* The survey of a series: block means of frames, and their medians over the frames. */
#include <math.h>
#include <stdlib.h>

#include "math/ranks.h"
#include "prepare/background.h"

penta_status prepare_survey_room(penta_context *ctx, prepare_survey *s, float **out)
{
    float *grown = realloc(s->means, (s->frames + 1) * s->nodes * sizeof *grown);

    if (!grown)
        return penta_fail(ctx, PENTA_MEMORY, "out of host memory for a survey of %zu frames", s->frames + 1);
    s->means = grown;
    *out = grown + s->frames * s->nodes;
    return PENTA_OK;
}

static float median_of(float *values, size_t count)
{
    qsort(values, count, sizeof *values, penta_compare_floats);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

penta_status prepare_survey_medians(penta_context *ctx, const prepare_survey *s, const float *area, float *median,
                                    float *weight)
{
    penta_status status = PENTA_OK;
    float *column = NULL;

    TRY(penta_calloc(ctx, s->frames, sizeof *column, &column));
    for (size_t i = 0; i < s->nodes; i++) {
        size_t count = 0;

        for (size_t t = 0; t < s->frames; t++)
            if (!isnan(s->means[t * s->nodes + i]))
                column[count++] = s->means[t * s->nodes + i];
        median[i] = count ? median_of(column, count) : 0;
        weight[i] = count ? area[i] : 0;
    }
cleanup:
    free(column);
    return status;
}
