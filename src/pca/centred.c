/*
 * Covariance by the product of a centred matrix with itself, for comparison with `triangle`: CLBlast's routines, and
 * the two forms of P. Du et al. The slab becomes a matrix of real numbers x - shift, bands x pixels, in pieces that fit
 * into a part of the memory. Each piece gives one or more products, which are added to the gram in double, in order.
 *
 * Products of `chunk` pixels also bound the error: n floats of one sign added one after another have a relative error
 * of the order of sqrt(n) 2^-24, n 2^-24 at worst. Over 2^18 pixels CLBlast's SYRK and GEMM were 5e-5 off, the split
 * forms 2e-7. In double, integers are exact in all of them: no sum exceeds 2^53.
 *
 * Kernels: cl/pca/centred.cl (sums, conversion, addition), square.cl, volkov.cl.
 */
#include <stdio.h>

#include "math/blas.h"
#include "math/sizes.h"
#include "pca/forms.h"

enum {
    CHUNK = 1024,      /* pixels of a product, where they are split */
    GROUP = 64,        /* of cl/pca/centred.cl */
    WIDEST_TILE = 128, /* CLBlast fills its copies of the matrix up to so many bands */
    MEMORY_SHARE = 16  /* the matrix, and the products, take at most this part of the memory */
};
#define MOST_BYTES ((size_t)1 << 30)

/* How a form lays out and multiplies the matrix. */
typedef struct {
    size_t tile;  /* bands are padded with zeros to a multiple of it */
    bool split;   /* a product of every CHUNK pixels, not one of all */
    bool flipped; /* the matrix is pixels x bands */
    const char *file, *kernel;
} centred_form;

static const centred_form forms[] = {
    [PENTA_PCA_COV_SYRK] = {1, false, false, NULL, NULL},
    [PENTA_PCA_COV_GEMM] = {1, false, false, NULL, NULL},
    [PENTA_PCA_COV_SPLITK] = {1, true, false, NULL, NULL},
    [PENTA_PCA_COV_SQUARE] = {32, true, false, "pca/square.cl", "pca_square"},
    [PENTA_PCA_COV_VOLKOV] = {64, true, true, "pca/volkov.cl", "pca_volkov"},
};

typedef struct centred_state {
    penta_resources resources;
    pca_shape shape;
    int cov;
    const centred_form *form;
    size_t rows;         /* bands and padding */
    size_t piece, chunk; /* pixels of the matrix, of a product; piece is a multiple of chunk */
    penta_kernel sum, add_sums, fill, multiply, add;
    penta_buffer matrix;        /* rows x piece, or piece x rows */
    penta_buffer products;      /* of a piece: piece / chunk x rows x rows */
    penta_buffer partial;       /* bands x units of the slab: sums, double */
    struct centred_state *blas; /* this state while it holds the library, else NULL */
} centred_state;

/* Of the member blas. */
static void release_blas(struct centred_state *s)
{
    (void)s;
    penta_blas_release();
}

/* ---- set-up ---- */

/* Bytes of a buffer: 1 GiB, or the device's share; CLBlast's copies are as large as the originals. */
static size_t most_bytes(const penta_device *d)
{
    return (size_t)penta_smaller(penta_smaller(d->memory / MEMORY_SHARE, d->max_allocation), MOST_BYTES);
}

/* Chooses as many pixels at once as memory allows, at least a chunk. */
static void choose_piece(centred_state *s)
{
    size_t most = most_bytes(penta_context_device(s->resources.ctx)), real = penta_type_size(s->shape.real), chunks;
    size_t width = penta_round_up(s->shape.bands, WIDEST_TILE);

    s->rows = penta_round_up(s->shape.bands, s->form->tile);
    if (!s->form->split) {
        s->piece = penta_smaller(s->shape.pitch, most / (width * real) / PCA_UNIT * PCA_UNIT);
        s->piece = s->chunk = s->piece ? s->piece : PCA_UNIT;
        return;
    }
    s->chunk = penta_smaller(CHUNK, s->shape.pitch);
    chunks = penta_smaller(penta_round_up(s->shape.pitch, s->chunk) / s->chunk, most / (width * real * s->chunk));
    chunks = penta_smaller(chunks, most / (width * width * real));
    s->piece = (chunks ? chunks : 1) * s->chunk;
}

static penta_status get_kernels(centred_state *s)
{
    penta_status status = PENTA_OK;
    const char *real = s->shape.real == PENTA_F64 ? "double" : "float";
    char defines[128];

    snprintf(defines, sizeof defines, "-DREAL=%s -DSOURCE=%s -DUNIT=%d -DGROUP=%d", real,
             pca_cl_type(s->resources.ctx, s->shape.type), (int)PCA_UNIT, (int)GROUP);
    TRY(penta_kernels_get(&s->resources, "pca/centred.cl", defines,
                          KERNELS({&s->sum, "pca_centred_sums"}, {&s->add_sums, "pca_centred_add_sums"},
                                  {&s->fill, s->form->flipped ? "pca_centred_flip" : "pca_centred_fill"},
                                  {&s->add, "pca_centred_add"})));
    snprintf(defines, sizeof defines, "-DREAL=%s", real);
    if (s->form->kernel)
        TRY(penta_kernel_get(&s->resources, s->form->file, s->form->kernel, defines, &s->multiply));
cleanup:
    return status;
}

static penta_status create_buffers(centred_state *s)
{
    penta_status status = PENTA_OK;
    size_t real = penta_type_size(s->shape.real), bytes;

    TRY(penta_size(s->resources.ctx, s->rows, s->piece, real, &bytes));
    TRY(penta_buffer_create(&s->resources, bytes, &s->matrix));
    TRY(penta_size(s->resources.ctx, s->piece / s->chunk, s->rows * s->rows, real, &bytes));
    TRY(penta_buffer_create(&s->resources, bytes, &s->products));
    TRY(penta_size(s->resources.ctx, s->shape.bands, s->shape.pitch / PCA_UNIT, sizeof(double), &bytes));
    TRY(penta_buffer_create(&s->resources, bytes, &s->partial));
cleanup:
    return status;
}

