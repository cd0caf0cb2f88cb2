/* Bands of traces on the device against the formulas in double. */
#include "support/test.h"

#include <float.h>
#include "optmap/optmap.h"
#include "reference/optmap.h"
#include "support/numbers.h"
#include "support/random.h"

/* A movie in one block of memory or with its frames apart. */
typedef struct {
    penta_type type;
    size_t width, height, frames, size;
    char *data[2];
    const void **pointers[2];
    penta_movie movie;
} film;

static film make_film(penta_type type, size_t width, size_t height, size_t frames, bool under, bool apart)
{
    film f = {type, width, height, frames, width * height * penta_type_size(type), {NULL}, {NULL}, {0}};
    size_t stride = f.size + (apart ? 24 : 0);

    for (int camera = 0; camera <= under; camera++) {
        f.data[camera] = must_calloc(frames, stride);
        f.pointers[camera] = must_calloc(frames, sizeof(void *));
        for (size_t i = 0; i < frames; i++)
            f.pointers[camera][i] = f.data[camera] + i * stride;
    }
    f.movie = (penta_movie){.type = type, .frames = f.pointers[0], .under = f.pointers[1]};
    return f;
}

static void free_film(film *f)
{
    for (int camera = 0; camera < 2; camera++) {
        free(f->data[camera]);
        free(f->pointers[camera]);
    }
}

static void put(const film *f, int camera, size_t frame, size_t pixel, double value)
{
    put_number(f->type, (char *)f->pointers[camera][frame], pixel, value);
}

static double get(const film *f, size_t frame, size_t pixel)
{
    double a = get_number(f->type, f->pointers[0][frame], pixel);

    return f->movie.under ? a / get_number(f->type, f->pointers[1][frame], pixel) : a;
}

/* About 100 + a wave of a few, of every type; pixel 3 is constant, and so is pixel 5, at 0. */
static void fill_film(const film *f)
{
    random_seed(5);
    for (size_t t = 0; t < f->frames; t++)
        for (size_t p = 0; p < f->width * f->height; p++) {
            double x = 100 + 20 * sin(0.2 * (double)t + (double)p) + 5 * random_uniform();

            put(f, 0, t, p, nearest_number(f->type, p == 3 ? 77 : p == 5 ? 0 : x));
            if (f->movie.under)
                put(f, 1, t, p, nearest_number(f->type, p == 3 ? 7 : 50 + 10 * random_uniform()));
        }
}

/* ---- the reference ---- */

static bool reference(const film *f, const penta_optmap_options *o, size_t begin, size_t end, size_t pixel, double *v)
{
    double f0 = 0, least = INFINITY, most = -INFINITY, sign = o->polarity == PENTA_OPTMAP_UP ? 1 : -1;

    for (size_t t = begin; t < end; t++)
        f0 += get(f, t, pixel) / (double)(end - begin);
    for (size_t t = 0; t < f->frames; t++)
        v[t] = sign * (get(f, t, pixel) - f0) / f0;
    if (o->drift >= 0)
        reference_optmap_drift(o->drift, f->frames, begin, end, v);
    for (size_t t = 0; t < f->frames; t++) {
        least = fmin(least, v[t]);
        most = fmax(most, v[t]);
        if (!isfinite(v[t]))
            return false;
    }
    if (f->movie.mask && !f->movie.mask[pixel])
        return false;
    return f0 != 0 && !(o->min_intensity > 0 && f0 < o->min_intensity) && most - least > fmax(o->min_range, 1e-12) &&
           (!o->min_value || most > atof(o->min_value));
}

/* ---- bands ---- */

typedef struct {
    optmap_shape shape;
    penta_optmap_options options;
} setting;

static void set_up(setting *s, const film *f, size_t rows)
{
    s->shape = (optmap_shape){.width = f->width,
                              .height = f->height,
                              .frames = f->frames,
                              .rows = rows,
                              .pitch = optmap_padded(f->frames),
                              .options = &s->options};
}

/* What a band holds, on the host. */
typedef struct {
    float *v, *low;
    double *mean;
    uint8_t *valid;
} traces;

