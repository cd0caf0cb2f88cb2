/* Shifts in double on the host's cores: the formulas of fast_shifts.h, for single pairs of pixels. */
#include "optmap/fast_shifts.h"

#include <stdlib.h>
#include <string.h>

struct shift_host {
    penta_resources resources;
    optmap_shape shape;
    shift_sizes size;
    double *taps, *of_e, *of_w; /* tables: r; what each sample of an end adds to e, to w */
    penta_kernel put;
    penta_buffer decided;
    size_t room; /* entries of `decided` */
};

/* ---- the largest value ---- */

/* As `winner` of cl/optmap/shift.clh. */
typedef struct {
    double c;
    int at, turned;
} winner;

static const winner nobody = {-INFINITY, 0, 0};

/* Values this close count as equal, as there. */
static double tie_of(const shift_host *h)
{
    return 1e-12 * h->size.interp;
}

static winner better(winner best, double c, int t, double tie)
{
    winner w = c > best.c ? (winner){c, t, t} : best;

    if (fabs(best.c - c) <= tie) {
        w.at = (uint32_t)best.at < (uint32_t)t ? best.at : t;
        w.turned = (uint32_t)-best.turned < (uint32_t)-t ? best.turned : t;
    }
    return w;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

/* ---- a pixel ---- */

typedef struct {
    double *x;              /* its samples */
    double *e[2], *w[2];    /* its ends */
    double most, l1, norms; /* max |x|; largest sum_i |w[L i + s]|, both sides; norms of e, both sides */
} trace;

/* Doubles of a trace. */
static size_t trace_size(const shift_host *h)
{
    return h->shape.frames + 2 * (size_t)(h->size.end + h->size.rows * h->size.interp);
}

static void fill_samples(const shift_host *h, const optmap_traces *band, size_t pixel, double *x)
{
    const double *v = band->host.v + pixel * h->shape.pitch, mean = band->host.mean[pixel];
    double energy = 0, scale;

    for (size_t n = 0; n < h->shape.frames; n++) {
        x[n] = v[n] - mean;
        energy += x[n] * x[n];
    }
    scale = energy > 0 ? 1 / sqrt(energy) : 0;
    for (size_t n = 0; n < h->shape.frames; n++)
        x[n] *= scale;
}

/* table: what each of the samples at this end adds, `count` numbers each. */
static void fill_end(const shift_host *h, const double *x, const double *table, int side, int count, double *out)
{
    size_t last = h->shape.frames - 1;

    memset(out, 0, (size_t)count * sizeof *out);
    for (int m = 0; m < h->size.near; m++) {
        const double sample = x[side ? last - (size_t)m : (size_t)m], *part = table + (side * h->size.near + m) * count;

        for (int n = 0; n < count; n++)
            out[n] += sample * part[n];
    }
}

static void find_bounds(const shift_host *h, trace *t)
{
    const shift_sizes *z = &h->size;

    t->most = t->l1 = t->norms = 0;
    for (size_t n = 0; n < h->shape.frames; n++)
        t->most = fmax(t->most, fabs(t->x[n]));
    for (int side = 0; side < 2; side++) {
        double squares = 0, most = 0;

        for (int s = 0; s < z->interp; s++) {
            double sum = 0;

            for (int i = 0; i < z->rows; i++)
                sum += fabs(t->w[side][z->interp * i + s]);
            most = fmax(most, sum);
        }
        for (int n = 0; n < z->end; n++)
            squares += t->e[side][n] * t->e[side][n];
        t->l1 += most;
        t->norms += sqrt(squares);
    }
}

/* memory: trace_size doubles. */
static trace make_trace(const shift_host *h, const optmap_traces *band, size_t pixel, double *memory)
{
    int end = h->size.end, rows = h->size.rows * h->size.interp;
    double *ends = memory + h->shape.frames;
    trace t = {.x = memory, .e = {ends, ends + end}, .w = {ends + 2 * end, ends + 2 * end + rows}};

    fill_samples(h, band, pixel, t.x);
    for (int side = 0; side < 2; side++) {
        fill_end(h, t.x, h->of_e, side, end, t.e[side]);
        fill_end(h, t.x, h->of_w, side, rows, t.w[side]);
    }
    find_bounds(h, &t);
    return t;
}

/* ---- c of a pair ---- */

typedef struct {
    const shift_host *h;
    trace p, q;
    double *r; /* R[1 - frames] .. R[frames - 1] as far as known, NaN elsewhere */
} pair;

static double correlation(pair *a, int d)
{
    enum { LANES = 8 };
    int frames = (int)a->h->shape.frames, m = larger(0, -d), end = smaller(frames, frames - d);
    double *known = a->r + frames - 1 + d, sums[LANES] = {0};

    if (!isnan(*known))
        return *known;
    for (; m + LANES <= end; m += LANES)
        for (int k = 0; k < LANES; k++)
            sums[k] += a->p.x[m + k] * a->q.x[m + k + d];
    for (; m < end; m++)
        sums[0] += a->p.x[m] * a->q.x[m + d];
    *known = ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
    return *known;
}

static double uu_at(pair *a, int d, int s)
{
    const shift_sizes *z = &a->h->size;
    int frames = (int)a->h->shape.frames;
    double sum = 0;

    for (int j = 0; j < z->taps; j++)
        if (abs(d + z->first_tap + j) < frames)
            sum += correlation(a, d + z->first_tap + j) * a->h->taps[j * z->phases + s];
    return sum;
}

/* ue + eu at lag L d + s. */
static double crossed_at(const pair *a, int d, int s)
{
    const shift_sizes *z = &a->h->size;
    int frames = (int)a->h->shape.frames, more = s > 0;
    double sum = 0;

    for (int side = 0; side < 2; side++) {
        int at = z->first_row + (side ? frames - 1 : 0);

        for (int i = larger(0, d - at); i < smaller(z->rows, frames + d - at); i++)
            sum += a->p.x[at - d + i] * a->q.w[side][z->interp * i + s];
        for (int i = larger(more, -at - d); i < smaller(z->rows + more, frames - at - d); i++)
            sum += a->q.x[at + d + i] * a->p.w[side][z->interp * i - s];
    }
    return sum;
}

static double ee_at(const pair *a, int t)
{
    const shift_sizes *z = &a->h->size;
    double sum = 0;

    for (int sides = 0; sides < 4; sides++) {
        int lag = t - (sides % 2 - sides / 2) * z->interp * ((int)a->h->shape.frames - 1);
        const double *p = a->p.e[sides / 2], *q = a->q.e[sides % 2];

        if (lag > -z->end && lag < z->end)
            for (int n = larger(0, -lag); n < smaller(z->end, z->end - lag); n++)
                sum += p[n] * q[n + lag];
    }
    return sum;
}

static int floor_divide(int a, int b)
{
    return a / b - (a % b < 0);
}

/* ---- decisions ---- */

static winner among(pair *a, const int32_t *lags, int count)
{
    int interp = a->h->size.interp;
    winner best = nobody;

    for (int i = 0; i < count; i++) {
        int d = floor_divide(lags[i], interp), s = lags[i] - interp * d;

        best = better(best, uu_at(a, d, s) + crossed_at(a, d, s) + ee_at(a, lags[i]), lags[i], tie_of(a->h));
    }
    return best;
}

/* Of all lags; the ends of those that cannot win are not summed. */
static winner of_all(pair *a, int most)
{
    int interp = a->h->size.interp;
    double ends = 1.0001 * (a->p.most * a->q.l1 + a->q.most * a->p.l1 + a->p.norms * a->q.norms), tie = tie_of(a->h);
    winner best = nobody;

    for (int t = -most; t <= most; t++) {
        int d = floor_divide(t, interp), s = t - interp * d;
        double c = uu_at(a, d, s);

        if (c + ends >= best.c - 2 * tie)
            best = better(best, c + crossed_at(a, d, s) + ee_at(a, t), t, tie);
    }
    return best;
}

/* Pixel q of neighbour `offset` of pixel p (cl/optmap/shift_pair.clh). */
static size_t other_of(const shift_host *h, int p, int offset)
{
    int window = h->shape.options->window, n = window * window / 2 + 1 + offset;

    return (size_t)(p + (n / window - window / 2) * (int)h->shape.width + n % window - window / 2);
}

typedef struct {
    const shift_host *h;
    const optmap_traces *band;
    const int32_t *few, *many;
    size_t each, few_count, most;
    int32_t (*decided)[4];
} job;

static bool decide(void *data, size_t i)
{
    const job *j = data;
    const shift_host *h = j->h;
    const int32_t *entry = i < j->few_count ? j->few + i * (3 + j->each) : j->many + 2 * (i - j->few_count);
    size_t each = trace_size(h), lags = 2 * h->shape.frames - 1;
    double *memory = malloc((2 * each + lags) * sizeof *memory);
    pair a = {.h = h};
    winner w;

    if (!memory)
        return false;
    a.p = make_trace(h, j->band, (size_t)entry[0], memory);
    a.q = make_trace(h, j->band, other_of(h, entry[0], entry[1]), memory + each);
    a.r = memory + 2 * each;
    for (size_t k = 0; k < lags; k++)
        a.r[k] = NAN;
    w = i < j->few_count ? among(&a, entry + 3, entry[2]) : of_all(&a, (int)j->most);
    memcpy(j->decided[i], (int32_t[4]){entry[0], entry[1], w.at, w.turned}, sizeof *j->decided);
    free(memory);
    return true;
}

static penta_status store(shift_host *h, shift_band *b, const void *decided, size_t count, penta_buffer *shifts)
{
    penta_status status = PENTA_OK;
    size_t bytes = count * 4 * sizeof(int32_t);

    if (h->room < count) {
        h->room = 0;
        TRY(penta_buffer_create(&h->resources, bytes, &h->decided));
        h->room = count;
    }
    TRY(penta_buffer_write(&h->decided, 0, decided, bytes));
    TRY(penta_launch(&h->put, penta_grid_rows(penta_grid_1d(count)),
                     ARGS(&b->geometry, &h->decided, (unsigned)count, shifts)));
cleanup:
    return status;
}

static penta_status decide_all(shift_host *h, job *j, size_t count, shift_band *b, penta_buffer *shifts)
{
    penta_status status = PENTA_OK;

    TRY(penta_calloc(h->resources.ctx, count, sizeof *j->decided, &j->decided));
    if (penta_parallel_until(count, decide, j) < count)
        TRY(penta_fail(h->resources.ctx, PENTA_MEMORY, "out of memory for two traces of %zu frames", h->shape.frames));
    TRY(store(h, b, j->decided, count, shifts));
cleanup:
    free(j->decided);
    return status;
}

penta_status shift_host_decide(shift_host *h, const optmap_traces *band, shift_band *b, const shift_geometry *g,
                               size_t each, size_t room, penta_buffer *few, penta_buffer *many, penta_buffer *counts,
                               penta_buffer *shifts)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = h->resources.ctx;
    int32_t found[2], *lists = NULL;
    job j = {.h = h, .band = band, .each = each, .most = (size_t)g->most};
    size_t few_size, many_count;

    TRY(penta_buffer_read(counts, 0, found, sizeof found));
    j.few_count = (size_t)found[0] < room ? (size_t)found[0] : room;
    many_count = (size_t)found[1];
    if (j.few_count + many_count == 0)
        return PENTA_OK;
    few_size = j.few_count * (3 + each);
    TRY(penta_calloc(ctx, few_size + 2 * many_count, sizeof *lists, &lists));
    if (few_size)
        TRY(penta_buffer_read(few, 0, lists, few_size * sizeof *lists));
    if (many_count)
        TRY(penta_buffer_read(many, 0, lists + few_size, 2 * many_count * sizeof *lists));
    j.few = lists;
    j.many = lists + few_size;
    TRY(decide_all(h, &j, j.few_count + many_count, b, shifts));
cleanup:
    free(lists);
    return status;
}

