/*
 * The picture is a frame of pentacl/stars.h: every body a Gaussian whose flux is its mass. Shown is the lightness
 * asinh(I / soft) / asinh(white / soft).
 */
#include "nbody/picture.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/stars.h>

#include <pentacl/io/image.h>

#define TWO_PI 6.283185307179586

/* Few bodies are drawn large, so that they can be seen: sigma in px is 64 / sqrt(n) within these. */
static const double least_sigma = 1.0, most_sigma = 5.0;
/* soft: this part of the brightest pixel of such a body; white: of the lit pixels so many are darker. */
static const double soft_share = 0.5, white_share = 0.9995;

struct nbody_picture {
    penta_context *ctx;
    penta_stars *stars;
    size_t n, side; /* bodies, px */
    int view;
    double peak; /* the brightest pixel of a body of median mass */
    bool weighed;
    double *x, *y, *flux;
    float *image, *sorted;
    uint8_t *pixels; /* side x side x 3 */
};

static bool library_failed(const penta_context *ctx, penta_io_error *err)
{
    const char *text = penta_last_error(ctx);

    return penta_io_fail(err, "cannot draw the bodies: %.*s", (int)strcspn(text, "\n"), text);
}

bool nbody_picture_open(penta_context *ctx, size_t n, const nbody_flags *flags, nbody_picture **out,
                        penta_io_error *err)
{
    nbody_picture *p = calloc(1, sizeof *p);
    penta_stars_options options;
    size_t side = (size_t)flags->size;

    *out = p;
    if (!p)
        return penta_io_fail(err, "out of memory for the pictures");
    penta_stars_options_init(&options);
    options.engine = PENTA_STARS_FIXED; /* the same bits in every run */
    options.sigma = fmin(fmax(64 / sqrt((double)n), least_sigma), most_sigma);
    options.roi = (int)ceil(8 * options.sigma);
    *p = (nbody_picture){.ctx = ctx, .n = n, .side = side, .view = flags->view};
    p->peak = 1 / (TWO_PI * options.sigma * options.sigma);
    p->x = malloc(n * sizeof *p->x);
    p->y = malloc(n * sizeof *p->y);
    p->flux = malloc(n * sizeof *p->flux);
    p->image = malloc(side * side * sizeof *p->image);
    p->sorted = malloc(side * side * sizeof *p->sorted);
    p->pixels = malloc(3 * side * side);
    if (!p->x || !p->y || !p->flux || !p->image || !p->sorted || !p->pixels)
        return penta_io_fail(err, "out of memory for pictures of %zu bodies", n);
    return penta_stars_create(ctx, side, side, &options, &p->stars) == PENTA_OK || library_failed(ctx, err);
}

void nbody_picture_close(nbody_picture *p)
{
    if (!p)
        return;
    penta_stars_destroy(p->stars);
    free(p->x);
    free(p->y);
    free(p->flux);
    free(p->image);
    free(p->sorted);
    free(p->pixels);
    free(p);
}

/* ---- light ---- */

static int by_double(const void *a, const void *b)
{
    double p = *(const double *)a, q = *(const double *)b;

    return (p > q) - (p < q);
}

/* Flux in units of the median mass, up to 100, beside which light bodies are still seen; bodies without mass are not
 * seen, unless none has any. */
static void weigh(nbody_picture *p, const double *rows)
{
    double *masses = p->x; /* not in use yet */
    size_t count = 0;

    for (size_t i = 0; i < p->n; i++)
        if (rows[7 * i] > 0)
            masses[count++] = rows[7 * i];
    qsort(masses, count, sizeof *masses, by_double);
    for (size_t i = 0; i < p->n; i++)
        p->flux[i] = count > 0 ? fmin(rows[7 * i] / masses[(count - 1) / 2], 100) : 1;
    p->weighed = true;
}

double nbody_picture_extent(nbody_picture *p, const double *rows, const double center[3])
{
    double *distance = p->x; /* not in use yet */
    double extent;

    for (size_t i = 0; i < p->n; i++) {
        const double *r = rows + 7 * i + 1;

        distance[i] = hypot(hypot(r[0] - center[0], r[1] - center[1]), r[2] - center[2]);
    }
    qsort(distance, p->n, sizeof *distance, by_double);
    extent = fmin(1.25 * distance[p->n * 9 / 10], 3.5 * distance[p->n / 2]);
    return extent > 0 ? fmin(extent, DBL_MAX) : 1;
}

