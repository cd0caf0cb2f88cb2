/* Shared by the parts of the survey: values of a movie, and statistics of a trace. */
#include <math.h>

#include "optmap/survey.h"

/* ---- the numbers of a movie ---- */

static double number_at(penta_type type, const void *data, size_t i)
{
    switch (type) {
    case PENTA_U8:
        return ((const uint8_t *)data)[i];
    case PENTA_U16:
        return ((const uint16_t *)data)[i];
    case PENTA_I16:
        return ((const int16_t *)data)[i];
    case PENTA_U32:
        return ((const uint32_t *)data)[i];
    case PENTA_I32:
        return ((const int32_t *)data)[i];
    case PENTA_F32:
        return (double)((const float *)data)[i];
    case PENTA_F64:
        return ((const double *)data)[i];
    default:
        return NAN;
    }
}

double survey_light(const survey *s, size_t n, size_t i)
{
    return number_at(s->movie->type, s->movie->frames[n], i);
}

double survey_value(const survey *s, size_t n, size_t i)
{
    return survey_light(s, n, i) / (s->movie->under ? number_at(s->movie->type, s->movie->under[n], i) : 1);
}

void survey_row(const survey *s, size_t n, size_t y, double *out)
{
    for (size_t x = 0; x < s->width; x++)
        out[x] = survey_value(s, n, y * s->width + x);
}

penta_status survey_check(survey *s)
{
    return s->failed ? penta_fail(s->ctx, PENTA_MEMORY, "out of memory for traces of %zu frames", s->frames) : PENTA_OK;
}

typedef struct {
    survey *s;
    survey_body *body;
} rows_job;

static void do_row(void *data, size_t y)
{
    rows_job *j = data;

    j->body(j->s, y);
}

void survey_rows(survey *s, survey_body *body)
{
    rows_job j = {s, body};

    penta_parallel(s->height, do_row, &j);
}

/* ---- traces ---- */

/* Removes polynomials up to degree 3 from a trace. */
void survey_take_cubic(const survey *s, double *trace)
{
    for (int k = 0; k < SURVEY_TERMS; k++) {
        const double *p = s->basis + (size_t)k * s->frames;
        double dot = 0;

        for (size_t n = 0; n < s->frames; n++)
            dot += p[n] * trace[n];
        for (size_t n = 0; n < s->frames; n++)
            trace[n] -= dot * p[n];
    }
}

/* Standard deviation of a trace of mean 0, and its autocorrelation at SURVEY_LAG frames. */
void survey_spread(const double *trace, size_t frames, float *spread, float *memory)
{
    double square = 0, product = 0;

    for (size_t n = 0; n < frames; n++)
        square += trace[n] * trace[n];
    for (size_t n = 0; n + SURVEY_LAG < frames; n++)
        product += trace[n] * trace[n + SURVEY_LAG];
    *spread = (float)sqrt(square / (double)frames);
    *memory = square > 0 ? (float)(product / square) : 0;
}