/* ---- few frames ---- */

/* x[m], continued by odd reflection about the first and the last sample, again and again. */
static double reflected(const double *x, int frames, int m)
{
    int period = 2 * (frames - 1), turn = floor_divide(m, period), at = m - turn * period;

    return turn * 2 * (x[frames - 1] - x[0]) + (at < frames ? x[at] : 2 * x[frames - 1] - x[period - at]);
}

static void interpolate(const shift_host *h, const double *x, double *y)
{
    const optmap_filter *f = h->shape.filter;
    int frames = (int)h->shape.frames, interp = h->size.interp, half = (f->taps - 1) / 2;

    for (int j = 0; j < frames * interp; j++) {
        y[j] = 0;
        for (int m = floor_divide(j - half + interp - 1, interp); interp * m <= j + half; m++)
            y[j] += reflected(x, frames, m) * f->b[half + j - interp * m];
    }
}

typedef struct {
    const shift_host *h;
    const optmap_traces *band;
    const shift_geometry *g;
    double *y; /* samples of each pixel */
    size_t samples, offsets;
    int32_t (*decided)[4]; /* pixels x offsets, packed below */
    uint8_t *there;
} direct_job;

static bool interpolate_pixel(void *data, size_t pixel)
{
    const direct_job *j = data;
    double *x = malloc(j->h->shape.frames * sizeof *x);

    if (!x)
        return false;
    fill_samples(j->h, j->band, pixel, x);
    interpolate(j->h, x, j->y + pixel * j->samples);
    free(x);
    return true;
}