static traces read_traces(const setting *s, optmap_traces *band)
{
    size_t pixels = band->rows * s->shape.width, all = pixels * s->shape.pitch;
    traces t = {must_calloc(all, 4), must_calloc(all, 4), must_calloc(pixels, 8), must_calloc(pixels, 1)};

    EXPECT_OK(band->v.ctx, penta_buffer_read(&band->v, 0, t.v, all * 4));
    EXPECT_OK(band->v.ctx, penta_buffer_read(&band->low, 0, t.low, all * 4));
    EXPECT_OK(band->v.ctx, penta_buffer_read(&band->mean, 0, t.mean, pixels * 8));
    EXPECT_OK(band->v.ctx, penta_buffer_read(&band->valid, 0, t.valid, pixels));
    for (size_t p = 0; p < pixels && !penta_context_device(band->v.ctx)->fp64; p++) { /* two floats */
        float means[2];

        memcpy(means, &t.mean[p], sizeof means);
        t.mean[p] = (double)means[0] + (double)means[1];
    }
    return t;
}

static void free_traces(traces *t)
{
    free(t->v);
    free(t->low);
    free(t->mean);
    free(t->valid);
}

/* One band of rows first .. first + rows - 1, results for all of them. */
static traces load(penta_context *ctx, const setting *s, const film *f, size_t first, size_t rows, size_t *valid)
{
    optmap_loader *loader;
    optmap_traces band = {.first = first, .rows = rows, .from = first, .to = first + rows};
    traces t;

    EXPECT_OK(ctx, optmap_loader_create(ctx, &s->shape, f->type, f->movie.under != NULL, &loader));
    EXPECT_OK(ctx, optmap_load(loader, &f->movie, &band, valid));
    t = read_traces(s, &band);
    optmap_traces_release(&band);
    optmap_loader_destroy(loader);
    return t;
}

static size_t compare_pixel(const setting *s, const film *f, const traces *t, size_t begin, size_t end, size_t p)
{
    double *v = must_calloc(f->frames, sizeof *v), sum = 0;
    bool valid = reference(f, &s->options, begin, end, p, v);
    const float *high = t->v + p * s->shape.pitch, *low = t->low + p * s->shape.pitch;

    assert_int_equal(t->valid[p], valid);
    for (size_t i = 0; i < s->shape.pitch; i++) {
        double expected = valid && i < f->frames ? v[i] : 0;

        sum += expected;
        expect_near((double)high[i] + low[i], expected, 1e-13);
        expect_near(high[i], expected, fabs(expected) * FLT_EPSILON / 2 + 1e-13);
        if (!valid || i >= f->frames)
            assert_true(high[i] == 0 && low[i] == 0);
    }
    expect_near(t->mean[p], s->options.demean ? sum / (double)f->frames : 0, 1e-13);
    free(v);
    return valid;
}

/* Loads the whole movie and compares every number. */
static void compare(penta_context *ctx, const setting *s, const film *f, size_t begin, size_t end)
{
    size_t valid, expected = 0;
    HELD_BY(free_traces) traces t = load(ctx, s, f, 0, f->height, &valid);

    for (size_t p = 0; p < f->width * f->height; p++)
        expected += compare_pixel(s, f, &t, begin, end, p);
    assert_int_equal(valid, expected);
}

/* ---- tests ---- */

DEVICE_TEST(takes_every_type)
{
    for (size_t i = 0; i < COUNT(pixel_types); i++)
        for (int variant = 0; variant < 4; variant++) {
            HELD_BY(free_film) film f = make_film(pixel_types[i], 13, 6, 75, variant & 1, variant & 2);
            setting s;

            penta_optmap_options_init(&s.options);
            set_up(&s, &f, f.height);
            fill_film(&f);
            compare(ctx, &s, &f, 0, f.frames);
        }
}

