/* Covariances and maps on CPU devices, cl/pca/triangle_cpu.cl and project_cpu.cl, against plain loops. */
#include "support/test.h"

#include "pca/pca.h"
#include "support/numbers.h"
#include "support/pca_slab.h"
#include "support/random.h"

typedef struct {
    penta_type type, real;
    double least, largest; /* of random pixels */
} kind_t;

static const kind_t kinds[] = {
    {PENTA_U8, PENTA_F64, 0, 255},     {PENTA_U16, PENTA_F64, 0, 65535},    {PENTA_I16, PENTA_F64, -32768, 32767},
    {PENTA_I32, PENTA_F64, -1e9, 1e9}, {PENTA_U32, PENTA_F64, 0, 4e9},      {PENTA_F32, PENTA_F64, 900, 1100},
    {PENTA_F64, PENTA_F64, 900, 1100}, {PENTA_I32, PENTA_F32, -1000, 5000}, {PENTA_U32, PENTA_F32, 0, 5000},
    {PENTA_F32, PENTA_F32, 900, 1100}, {PENTA_F64, PENTA_F32, 900, 1100},
};

/* ---- slabs ---- */

/* A closed slab, and its pixels (bands x padded) and valid flags on the host. */
typedef struct {
    pca_slab slab;
    size_t padded;
    double *pixels, *shift;
    uint8_t *valid; /* padded */
} scene;

/*
 * Random pixels, correlated between bands; where `masked` every seventh is left out. Pixels that are left out or not
 * there hold the shift, or with `loud` the largest number; beyond them is anything.
 */
static void fill(scene *s, const kind_t *kind, bool shifted, bool loud, void *data)
{
    pca_slab *slab = &s->slab;
    double middle = floor((kind->least + kind->largest) / 2), range = kind->largest - kind->least;

    for (size_t p = 0; p < s->padded; p++)
        s->valid[p] = p < slab->pixels && !(slab->masked && p % 7 == 3);
    for (size_t b = 0; b < slab->bands; b++) {
        double away = loud ? kind->largest : 0;

        if (shifted)
            away = s->shift[b] = middle + (double)(b % 5);
        for (size_t p = 0; p < slab->pitch; p++) {
            double common = 0.5 + 0.3 * sin((double)p),
                   v = kind->least + range * (0.7 * random_uniform() + 0.3 * common);
            size_t i = b * slab->pitch + p;

            put_number(slab->type, data, i, p >= s->padded || s->valid[p] ? v : away);
            if (p < s->padded)
                s->pixels[b * s->padded + p] = get_number(slab->type, data, i);
        }
    }
}

static scene make_scene(penta_context *ctx, const kind_t *kind, size_t bands, size_t pixels, size_t pitch, bool masked,
                        bool shifted, bool loud)
{
    scene s = {
        .slab = {.ctx = ctx, .bands = bands, .pitch = pitch, .type = kind->type, .pixels = pixels, .masked = masked},
        .padded = pca_padded(pixels)};
    HELD void *data = must_calloc(bands * pitch, penta_type_size(kind->type));
    HELD uint8_t *flags = must_calloc(pitch, 1);

    s.pixels = must_calloc(bands * s.padded, sizeof *s.pixels);
    s.shift = must_calloc(bands, sizeof *s.shift);
    s.valid = must_calloc(s.padded, 1);
    fill(&s, kind, shifted, loud, data);
    memset(flags, 1, pitch); /* where nothing is masked they do not count */
    if (masked)
        memcpy(flags, s.valid, s.padded);
    upload_slab(&s.slab, data, flags, s.shift);
    return s;
}

static void free_scene(scene *s)
{
    pca_slab_release(&s->slab);
    free(s->pixels);
    free(s->shift);
    free(s->valid);
}

/* ---- covariances ---- */

