/* The dominant frequency of each pixel. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/rotors.h>

#include "optmap/phase.h"

typedef struct {
    optmap_spectra spectra;
    penta_kernel kernel;
    penta_buffer maps; /* float: 2 x pitch */
    int first, last;   /* lines */
    double step;       /* Hz from one line to the next */
} job;

/* Lines of low .. high; never that of the mean. */
static penta_status choose_lines(penta_context *ctx, const penta_movie_view *movie, double low, double high, job *j)
{
    double half = (double)(movie->frames / 2), first, last;

    j->step = movie->rate / (double)movie->frames;
    high = high == 0 ? movie->rate / 2 : high;
    first = fmax(ceil(low / j->step), 1);
    last = fmin(floor(high / j->step), half);
    if (!(low >= 0) || !(first <= last))
        return penta_fail(ctx, PENTA_INVALID,
                          "no line of the spectrum from %g to %g Hz: they are %g Hz apart, to %g Hz", low, high,
                          j->step, half * j->step);
    j->first = (int)first;
    j->last = (int)last;
    return PENTA_OK;
}

static penta_status find_in_block(job *j, float *frequency, float *regularity)
{
    penta_status status = PENTA_OK;
    optmap_spectra *s = &j->spectra;
    beats_blocks *b = &s->blocks;

    TRY(penta_launch(&j->kernel, beats_blocks_grid(b, 1),
                     ARGS(&s->data, (int)b->movie->frames, (unsigned)b->count, b->pitch, &s->mean, j->first, j->last,
                          j->step, &j->maps)));
    TRY(beats_blocks_fetch(b, &j->maps, 0, 1, b->staging, frequency));
    if (regularity)
        TRY(beats_blocks_fetch(b, &j->maps, 1, 1, b->staging, regularity));
cleanup:
    return status;
}

penta_status optmap_frequency(penta_context *ctx, const penta_movie_view *movie, enum penta_fft_backend backend,
                              double low, double high, float *frequency, float *regularity)
{
    penta_status status = PENTA_OK;
    job j = {0};
    bool more;

    TRY(optmap_spectra_create(ctx, movie, backend, true, &j.spectra));
    TRY(choose_lines(ctx, movie, low, high, &j));
    TRY(penta_kernel_get(ctx, "optmap/frequency.cl", "optmap_frequency", "", &j.kernel));
    TRY(penta_buffer_create(ctx, 2 * j.spectra.blocks.pitch * sizeof(float), &j.maps));
    TRY(optmap_spectra_next(&j.spectra, &more));
    while (more) {
        TRY(find_in_block(&j, frequency, regularity));
        TRY(optmap_spectra_next(&j.spectra, &more));
    }
cleanup:
    if (status != PENTA_OK)
        penta_settle(ctx); /* transfers may be under way still */
    optmap_spectra_release(&j.spectra);
    penta_kernel_release(&j.kernel);
    penta_buffer_release(&j.maps);
    return status;
}

penta_status penta_dominant_frequency(penta_context *ctx, const penta_movie_view *movie, double low, double high,
                                      float *frequency, float *regularity)
{
    return optmap_frequency(ctx, movie, PENTA_FFT_AUTO, low, high, frequency, regularity);
}