DEVICE_TEST(takes_every_option)
{
    static const struct {
        const char *baseline, *min_value;
        size_t begin, end;
        double min_range;
        int polarity, drift;
        bool demean;
    } cases[] = {{"0:10", NULL, 0, 10, 0, 1, -1, false},  {"7:8", NULL, 7, 8, 0, 0, 1, true},
                 {NULL, "0.21", 0, 150, 0, 0, -1, true},  {NULL, NULL, 0, 150, 0.43, 1, -1, false},
                 {"100:150", "-1", 100, 150, 0, 1, 0, 0}, {NULL, "0.2", 0, 150, 0.42, 0, 9, true}};
    HELD_BY(free_film) film f = make_film(PENTA_U16, 21, 5, 150, false, false);

    fill_film(&f);
    for (size_t c = 0; c < COUNT(cases); c++) {
        setting s;

        penta_optmap_options_init(&s.options);
        s.options.baseline = cases[c].baseline;
        s.options.min_value = cases[c].min_value;
        s.options.min_range = cases[c].min_range;
        s.options.polarity = cases[c].polarity;
        s.options.drift = cases[c].drift;
        s.options.demean = cases[c].demean;
        set_up(&s, &f, f.height);
        compare(ctx, &s, &f, cases[c].begin, cases[c].end);
    }
}

/* Lengths about the multiples that kernels work in, and more frames than a piece has. */
DEVICE_TEST(takes_every_length)
{
    static const struct {
        size_t width, height, frames;
    } cases[] = {{1, 1, 2}, {7, 3, 31}, {64, 2, 64}, {65, 2, 65}, {33, 5, 129}, {301, 201, 100}};

    for (size_t c = 0; c < COUNT(cases); c++)
        for (int apart = 0; apart < 2; apart++) {
            HELD_BY(free_film)
            film f = make_film(PENTA_F32, cases[c].width, cases[c].height, cases[c].frames, false, apart);
            setting s;

            penta_optmap_options_init(&s.options);
            set_up(&s, &f, f.height);
            fill_film(&f);
            compare(ctx, &s, &f, 0, f.frames);
        }
}

DEVICE_TEST(has_the_same_bits_in_any_band)
{
    enum { ROWS = 4 };
    HELD_BY(free_film) film f = make_film(PENTA_F64, 19, 11, 100, true, true);
    setting s;
    size_t valid, sum = 0, all;
    HELD_BY(free_traces) traces whole;

    penta_optmap_options_init(&s.options);
    s.options.demean = true;
    s.options.drift = 2;
    fill_film(&f);
    set_up(&s, &f, f.height);
    whole = load(ctx, &s, &f, 0, f.height, &all);
    set_up(&s, &f, ROWS);
    for (size_t first = 0; first < f.height; first += ROWS) {
        size_t rows = f.height - first < ROWS ? f.height - first : ROWS, pixels = rows * f.width, at = first * f.width;
        HELD_BY(free_traces) traces t = load(ctx, &s, &f, first, rows, &valid);

        sum += valid;
        assert_memory_equal(t.v, whole.v + at * s.shape.pitch, pixels * s.shape.pitch * 4);
        assert_memory_equal(t.low, whole.low + at * s.shape.pitch, pixels * s.shape.pitch * 4);
        assert_memory_equal(t.mean, whole.mean + at, pixels * 8);
        assert_memory_equal(t.valid, whole.valid + at, pixels);
    }
    assert_int_equal(sum, all);
}

/* Rows of a halo hold traces, and are not counted; a band's memory serves another one. */
DEVICE_TEST(counts_rows_with_results_only)
{
    HELD_BY(free_film) film f = make_film(PENTA_U8, 8, 10, 40, false, false);
    optmap_loader *loader;
    optmap_traces band = {.first = 2, .rows = 6, .from = 4, .to = 6};
    setting s;
    size_t valid;

    penta_optmap_options_init(&s.options);
    fill_film(&f);
    for (size_t t = 0; t < f.frames; t++)
        put(&f, 0, t, 4 * 8 + 3, 9);
    set_up(&s, &f, 6);
    EXPECT_OK(ctx, optmap_loader_create(ctx, &s.shape, f.type, false, &loader));
    EXPECT_OK(ctx, optmap_load(loader, &f.movie, &band, &valid));
    assert_int_equal(valid, 15);
    assert_int_equal(optmap_loader_count(loader)->flat, 1);
    band.first = band.from = 0;
    band.rows = 3;
    band.to = 2;
    EXPECT_OK(ctx, optmap_load(loader, &f.movie, &band, &valid));
    assert_int_equal(valid, 14);
    assert_int_equal(optmap_loader_count(loader)->flat, 1);
    assert_int_equal(optmap_loader_count(loader)->no_f0, 1);
    optmap_traces_release(&band);
    optmap_loader_destroy(loader);
}