static void covariance(scene *s, const kind_t *kind, double *gram, double *sums)
{
    penta_context *ctx = s->slab.ctx;
    size_t bands = s->slab.bands, area = bands * bands * sizeof(double);
    pca_shape shape = {.bands = bands, .pitch = s->slab.pitch, .type = kind->type, .real = kind->real};
    HELD_BY(penta_buffer_release) penta_buffer on_device = {0}, sums_on_device = {0};
    HELD double *again = must_calloc(area, 1);
    void *state = NULL;

    EXPECT_OK(ctx, penta_buffer_create(ctx, area, &on_device));
    EXPECT_OK(ctx, penta_buffer_create(ctx, bands * sizeof(double), &sums_on_device));
    EXPECT_OK(ctx, pca_triangle_cpu.create(ctx, &shape, PENTA_PCA_COV_TRIANGLE, &state));
    EXPECT_OK(ctx, pca_triangle_cpu.run(state, &s->slab, &on_device, &sums_on_device));
    EXPECT_OK(ctx, penta_buffer_read(&on_device, 0, again, area));
    EXPECT_OK(ctx, pca_triangle_cpu.run(state, &s->slab, &on_device, &sums_on_device));
    EXPECT_OK(ctx, penta_buffer_read(&on_device, 0, gram, area));
    EXPECT_OK(ctx, penta_buffer_read(&sums_on_device, 0, sums, bands * sizeof(double)));
    assert_memory_equal(gram, again, area);
    pca_state_free(state);
}

static double product(const scene *s, size_t i, size_t j)
{
    const double *x = s->pixels + i * s->padded, *y = s->pixels + j * s->padded;
    long double sum = 0;

    for (size_t p = 0; p < s->padded; p++)
        sum += ((long double)x[p] - s->shift[i]) * ((long double)y[p] - s->shift[j]);
    return (double)sum;
}

static double total(const scene *s, size_t i, double *magnitude)
{
    long double sum = 0, absolute = 0;

    for (size_t p = 0; p < s->padded; p++) {
        sum += (long double)s->pixels[i * s->padded + p] - s->shift[i];
        absolute += fabsl((long double)s->pixels[i * s->padded + p] - s->shift[i]);
    }
    *magnitude = (double)absolute;
    return (double)sum;
}

/* Errors are measured by the diagonal; those of exact types must be 0. In float, squares of integers round with a bias:
 * odd ones are 1 modulo 8. */
static void check_covariance(penta_context *ctx, const kind_t *kind, size_t bands, size_t pixels, size_t pitch,
                             bool masked)
{
    HELD_BY(free_scene) scene s = make_scene(ctx, kind, bands, pixels, pitch, masked, !pca_is_exact(kind->type), false);
    HELD double *gram = must_calloc(bands * bands, sizeof *gram), *sums = must_calloc(bands, sizeof *sums);
    HELD double *scale = must_calloc(bands, sizeof *scale);
    double allowed = pca_is_exact(kind->type) ? 0 : kind->real == PENTA_F64 ? 1e-14 : 6e-7;

    covariance(&s, kind, gram, sums);
    for (size_t i = 0; i < bands; i++) {
        double magnitude, sum = total(&s, i, &magnitude);

        scale[i] = sqrt(product(&s, i, i));
        expect_near(sums[i], sum, allowed * magnitude);
        for (size_t j = 0; j <= i; j++) {
            double want = product(&s, i, j), got = gram[i * bands + j];

            if (!(fabs(got - want) <= allowed * scale[i] * scale[j]))
                fail_msg("%s, real %s, %zu bands, %zu of %zu pixels: [%zu][%zu] is %.17g, not %.17g",
                         penta_type_name(kind->type), penta_type_name(kind->real), bands, pixels, pitch, i, j, got,
                         want);
            assert_memory_equal(&gram[i * bands + j], &gram[j * bands + i], sizeof *gram);
        }
    }
}

TEST(covariance_bands)
{
    const size_t bands[] = {1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 47, 48, 50};

    for (size_t k = 0; k < COUNT(kinds); k++)
        for (size_t i = 0; i < COUNT(bands); i++)
            check_covariance(*state, &kinds[k], bands[i], 1300, 2048, i % 2);
}

/* Few pixels (their work-items share the columns), more than work-items have blocks. */
TEST(covariance_pixels)
{
    const size_t pixels[] = {1, 511, 512, 513, 6000}, pitches[] = {512, 512, 512, 1024, 6656};

    for (size_t k = 0; k < COUNT(kinds); k++)
        for (size_t i = 0; i < COUNT(pixels); i++)
            check_covariance(*state, &kinds[k], i % 2 ? 70 : 37, pixels[i], pitches[i], i > 2);
}

