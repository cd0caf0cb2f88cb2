/* Chooses lengths for an image: tries every pair of good lengths near the least ones that has enough primes, and takes
 * the cheapest. */
#include "autocorr/ntt_layout.h"

#include "math/fft_shape.h"
#include "math/sizes.h"

enum { X_STEP = 32, Y_STEP = 4, MOST_LANES = 8, GROUP = 640, X_GAP = 5, Y_GAP = 4, CANDIDATES = 24 };

static size_t cells(size_t n, size_t lanes, int gap)
{
    return lanes * (n + (n >> gap) + 1);
}

static size_t lanes_of(const penta_ntt_length *y, size_t local_memory, size_t most_items)
{
    size_t lanes = MOST_LANES, most = penta_smaller(most_items, GROUP);

    while (lanes > 1 && (cells(y->n, lanes, Y_GAP) * sizeof(float) > local_memory || lanes * y->items > most))
        lanes /= 2;
    return lanes;
}

/* The good lengths, from `least` on, that fit into local memory. */
static size_t candidates(size_t least, size_t step, int gap, size_t local_memory, size_t most_items,
                         penta_ntt_length list[CANDIDATES])
{
    size_t count = 0, n = penta_fft_good_size(least);

    for (; count < CANDIDATES && n <= 2 * least + 2 && cells(n, 1, gap) * sizeof(float) <= local_memory;
         n = penta_fft_good_size(n + 1))
        count += penta_ntt_plan(n, step, most_items, &list[count]);
    return count;
}

static uint64_t common_multiple(uint64_t a, uint64_t b)
{
    uint64_t x = a, y = b;

    while (y) {
        uint64_t rest = x % y;

        x = y;
        y = rest;
    }
    return a / x * b;
}

/* Completes a layout from its lengths. */
static bool settle(const autocorr_shape *s, size_t local_memory, size_t most_items, autocorr_ntt_layout *l)
{
    uint64_t largest = s->type == PENTA_U8 ? UINT8_MAX : UINT16_MAX;

    l->order = common_multiple(l->x.n, l->y.n);
    l->primes = penta_ntt_primes(l->order, largest * largest * s->width * s->height, l->prime);
    l->lanes = lanes_of(&l->y, local_memory, most_items);
    l->fold = penta_round_up(l->x.n / 2 + 1, l->lanes);
    l->columns = s->cross ? 2 * l->fold : l->fold;
    l->cost = (double)l->primes * (l->x.cost * (double)((s->cross ? 2 : 1) * s->height + autocorr_rows(s)) +
                                   3 * l->y.cost * (double)l->columns);
    return l->primes > 0;
}

bool autocorr_ntt_choose(const autocorr_shape *s, size_t local_memory, size_t most_items, autocorr_ntt_layout *out)
{
    penta_ntt_length x[CANDIDATES], y[CANDIDATES];
    size_t nx = candidates(s->width + s->max_offset, X_STEP, X_GAP, local_memory, most_items, x);
    size_t ny = candidates(s->height + s->max_offset, Y_STEP, Y_GAP, local_memory, most_items, y);

    *out = (autocorr_ntt_layout){0};
    if (!autocorr_is_integer(s) || s->single)
        return false;
    for (size_t i = 0; i < nx; i++)
        for (size_t j = 0; j < ny; j++) {
            autocorr_ntt_layout l = {.x = x[i], .y = y[j]};

            if (settle(s, local_memory, most_items, &l) && (out->primes == 0 || l.cost < out->cost))
                *out = l;
        }
    return out->primes > 0;
}
