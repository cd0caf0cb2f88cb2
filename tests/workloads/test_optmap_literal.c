/* Engine `literal` against the reference: every shift whose largest value is the only one, and the filtered movie. */
#include "support/test.h"

#include "optmap/optmap.h"
#include "reference/optmap.h"
#include "support/random.h"

typedef struct {
    size_t width, height, frames;
    double *f; /* frames x height x width */
} film;

typedef struct {
    uint8_t *valid;
    int32_t *shifts;
    double *gaps, *wanted;
    float *filtered;
    size_t shift_count, filtered_count;
} results;

static results make_results(const film *m, const penta_optmap_options *o)
{
    size_t pixels = m->width * m->height, out = m->frames * (size_t)(o->output ? o->interp : 1);
    size_t shifts = pixels * (size_t)(o->window * o->window);

    return (results){must_calloc(pixels, 1),
                     must_calloc(shifts, sizeof(int32_t)),
                     must_calloc(shifts, sizeof(double)),
                     must_calloc(pixels * out, sizeof(double)),
                     must_calloc(pixels * out, sizeof(float)),
                     shifts,
                     pixels * out};
}

static void free_results(results *r)
{
    free(r->valid), free(r->shifts), free(r->gaps), free(r->wanted), free(r->filtered);
}

/* Action potentials that run over the frame, of unlike sizes, with noise; pixel 17 is constant, 40 has mean 0. */
static film make_film(size_t width, size_t height, size_t frames, double noise)
{
    film m = {width, height, frames, must_calloc(frames * width * height, sizeof(double))};
    size_t pixels = width * height;

    random_seed(11);
    for (size_t n = 0; n < frames; n++)
        for (size_t p = 0; p < pixels; p++) {
            double t = (double)n - 0.35 * (double)frames - 0.7 * (double)(p % width) - 0.4 * (double)(p / width);
            double size = 20 + 60 * fabs(sin(3.7 * (double)p)), dip = size / (1 + exp(-2 * t)) * exp(-fmax(t, 0) / 9);

            m.f[n * pixels + p] = 1000 - dip + noise * random_normal();
            if (p == 17)
                m.f[n * pixels + p] = 500;
            if (p == 40)
                m.f[n * pixels + p] = (n % 2 ? 1 : -1) * (n + 1 == frames && n % 2 == 0 ? 0.0 : 1.0);
        }
    return m;
}

/* ---- the engine by itself ---- */

typedef struct {
    penta_context *ctx;
    const film *film;
    optmap_shape shape;
    optmap_filter filter;
    optmap_loader *loader;
    void *engine;
    optmap_traces band;
    penta_buffer shifts, filtered;
    results *out;
} session;

static void run_band(session *s, const penta_movie *movie, size_t from, size_t to)
{
    size_t width = s->shape.width, r = (size_t)s->shape.options->window / 2, valid, count = (to - from) * width;
    size_t neighbours = (size_t)(s->shape.options->window * s->shape.options->window), all = width * s->shape.height;

    s->band.from = from;
    s->band.to = to;
    s->band.first = from > r ? from - r : 0;
    s->band.rows = (to + r < s->shape.height ? to + r : s->shape.height) - s->band.first;
    EXPECT_OK(s->ctx, optmap_load(s->loader, movie, &s->band, &valid));
    EXPECT_OK(s->ctx, optmap_literal.run(s->engine, &s->band, &s->shifts, &s->filtered));
    EXPECT_OK(s->ctx,
              penta_buffer_read(&s->band.valid, (from - s->band.first) * width, s->out->valid + from * width, count));
    EXPECT_OK(s->ctx, penta_buffer_read(&s->shifts, 0, s->out->shifts + from * width * neighbours,
                                        count * neighbours * sizeof(int32_t)));
    for (size_t n = 0; n < optmap_out_frames(&s->shape); n++)
        EXPECT_OK(s->ctx, penta_buffer_read(&s->filtered, n * count * sizeof(float),
                                            s->out->filtered + n * all + from * width, count * sizeof(float)));
}

