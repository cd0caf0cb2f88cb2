/* Registration of two frames by FFTW: the algorithms of cv::phaseCorrelate and of scikit-image's
 * phase_cross_correlation(normalization=None, upsample_factor=100). */
#include "peers.h"

#include <fftw3.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "smooth_size.h"

enum { UPSAMPLE = 100, REGION = 150 /* points of the fine grid, 1.5 px */, CENTROID = 5, LANES = 16 };

#define TWO_PI 6.283185307179586

struct peer_register {
    peer_register_form form;
    size_t width, height;       /* of a frame */
    size_t columns, rows;       /* of a transform: OpenCV's are padded to sizes that suit, scikit-image's are not */
    size_t half;                /* columns / 2 + 1 */
    float *window_x, *window_y; /* NULL: none */
    float *real;                /* rows x columns */
    fftwf_complex *key, *spectrum, *product; /* rows x half */
    fftwf_complex *along_y;                  /* REGION x half */
    fftwf_complex *wave;                     /* half */
    fftwf_plan forward, backward;
};

/* ---- plans ---- */

/* cv::createHanningWindow: its root in each direction, multiplied, is the square root of Hann's by rows and columns. */
static float *hann(size_t size)
{
    float *w = malloc(size * sizeof *w);

    for (size_t i = 0; w && i < size; i++)
        w[i] = (float)sqrt(0.5 * (1 - cos(TWO_PI * (double)i / (double)(size > 1 ? size - 1 : 1))));
    return w;
}

static bool has_memory(peer_register *p)
{
    size_t spectrum = p->rows * p->half;

    p->real = fftwf_alloc_real(p->rows * p->columns);
    p->key = fftwf_alloc_complex(spectrum);
    p->spectrum = fftwf_alloc_complex(spectrum);
    p->product = fftwf_alloc_complex(spectrum);
    if (p->form == PEER_REGISTER_OPENCV) {
        p->window_x = hann(p->width);
        p->window_y = hann(p->height);
        return p->real && p->key && p->spectrum && p->product && p->window_x && p->window_y;
    }
    p->along_y = fftwf_alloc_complex(REGION * p->half);
    p->wave = fftwf_alloc_complex(p->half);
    return p->real && p->key && p->spectrum && p->product && p->along_y && p->wave;
}

peer_register *peer_register_create(peer_register_form form, size_t width, size_t height)
{
    peer_register *p = calloc(1, sizeof *p);

    if (!p)
        return NULL;
    p->form = form;
    p->width = width;
    p->height = height;
    p->columns = form == PEER_REGISTER_OPENCV ? smooth_size(width) : width;
    p->rows = form == PEER_REGISTER_OPENCV ? smooth_size(height) : height;
    p->half = p->columns / 2 + 1;
    if (has_memory(p)) {
        p->forward = fftwf_plan_dft_r2c_2d((int)p->rows, (int)p->columns, p->real, p->spectrum, FFTW_MEASURE);
        p->backward = fftwf_plan_dft_c2r_2d((int)p->rows, (int)p->columns, p->product, p->real,
                                            FFTW_MEASURE | FFTW_DESTROY_INPUT);
    }
    if (p->forward && p->backward)
        return p;
    peer_register_destroy(p);
    return NULL;
}

void peer_register_destroy(peer_register *p)
{
    if (!p)
        return;
    if (p->forward)
        fftwf_destroy_plan(p->forward);
    if (p->backward)
        fftwf_destroy_plan(p->backward);
    free(p->window_x);
    free(p->window_y);
    fftwf_free(p->real);
    fftwf_free(p->key);
    fftwf_free(p->spectrum);
    fftwf_free(p->product);
    fftwf_free(p->along_y);
    fftwf_free(p->wave);
    free(p);
}

/* ---- what both do ---- */

/* The transform of a frame, windowed and padded where that is so, to p->spectrum. */
static void transform(peer_register *p, const float *frame)
{
    for (size_t y = 0; y < p->height; y++) {
        float *row = p->real + y * p->columns;

        if (p->window_x)
            for (size_t x = 0; x < p->width; x++)
                row[x] = frame[y * p->width + x] * p->window_x[x] * p->window_y[y];
        else
            memcpy(row, frame + y * p->width, p->width * sizeof *row);
        memset(row + p->width, 0, (p->columns - p->width) * sizeof *row);
    }
    memset(p->real + p->height * p->columns, 0, (p->rows - p->height) * p->columns * sizeof *p->real);
    fftwf_execute(p->forward);
}

void peer_register_key(peer_register *p, const float *f)
{
    transform(p, f);
    memcpy(p->key, p->spectrum, p->rows * p->half * sizeof *p->key);
}

/* product = conj(key) spectrum, divided by its size where `phase`. */
static void multiply(peer_register *p, bool phase)
{
    for (size_t i = 0; i < p->rows * p->half; i++) {
        float a = p->key[i][0], b = p->key[i][1], c = p->spectrum[i][0], d = p->spectrum[i][1];
        float re = a * c + b * d, im = a * d - b * c;
        float scale = phase ? 1 / (sqrtf(re * re + im * im) + 1.1920929e-7f) : 1;

        p->product[i][0] = re * scale;
        p->product[i][1] = im * scale;
    }
}

