/* Tables of the shifter that depend only on the filter, in double on the host. */
#include <math.h>
#include <stdlib.h>

#include "optmap/fast_shifts.h"

enum { MOST_NEAR = 8 }; /* most samples at an end for which products of two have a table */
#define ZERO 1e-14      /* smaller taps are dropped: they change c by 1e-14 of sqrt(c_pp[0] c_qq[0]) */

/* Division that rounds towards minus infinity. */
static int floor_divide(int a, int b)
{
    return a / b - (a % b < 0);
}

static int round_up(int a, int b)
{
    return (a + b - 1) / b * b;
}

/* h without the filter's outer zeros. */
static int half_of(const optmap_filter *filter)
{
    int h = (filter->taps - 1) / 2, reach = h;

    while (reach > 0 && fabs(filter->b[h - reach]) <= ZERO && fabs(filter->b[h + reach]) <= ZERO)
        reach--;
    return reach;
}

shift_sizes shift_sizes_of(const optmap_filter *filter)
{
    int l = filter->interp, h = half_of(filter);
    shift_sizes z = {.interp = l, .half = h, .phases = round_up(l, SHIFT_LANES)};

    z.first_tap = -(2 * h / l);
    z.taps = (2 * h + l - 1) / l - z.first_tap + 1;
    z.first_row = floor_divide(-2 * h, l);
    z.rows = (2 * h + l) / l - z.first_row + 1;
    z.first_turned = floor_divide(-2 * h - l, l);
    z.turned = 2 * h / l - z.first_turned + 1;
    z.near = h / l + 2;
    z.end = 2 * h + l + 1;
    z.w = round_up(z.rows * l + z.phases, SHIFT_LANES);
    z.v = round_up(z.turned * l + z.phases, SHIFT_LANES);
    z.e = round_up(z.end + 2 * z.phases, SHIFT_LANES);
    z.single = 2 * (size_t)(z.w + z.v + z.e);
    z.dbl = 2 * (size_t)(z.rows * l + z.end);
    return z;
}

/* Number of pairs of samples at the same end. */
static int products_of(const shift_sizes *z)
{
    return z->near <= MOST_NEAR ? 2 * z->near * z->near : 0;
}

size_t shift_single(const shift_sizes *z)
{
    return (size_t)(z->taps * z->phases + z->taps + 1 + z->phases + products_of(z) * 2 * z->end);
}

size_t shift_dbl(const shift_sizes *z)
{
    return (size_t)(z->taps * z->phases + 2 * z->near * (z->end + z->rows * z->interp));
}

bool shift_is_direct(const optmap_filter *filter, size_t frames)
{
    return frames <= 2 * (size_t)(half_of(filter) / filter->interp) + 3;
}

/* ---- r ---- */

static double tap(const optmap_filter *filter, int n)
{
    int h = (filter->taps - 1) / 2;

    return n < -h || n > h || fabs(filter->b[h + n]) <= ZERO ? 0 : filter->b[h + n];
}

static double autocorrelation(const optmap_filter *filter, int h, int k)
{
    double sum = 0;

    for (int n = -h; n <= h; n++)
        sum += tap(filter, n) * tap(filter, n + k);
    return sum;
}

/* The excess follows the taps and the bend. */
static float *excess_of(const shift_tables *t)
{
    return t->single + t->size.taps * t->size.phases + t->size.taps + 1;
}

static void fill_taps(const optmap_filter *filter, shift_tables *t)
{
    const shift_sizes *z = &t->size;

    for (int j = 0; j < z->taps; j++)
        for (int s = 0; s < z->interp; s++) {
            double r = autocorrelation(filter, z->half, s - z->interp * (j + z->first_tap));

            t->dbl[j * z->phases + s] = r;
            t->single[j * z->phases + s] = (float)r;
        }
    for (int s = 0; s < z->interp; s++) {
        double sum = 0;

        for (int j = 0; j < z->taps; j++)
            sum += fabs(t->dbl[j * z->phases + s]);
        t->most = fmax(t->most, sum);
    }
    for (int j = 0; j < z->taps; j++)
        t->slope += t->dbl[j * z->phases];
    for (int s = 0; s < z->interp; s++) {
        double sum = -t->slope;

        for (int j = 0; j < z->taps; j++)
            sum += t->dbl[j * z->phases + s];
        excess_of(t)[s] = (float)sum;
    }
}