DEVICE_TEST(tells_where_a_number_is_not_finite)
{
    static const struct {
        int camera;
        const char *text;
    } cases[] = {{0, "frame 33, pixel x 2, y 4"}, {1, "frame 33 of the second camera, pixel x 2, y 4"}};

    for (size_t c = 0; c < COUNT(cases); c++)
        for (int type = 0; type < 2; type++) {
            HELD_BY(free_film) film f = make_film(type ? PENTA_F64 : PENTA_F32, 70, 5, 40, true, false);
            optmap_loader *loader;
            optmap_traces band = {.rows = 5, .to = 5};
            setting s;
            size_t valid;

            penta_optmap_options_init(&s.options);
            fill_film(&f);
            put(&f, 0, 35, 1, NAN);
            put(&f, cases[c].camera, 33, 4 * 70 + 2, type ? NAN : -INFINITY);
            set_up(&s, &f, 5);
            EXPECT_OK(ctx, optmap_loader_create(ctx, &s.shape, f.type, true, &loader));
            EXPECT_REFUSED(ctx, optmap_load(loader, &f.movie, &band, &valid), PENTA_INVALID, cases[c].text);
            put(&f, 0, 35, 1, 1);
            put(&f, cases[c].camera, 33, 4 * 70 + 2, 1);
            EXPECT_OK(ctx, optmap_load(loader, &f.movie, &band, &valid));
            optmap_traces_release(&band);
            optmap_loader_destroy(loader);
        }
}

/* Where the second camera saw nothing a pixel is not valid; that is no error. */
DEVICE_TEST(divides_by_nothing)
{
    HELD_BY(free_film) film f = make_film(PENTA_U16, 6, 4, 50, true, false);
    setting s;

    penta_optmap_options_init(&s.options);
    fill_film(&f);
    put(&f, 1, 49, 7, 0);
    put(&f, 1, 12, 8, 0);
    put(&f, 0, 12, 8, 0);
    set_up(&s, &f, f.height);
    compare(ctx, &s, &f, 0, f.frames);
    s.options.baseline = "0:10";
    compare(ctx, &s, &f, 0, 10);
}

/* A polynomial less itself leaves rounding, which makes no pixel valid. */
DEVICE_TEST(leaves_nothing_of_a_polynomial)
{
    HELD_BY(free_film) film f = make_film(PENTA_F64, 4, 4, 500, false, false);
    setting s;
    size_t valid;
    HELD_BY(free_traces) traces t;

    penta_optmap_options_init(&s.options);
    s.options.drift = 2;
    for (size_t i = 0; i < f.frames; i++)
        for (size_t p = 0; p < 16; p++) {
            double x = (double)i / 500;

            put(&f, 0, i, p, 1000 + x + 0.3 * x * x + (p == 9 ? 0.01 * sin(x) : 0));
        }
    set_up(&s, &f, f.height);
    t = load(ctx, &s, &f, 0, f.height, &valid);
    assert_int_equal(valid, 1);
    assert_int_equal(t.valid[9], 1);
}

DEVICE_TEST(leaves_out_what_is_masked_or_dark)
{
    uint8_t mask[13 * 7];
    HELD_BY(free_film) film f = make_film(PENTA_U16, 13, 7, 70, false, false);
    optmap_loader *loader;
    setting s;

    penta_optmap_options_init(&s.options);
    set_up(&s, &f, 4);
    fill_film(&f);
    for (size_t p = 0; p < sizeof mask; p++) {
        mask[p] = p % 6 == 0 ? 0 : (uint8_t)p;
        for (size_t t = 0; p % 7 == 2 && t < f.frames; t++)
            put(&f, 0, t, p, 60 + (double)(t % 5));
    }
    f.movie.mask = mask;
    s.options.min_intensity = 61.5; /* those have 62 */
    set_up(&s, &f, f.height);
    compare(ctx, &s, &f, 0, f.frames);
    s.options.min_intensity = 62.5;
    compare(ctx, &s, &f, 0, f.frames);
    EXPECT_OK(ctx, optmap_loader_create(ctx, &s.shape, f.type, false, &loader));
    for (size_t first = 0; first < 7; first += 3) { /* a band's rows have their own part of the mask */
        HELD_BY(optmap_traces_release) optmap_traces band = {.first = first, .rows = 1, .from = first, .to = first + 1};
        size_t valid, dark = 0, masked = 0;

        for (size_t p = first * 13; p < (first + 1) * 13; p++) {
            masked += p % 6 == 0;
            dark += p % 6 != 0 && (p % 7 == 2 || p == 5);
        }
        EXPECT_OK(ctx, optmap_load(loader, &f.movie, &band, &valid));
        assert_int_equal(optmap_loader_count(loader)->masked, masked);
        assert_int_equal(optmap_loader_count(loader)->dark + optmap_loader_count(loader)->no_f0, dark);
    }
    optmap_loader_destroy(loader);
}

