/*
 * Finds the shift between two images to the nearest pixel: the largest value of IFFT(conj(FFT f) FFT g), where f and g
 * fade to 0 at their sides. The images are smooth, so pixels may be averaged in blocks first. The transforms are hardly
 * larger than the images, so a shift may have wrapped around: this file lists the shifts that a maximum may stand for,
 * and the correlation over the overlap decides among them. Kernels: cl/prepare/register.cl.
 */
#include <math.h>
#include <stdlib.h>

#include "prepare/register_parts.h"

enum { FADE = 16, LARGEST_ITEMS = 64, MAXIMA = 7 }; /* MAXIMA: the most places that are examined */
enum { ABOUT = 7 }; /* a place may be a period if it is the largest in a square of this side around it */
#define SELF  0.12  /* share of the autocorrelation's centre that a maximum must reach to be taken for a period */
#define LEAST 16    /* the least overlap is this fraction of the image: 1 / LEAST */
#define PI    3.14159265358979323846

struct prepare_finder {
    penta_resources *own; /* the plan's */
    bool phase;
    size_t full_width, full_height; /* of the images */
    size_t width, height;           /* of the transformed images, whose pixels are means of by x by pixels */
    size_t batch, nx, ny, pitch;
    int by, most_x, most_y; /* px of the full images */
    penta_fft *fft;         /* for up to `batch` images */
    penta_kernel reduce, load, multiply, moduli, whiten, largest;
    penta_buffer reduced, window, data, row_moduli, best, column;
    float *values; /* the largest value of each row, as read back */
    int32_t *columns;
};

/* Raised cosine over the outer 1/FADE of n pixels at each side. */
static void fade(size_t n, float *window)
{
    double length = (double)n / FADE;

    for (size_t i = 0; i < n; i++) {
        double from_end = (double)(i < n - 1 - i ? i : n - 1 - i) + 0.5;

        window[i] = from_end < length ? (float)(0.5 - 0.5 * cos(PI * from_end / length)) : 1.0F;
    }
}

static penta_status create_window(prepare_finder *f)
{
    penta_status status = PENTA_OK;
    size_t count = f->width + f->height;
    float *window = NULL;

    TRY(penta_calloc(f->own->ctx, count, sizeof *window, &window));
    fade(f->width, window);
    fade(f->height, window + f->width);
    TRY(penta_buffer_upload(f->own, window, count * sizeof *window, &f->window));
cleanup:
    free(window);
    return status;
}

enum penta_fft_backend prepare_fft_backend(const penta_context *ctx, int option)
{
    return option == PENTA_FFT_AUTO && penta_is_cpu(ctx) ? PENTA_FFT_SIMD : (enum penta_fft_backend)option;
}

static penta_status create_transforms(prepare_finder *f, enum penta_fft_backend backend)
{
    penta_status status = PENTA_OK;
    penta_fft_shape shape = {
        .rank = 2, .nx = f->nx, .ny = f->ny, .batch = f->batch, .real = true, .wants = PENTA_FFT_PARTS};
    size_t bytes;

    TRY(penta_own(f->own, &f->fft, penta_fft_destroy));
    TRY(penta_fft_create(f->own->ctx, backend, &shape, &f->fft));
    TRY(penta_fft_bytes(f->own->ctx, &shape, &bytes));
    TRY(penta_buffer_create(f->own, bytes, &f->data));
    TRY(penta_buffer_zero(&f->data, 0, bytes)); /* clFFT transforms unused slots of the batch, too */
cleanup:
    return status;
}