TEST(covariance_wide)
{
    for (size_t k = 0; k < COUNT(kinds); k++) {
        check_covariance(*state, &kinds[k], 198, 700, 1024, true);
        check_covariance(*state, &kinds[k], 224, 300, 512, false);
    }
    check_covariance(*state, &kinds[0], 425, 500, 512, false);
}

/* The largest numbers of their type everywhere: no sum may round. */
TEST(covariance_extremes)
{
    for (size_t k = 0; k < 3; k++)
        for (int low = 0; low < 2; low++) {
            double v = low ? kinds[k].least : kinds[k].largest;
            kind_t constant = {kinds[k].type, kinds[k].real, v, v};

            check_covariance(*state, &constant, 40, 5120, 5120, false);
        }
}

/* ---- maps ---- */

typedef struct {
    size_t ins, outs, first;
    bool bare; /* neither before nor after */
    double *matrix, *before, *after;
} map_t;

static map_t make_map(const kind_t *kind, size_t ins, size_t outs, size_t first, bool bare)
{
    map_t m = {ins,
               outs,
               first,
               bare,
               must_calloc(outs * ins, sizeof(double)),
               must_calloc(ins, sizeof(double)),
               must_calloc(outs, sizeof(double))};

    for (size_t i = 0; i < outs * ins; i++)
        m.matrix[i] = random_normal();
    for (size_t b = 0; b < ins && !bare; b++)
        m.before[b] = kind->least + (kind->largest - kind->least) * random_uniform();
    for (size_t o = 0; o < outs && !bare; o++)
        m.after[o] = 100 * random_normal();
    return m;
}

static void free_map(map_t *m)
{
    free(m->matrix);
    free(m->before);
    free(m->after);
}

static double mapped(const scene *s, const map_t *m, size_t o, size_t p, double *magnitude)
{
    long double sum = m->after[o], absolute = fabs(m->after[o]);

    for (size_t b = 0; b < m->ins; b++) {
        long double term = m->matrix[o * m->ins + b] * ((long double)s->pixels[b * s->padded + p] - m->before[b]);

        sum += term;
        absolute += fabsl(term);
    }
    *magnitude = (double)absolute;
    return (double)sum;
}

enum { MARGIN = 40 }; /* pixels behind those that the map writes */

/* Results (outs x out_pitch) and range as run leaves them; beforehand results are 777, the range is `range`. */
static void project(scene *s, const kind_t *kind, const map_t *m, void *results, double *range)
{
    penta_context *ctx = s->slab.ctx;
    pca_map_shape shape = {m->ins, m->outs, s->slab.pitch, m->first + s->padded + MARGIN, kind->type, kind->real};
    penta_affine affine = {m->ins, m->outs, m->matrix, m->bare ? NULL : m->before, m->bare ? NULL : m->after};
    size_t count = m->outs * shape.out_pitch, bytes = count * penta_type_size(kind->real);
    HELD_BY(penta_buffer_release) penta_buffer on_device = {0}, range_on_device = {0};
    void *state = NULL;

    for (size_t i = 0; i < count; i++)
        put_number(kind->real, results, i, 777);
    EXPECT_OK(ctx, penta_buffer_create(ctx, bytes, &on_device));
    EXPECT_OK(ctx, penta_buffer_create(ctx, 2 * m->outs * sizeof *range, &range_on_device));
    EXPECT_OK(ctx, penta_buffer_write(&on_device, 0, results, bytes));
    EXPECT_OK(ctx, penta_buffer_write(&range_on_device, 0, range, 2 * m->outs * sizeof *range));
    EXPECT_OK(ctx, pca_project_cpu.create(ctx, &shape, &affine, &state));
    EXPECT_OK(ctx, pca_project_cpu.run(state, &s->slab, &on_device, m->first, &range_on_device));
    EXPECT_OK(ctx, penta_buffer_read(&on_device, 0, results, bytes));
    EXPECT_OK(ctx, penta_buffer_read(&range_on_device, 0, range, 2 * m->outs * sizeof *range));
    pca_state_free(state);
}

