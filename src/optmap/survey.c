/* Shared by the parts of the survey: numbers of a movie, and work on rows. */
#include <math.h>

#include "math/wide.h"
#include "optmap/survey.h"

/* ---- the numbers of a movie ---- */

/* The numbers in[first .. first + count - 1] as doubles. */
#define CONVERT(type)                                                                                                  \
    for (size_t i = 0; i < count; i++)                                                                                 \
        out[i] = (double)((const type *)data)[first + i];                                                              \
    break

PENTA_WIDE static void convert(penta_type type, const void *data, size_t first, size_t count, double *out)
{
    switch (type) {
    case PENTA_U8:
        CONVERT(uint8_t);
    case PENTA_U16:
        CONVERT(uint16_t);
    case PENTA_I16:
        CONVERT(int16_t);
    case PENTA_U32:
        CONVERT(uint32_t);
    case PENTA_I32:
        CONVERT(int32_t);
    case PENTA_F32:
        CONVERT(float);
    case PENTA_F64:
        CONVERT(double);
    default:
        for (size_t i = 0; i < count; i++)
            out[i] = NAN;
    }
}

void survey_lights(const survey *s, size_t n, size_t first, size_t count, double *out)
{
    convert(s->movie->type, s->movie->frames[n], first, count, out);
}

void survey_values(const survey *s, size_t n, size_t first, size_t count, double *out)
{
    enum { AT_ONCE = 64 };
    double under[AT_ONCE];

    survey_lights(s, n, first, count, out);
    for (size_t at = 0; s->movie->under && at < count; at += AT_ONCE) {
        size_t some = count - at < AT_ONCE ? count - at : AT_ONCE;

        convert(s->movie->type, s->movie->under[n], first + at, some, under);
        for (size_t i = 0; i < some; i++)
            out[at + i] /= under[i];
    }
}

double survey_value(const survey *s, size_t n, size_t i)
{
    double value;

    survey_values(s, n, i, 1, &value);
    return value;
}

double survey_divisor(const survey *s, size_t i)
{
    return s->mean[i] != 0 ? (double)s->mean[i] : 1;
}

penta_status survey_check(survey *s)
{
    return s->failed ? penta_fail(s->ctx, PENTA_MEMORY, "out of memory for traces of %zu frames", s->frames) : PENTA_OK;
}

typedef struct {
    survey *s;
    survey_body *body;
} rows_job;

enum { PIECE = 128 }; /* pixels: few enough for a signal to be heard in long movies */

static void do_piece(void *data, size_t i)
{
    rows_job *j = data;
    size_t pieces = (j->s->width + PIECE - 1) / PIECE, x = i % pieces * PIECE;

    j->body(j->s, i / pieces, x, j->s->width - x < PIECE ? j->s->width : x + PIECE);
}

penta_status survey_rows(survey *s, survey_body *body)
{
    rows_job j = {s, body};

    return penta_parallel_watched(s->ctx, s->height * ((s->width + PIECE - 1) / PIECE), do_piece, &j);
}

/* ---- a trace ---- */

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

double survey_spread(const double *trace, size_t frames)
{
    double square = 0;

    for (size_t n = 0; n < frames; n++)
        square += trace[n] * trace[n];
    return sqrt(square / (double)frames);
}