static penta_status create_kernels(prepare_finder *f)
{
    penta_status status = PENTA_OK;
    size_t rows = f->batch * f->ny;

    TRY(penta_kernels_get(f->own, "prepare/register.cl", "",
                          KERNELS({&f->reduce, "register_reduce"}, {&f->load, "register_load"},
                                  {&f->multiply, "register_multiply"}, {&f->moduli, "register_moduli"},
                                  {&f->whiten, "register_whiten"}, {&f->largest, "register_largest"})));
    TRY(penta_buffer_create(f->own, f->by > 1 ? f->batch * f->width * f->height * sizeof(float) : 0, &f->reduced));
    TRY(penta_buffer_create(f->own, rows * sizeof(float), &f->row_moduli));
    TRY(penta_buffer_create(f->own, rows * sizeof *f->values, &f->best));
    TRY(penta_buffer_create(f->own, rows * sizeof *f->columns, &f->column));
    TRY(penta_calloc(f->own, rows, sizeof *f->values, &f->values));
    TRY(penta_calloc(f->own, rows, sizeof *f->columns, &f->columns));
cleanup:
    return status;
}

static int at_most(int shift, size_t pixels)
{
    return (size_t)shift < pixels ? shift : (int)pixels - 1;
}

penta_status prepare_finder_create(penta_resources *own, const prepare_settings *settings, size_t width, size_t height,
                                   int by, int most_x, int most_y, size_t batch, prepare_finder **out)
{
    penta_status status = PENTA_OK;
    prepare_finder *f = NULL;

    TRY(penta_calloc(own, 1, sizeof **out, out));
    f = *out;
    *f = (prepare_finder){.own = own,
                          .phase = settings->o.correlation == PENTA_PREPARE_PHASE,
                          .full_width = width,
                          .full_height = height,
                          .width = width / (size_t)by,
                          .height = height / (size_t)by,
                          .batch = batch,
                          .nx = penta_fft_good_size(width / (size_t)by),
                          .ny = penta_fft_good_size(height / (size_t)by),
                          .by = by,
                          .most_x = at_most(most_x, width),
                          .most_y = at_most(most_y, height)};
    f->pitch = 2 * (f->nx / 2 + 1);
    TRY(create_window(f));
    TRY(create_transforms(f, prepare_fft_backend(own->ctx, settings->o.fft)));
    TRY(create_kernels(f));
cleanup:
    return status;
}

size_t prepare_finder_bytes(const prepare_finder *f)
{
    return f->ny * f->pitch * sizeof(float);
}

/* Writes the spectra of n images, from `first` on, into `into`, transforming in place. */
static penta_status spectra(prepare_finder *f, penta_buffer *images, size_t first, size_t n, penta_buffer *into)
{
    penta_status status = PENTA_OK;

    if (f->by > 1) {
        TRY(penta_launch(&f->reduce, prepare_grid(f->own->ctx, f->width, f->height, n),
                         ARGS(images, &f->reduced, (int)f->full_width, (int)f->full_height, (int)f->width,
                              (int)f->height, f->by, (int64_t)first)));
        images = &f->reduced;
        first = 0;
    }
    TRY(penta_launch(
        &f->load, prepare_grid(f->own->ctx, f->pitch, f->ny, n),
        ARGS(images, &f->window, into, (int)f->width, (int)f->height, (int)f->pitch, (int)f->ny, (int64_t)first)));
    TRY(penta_fft_forward_first(f->fft, into, n));
cleanup:
    return status;
}

penta_status prepare_finder_spectrum(prepare_finder *f, penta_buffer *images, size_t index, penta_buffer *spectrum)
{
    return spectra(f, images, index, 1, spectrum);
}

static penta_status whiten(prepare_finder *f, size_t n)
{
    penta_status status = PENTA_OK;
    int half = (int)(f->pitch / 2);

    TRY(penta_launch(&f->moduli, penta_grid_2d(f->ny, n), ARGS(&f->data, half, &f->row_moduli)));
    TRY(penta_launch(&f->whiten, penta_grid_2d(f->ny, n), ARGS(&f->row_moduli, half, &f->data)));
cleanup:
    return status;
}