static penta_status create(penta_context *ctx, const pca_shape *shape, int cov, void **state)
{
    penta_status status = PENTA_OK;
    centred_state *s = NULL;

    *state = NULL;
    TRY(penta_require_double(ctx, "covariances need"));
    TRY(penta_plan_alloc(ctx, &s));
    s->shape = *shape;
    s->cov = cov;
    s->form = &forms[cov];
    choose_piece(s);
    TRY(get_kernels(s));
    TRY(create_buffers(s));
    if (!s->form->kernel) {
        penta_blas_hold();
        s->blas = s;
        TRY(penta_own(&s->resources, &s->blas, release_blas));
    }
    *state = s;
    s = NULL;
cleanup:
    penta_plan_free(s);
    return status;
}

/* ---- runs ---- */

static penta_status add_up(centred_state *s, pca_slab *slab, penta_buffer *sums)
{
    penta_status status = PENTA_OK;
    size_t units = pca_padded(slab->pixels) / PCA_UNIT, bands = s->shape.bands;
    size_t group = penta_is_cpu(s->resources.ctx) ? 1 : GROUP;
    penta_grid grid = penta_grid_groups(penta_grid_2d(units * group, bands), group, 1, 1);
    penta_grid one = penta_grid_groups(penta_grid_2d(group, bands), group, 1, 1);

    TRY(penta_launch(&s->sum, grid, ARGS(&slab->data, &slab->shift, (long)slab->pitch, (int)units, &s->partial)));
    TRY(penta_launch(&s->add_sums, one, ARGS(&s->partial, (int)units, sums)));
cleanup:
    return status;
}

/* The matrix of the pixels first .. end-1 of the slab, padded with zeros to `count` pixels. */
static penta_status fill(centred_state *s, pca_slab *slab, size_t first, size_t end, size_t count)
{
    penta_status status = PENTA_OK;
    const long pitch = (long)slab->pitch, from = (long)first, to = (long)end;
    const int bands = (int)s->shape.bands;

    if (s->form->flipped)
        TRY(penta_launch(&s->fill, penta_grid_groups(penta_grid_2d(count, s->rows / 4), 32, 8, 1),
                         ARGS(&slab->data, &slab->shift, pitch, bands, from, to, (int)s->rows, &s->matrix)));
    else
        TRY(penta_launch(&s->fill, penta_grid_groups(penta_grid_2d(count, s->rows), GROUP, 1, 1),
                         ARGS(&slab->data, &slab->shift, pitch, bands, from, to, (long)s->piece, &s->matrix)));
cleanup:
    return status;
}

/* Blocks of a lower triangle with its diagonal. */
static size_t triangle(size_t blocks)
{
    return blocks * (blocks + 1) / 2;
}

/* The products of a matrix of `count` pixels. */
static penta_status multiply(centred_state *s, size_t count)
{
    const penta_type real = s->shape.real;
    const size_t rows = s->rows, chunks = count / s->chunk, blocks = triangle(rows / s->form->tile);
    const penta_matrix a = {.data = &s->matrix, .row = s->piece, .step = s->chunk};
    const penta_matrix c = {.data = &s->products, .row = rows, .step = rows * rows};

    switch (s->cov) {
    case PENTA_PCA_COV_SYRK:
        return penta_blas_syrk(s->resources.ctx, real, rows, count, &a, &c);
    case PENTA_PCA_COV_GEMM:
        return penta_blas_gemm(s->resources.ctx, real, rows, rows, count, &a, &a, &c);
    case PENTA_PCA_COV_SPLITK:
        return penta_blas_gemm_batch(s->resources.ctx, real, rows, rows, s->chunk, &a, &a, &c, chunks);
    case PENTA_PCA_COV_SQUARE:
        return penta_launch(&s->multiply, penta_grid_groups(penta_grid_2d(blocks * 32, chunks * 8), 32, 8, 1),
                            ARGS(&s->matrix, (long)s->piece, (int)rows, (int)s->chunk, &s->products));
    default: /* volkov */
        return penta_launch(&s->multiply, penta_grid_groups(penta_grid_2d(blocks * 4 * 64, chunks), 64, 1, 1),
                            ARGS(&s->matrix, (int)rows, (int)s->chunk, &s->products));
    }
}

static penta_status run(void *state, pca_slab *slab, penta_buffer *gram, penta_buffer *sums)
{
    penta_status status = PENTA_OK;
    centred_state *s = state;
    const size_t end = pca_padded(slab->pixels);
    const penta_grid grid = penta_grid_2d(s->shape.bands, s->shape.bands);

    TRY(add_up(s, slab, sums));
    if (end == 0)
        TRY(penta_buffer_zero(gram, 0, s->shape.bands * s->shape.bands * sizeof(double)));
    for (size_t first = 0; first < end; first += s->piece) {
        size_t there = penta_smaller(s->piece, end - first),
               count = s->form->split ? penta_round_up(there, s->chunk) : there;
        size_t products = s->form->split ? count / s->chunk : 1;

        TRY(fill(s, slab, first, end, count));
        TRY(multiply(s, count));
        TRY(penta_launch(&s->add, penta_grid_groups(grid, GROUP, 1, 1),
                         ARGS(&s->products, (int)s->rows, (int)products, (int)s->shape.bands, first == 0, gram)));
    }
cleanup:
    return status;
}

const pca_engine pca_centred = {create, run};
