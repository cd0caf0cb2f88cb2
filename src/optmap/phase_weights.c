/* The noise per pixel from second differences, which slow changes hardly affect. */
#include <math.h>

#include "optmap/phase_smooth.h"

enum { RUN = 64 }; /* pixels per call */

typedef struct {
    const penta_movie_view *movie;
    float *noise;
} survey;

static void measure(const penta_movie_view *m, size_t first, size_t count, float *noise)
{
    size_t pixels = m->height * m->width;
    double squares[RUN] = {0};
    float least[RUN], most[RUN];
    bool wrong[RUN] = {false};

    for (size_t i = 0; i < count; i++)
        least[i] = most[i] = m->data[first + i];
    for (size_t n = 0; n < m->frames; n++) {
        const float *x = m->data + n * pixels + first, *back = n >= 2 ? x - pixels : x,
                    *far = n >= 2 ? back - pixels : x;

        for (size_t i = 0; i < count; i++) {
            double bend = ((double)far[i] - (double)back[i]) - ((double)back[i] - (double)x[i]);

            wrong[i] |= !isfinite(x[i]);
            least[i] = x[i] < least[i] ? x[i] : least[i];
            most[i] = x[i] > most[i] ? x[i] : most[i];
            squares[i] += bend * bend;
        }
    }
    for (size_t i = 0; i < count; i++) {
        double mean = m->frames > 2 ? squares[i] / (double)(m->frames - 2) : 0;

        noise[i] = wrong[i] || !(least[i] < most[i]) ? NAN : (float)sqrt(mean / 6);
    }
}

static void measure_run(void *data, size_t i)
{
    const survey *s = data;
    size_t pixels = s->movie->height * s->movie->width, first = i * RUN;

    measure(s->movie, first, pixels - first < RUN ? pixels - first : RUN, s->noise + first);
}

void optmap_noise_of_pixels(const penta_movie_view *movie, float *noise)
{
    survey s = {movie, noise};

    penta_parallel((movie->height * movie->width + RUN - 1) / RUN, measure_run, &s);
}
