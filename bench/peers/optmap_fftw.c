/* The thesis's pipeline of cardiac movies by FFTW, blocks of rows by OpenMP. */
#include "peers.h"

#include <fftw3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MEDIAN = 16, ALIGNED = 16 /* numbers; rows of transforms are multiples */ };

typedef struct {
    peer_optmap_movie m;
    size_t samples;       /* of y: L N */
    size_t size;          /* of a transform, Z */
    size_t pitch_y, half; /* of y; of a spectrum, complex values */
} shape;

static size_t multiple(size_t n)
{
    return (n + ALIGNED - 1) / ALIGNED * ALIGNED;
}

static shape shape_of(const peer_optmap_movie *movie)
{
    shape s = {.m = *movie, .samples = movie->frames * (size_t)movie->interp, .size = 1};

    while (s.size < 2 * s.samples - 1)
        s.size *= 2;
    s.pitch_y = multiple(s.samples);
    s.half = multiple(s.size / 2 + 1);
    return s;
}

/* v of a row of pixels, width x frames. */
static void row_traces(const peer_optmap_movie *m, size_t row, double *v)
{
    const uint16_t *first = m->movie + row * m->width;
    size_t pixels = m->width * m->height;

    for (size_t n = 0; n < m->frames; n++)
        for (size_t x = 0; x < m->width; x++)
            v[x * m->frames + n] = first[n * pixels + x];
    for (size_t x = 0; x < m->width; x++) {
        double sum = 0;

        for (size_t n = 0; n < m->frames; n++)
            sum += v[x * m->frames + n];
        for (size_t n = 0; n < m->frames; n++)
            v[x * m->frames + n] = -(v[x * m->frames + n] * (double)m->frames - sum) / sum;
    }
}

#define REAL       double
#define FFTW(name) fftw_##name
#define OWN(name)  double_##name
#include "optmap_fftw.inc"
#undef REAL
#undef FFTW
#undef OWN

#define REAL       float
#define FFTW(name) fftwf_##name
#define OWN(name)  single_##name
#include "optmap_fftw.inc"
#undef REAL
#undef FFTW
#undef OWN

struct peer_optmap_fftw {
    double_plan *of_double; /* one of the two is NULL */
    single_plan *of_single;
};

peer_optmap_fftw *peer_optmap_fftw_create(const peer_optmap_movie *movie, bool single)
{
    shape s = shape_of(movie);
    peer_optmap_fftw *peer = calloc(1, sizeof *peer);

    if (!peer)
        return NULL;
    if (single)
        peer->of_single = single_make(&s);
    else
        peer->of_double = double_make(&s);
    if (!peer->of_single && !peer->of_double) {
        free(peer);
        peer = NULL;
    }
    return peer;
}

bool peer_optmap_fftw_run(peer_optmap_fftw *peer, size_t from, size_t to, int threads, int32_t *shifts, float *filtered)
{
    if (peer->of_single)
        return single_run(peer->of_single, from, to, threads, shifts, filtered);
    return double_run(peer->of_double, from, to, threads, shifts, filtered);
}

void peer_optmap_fftw_destroy(peer_optmap_fftw *peer)
{
    if (!peer)
        return;
    double_free(peer->of_double);
    single_free(peer->of_single);
    free(peer);
}