/* The film in bands of `rows` rows with results. */
static void run_literal(penta_context *ctx, const film *m, const penta_optmap_options *o, size_t rows, results *out)
{
    size_t halo = 2 * ((size_t)o->window / 2), most = rows + halo < m->height ? rows + halo : m->height;
    double *gaussian = must_calloc((size_t)(o->window * o->window), sizeof *gaussian);
    const void **frames = must_calloc(m->frames, sizeof *frames);
    session s = {.ctx = ctx, .film = m, .out = out};
    penta_movie movie = {.type = PENTA_F64, .frames = frames};

    for (size_t n = 0; n < m->frames; n++)
        frames[n] = m->f + n * m->width * m->height;
    EXPECT_OK(ctx, optmap_filter_design(ctx, o->interp, o->taps ? o->taps : 8 * o->interp + 1, &s.filter));
    optmap_gaussian(o->window, o->sigma, gaussian);
    s.shape = (optmap_shape){m->width, m->height, m->frames, most, optmap_padded(m->frames), o, &s.filter, gaussian};
    EXPECT_OK(ctx, optmap_loader_create(ctx, &s.shape, PENTA_F64, false, &s.loader));
    EXPECT_OK(ctx, optmap_literal.create(ctx, &s.shape, &s.engine));
    EXPECT_OK(ctx, penta_buffer_create(ctx, out->shift_count * sizeof(int32_t), &s.shifts));
    EXPECT_OK(ctx, penta_buffer_create(ctx, out->filtered_count * sizeof(float), &s.filtered));
    for (size_t from = 0; from < m->height; from += rows)
        run_band(&s, &movie, from, from + rows < m->height ? from + rows : m->height);
    penta_buffer_release(&s.shifts);
    penta_buffer_release(&s.filtered);
    optmap_traces_release(&s.band);
    optmap_literal.destroy(s.engine);
    optmap_loader_destroy(s.loader);
    optmap_filter_free(&s.filter);
    free(gaussian), free(frames);
}

/* ---- against the reference ---- */

static double largest(const results *r)
{
    double most = 0;

    for (size_t i = 0; i < r->filtered_count; i++)
        most = fmax(most, isnan(r->wanted[i]) ? 0 : fabs(r->wanted[i]));
    return most;
}

static void compare(const char *what, const results *r, const results *wanted, double gap)
{
    double most = largest(wanted);
    size_t pairs = 0, unsure = 0, numbers = 0;

    for (size_t i = 0; i < r->shift_count; i++) {
        pairs += isfinite(wanted->gaps[i]);
        unsure += wanted->gaps[i] <= gap;
        assert_int_equal(r->shifts[i] == INT32_MIN, wanted->shifts[i] == INT32_MIN);
        if (wanted->gaps[i] > gap && r->shifts[i] != wanted->shifts[i])
            fail_msg("%s: shift %zu is %d, not %d (gap %g)", what, i, r->shifts[i], wanted->shifts[i], wanted->gaps[i]);
    }
    if (unsure * 100 > pairs)
        fail_msg("%s: %zu of %zu pairs have no unique maximum", what, unsure, pairs);
    for (size_t i = 0; i < r->filtered_count; i++) {
        numbers += !isnan(wanted->wanted[i]);
        if (isnan(r->filtered[i]) != isnan(wanted->wanted[i]) || fabs(r->filtered[i] - wanted->wanted[i]) > 1e-5 * most)
            fail_msg("%s: filtered %zu is %g, not %g", what, i, (double)r->filtered[i], wanted->wanted[i]);
    }
    assert_true(numbers > 0 && most > 0);
}

static penta_optmap_options literal_options(void)
{
    penta_optmap_options o;

    penta_optmap_options_init(&o);
    o.engine = PENTA_OPTMAP_LITERAL;
    return o;
}

static void check(void **state, const char *what, const film *m, const penta_optmap_options *o, size_t rows)
{
    penta_context *ctx = device_of(state);
    HELD_BY(free_results) results got = make_results(m, o), wanted = make_results(m, o);

    reference_optmap(o, m->width, m->height, m->frames, m->f, wanted.valid, wanted.shifts, wanted.gaps, wanted.wanted);
    run_literal(ctx, m, o, rows, &got);
    for (size_t i = 0; i < m->width * m->height; i++)
        if (got.valid[i] != wanted.valid[i])
            fail_msg("%s: pixel %zu valid %d, not %d", what, i, got.valid[i], wanted.valid[i]);
    /* phase: frequencies of the noise's weakest amplitudes have errors that much larger */
    compare(what, &got, &wanted, o->correlation == PENTA_OPTMAP_PHASE ? 1e-9 : 1e-12);
}

/* ---- cases ---- */

#define CASE(name, ...)                                                                                                \
    do {                                                                                                               \
        penta_optmap_options o = literal_options();                                                                    \
        __VA_ARGS__;                                                                                                   \
        check(state, name, &m, &o, m.height);                                                                          \
    } while (0)

TEST(shifts_and_filter)
{
    film m = make_film(12, 9, 40, 3);

    CASE("defaults", (void)0);
    CASE("demean", o.demean = true);
    CASE("drift, baseline, up", o.drift = 2, o.baseline = "3:11", o.polarity = PENTA_OPTMAP_UP);
    CASE("phase", o.correlation = PENTA_OPTMAP_PHASE);
    CASE("phase, demean", o.correlation = PENTA_OPTMAP_PHASE, o.demean = true, o.interp = 3);
    CASE("max lag 7", o.max_lag = 7);
    CASE("max lag 0", o.max_lag = 0);
    CASE("min value", o.min_value = "0.04", o.min_range = 0.05);
    free(m.f);
}

