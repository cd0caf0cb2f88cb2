/* The plan. */
#pragma once

#include "prepare/stages.h"

struct penta_prepare {
    penta_resources resources; /* the stages, the batch, known drifts */
    penta_context *ctx;
    prepare_settings settings;
    prepare_shape shape; /* its settings point to the plan's */
    penta_type to;       /* output type */
    char batch_why[120]; /* what decided shape.batch */
    prepare_batch batch;
    prepare_loader *loader;
    prepare_background *background; /* NULL: no dust step and no flattening */
    prepare_dust *dust;             /* NULL: no dust step */
    prepare_blank *blank;           /* NULL: no registration */
    prepare_register *registration; /* NULL: no registration */
    prepare_flattener *flattener;
    prepare_resampler *resampler; /* NULL: no registration */
    prepare_contrast *contrast;
    double low, high;   /* contrast of the first frame; NaN: not known yet */
    size_t frames;      /* frames of the series that were OK */
    penta_drift *known; /* smoothed drifts from penta_prepare_look; NULL: none measured */
    size_t known_count;
    penta_drift *measured; /* raw drifts during penta_prepare_look */
    bool started;          /* a run or a survey has happened */
    bool ran;              /* a run has happened */
};