static winner by_definition(const direct_job *j, const double *p, const double *q)
{
    int samples = (int)j->samples;
    winner best = nobody;

    for (int t = -j->g->most; t <= j->g->most; t++) {
        double c = 0;

        for (int k = larger(0, -t); k < smaller(samples, samples - t); k++)
            c += p[k] * q[k + t];
        best = better(best, c, t, tie_of(j->h));
    }
    return best;
}

static void sum_pixel(void *data, size_t p)
{
    const direct_job *j = data;
    int window = j->h->shape.options->window, width = (int)j->h->shape.width;

    for (int o = 0; o < (int)j->offsets; o++) {
        int n = window * window / 2 + 1 + o, x = (int)p % width + n % window - window / 2;
        int y = (int)p / width + n / window - window / 2;
        size_t q = (size_t)(y * width + x), at = p * j->offsets + (size_t)o;
        winner w;

        if (x < 0 || x >= width || y < 0 || y >= j->g->rows || !j->band->host.valid[p] || !j->band->host.valid[q])
            continue;
        w = by_definition(j, j->y + p * j->samples, j->y + q * j->samples);
        memcpy(j->decided[at], (int32_t[4]){(int32_t)p, o, w.at, w.turned}, sizeof *j->decided);
        j->there[at] = 1;
    }
}

