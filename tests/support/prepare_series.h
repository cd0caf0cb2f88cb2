/* A series of photographs for plans of the prepare workload, and their outputs. */
#pragma once

#include <pentacl/prepare.h>

enum { SERIES_W = 141, SERIES_H = 107, SERIES_PIXELS = SERIES_W * SERIES_H, SERIES_FRAMES = 6 };

typedef struct {
    uint8_t image[SERIES_FRAMES][SERIES_PIXELS];
} prepare_series;

/* A pattern that moves under fixed light and dust; change: the rate at which it turns into another, rad per frame. */
prepare_series *make_series(double change);

/* The outputs of all frames; 0 for frames that were not run. */
typedef struct {
    penta_prepare_result r[SERIES_FRAMES];
    uint16_t image[SERIES_FRAMES][SERIES_PIXELS];
    uint8_t mask[SERIES_FRAMES][SERIES_PIXELS];
} prepare_outputs;

/* To be freed. */
prepare_outputs *make_outputs(void);

penta_prepare_options series_defaults(void);
/* Everything off; a test turns on what it needs. */
penta_prepare_options series_nothing(void);

penta_prepare *make_series_plan(penta_context *ctx, const penta_prepare_options *o);
/* Surveys the first `count` frames if the options need a survey. */
void survey_series(penta_context *ctx, penta_prepare *plan, const penta_prepare_options *o, const prepare_series *s,
                   size_t count);
/* Runs frames from .. to - 1, `step` per run. */
void run_series(penta_context *ctx, penta_prepare *plan, const prepare_series *s, size_t from, size_t to, size_t step,
                prepare_outputs *o);

/* Compares the frames from `from` on, bit by bit. */
void expect_same_outputs(const prepare_outputs *a, const prepare_outputs *b, size_t from);