static penta_status read_largest(prepare_finder *f, size_t n)
{
    penta_status status = PENTA_OK;
    size_t rows = n * f->ny;
    size_t items = penta_is_cpu(f->own->ctx) ? 1 : LARGEST_ITEMS;
    penta_grid grid = penta_grid_groups(penta_grid_2d(f->ny * items, n), items, 1, 1);

    TRY(penta_launch(&f->largest, grid,
                     ARGS(&f->data, (int)f->nx, (int)f->pitch, (f->most_x + f->by - 1) / f->by,
                          (f->most_y + f->by - 1) / f->by, &f->best, &f->column)));
    TRY(penta_buffer_read(&f->best, 0, f->values, rows * sizeof *f->values));
    TRY(penta_buffer_read(&f->column, 0, f->columns, rows * sizeof *f->columns));
cleanup:
    return status;
}

/* The shifts, least first, that a place in a correlation of length n may stand for; returns how many there are. */
static int shifts_at(size_t place, size_t n, int by, int most, int *shift)
{
    int count = 0, farthest = (most + by - 1) / by, forward = (int)place, back = (int)n - (int)place;

    if (forward <= farthest)
        shift[count++] = forward * by < most ? forward * by : most;
    if (back <= farthest)
        shift[count++] = back * by < most ? -back * by : -most;
    return count;
}

static bool is_known(const prepare_candidates *c, int x, int y)
{
    for (int k = 0; k < c->count; k++)
        if (c->x[k] == x && c->y[k] == y)
            return true;
    return false;
}

/* Adds the shifts that a place of the correlation may stand for. */
static void add_candidates(const prepare_finder *f, size_t x, size_t y, bool likely, prepare_candidates *out)
{
    int sx[2], sy[2];
    int count_x = shifts_at(x, f->nx, f->by, f->most_x, sx), count_y = shifts_at(y, f->ny, f->by, f->most_y, sy);
    double least = (double)f->full_width * (double)f->full_height / LEAST;

    for (int j = 0; j < count_y; j++)
        for (int i = 0; i < count_x; i++) {
            double overlap = ((double)f->full_width - abs(sx[i])) * ((double)f->full_height - abs(sy[j]));

            if (overlap < least || is_known(out, sx[i], sy[j]) || out->count == PREPARE_CANDIDATES)
                continue;
            out->x[out->count] = sx[i];
            out->y[out->count] = sy[j];
            out->likely[out->count++] = likely;
        }
}

/* The rows whose largest value exceeds those of the two neighbouring rows, the largest first. */
static size_t largest_rows(const prepare_finder *f, const float *value, size_t *rows)
{
    size_t n = f->ny, count = 0;

    for (size_t y = 0; y < n; y++) {
        size_t at;

        if (!isfinite(value[y]) || value[y] < value[(y + 1) % n] || value[y] < value[(y + n - 1) % n])
            continue;
        for (at = count < MAXIMA ? count : MAXIMA; at > 0 && value[rows[at - 1]] < value[y]; at--)
            if (at < MAXIMA)
                rows[at] = rows[at - 1];
        if (at < MAXIMA) {
            rows[at] = y;
            count += count < MAXIMA;
        }
    }
    return count;
}

/* Adds the shifts that the maxima of an image's correlation may stand for; returns the largest value. */
static float add_maxima(const prepare_finder *f, size_t image, prepare_candidates *found)
{
    const float *value = f->values + image * f->ny;
    size_t rows[MAXIMA], count = largest_rows(f, value, rows);

    for (size_t i = 0; i < count; i++)
        add_candidates(f, (size_t)f->columns[image * f->ny + rows[i]], rows[i], i == 0, found);
    return count > 0 ? value[rows[0]] : -INFINITY;
}

/* Correlates n images with the spectrum in `data` and reads the largest value of each row of the correlations. */
static penta_status correlate(prepare_finder *f, penta_buffer *spectrum, penta_buffer *images, size_t from, size_t n,
                              bool phase)
{
    penta_status status = PENTA_OK;
    size_t half = f->pitch / 2;

    TRY(spectra(f, images, from, n, &f->data));
    TRY(penta_launch(&f->multiply, prepare_grid(f->own->ctx, half, f->ny, n),
                     ARGS(spectrum, &f->data, (int)half, (int)f->ny)));
    if (phase)
        TRY(whiten(f, n));
    TRY(penta_fft_inverse_first(f->fft, &f->data, n));
    TRY(read_largest(f, n));
cleanup:
    return status;
}