penta_status shift_host_all(shift_host *h, const optmap_traces *band, shift_band *b, const shift_geometry *g,
                            penta_buffer *shifts)
{
    penta_status status = PENTA_OK;
    penta_context *ctx = h->resources.ctx;
    size_t pixels = (size_t)g->rows * (size_t)g->width, pairs, count = 0;
    direct_job j = {.h = h, .band = band, .g = g, .offsets = shift_offsets(&h->shape)};

    j.samples = h->shape.frames * (size_t)h->size.interp;
    pairs = pixels * j.offsets;
    TRY(penta_calloc(ctx, pixels, j.samples * sizeof *j.y, &j.y));
    TRY(penta_calloc(ctx, pairs, sizeof *j.decided, &j.decided));
    TRY(penta_calloc(ctx, pairs, 1, &j.there));
    if (penta_parallel_until(pixels, interpolate_pixel, &j) < pixels)
        TRY(penta_fail(ctx, PENTA_MEMORY, "out of memory for a trace of %zu frames", h->shape.frames));
    penta_parallel(pixels, sum_pixel, &j);
    for (size_t i = 0; i < pairs; i++)
        if (j.there[i])
            memmove(j.decided[count++], j.decided[i], sizeof *j.decided);
    if (count)
        TRY(store(h, b, j.decided, count, shifts));
cleanup:
    free(j.y);
    free(j.decided);
    free(j.there);
    return status;
}

/* ---- creation ---- */

static penta_status copy(shift_host *h, const double *from, size_t count, double **out)
{
    penta_status status = PENTA_OK;

    TRY(penta_calloc(&h->resources, count + 1, sizeof **out, out));
    memcpy(*out, from, count * sizeof **out);
cleanup:
    return status;
}

penta_status shift_host_create(penta_context *ctx, const optmap_shape *shape, const shift_tables *tables,
                               const char *defines, shift_host **out)
{
    penta_status status = PENTA_OK;
    const shift_sizes *z = &tables->size;
    shift_host *h = NULL;
    const double *e = tables->dbl + z->taps * z->phases, *w = e + 2 * z->near * z->end;

    *out = NULL;
    TRY(penta_plan_alloc(ctx, &h));
    h->shape = *shape;
    h->size = *z;
    TRY(copy(h, tables->dbl, (size_t)(z->taps * z->phases), &h->taps));
    TRY(copy(h, e, (size_t)(2 * z->near * z->end), &h->of_e));
    TRY(copy(h, w, (size_t)(2 * z->near * z->rows * z->interp), &h->of_w));
    TRY(penta_kernel_get(&h->resources, "optmap/shift_ends.cl", "optmap_shift_put", defines, &h->put));
    *out = h;
    h = NULL;
cleanup:
    shift_host_destroy(h);
    return status;
}

void shift_host_destroy(shift_host *h)
{
    penta_plan_free(h);
}
