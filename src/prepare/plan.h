/* The plan. */
#ifndef PENTA_PREPARE_PLAN_H
#define PENTA_PREPARE_PLAN_H

#include "prepare/stages.h"

struct penta_prepare {
    penta_resources resources; /* the stages, the batch, drifts that are known */
    penta_context *ctx;
    prepare_settings settings;
    prepare_shape shape; /* its settings: the plan's */
    penta_type to;       /* of the output */
    prepare_batch batch;
    prepare_loader *loader;
    prepare_background *background; /* NULL: neither dust nor flattening */
    prepare_dust *dust;             /* NULL: no dust step */
    prepare_blank *blank;           /* NULL: no registration */
    prepare_register *registration; /* likewise */
    prepare_flattener *flattener;
    prepare_resampler *resampler; /* likewise */
    prepare_contrast *contrast;
    double low, high;   /* contrast of the first frame; NaN: not known yet */
    size_t frames;      /* of the series that were OK */
    penta_drift *known; /* smoothed, of the series that was looked at; NULL: not looked at for its drifts */
    size_t known_count;
    penta_drift *measured; /* while it is looked at */
    bool started;          /* a run or a survey has been */
    bool ran;              /* a run has been */
};

#endif