/* Bleaching by a fifth below action potentials of 40 % of the time: what is left of it in diastole is little. */
DEVICE_TEST(takes_drift_from_diastole)
{
    HELD_BY(free_film) film f = make_film(PENTA_F64, 2, 2, 940, false, false);
    setting s;
    size_t valid;

    penta_optmap_options_init(&s.options);
    s.options.drift = 2;
    random_seed(8);
    for (size_t i = 0; i < f.frames; i++)
        for (size_t p = 0; p < 4; p++) {
            double t = fmod((double)i + 110, 150), x = (double)i / 940, noise = p > 1 ? 80 * random_normal() : 0;

            put(&f, 0, i, p, 20000 * (1 - 0.2 * x + 0.05 * x * x) * (t < 60 ? 0.92 : 1) + noise);
        }
    for (int up = 0; up < 2; up++) {
        HELD_BY(free_traces) traces t;
        double least[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY};

        s.options.polarity = up ? PENTA_OPTMAP_UP : PENTA_OPTMAP_DOWN;
        set_up(&s, &f, f.height);
        for (size_t i = 0; up && i < f.frames; i++)
            for (size_t p = 0; p < 4; p++)
                put(&f, 0, i, p, 40000 - get(&f, i, p));
        t = load(ctx, &s, &f, 0, f.height, &valid);
        assert_int_equal(valid, 4);
        for (size_t p = 0; p < 4; p += 3)
            for (size_t beat = 0; beat < 6; beat++) { /* a diastole of 80 frames, about */
                double level = 0;

                for (size_t i = 105 + beat * 150; i < 185 + beat * 150; i++)
                    level += (double)t.v[p * s.shape.pitch + i] / 80;
                least[p / 3] = fmin(least[p / 3], level);
                most[p / 3] = fmax(most[p / 3], level);
            }
        assert_true(most[0] - least[0] < 0.01 * 0.08);
        assert_true(most[1] - least[1] < 0.06 * 0.08);
    }
}

DEVICE_TEST(refuses_what_it_cannot_read)
{
    static const char *const baselines[] = {
        "", "5", "5:", ":5", "5:5", "6:5", "0:51", "-1:5", "0x1:5", "1:5 ", "1:99999999999999999999999"};
    static const char *const values[] = {"", "x", "1x", "nan", "inf"};
    HELD_BY(free_film) film f = make_film(PENTA_U16, 4, 4, 50, false, false);
    optmap_loader *loader;
    setting s;

    penta_optmap_options_init(&s.options);
    set_up(&s, &f, f.height);
    for (size_t i = 0; i < COUNT(baselines); i++) {
        s.options.baseline = baselines[i];
        EXPECT_REFUSED(ctx, optmap_loader_create(ctx, &s.shape, f.type, false, &loader), PENTA_INVALID, "`baseline`");
    }
    s.options.baseline = NULL;
    for (size_t i = 0; i < COUNT(values); i++) {
        s.options.min_value = values[i];
        EXPECT_REFUSED(ctx, optmap_loader_create(ctx, &s.shape, f.type, false, &loader), PENTA_INVALID, "`min_value`");
    }
    s.options.min_value = NULL;
    assert_int_equal(optmap_loader_create(ctx, &s.shape, PENTA_I64, false, &loader), PENTA_INVALID);
}

ON_DEVICE;
AS_ON_A_GPU;