/* Phase correlation adds the maxima of the plain correlation, too: of smooth pictures, whitening leaves only noise. */
static penta_status run_some(prepare_finder *f, penta_buffer *spectrum, penta_buffer *images, size_t from, size_t n,
                             prepare_candidates *found, float *height)
{
    penta_status status = PENTA_OK;

    for (size_t i = 0; i < n; i++)
        found[i].count = 0;
    if (f->phase)
        TRY(correlate(f, spectrum, images, from, n, true));
    for (size_t i = 0; f->phase && i < n; i++)
        height[i] = add_maxima(f, i, &found[i]);
    TRY(correlate(f, spectrum, images, from, n, false));
    for (size_t i = 0; i < n; i++) {
        float plain = add_maxima(f, i, &found[i]);

        height[i] = f->phase ? height[i] : plain;
    }
cleanup:
    return status;
}

penta_status prepare_finder_run(prepare_finder *f, penta_buffer *spectrum, penta_buffer *images, size_t from, size_t n,
                                prepare_candidates *found, float *height)
{
    penta_status status = PENTA_OK;
    size_t now;

    for (size_t i = 0; i < n; i += now) {
        now = n - i < f->batch ? n - i : f->batch;
        TRY(run_some(f, spectrum, images, from + i, now, found + i, height + i));
    }
cleanup:
    return status;
}

/* ---- periods ---- */

/* The local maxima of the whole correlation that exceed SELF times its value at shift 0, the largest first; returns how
 * many there are. */
static size_t largest_places(const prepare_finder *f, const float *data, size_t *places)
{
    size_t count = 0;

    for (size_t y = 0; y < f->ny; y++)
        for (size_t x = 0; x < f->nx; x++) {
            float value = data[y * f->pitch + x];
            bool is_top = (x > 0 || y > 0) && value > (float)SELF * data[0];
            size_t at;

            for (size_t k = 0; k < ABOUT * ABOUT && is_top; k++) {
                size_t u = (x + f->nx + k % ABOUT - ABOUT / 2) % f->nx, v = (y + f->ny + k / ABOUT - ABOUT / 2) % f->ny;

                is_top = value >= data[v * f->pitch + u];
            }
            if (!is_top)
                continue;
            for (at = count < PREPARE_CANDIDATES ? count : PREPARE_CANDIDATES; at > 0 && data[places[at - 1]] < value;
                 at--)
                if (at < PREPARE_CANDIDATES)
                    places[at] = places[at - 1];
            if (at < PREPARE_CANDIDATES) {
                places[at] = y * f->pitch + x;
                count += count < PREPARE_CANDIDATES;
            }
        }
    return count;
}

penta_status prepare_finder_periods(prepare_finder *f, penta_buffer *spectrum, penta_buffer *images, size_t index,
                                    prepare_candidates *found)
{
    penta_status status = PENTA_OK;
    size_t places[PREPARE_CANDIDATES], count;
    float *data = NULL;

    found->count = 0;
    TRY(penta_calloc(f->own->ctx, f->ny * f->pitch, sizeof *data, &data));
    TRY(correlate(f, spectrum, images, index, 1, false));
    TRY(penta_buffer_read(&f->data, 0, data, f->ny * f->pitch * sizeof *data));
    count = largest_places(f, data, places);
    for (size_t i = 0; i < count; i++) { /* far shifts that wrap around are multiples of near ones */
        size_t x = places[i] % f->pitch, y = places[i] / f->pitch;

        found->x[i] = f->by * ((int)x - (x > f->nx / 2 ? (int)f->nx : 0));
        found->y[i] = f->by * ((int)y - (y > f->ny / 2 ? (int)f->ny : 0));
    }
    found->count = (int)count;
cleanup:
    free(data);
    return status;
}