/* ---- ends ---- */

/* e at index n of a side for a trace of zeros with a 1 at the m-th sample from the end (shift_ends.cl). */
static double end_of(const shift_tables *t, int side, int m, int n)
{
    int h = t->size.half, l = t->size.interp, at = n - h, turn = side ? -1 : 1;
    const double *b = t->filter + t->filter_pad;
    double sum = 0;

    if (side ? at >= l : at < 0) { /* beyond the movie: removes u */
        int k = h - at + turn * l * m;

        return k >= 0 && k <= 2 * h ? -b[k] : 0;
    }
    for (int i = 1; i < t->size.near; i++) { /* adds samples reflected about the end */
        int k = h - at - turn * l * i;

        if (k >= 0 && k <= 2 * h)
            sum += ((m == 0 ? 2 : 0) - (i == m ? 1 : 0)) * b[k];
    }
    return sum;
}

/* sum_n e[n] b[h + n - k], k = i + L first_row. */
static double w_of(const shift_tables *t, const double *e, int i)
{
    const shift_sizes *z = &t->size;
    const double *b = t->filter + t->filter_pad;
    double sum = 0;

    for (int n = 0; n < z->end; n++)
        sum += e[n] * b[2 * z->half - n + i + z->interp * z->first_row];
    return sum;
}

static double lagged(int count, const double *p, const double *q, int lag)
{
    double sum = 0;

    for (int n = lag < 0 ? -lag : 0; n < count && n + lag < count; n++)
        sum += p[n] * q[n + lag];
    return sum;
}

static void fill_ends(shift_tables *t)
{
    const shift_sizes *z = &t->size;
    int ends = 2 * z->near, w = z->rows * z->interp;
    double *e = t->dbl + z->taps * z->phases;
    float *products = excess_of(t) + z->phases;

    for (int i = 0; i < ends * z->end; i++)
        e[i] = end_of(t, i / (z->near * z->end), i / z->end % z->near, i % z->end);
    for (int i = 0; i < ends * w; i++)
        e[ends * z->end + i] = w_of(t, e + i / w * z->end, i % w);
    for (int i = 0; i < products_of(z); i++) {
        const double *p = e + i / z->near * z->end, *q = e + (i / (z->near * z->near) * z->near + i % z->near) * z->end;

        for (int lag = 1 - z->end; lag < z->end; lag++)
            products[i * 2 * z->end + z->end + lag] = (float)lagged(z->end, p, q, lag);
    }
}

/* ---- linear interpolation ---- */

/*
 * uu[L d + s] minus slope times R interpolated linearly is sum_j R[d + j] g_j(s) =
 * sum_j (R[d + j] - R[d]) g_j(s) + R[d] sum_j g_j(s). Fills max_s |g_j| for every j, and max_s |sum_j g_j|, which is
 * small.
 */
static void fill_bend(shift_tables *t)
{
    const shift_sizes *z = &t->size;
    float *bend = t->single + (size_t)z->taps * (size_t)z->phases;

    for (int s = 0; s < z->interp; s++) {
        double part = (double)s / z->interp, sum = 0;

        for (int j = 0; j < z->taps; j++) {
            int at = j + z->first_tap;
            double g = t->dbl[j * z->phases + s] - t->slope * (at == 0 ? 1 - part : at == 1 ? part : 0);

            bend[j] = fmaxf(bend[j], (float)(fabs(g) * 1.00001));
            sum += g;
        }
        bend[z->taps] = fmaxf(bend[z->taps], (float)(fabs(sum) * 1.00001));
    }
}

/*
 * max_s |H_s(w)|, H_s = sum_j r[s - L j] exp(i w j) - slope ((1 - s / L) + (s / L) exp(i w)): the difference between
 * uu[L d + s] and slope times R interpolated linearly between d and d + 1, for an R of this frequency. Doubled for
 * frequencies that stand for two.
 */
