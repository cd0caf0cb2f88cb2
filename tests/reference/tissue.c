#include "reference/tissue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/device.h"

typedef struct {
    double xx, xy, yy;
} tensor;

/* Adds the triangle (x[i], y[i]) to the sums: -K u and the lumped mass. h: cm. */
static void add_triangle(const tensor *d, double h, size_t width, const size_t x[3], const size_t y[3], const double *u,
                         double *flow, double *mass)
{
    double gx = 0, gy = 0, bx[3], by[3], area;

    /* gradients of the three shape functions: b_i = (y_j - y_k, x_k - x_j) / (2 area) */
    area = 0.5 * h * h *
           (((double)x[1] - (double)x[0]) * ((double)y[2] - (double)y[0]) -
            ((double)x[2] - (double)x[0]) * ((double)y[1] - (double)y[0]));
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;

        bx[i] = h * ((double)y[j] - (double)y[k]) / (2 * area);
        by[i] = h * ((double)x[k] - (double)x[j]) / (2 * area);
        gx += bx[i] * u[y[i] * width + x[i]];
        gy += by[i] * u[y[i] * width + x[i]];
    }
    area = fabs(area);
    for (int i = 0; i < 3; i++) {
        flow[y[i] * width + x[i]] -= area * (bx[i] * (d->xx * gx + d->xy * gy) + by[i] * (d->xy * gx + d->yy * gy));
        mass[y[i] * width + x[i]] += area / 3;
    }
}

static int all_tissue(const uint8_t *outline, size_t width, const size_t x[3], const size_t y[3])
{
    for (int i = 0; i < 3; i++)
        if (outline && !outline[y[i] * width + x[i]])
            return 0;
    return 1;
}

static void add_all(const tensor *d, double h, size_t width, size_t height, const uint8_t *outline, const double *u,
                    double *flow, double *mass)
{
    for (size_t y = 0; y + 1 < height; y++)
        for (size_t x = 0; x + 1 < width; x++) {
            /* corners of the two triangles, the diagonal along the fibres */
            const size_t falling[2][2][3] = {{{x, x + 1, x + 1}, {y, y, y + 1}}, {{x, x + 1, x}, {y, y + 1, y + 1}}};
            const size_t rising[2][2][3] = {{{x, x + 1, x}, {y, y, y + 1}}, {{x + 1, x + 1, x}, {y, y + 1, y + 1}}};

            for (int t = 0; t < 2; t++) {
                const size_t(*corners)[3] = d->xy < 0 ? rising[t] : falling[t];

                if (all_tissue(outline, width, corners[0], corners[1]))
                    add_triangle(d, h, width, corners[0], corners[1], u, flow, mass);
            }
        }
}

void reference_tissue(const penta_tissue_options *o, size_t width, size_t height, const uint8_t *outline, size_t steps,
                      double step, double *u, double *v)
{
    double c = o->speed * 1e-3 * o->time_unit / (1 - 2 * o->a), along = 2 * c * c / o->k; /* cm^2 a unit */
    double across = along / (o->anisotropy * o->anisotropy), angle = o->fibre * acos(-1) / 180,
           dt = step / o->time_unit;
    const tensor d = {along * cos(angle) * cos(angle) + across * sin(angle) * sin(angle),
                      (along - across) * cos(angle) * sin(angle),
                      along * sin(angle) * sin(angle) + across * cos(angle) * cos(angle)};
    size_t n = width * height;
    double *flow = must_calloc(n, sizeof *flow), *mass = must_calloc(n, sizeof *mass);

    for (size_t s = 0; s < steps; s++) {
        memset(flow, 0, n * sizeof *flow);
        memset(mass, 0, n * sizeof *mass);
        add_all(&d, o->pixel_size, width, height, outline, u, flow, mass);
        for (size_t i = 0; i < n; i++) {
            double p = u[i], q = v[i];

            if (mass[i] == 0)
                continue;
            u[i] += dt * (flow[i] / mass[i] - o->k * p * (p - o->a) * (p - 1) - p * q);
            v[i] += dt * (o->epsilon0 + o->mu1 * q / (p + o->mu2)) * (-q - o->k * p * (p - o->a - 1));
        }
    }
    free(flow);
    free(mass);
}