/* Where p->real is largest. */
static void peak(const peer_register *p, size_t *px, size_t *py)
{
    float best = -INFINITY;

    for (size_t y = 0; y < p->rows; y++) {
        const float *row = p->real + y * p->columns;
        float most = row[0];

        for (size_t x = 1; x < p->columns; x++)
            most = row[x] > most ? row[x] : most;
        if (most <= best)
            continue;
        best = most;
        *py = y;
        for (*px = 0; row[*px] < most;)
            ++*px;
    }
}

/* Index i of n as a shift from -n/2 to n/2. */
static double signed_shift(size_t i, size_t n)
{
    return i > n / 2 ? (double)i - (double)n : (double)i;
}

/* ---- OpenCV ---- */

static void centroid(peer_register *p, double shift[2])
{
    size_t px = 0, py = 0;
    double sum = 0, x = 0, y = 0;

    peak(p, &px, &py);
    for (int v = -(CENTROID / 2); v <= CENTROID / 2; v++)
        for (int u = -(CENTROID / 2); u <= CENTROID / 2; u++) {
            size_t column = (size_t)((long)(px + p->columns) + u) % p->columns;
            size_t row = (size_t)((long)(py + p->rows) + v) % p->rows;
            double c = (double)p->real[row * p->columns + column];

            sum += c;
            x += c * u;
            y += c * v;
        }
    shift[0] = signed_shift(px, p->columns) + x / sum;
    shift[1] = signed_shift(py, p->rows) + y / sum;
}

/* ---- scikit-image ---- */

/* along_y(k, kx) = sum over ky of product(ky, kx) exp(2 pi i ky y_k / rows), y_k the rows of the fine grid. */
static void upsample_rows(peer_register *p, double first)
{
    memset(p->along_y, 0, REGION * p->half * sizeof *p->along_y);
    for (size_t k = 0; k < REGION; k++)
        for (size_t ky = 0; ky < p->rows; ky++) {
            double angle = TWO_PI / (double)p->rows * signed_shift(ky, p->rows) * (first + (double)k / UPSAMPLE);
            float c = (float)cos(angle), s = (float)sin(angle);
            const float *in = p->product[ky * p->half];
            float *out = p->along_y[k * p->half];

            for (size_t i = 0; i < 2 * p->half; i += 2) {
                out[i] += in[i] * c - in[i + 1] * s;
                out[i + 1] += in[i] * s + in[i + 1] * c;
            }
        }
}

/* The correlation at column x of the fine grid, of each of its rows. The half of the spectrum that is not there is the
 * conjugate of what is: those columns count twice. */
static void upsample_column(peer_register *p, double x, double *column)
{
    float *wave = p->wave[0];

    for (size_t kx = 0; kx < p->half; kx++) {
        double angle = TWO_PI / (double)p->columns * (double)kx * x;
        double weight = kx == 0 || 2 * kx == p->columns ? 1 : 2;

        wave[2 * kx] = (float)(weight * cos(angle));
        wave[2 * kx + 1] = (float)(weight * -sin(angle));
    }
    for (size_t k = 0; k < REGION; k++) {
        const float *in = p->along_y[k * p->half];
        float sum[LANES] = {0};
        size_t i = 0;

        for (; i + LANES <= 2 * p->half; i += LANES)
            for (size_t j = 0; j < LANES; j++)
                sum[j] += in[i + j] * wave[i + j];
        for (; i < 2 * p->half; i++)
            sum[0] += in[i] * wave[i];
        column[k] = 0;
        for (size_t j = 0; j < LANES; j++)
            column[k] += (double)sum[j];
    }
}

static void finest(peer_register *p, double shift[2])
{
    double from[2], best = -INFINITY, column[REGION];
    size_t px = 0, py = 0;

    peak(p, &px, &py);
    from[0] = signed_shift(px, p->columns) - (double)(REGION / 2) / UPSAMPLE;
    from[1] = signed_shift(py, p->rows) - (double)(REGION / 2) / UPSAMPLE;
    multiply(p, false); /* the transform back has spoiled it */
    upsample_rows(p, from[1]);
    for (size_t i = 0; i < REGION; i++) {
        upsample_column(p, from[0] + (double)i / UPSAMPLE, column);
        for (size_t k = 0; k < REGION; k++)
            if (column[k] > best) {
                best = column[k];
                shift[0] = from[0] + (double)i / UPSAMPLE;
                shift[1] = from[1] + (double)k / UPSAMPLE;
            }
    }
}

void peer_register_run(peer_register *p, const float *g, double shift[2])
{
    transform(p, g);
    multiply(p, p->form == PEER_REGISTER_OPENCV);
    fftwf_execute(p->backward);
    if (p->form == PEER_REGISTER_OPENCV)
        centroid(p, shift);
    else
        finest(p, shift);
}

void peer_register_frames(peer_register *const *workers, size_t worker_count, size_t frames, const float *const *g,
                          double (*shifts)[2])
{
#pragma omp parallel for num_threads((int)worker_count) schedule(static, 1)
    for (size_t w = 0; w < worker_count; w++)
        for (size_t i = w; i < frames; i += worker_count)
            peer_register_run(workers[w], g[i], shifts[i]);
}