static bool project(nbody_picture *p, const double *rows, const double center[3], double extent, penta_io_error *err)
{
    static const int axes[][2] = {{0, 1}, {0, 2}, {1, 2}};
    int right = axes[p->view][0], up = axes[p->view][1];
    double half = 0.5 * (double)(p->side - 1), scale = 0.5 * (double)p->side / extent;
    penta_stars_list list = {.n = p->n, .x = p->x, .y = p->y, .flux = p->flux};
    penta_stars_result result = {.image = p->image};

    for (size_t i = 0; i < p->n; i++) {
        p->x[i] = fmax(fmin(half + scale * (rows[7 * i + 1 + (size_t)right] - center[right]), 1e9), -1e9);
        p->y[i] = fmax(fmin(half - scale * (rows[7 * i + 1 + (size_t)up] - center[up]), 1e9), -1e9);
    }
    return penta_stars_run(p->stars, &list, &result) == PENTA_OK || library_failed(p->ctx, err);
}

/* ---- colours ---- */

static int by_value(const void *a, const void *b)
{
    float p = *(const float *)a, q = *(const float *)b;

    return (p > q) - (p < q);
}

/* The brightness that is shown white: all but a few of the pixels with light are darker. */
static double find_white(nbody_picture *p, double soft)
{
    size_t lit = 0, pixels = p->side * p->side;

    for (size_t i = 0; i < pixels; i++)
        if (p->image[i] > soft)
            p->sorted[lit++] = p->image[i];
    if (lit == 0)
        return 2 * soft;
    qsort(p->sorted, lit, sizeof *p->sorted, by_value);
    return fmax(p->sorted[(size_t)(white_share * (double)(lit - 1))], 2 * soft);
}

/* CIE L*a*b* (white: D65) to sRGB. */
static void to_rgb(double l, double a, double b, uint8_t rgb[3])
{
    static const double matrix[3][3] = {
        {3.2406, -1.5372, -0.4986}, {-0.9689, 1.8758, 0.0415}, {0.0557, -0.2040, 1.0570}};
    static const double white[3] = {0.95047, 1, 1.08883};
    double f = (l + 16) / 116, xyz[3] = {f + a / 500, f, f - b / 200};

    for (int k = 0; k < 3; k++)
        xyz[k] = white[k] * (xyz[k] > 6.0 / 29 ? pow(xyz[k], 3) : (xyz[k] - 4.0 / 29) * 108 / 841);
    for (int k = 0; k < 3; k++) {
        double v = matrix[k][0] * xyz[0] + matrix[k][1] * xyz[1] + matrix[k][2] * xyz[2];

        v = v > 0.0031308 ? 1.055 * pow(v, 1 / 2.4) - 0.055 : 12.92 * v;
        rgb[k] = (uint8_t)(255 * fmin(fmax(v, 0), 1) + 0.5);
    }
}

/* Lightness in proportion to f; the hue goes from blue through red to yellow. */
static void colour(double f, uint8_t rgb[3])
{
    double hue = TWO_PI / 360 * (290 + 160 * f), chroma = 65 * pow(sin(0.5 * TWO_PI * f), 0.8);

    to_rgb(100 * f, chroma * cos(hue), chroma * sin(hue), rgb);
}

static void stretch(nbody_picture *p)
{
    enum { SHADES = 1024 };
    uint8_t shades[SHADES][3];
    double soft = soft_share * p->peak, scale = (SHADES - 1) / asinh(find_white(p, soft) / soft);

    for (int i = 0; i < SHADES; i++)
        colour((double)i / (SHADES - 1), shades[i]);
    for (size_t i = 0; i < p->side * p->side; i++) {
        double shade = scale * asinh((double)p->image[i] / soft);

        memcpy(p->pixels + 3 * i, shades[(size_t)fmin(fmax(shade, 0), SHADES - 1)], 3);
    }
}

bool nbody_picture_draw(nbody_picture *p, const double *rows, const double center[3], double extent, const char *path,
                        penta_io_error *err)
{
    if (!p->weighed)
        weigh(p, rows);
    if (!project(p, rows, center, extent, err))
        return false;
    stretch(p);
    return penta_io_png_write_rgb(path, p->side, p->side, p->pixels, err);
}
