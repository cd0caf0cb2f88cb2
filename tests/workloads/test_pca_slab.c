/* Slabs (src/pca/slab*.c) against plain loops over the cube: layouts, types, pieces, masks, no-data, differences. */
#include "support/test.h"

#include "pca/slab.h"
#include "support/numbers.h"
#include "support/random.h"

/* ---- cubes ---- */

typedef struct {
    penta_type type;
    size_t bands, rows, cols;
    double *values;   /* pixels x bands, exact in type */
    uint8_t *mask;    /* or NULL */
    uint8_t *no_data; /* pixels: 1: some band has it */
} cube;

static size_t pixels_of(const cube *c)
{
    return c->rows * c->cols;
}

/* Band 1 is constant. mask: about a third is left out. no_data: given to one element in so many. */
static cube make_cube(penta_type type, size_t bands, size_t rows, size_t cols, bool mask, bool some, double no_data)
{
    size_t n = rows * cols;
    cube c = {type, bands, rows, cols, must_calloc(n * bands, sizeof(double)), NULL, must_calloc(n, 1)};

    if (mask)
        c.mask = must_calloc(n, 1);
    for (size_t p = 0; p < n; p++) {
        if (mask)
            c.mask[p] = (uint8_t)(random_uniform() < 0.3 ? 0 : 1 + 254 * random_uniform());
        for (size_t b = 0; b < bands; b++) {
            double x = b == 1 ? 77 : random_number(type);

            x = x == no_data ? x + 1 : x;
            if (some && random_uniform() < 0.3 / (double)bands) {
                x = no_data;
                c.no_data[p] = 1;
            }
            c.values[p * bands + b] = x;
        }
    }
    return c;
}

static void free_cube(cube *c)
{
    free(c->values);
    free(c->mask);
    free(c->no_data);
}

static bool counts(const cube *c, size_t p)
{
    return (!c->mask || c->mask[p]) && !c->no_data[p];
}

static bool is_valid(const cube *c, size_t p, bool differences)
{
    return counts(c, p) && (!differences || (p % c->cols != c->cols - 1 && counts(c, p + 1)));
}

static double element(const cube *c, size_t p, size_t b, bool differences)
{
    double x = c->values[p * c->bands + b];

    return differences ? x - c->values[(p + 1) * c->bands + b] : x;
}

/* `count` rows from row `first` on in some layout; BSQ: gap elements lie between the bands. Free .data and .mask. */
static penta_cube_rows rows_of(const cube *c, size_t first, size_t count, int layout, size_t gap)
{
    size_t n = count * c->cols, stride = n + gap;
    penta_cube_rows rows = {.rows = count, .cols = c->cols, .layout = layout, .type = c->type};
    void *data = must_calloc((n + gap) * c->bands, sizeof(double));
    uint8_t *mask = c->mask ? must_calloc(n, 1) : NULL;

    for (size_t i = 0; i < n; i++)
        for (size_t b = 0; b < c->bands; b++) {
            size_t row = i / c->cols, at = layout == PENTA_BSQ   ? b * stride + i
                                           : layout == PENTA_BIP ? i * c->bands + b
                                                                 : (row * c->bands + b) * c->cols + i % c->cols;

            put_number(c->type, data, at, c->values[(first * c->cols + i) * c->bands + b]);
        }
    if (mask)
        memcpy(mask, c->mask + first * c->cols, n);
    rows.band_stride = gap ? stride : 0;
    rows.data = data;
    rows.mask = mask;
    return rows;
}

/* ---- what a slab should be ---- */

typedef struct {
    double sum, least, largest;
    bool constant;
} band_facts;

static band_facts facts_of(const cube *c, size_t first, size_t count, size_t b, bool differences, size_t *valid)
{
    band_facts f = {0, INFINITY, -INFINITY, false};

    *valid = 0;
    for (size_t p = first; p < first + count; p++)
        if (is_valid(c, p, differences)) {
            double x = element(c, p, b, differences);

            *valid += 1;
            f.sum += x;
            f.least = fmin(f.least, x);
            f.largest = fmax(f.largest, x);
        }
    f.constant = f.least == f.largest;
    return f;
}

static void check_shift(const cube *c, const pca_slab *slab, size_t first, size_t b, bool differences, double shift)
{
    size_t valid;
    band_facts f = facts_of(c, first, slab->pixels, b, differences, &valid);
    double range = f.largest - f.least, mean = f.sum / (double)valid;
    unsigned char one[sizeof(double)];

    if (valid == 0 || pca_is_exact(slab->type)) {
        expect_near(shift, 0, 0);
        return;
    }
    put_number(slab->type, one, 0, shift);
    expect_near(get_number(slab->type, one, 0), shift, 0);
    if (f.constant)
        expect_near(shift, f.least, 0);
    else if (slab->pixels <= SLAB_CELLS) /* all are samples */
        expect_near(shift, mean, is_integer(slab->type) ? 0.5 + 1e-12 * range : 1e-6 * range);
    else
        expect_near(shift, mean, 0.1 * range);
}

