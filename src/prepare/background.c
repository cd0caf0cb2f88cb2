/* The background on nodes: local planes under a Gaussian, by frame or from the survey. */
#include "prepare/prepare.h"

penta_status prepare_background_create(penta_context *ctx, const prepare_shape *shape, prepare_background **out)
{
    (void)shape;
    (void)out;
    return penta_fail(ctx, PENTA_UNSUPPORTED, "prepare_background_create: to be written");
}

penta_status prepare_background_run(prepare_background *b, prepare_batch *batch)
{
    (void)b;
    (void)batch;
    return penta_fail(NULL, PENTA_UNSUPPORTED, "prepare_background_run: to be written");
}

penta_status prepare_background_survey(prepare_background *b, prepare_batch *batch)
{
    (void)b;
    (void)batch;
    return penta_fail(NULL, PENTA_UNSUPPORTED, "prepare_background_survey: to be written");
}

size_t prepare_background_surveyed(const prepare_background *b)
{
    (void)b;
    return 0;
}

void prepare_background_unsurvey(prepare_background *b, size_t frames)
{
    (void)b;
    (void)frames;
}

penta_status prepare_background_illumination(prepare_background *b, const float **out)
{
    (void)b;
    (void)out;
    return penta_fail(NULL, PENTA_UNSUPPORTED, "prepare_background_illumination: to be written");
}

penta_status prepare_background_restore(prepare_background *b, const float *illumination)
{
    (void)b;
    (void)illumination;
    return penta_fail(NULL, PENTA_UNSUPPORTED, "prepare_background_restore: to be written");
}

void prepare_background_destroy(prepare_background *b)
{
    (void)b;
}
