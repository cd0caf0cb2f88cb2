#include "support/waves.h"

#include <math.h>
#include <stdlib.h>

#include "support/device.h"
#include "support/random.h"

double waves_delay(const waves *w, size_t x, size_t y)
{
    double dx = (double)x - (double)(w->width / 2), dy = (double)y - (double)(w->height / 2);

    return w->radial ? hypot(dx, dy) * w->slow[0] : (double)x * w->slow[0] + (double)y * w->slow[1];
}

/* Steepest at 0, back by half at apd. */
static double potential(double t, double apd)
{
    return 1 / (1 + exp(-t / 1.2)) / (1 + exp((t - apd) / 5));
}

penta_movie_view waves_movie(const waves *w)
{
    float *data = must_calloc(w->frames * w->height * w->width, sizeof *data), *at = data;

    random_seed(3);
    for (size_t f = 0; f < w->frames; f++)
        for (size_t y = 0; y < w->height; y++)
            for (size_t x = 0; x < w->width; x++) {
                double t = (double)f * 1000 / w->rate - w->first - waves_delay(w, x, y), v = 0;

                for (int k = 0; k < w->beats; k++)
                    v += potential(t - k * w->cycle, w->apd);
                *at++ = (float)(v + (w->noise > 0 ? w->noise * random_normal() : 0) - 0.2);
            }
    return (penta_movie_view){w->frames, w->height, w->width, w->rate, data};
}

void waves_free(penta_movie_view *m)
{
    free((void *)m->data);
}

float *waves_at(const penta_movie_view *m, size_t frame, size_t pixel)
{
    return (float *)m->data + frame * m->height * m->width + pixel;
}
