/* Internals of penta_survey_run, shared by its parts. */
#pragma once

#include <stdatomic.h>

#include <pentacl/survey.h>

#include "core/core.h"
#include "optmap/ranks.h"

enum { SURVEY_TERMS = 4, SURVEY_LAG = 2 };

/* What decided about the drift. */
enum survey_doubt {
    SURVEY_DRIFTS,      /* none: there is one */
    SURVEY_TOO_SHORT,   /* too few places or frames */
    SURVEY_NO_SIGNAL,   /* nothing to compare with */
    SURVEY_UNPROVEN,    /* the rests between beats determine no polynomial that fits them */
    SURVEY_NO_TREND,    /* no polynomial is nearer to diastole */
    SURVEY_SMALL_LOSS,  /* for the signal */
    SURVEY_SINGLE_BEAT, /* whose slow end may be the loss */
};

typedef struct {
    penta_context *ctx;
    size_t width, height, frames, pixels;
    const penta_movie *movie;
    int polarity;
    penta_survey *out;
    enum survey_doubt doubt;
    double *basis;      /* SURVEY_TERMS x frames: orthonormal polynomials */
    atomic_bool failed; /* a thread ran out of memory */

    /* one value per pixel */
    float *light;      /* mean of the first camera */
    float *mean;       /* of F */
    float *spread;     /* standard deviation of F less a cubic, over the mean */
    float *memory;     /* its correlation with itself SURVEY_LAG frames later, 0 where F is constant */
    float *noise;      /* standard deviation of the noise over the mean, from second differences */
    float *odd;        /* standard deviation of F / mean less the median of the neighbours', less a cubic */
    float *odd_memory; /* its correlation with itself */
} survey;

/* Numbers of pixels first .. first + count - 1 in frame n: of the first camera, and F. */
typedef void survey_numbers(const survey *s, size_t n, size_t first, size_t count, double *out);
survey_numbers survey_lights, survey_values;
/* F of pixel i in frame n. */
double survey_value(const survey *s, size_t n, size_t i);
/* The mean of F of pixel i, or 1 where it is 0. */
double survey_divisor(const survey *s, size_t i);

/* Removes polynomials up to degree 3 from a trace of all frames. */
void survey_take_cubic(const survey *s, double *trace);
/* The standard deviation of a trace of mean 0. */
double survey_spread(const double *trace, size_t frames);

/* Calls body(s, y, x, end) for all pixels x .. end - 1 of all rows y, on threads; PENTA_CANCELLED as by the context's
 * callback. */
typedef void survey_body(survey *s, size_t y, size_t x, size_t end);
penta_status survey_rows(survey *s, survey_body *body);

/* Fails with PENTA_MEMORY if a thread ran out of memory. */
penta_status survey_check(survey *s);

/* Sets light .. odd_memory. */
penta_status survey_measure(survey *s);
/* Sets kind, counts and found from them. */
penta_status survey_classify(survey *s);
/* Sets amplitude, drift and lost. */
penta_status survey_drift(survey *s);
/* Tells the context's listener that the drift is taken from this survey, and what decided there. */
void survey_tell_drift(penta_context *ctx, const penta_survey *found, enum survey_doubt doubt);
/* penta_survey_run, which also says what decided about the drift. */
penta_status survey_run(penta_context *ctx, size_t width, size_t height, size_t frames, const penta_movie *movie,
                        int polarity, penta_survey *out, enum survey_doubt *doubt);
/* Sets motion. */
penta_status survey_motion(survey *s);