static float margin_at(const shift_tables *t, size_t k, double *root)
{
    const shift_sizes *z = &t->size;
    double w = 2 * acos(-1) * (double)k / (double)t->length, most = 0;

    for (int j = 0; j < z->taps; j++) {
        root[2 * j] = cos(w * (j + z->first_tap));
        root[2 * j + 1] = sin(w * (j + z->first_tap));
    }
    for (int s = 0; s < z->interp; s++) {
        double part = (double)s / z->interp;
        double re = -t->slope * (1 - part + part * cos(w)), im = -t->slope * part * sin(w);

        for (int j = 0; j < z->taps; j++) {
            re += t->dbl[j * z->phases + s] * root[2 * j];
            im += t->dbl[j * z->phases + s] * root[2 * j + 1];
        }
        most = fmax(most, hypot(re, im));
    }
    return (float)(most * (k == 0 || 2 * k == t->length ? 1 : 2));
}

static penta_status fill_margin(penta_context *ctx, shift_tables *t)
{
    penta_status status = PENTA_OK;
    double *root = NULL;

    TRY(penta_calloc(ctx, 2 * (size_t)t->size.taps, sizeof *root, &root));
    for (size_t k = 0; k <= t->length / 2; k++)
        t->margin[k] = margin_at(t, k, root);
cleanup:
    free(root);
    return status;
}

penta_status shift_tables_make(penta_context *ctx, const optmap_filter *filter, size_t length, shift_tables *out)
{
    penta_status status = PENTA_OK;
    shift_tables t = {.size = shift_sizes_of(filter), .length = length};
    size_t b = 2 * (size_t)t.size.half + 1;

    *out = (shift_tables){0};
    t.filter_pad = (size_t)t.size.w + (size_t)t.size.end + 8;
    TRY(penta_calloc(ctx, shift_single(&t.size), sizeof *t.single, &t.single));
    TRY(penta_calloc(ctx, shift_dbl(&t.size), sizeof *t.dbl, &t.dbl));
    TRY(penta_calloc(ctx, b + 2 * t.filter_pad, sizeof *t.filter, &t.filter));
    TRY(penta_calloc(ctx, length / 2 + 1, sizeof *t.margin, &t.margin));
    for (size_t i = 0; i < b; i++)
        t.filter[t.filter_pad + i] = tap(filter, t.size.half - (int)i);
    fill_taps(filter, &t);
    fill_bend(&t);
    fill_ends(&t);
    if (length > 0)
        TRY(fill_margin(ctx, &t));
    *out = t;
    t = (shift_tables){0};
cleanup:
    shift_tables_free(&t);
    return status;
}

void shift_tables_free(shift_tables *tables)
{
    free(tables->single);
    free(tables->dbl);
    free(tables->filter);
    free(tables->margin);
    *tables = (shift_tables){0};
}

void shift_defines(const shift_tables *tables, const optmap_shape *shape, char *out, size_t size)
{
    const shift_sizes *z = &tables->size;

    penta_snprintf(out, size,
                   "-DINTERP=%d -DHALF=%d -DPHASES=%d -DTAPS=%d -DFIRST_TAP=%d -DROWS=%d -DFIRST_ROW=%d -DTURNED=%d "
                   "-DFIRST_TURNED=%d -DNEAR=%d -DEE_TABLE=%d -DEND=%d -DW_PITCH=%d -DV_PITCH=%d -DE_PITCH=%d -DPAD=%d "
                   "-DFILTER_PAD=%zu "
                   "-DWINDOW=%d "
                   "-DSLOPE=%.9ef -DMOST=%.9ef",
                   z->interp, z->half, z->phases, z->taps, z->first_tap, z->rows, z->first_row, z->turned,
                   z->first_turned, z->near, products_of(z) > 0, z->end, z->w, z->v, z->e, SHIFT_PAD,
                   tables->filter_pad, shape->options->window, tables->slope, tables->most);
}