/* One output's results; widens least and largest of those that are valid. */
static void check_output(const scene *s, const kind_t *kind, const map_t *m, size_t o, const void *results,
                         double *least, double *largest)
{
    size_t out_pitch = m->first + s->padded + MARGIN;
    double allowed = kind->real == PENTA_F64 ? 2e-15 : 6e-7;

    for (size_t i = 0; i < out_pitch; i++) {
        double got = get_number(kind->real, results, o * out_pitch + i), magnitude, want;

        if (i < m->first || i >= m->first + s->padded) {
            assert_true(got == 777);
            continue;
        }
        want = mapped(s, m, o, i - m->first, &magnitude);
        if (!(fabs(got - want) <= allowed * magnitude))
            fail_msg("%s, real %s, %zu to %zu, first %zu: output %zu of pixel %zu is %.17g, not %.17g",
                     penta_type_name(kind->type), penta_type_name(kind->real), m->ins, m->outs, m->first, o,
                     i - m->first, got, want);
        if (s->valid[i - m->first]) {
            *least = fmin(*least, got);
            *largest = fmax(*largest, got);
        }
    }
}

static void check_map(penta_context *ctx, const kind_t *kind, size_t ins, size_t outs, size_t pixels, size_t first,
                      bool masked)
{
    HELD_BY(free_scene)
    scene s = make_scene(ctx, kind, ins, pixels, pca_padded(pixels) + PCA_UNIT, masked, false, true);
    HELD_BY(free_map) map_t m = make_map(kind, ins, outs, first, first == 1);
    HELD double *range = must_calloc(2 * outs, sizeof *range);
    HELD void *results = must_calloc(outs * (first + s.padded + MARGIN), sizeof(double));

    for (size_t o = 0; o < outs; o++) { /* of earlier pixels: none; so wide that it stays */
        range[2 * o] = o % 3 == 2 ? -1e30 : INFINITY;
        range[2 * o + 1] = o % 3 == 1 ? 1e30 : -INFINITY;
    }
    project(&s, kind, &m, results, range);
    for (size_t o = 0; o < outs; o++) {
        double least = o % 3 == 2 ? -1e30 : INFINITY, largest = o % 3 == 1 ? 1e30 : -INFINITY;

        check_output(&s, kind, &m, o, results, &least, &largest);
        assert_true(range[2 * o] == least && range[2 * o + 1] == largest);
    }
}

/* Every number of outputs up to 12 has kernels of its own: 3 are tried for all kinds, others for some. */
TEST(map_sizes)
{
    const size_t sizes[][2] = {{1, 1},   {2, 3},  {3, 2},  {7, 7},  {6, 10}, {31, 4},
                               {16, 33}, {50, 8}, {33, 9}, {9, 12}, {9, 13}};

    for (size_t k = 0; k < COUNT(kinds); k++)
        for (size_t i = 0; i < COUNT(sizes); i++)
            if (k % 4 == 1 || sizes[i][1] == 3 || sizes[i][1] > 12)
                check_map(*state, &kinds[k], sizes[i][0], sizes[i][1], 700, i, i % 2);
}

TEST(map_pixels)
{
    const size_t pixels[] = {1, 255, 512, 513, 5000}, firsts[] = {0, 1, 512, 1023, 17};

    for (size_t k = 0; k < COUNT(kinds); k++)
        for (size_t i = 0; i < COUNT(pixels); i++) {
            check_map(*state, &kinds[k], 40, 3, pixels[i], firsts[i], i % 2);
            check_map(*state, &kinds[k], 10, 17, pixels[i], firsts[i], i % 2);
        }
}

/* More bands and outputs than are taken at once. */
TEST(map_wide)
{
    for (size_t k = 0; k < COUNT(kinds); k++) {
        check_map(*state, &kinds[k], 224, 224, 300, 3, true);
        check_map(*state, &kinds[k], 600, 13, 300, 0, true);
    }
}

static int open_seeded(void **state)
{
    random_seed(11);
    return open_device(state);
}

RUN(AS_IT_IS, NULL, open_seeded, close_device);
