/* Dominant frequency per pixel. */
#include <math.h>

#include <pentacl/rotors.h>

#include "optmap/phase.h"

typedef struct {
    int first, last; /* spectral lines */
    double step;     /* Hz from one line to the next */
} band;

/* Chooses the lines from low to high Hz, without line 0, the mean. */
static penta_status choose_lines(penta_context *ctx, const penta_movie_view *movie, double low, double high, band *b)
{
    double half = (double)(movie->frames / 2), first, last;

    b->step = movie->frame_rate_hz / (double)movie->frames;
    high = high == 0 ? movie->frame_rate_hz / 2 : high;
    first = fmax(ceil(low / b->step), 1);
    last = fmin(floor(high / b->step), half);
    if (!(low >= 0) || !(first <= last))
        return penta_fail(ctx, PENTA_INVALID,
                          "no line of the spectrum from %g to %g Hz: they are %g Hz apart, to %g Hz", low, high,
                          b->step, half * b->step);
    b->first = (int)first;
    b->last = (int)last;
    return PENTA_OK;
}

static penta_status find_in_block(penta_phases *p, const band *lines, float *frequency, float *regularity)
{
    penta_status status = PENTA_OK;
    optmap_spectra *s = &p->spectra;
    beats_blocks *b = &s->blocks;

    TRY(penta_launch(&p->frequency, beats_blocks_grid(b, 1),
                     ARGS(&s->data, (int)b->movie->frames, (unsigned)b->count, b->pitch, &s->mean, lines->first,
                          lines->last, lines->step, &p->maps)));
    TRY(beats_blocks_fetch(b, &p->maps, 0, 1, b->row, frequency));
    if (regularity)
        TRY(beats_blocks_fetch(b, &p->maps, 1, 1, b->row, regularity));
cleanup:
    return status;
}

penta_status penta_phases_frequency(penta_phases *plan, const penta_movie_view *movie, double low, double high,
                                    float *frequency, float *regularity)
{
    penta_status status = PENTA_OK;
    band lines;
    bool more;

    TRY(optmap_phases_attach(plan, movie));
    TRY(choose_lines(plan->resources.ctx, movie, low, high, &lines));
    TRY(optmap_spectra_next(&plan->spectra, true, &more));
    while (more) {
        TRY(find_in_block(plan, &lines, frequency, regularity));
        TRY(optmap_spectra_next(&plan->spectra, true, &more));
    }
cleanup:
    if (status != PENTA_OK)
        optmap_phases_failed(plan);
    return status;
}

penta_status penta_dominant_frequency(penta_context *ctx, const penta_movie_view *movie, double low, double high,
                                      float *frequency, float *regularity)
{
    penta_status status = PENTA_OK;
    penta_phases *plan = NULL;

    TRY(penta_phases_create(ctx, &plan));
    TRY(penta_phases_frequency(plan, movie, low, high, frequency, regularity));
cleanup:
    penta_phases_destroy(plan);
    return status;
}