/* The closed slab holds the cube's pixels from `first` on. */
static void check_slab(penta_context *ctx, const cube *c, pca_slab *slab, size_t first, bool differences, bool shifted)
{
    size_t size = penta_type_size(slab->type), padded = pca_padded(slab->pixels), valid = 0;
    HELD void *data = must_calloc(slab->bands * slab->pitch, size);
    HELD uint8_t *flags = must_calloc(slab->pitch, 1);
    HELD double *shift = must_calloc(slab->bands, sizeof *shift);

    EXPECT_OK(ctx, penta_buffer_read(&slab->data, 0, data, slab->bands * slab->pitch * size));
    EXPECT_OK(ctx, penta_buffer_read(&slab->flags, 0, flags, slab->pitch));
    EXPECT_OK(ctx, penta_buffer_read(&slab->shift, 0, shift, slab->bands * sizeof *shift));
    for (size_t p = 0; p < slab->pixels; p++)
        valid += is_valid(c, first + p, differences);
    assert_int_equal(slab->valid, valid);
    assert_int_equal(slab->masked, valid < slab->pixels);
    for (size_t p = 0; p < padded && slab->masked; p++)
        assert_int_equal(flags[p], p < slab->pixels && is_valid(c, first + p, differences));
    for (size_t b = 0; b < slab->bands; b++) {
        if (shifted)
            check_shift(c, slab, first, b, differences, shift[b]);
        else
            expect_near(shift[b], 0, 0);
        for (size_t p = 0; p < padded; p++) {
            bool there = p < slab->pixels && is_valid(c, first + p, differences);
            double want = there ? element(c, first + p, b, differences) : shift[b];
            double got = get_number(slab->type, data, b * slab->pitch + p);

            if (got != want)
                fail_msg("%s, band %zu of %zu, pixel %zu of %zu: %.17g, not %.17g", penta_type_name(slab->type), b,
                         slab->bands, p, slab->pixels, got, want);
        }
    }
}

/* ---- loading ---- */

/* How a cube is cut: rows of a piece, pixels of a call, bytes of staging, pixels of a slab. */
typedef struct {
    size_t rows, run, staging, pitch;
} cut;

static void load(penta_context *ctx, const cube *c, const char *no_data, int layout, const cut *how, bool differences,
                 bool shifted)
{
    pca_loader *loader;
    pca_slab slab;
    size_t first = 0, bad[2];

    EXPECT_OK(ctx, pca_loader_create(ctx, c->bands, no_data, &loader));
    loader->piece = how->staging;
    EXPECT_OK(ctx, pca_slab_create(ctx, c->bands, how->pitch, differences ? PENTA_F64 : c->type, &slab));
    for (size_t row = 0; row < c->rows; row += how->rows) {
        size_t count = c->rows - row < how->rows ? c->rows - row : how->rows, n;
        penta_cube_rows rows = rows_of(c, row, count, layout, row % 3);

        for (size_t done = 0; done < count * c->cols; done += n) {
            size_t room = slab.pitch - slab.pixels, left = count * c->cols - done;

            n = how->run < left ? how->run : left;
            n = room < n ? room : n;
            EXPECT_OK(ctx, pca_slab_append(loader, &slab, &rows, done, n, differences));
            if (slab.pixels < slab.pitch && first + slab.pixels < pixels_of(c))
                continue;
            EXPECT_OK(ctx, pca_slab_close(loader, &slab, shifted, &bad[0], &bad[1]));
            check_slab(ctx, c, &slab, first, differences, shifted);
            first += slab.pixels;
            slab.pixels = 0;
        }
        EXPECT_OK(ctx, pca_loader_wait(loader));
        free((void *)rows.data);
        free((void *)rows.mask);
    }
    assert_int_equal(first, pixels_of(c));
    pca_slab_release(&slab);
    pca_loader_destroy(loader);
}

/* Staging of 256 bytes is less than a line of BIL, and may be less than a pixel of BIP. */
static const cut cuts[] = {{1000, 1000000, 1 << 20, 2048}, {3, 1000000, 5000, 1024}, {2, 37, 256, 512}};

static const struct {
    size_t bands, rows, cols;
} shapes[] = {{1, 1, 1}, {2, 3, 5}, {7, 1, 1300}, {3, 90, 1}, {33, 13, 101}, {67, 5, 64}, {2, 30, 150}};

static void check_all(penta_context *ctx, bool differences, bool shifted)
{
    random_seed(5);
    for (size_t t = 0; t < COUNT(pixel_types); t++)
        for (size_t s = shifted ? 0 : COUNT(shapes) - 3; s < COUNT(shapes); s++)
            for (int kind = 0; kind < 4; kind++) {
                HELD_BY(free_cube)
                cube c =
                    make_cube(pixel_types[t], shapes[s].bands, shapes[s].rows, shapes[s].cols, kind & 1, kind & 2, 99);

                for (int layout = PENTA_BSQ; layout <= PENTA_BIP; layout++)
                    for (size_t k = 0; k < COUNT(cuts); k++)
                        load(ctx, &c, kind & 2 ? "99" : NULL, layout, &cuts[k], differences, shifted);
            }
}

TEST(pixels)
{
    check_all(device_of(state), false, true);
}

TEST(pixels_of_maps)
{
    check_all(device_of(state), false, false);
}

TEST(differences)
{
    check_all(device_of(state), true, true);
}

RUN(AS_GPU, "forms for GPUs", open_gpu_form, close_device);
RUN(AS_IT_IS, "device", open_device, close_device);
