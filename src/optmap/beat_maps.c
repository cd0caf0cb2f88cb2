/* Activation, repolarisation, durations in each pixel and beat. */
#include <pentacl/beats.h>

#include "core/core.h"

penta_status penta_beats_measure(penta_context *ctx, const penta_movie_view *movie, const penta_beats_options *opt,
                                 const penta_beat *beats, size_t count, penta_beat_maps *out)
{
    (void)movie, (void)opt, (void)beats, (void)count;
    *out = (penta_beat_maps){0};
    return penta_fail(ctx, PENTA_UNSUPPORTED, "to be written");
}

void penta_beat_maps_free(penta_beat_maps *maps)
{
    *maps = (penta_beat_maps){0};
}

penta_status penta_alternans(penta_context *ctx, size_t beats, size_t height, size_t width, const float *map,
                             float *out)
{
    (void)beats, (void)height, (void)width, (void)map, (void)out;
    return penta_fail(ctx, PENTA_UNSUPPORTED, "to be written");
}

penta_status penta_beats_average(penta_context *ctx, const penta_movie_view *movie, const penta_beat *beats,
                                 size_t count, size_t before, size_t frames, float *out, size_t *used)
{
    (void)movie, (void)beats, (void)count, (void)before, (void)frames, (void)out, (void)used;
    return penta_fail(ctx, PENTA_UNSUPPORTED, "to be written");
}
