/*
 * Diffusion as linear finite elements. A triangle with differences p along x, q along y, and p + q (or p - q) along the
 * diagonal has the energy (dxx - |dxy|) p^2 / 2 + (dyy - |dxy|) q^2 / 2 + |dxy| (p + q)^2 / 2, halved again for its
 * area. This gives a weight for each of its edges. A third of its area is the mass of each corner.
 */
#include <math.h>

#include "optmap/tissue.h"

static bool is_tissue(const penta_tissue *t, const uint8_t *outline, size_t x, size_t y)
{
    size_t cells = (size_t)t->options.cells;

    return !outline || outline[y / cells * t->columns + x / cells];
}

typedef struct {
    penta_tissue *t;
    tissue_weights *w;
    float along_x, along_y, along_slant; /* weights that a triangle adds to its edges */
} assembly;

static void add_mass(const assembly *a, size_t x, size_t y)
{
    a->w->share[medium_element(&a->t->medium, x, y)] += 1.0F / 6; /* holds the mass until it is inverted */
    a->t->tissue[y * a->t->medium.width + x] = 1;
}

/* Adds the triangle of (x, y)'s square with its upper edge (upper) or its lower one. */
static void add_triangle(const assembly *a, size_t x, size_t y, bool upper)
{
    const penta_tissue *t = a->t;
    bool right = t->lean > 0 ? upper : !upper;                           /* whether it has the right edge */
    size_t from = t->lean > 0 ? x : x + 1, to = t->lean > 0 ? x + 1 : x; /* the diagonal goes down from, to */

    a->w->east[medium_element(&t->medium, x, upper ? y : y + 1)] += a->along_x;
    a->w->south[medium_element(&t->medium, right ? x + 1 : x, y)] += a->along_y;
    a->w->slant[medium_element(&t->medium, from, y)] += a->along_slant;
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

    for (size_t y = 0; y + 1 < t->medium.height; y++)
        for (size_t x = 0; x + 1 < t->medium.width; x++)
            add_square(&a, outline, x, y);
    for (size_t i = 0; i < medium_floats(&t->medium); i++)
        w->share[i] = w->share[i] > 0 ? 1 / w->share[i] : 0;
}

double tissue_stable_step(double dxx, double dxy, double dyy)
{
    double e = dxx - fabs(dxy), s = dyy - fabs(dxy), d = fabs(dxy);

    /* The largest eigenvalue of a triangle's stiffness / mass bounds that of all triangles. */
    return 2 / (3 * (e + s + d + sqrt(e * e + s * s + d * d - e * s - s * d - e * d)));
}