TEST_IN(AS_IT_IS, filters)
{
    film m = make_film(12, 9, 40, 3);

    CASE("hold, median 7", o.tails = PENTA_OPTMAP_TAILS_HOLD, o.median = 7);
    CASE("zero, no median", o.tails = PENTA_OPTMAP_TAILS_ZERO, o.median = 0);
    CASE("even median, truncated", o.median = 4, o.median_edges = PENTA_OPTMAP_TRUNCATE);
    CASE("median 15", o.median = 15);
    CASE("median 63 of 40", o.median = 63, o.median_edges = PENTA_OPTMAP_TRUNCATE);
    CASE("shrunk border", o.border = PENTA_OPTMAP_SHRINK, o.sigma = 3);
    CASE("invalid as 0", o.invalid = PENTA_OPTMAP_ZERO);
    CASE("both", o.invalid = PENTA_OPTMAP_ZERO, o.border = PENTA_OPTMAP_SHRINK);
    CASE("interpolated", o.output = PENTA_OPTMAP_INTERPOLATED, o.median_edges = PENTA_OPTMAP_TRUNCATE);
    free(m.f);
}

TEST_IN(AS_IT_IS, designs)
{
    film m = make_film(12, 9, 40, 3);

    for (int interp = 1; interp <= 3; interp++)
        CASE("interp", o.interp = interp);
    CASE("89 taps", o.taps = 89);
    CASE("41 taps", o.taps = 41);
    CASE("window 1", o.window = 1);
    CASE("window 3", o.window = 3);
    CASE("window 7", o.window = 7);
    free(m.f);
}

TEST(elements)
{
    film m = make_film(7, 6, 51, 3);

    for (int elements = 2; elements <= 128; elements *= 2)
        CASE("elements", o.elements = elements, o.interp = 4);
    free(m.f);
}

/* Ends that overlap. Two frames without noise all fall: else half of the pairs have no unique maximum. */
TEST_IN(AS_IT_IS, few_frames)
{
    for (size_t frames = 2; frames <= 11; frames += 3) {
        film m = make_film(7, 7, frames, frames == 2 ? 0 : 9);

        CASE("few frames", o.border = PENTA_OPTMAP_SHRINK, o.median = 0);
        CASE("few frames, as they are", o.interp = 1, o.median = 0);
        free(m.f);
    }
}

/* The reference takes transforms for these. */
TEST_IN(AS_IT_IS, longer)
{
    film m = make_film(7, 6, 300, 3);

    CASE("300 frames", (void)0);
    CASE("300 frames, clFFT", o.fft = PENTA_FFT_CLFFT);
    CASE("300 frames, phase", o.correlation = PENTA_OPTMAP_PHASE);
    free(m.f);
}

/* Pixels of one pulse beside pixels of two that differ in height by 1e-5 to 1e-11: nearly equal maxima, 280 apart. */
TEST_IN(AS_IT_IS, close_maxima)
{
    film m = make_film(8, 6, 64, 0);
    penta_optmap_options o = literal_options();
    results r = make_results(&m, &o);
    size_t close = 0;

    for (size_t i = 0; i < m.frames * 48; i++) {
        double n = (double)(i / 48), a = exp(-(n - 16) * (n - 16) / 8), b = exp(-(n - 44) * (n - 44) / 8);
        size_t x = i % 8, y = i / 8 % 6;
        double more = (y % 2 ? 1 : -1) * pow(10, -5 - (double)((x / 2 + 3 * y) % 7));

        m.f[i] = 1000 - 100 * (x % 2 ? a + (1 + more) * b : exp(-(n - 30) * (n - 30) / 8));
    }
    o.baseline = "0:1";
    o.border = PENTA_OPTMAP_SHRINK;
    reference_optmap(&o, 8, 6, m.frames, m.f, NULL, NULL, r.gaps, NULL);
    for (size_t i = 0; i < r.shift_count; i++)
        close += r.gaps[i] > 1e-12 && r.gaps[i] < 1e-10;
    assert_true(close > 20);
    check(state, "close maxima", &m, &o, 6);
    free_results(&r);
    free(m.f);
}

/* Of many equal maxima too, which rounding alone decides: saturated and periodic pixels. */
DEVICE_TEST(bands_change_nothing)
{
    film m = make_film(12, 9, 40, 3);
    penta_optmap_options o = literal_options();
    results whole = make_results(&m, &o), parts = make_results(&m, &o);

    for (size_t i = 0; i < m.frames * m.width * m.height; i++) {
        size_t p = i % (m.width * m.height), n = i / (m.width * m.height);

        m.f[i] = p % 3 == 0 ? 100 + (double)((n + p) % 4 == 0) : p % 3 == 1 ? fmin(m.f[i], 985) : m.f[i];
    }
    run_literal(ctx, &m, &o, m.height, &whole);
    for (size_t rows = 1; rows <= 5; rows += 2) {
        run_literal(ctx, &m, &o, rows, &parts);
        assert_memory_equal(parts.shifts, whole.shifts, whole.shift_count * sizeof(int32_t));
        assert_memory_equal(parts.filtered, whole.filtered, whole.filtered_count * sizeof(float));
    }
    free_results(&whole);
    free_results(&parts);
    free(m.f);
}

ON_DEVICE;
AS_ON_A_GPU;
