/*
 * Diffusion as linear finite elements. With one triangle's differences p along x, q along y, and the diagonal's p + q
 * (or p - q), its energy is half of (dxx - |dxy|) p^2 + (dyy - |dxy|) q^2 + |dxy| (p + q)^2, halved again for its area:
 * a weight for each of its edges. A third of its area is the mass of each corner.
 */
#include <math.h>

#include "optmap/tissue.h"

static size_t element_of(const penta_tissue *t, size_t x, size_t y)
{
    return (y + 1) * t->pitch + TISSUE_LEAD + x;
}

size_t tissue_padded(const penta_tissue *t)
{
    return (t->height + 2) * t->pitch;
}

static bool is_tissue(const penta_tissue *t, const uint8_t *outline, size_t x, size_t y)
{
    size_t cells = (size_t)t->options.cells;

    return !outline || outline[y / cells * t->columns + x / cells];
}

typedef struct {
    penta_tissue *t;
    tissue_weights *w;
    float along_x, along_y, along_slant; /* what a triangle adds to its edges */
} assembly;

static void add_mass(const assembly *a, size_t x, size_t y)
{
    a->w->share[element_of(a->t, x, y)] += 1.0F / 6; /* the mass, until it is inverted */
    a->t->tissue[y * a->t->width + x] = 1;
}

/* The triangle of (x, y)'s square that has its upper edge (upper) or its lower one. */
static void add_triangle(const assembly *a, size_t x, size_t y, bool upper)
{
    const penta_tissue *t = a->t;
    bool right = t->lean > 0 ? upper : !upper;                           /* the side that it has */
    size_t from = t->lean > 0 ? x : x + 1, to = t->lean > 0 ? x + 1 : x; /* the diagonal goes down from, to */

    a->w->east[element_of(t, x, upper ? y : y + 1)] += a->along_x;
    a->w->south[element_of(t, right ? x + 1 : x, y)] += a->along_y;
    a->w->slant[element_of(t, from, y)] += a->along_slant;
    add_mass(a, from, y);
    add_mass(a, to, y + 1);
    add_mass(a, upper ? to : from, upper ? y : y + 1);
}

static void add_square(const assembly *a, const uint8_t *outline, size_t x, size_t y)
{
    const penta_tissue *t = a->t;
    size_t from = t->lean > 0 ? x : x + 1, to = t->lean > 0 ? x + 1 : x;

    if (!is_tissue(t, outline, from, y) || !is_tissue(t, outline, to, y + 1))
        return;
    if (is_tissue(t, outline, to, y))
        add_triangle(a, x, y, true);
    if (is_tissue(t, outline, from, y + 1))
        add_triangle(a, x, y, false);
}

void tissue_stiffness(penta_tissue *t, const uint8_t *outline, double dxx, double dxy, double dyy, tissue_weights *w)
{
    assembly a = {t, w, (float)(0.5 * (dxx - fabs(dxy))), (float)(0.5 * (dyy - fabs(dxy))), (float)(0.5 * fabs(dxy))};

    for (size_t y = 0; y + 1 < t->height; y++)
        for (size_t x = 0; x + 1 < t->width; x++)
            add_square(&a, outline, x, y);
    for (size_t i = 0; i < tissue_padded(t); i++)
        w->share[i] = w->share[i] > 0 ? 1 / w->share[i] : 0;
}

double tissue_stable_step(double dxx, double dxy, double dyy)
{
    double e = dxx - fabs(dxy), s = dyy - fabs(dxy), d = fabs(dxy);

    /* The largest eigenvalue of a triangle's stiffness over its mass bounds that of all. */
    return 2 / (3 * (e + s + d + sqrt(e * e + s * s + d * d - e * s - s * d - e * d)));
}
