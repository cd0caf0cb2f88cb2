/* The backend for CPU devices: real images, float, lengths with no prime factor over 7. Kernel: cl/common/fft_simd.cl.
 */
#include <math.h>
#include <stdlib.h>

#include "core/internal.h"
#include "math/fft_backend.h"

enum { LANES = 16, MOST_STAGES = 16 };                                 /* as in the kernel */
enum { ROWS_FORWARD, COLUMNS_FORWARD, COLUMNS_INVERSE, ROWS_INVERSE }; /* as in the kernel */

typedef struct {
    penta_resources resources;
    penta_fft_shape shape;
    penta_kernel lines;
    penta_buffer x_roots, y_roots, scratch;
    uint64_t x_radices, y_radices;
    size_t workers;
} simd_state;

/* The radices of the stages, four bits each; 0: there are none for n. */
static uint64_t radices_of(size_t n)
{
    static const size_t radices[] = {7, 5, 4, 3, 2};
    uint64_t all = 0;
    int stages = 0;

    for (size_t i = 0; i < sizeof radices / sizeof *radices; i++)
        for (; n % radices[i] == 0 && stages < MOST_STAGES; n /= radices[i])
            all |= (uint64_t)radices[i] << 4 * stages++;
    return n == 1 ? all : 0;
}

bool penta_fft_simd_takes(const penta_fft_shape *s)
{
    return s->rank == 2 && s->real && !s->dbl && s->zero_from == s->zero_to && s->drop_from == s->drop_to &&
           radices_of(s->nx) && radices_of(s->ny);
}

static penta_status upload_roots(penta_resources *own, size_t n, penta_buffer *out)
{
    penta_status status = PENTA_OK;
    float(*roots)[2] = NULL;

    TRY(penta_calloc(own->ctx, n, sizeof *roots, &roots));
    for (size_t k = 0; k < n; k++) {
        double angle = -2 * 3.14159265358979323846 * (double)k / (double)n;

        roots[k][0] = (float)cos(angle);
        roots[k][1] = (float)sin(angle);
    }
    TRY(penta_buffer_upload(own, roots, n * sizeof *roots, out));
cleanup:
    free(roots);
    return status;
}

static void destroy(void *memory)
{
    simd_state *s = memory;

    penta_resources_release(&s->resources);
    free(s);
}

static penta_status make(simd_state *s)
{
    penta_status status = PENTA_OK;
    penta_resources *own = &s->resources;
    size_t longest = s->shape.nx > s->shape.ny ? s->shape.nx : s->shape.ny, bytes;

    TRY(penta_kernel_get(own, "common/fft_simd.cl", "penta_fft_lines", "", &s->lines));
    TRY(upload_roots(own, s->shape.nx, &s->x_roots));
    TRY(upload_roots(own, s->shape.ny, &s->y_roots));
    TRY(penta_size(own->ctx, 4 * LANES * sizeof(float), longest, s->workers, &bytes));
    TRY(penta_buffer_create(own, bytes, &s->scratch));
cleanup:
    return status;
}

static penta_status create(penta_context *ctx, const penta_fft_shape *shape, void **out)
{
    penta_status status = PENTA_OK;
    simd_state *s = NULL;

    TRY(penta_calloc(ctx, 1, sizeof *s, &s));
    s->resources.ctx = ctx;
    s->shape = *shape;
    s->x_radices = radices_of(shape->nx);
    s->y_radices = radices_of(shape->ny);
    s->workers = ctx->info.compute_units;
    TRY(make(s));
cleanup:
    if (status != PENTA_OK && s) {
        destroy(s);
        s = NULL;
    }
    *out = s;
    return status;
}

static penta_status pass(simd_state *s, penta_buffer *data, int what, size_t count)
{
    bool rows = what == ROWS_FORWARD || what == ROWS_INVERSE;

    return penta_launch(&s->lines, penta_grid_groups(penta_grid_1d(s->workers), 1, 1, 1),
                        ARGS(rows ? &s->x_roots : &s->y_roots, what, rows ? s->x_radices : s->y_radices,
                             (int)s->shape.nx, (int)s->shape.ny, (int)count, &s->scratch, data));
}

static penta_status execute(penta_context *ctx, void *memory, penta_buffer *data, bool inverse, size_t count)
{
    penta_status status = PENTA_OK;

    (void)ctx;
    TRY(pass(memory, data, inverse ? COLUMNS_INVERSE : ROWS_FORWARD, count));
    TRY(pass(memory, data, inverse ? ROWS_INVERSE : COLUMNS_FORWARD, count));
cleanup:
    return status;
}

const penta_fft_driver penta_fft_simd = {NULL, NULL, true, create, execute, destroy};
