/*
 * What the camera and lamps spoil: frames and flicker, whose truth is known, in waves and in tissue that rises
 * everywhere at once; and movies that are in order, of which nothing may be said. Bleaching in short records.
 */
#include "support/test.h"

#include <pentacl/analysis.h>

#include "support/random.h"

enum { SIDE = 16, PIXELS = SIDE * SIDE, MOST_FRAMES = 1000 };

static const double light = 8000, part = 0.08; /* of the light: an action potential */
static const double pi = 3.14159265358979323846;

static double signals[MOST_FRAMES][PIXELS]; /* without noise and faults */
static uint16_t numbers[MOST_FRAMES][PIXELS];
static const void *frames[MOST_FRAMES];

/* A movie in order: beats that begin at first + k * cycle ms and reach pixel x after x * delay ms. */
typedef struct {
    double rate, ms, first, cycle, beats, delay, snr, bleach;
    bool background, calcium;
} scene;

static const scene ordinary = {.rate = 1000, .ms = 600, .first = 40, .cycle = 200, .beats = 3, .delay = 0.6, .snr = 10};

static double potential(double t, bool calcium)
{
    if (calcium)
        return t > 0 ? (1 - exp(-t / 4)) * exp(-t / 25) : 0;
    return 1 / (1 + exp(-t)) / (1 + exp(fmin((t - 59) / 8, 300)));
}

static size_t film(const scene *s)
{
    size_t count = (size_t)lround(s->ms * s->rate / 1000);

    for (size_t n = 0; n < count; n++) {
        double ms = (double)n * 1000 / s->rate, bleached = 1 - exp(-ms / (0.7 * s->ms));

        frames[n] = numbers[n];
        for (size_t i = 0; i < PIXELS; i++) {
            double x = (double)(i % SIDE), sum = 0;
            bool dark = s->background && hypot(x - 7.5, (double)(i / SIDE) - 7.5) > 6;

            for (int k = 0; (double)k < s->beats && !dark; k++)
                sum += potential(ms - s->first - k * s->cycle - x * s->delay, s->calcium);
            signals[n][i] = light * (dark ? 0.1 : 1 - 0.02 * x) * (1 + (s->calcium ? part : -part) * sum) *
                            (1 - s->bleach * bleached / (1 - exp(-1 / 0.7)));
        }
    }
    return count;
}

/* signals and noise to numbers. */
static void expose(size_t count, double snr, unsigned seed)
{
    random_seed(seed);
    for (size_t n = 0; n < count; n++)
        for (size_t i = 0; i < PIXELS; i++)
            numbers[n][i] =
                (uint16_t)fmin(fmax(round(signals[n][i] + part * light / snr * random_normal()), 0), UINT16_MAX);
}

static penta_findings survey_all(void **state, size_t count, double rate)
{
    penta_context *ctx = device_of(state);
    const penta_recording recording = {SIDE, SIDE, count, rate, {.type = PENTA_U16, .frames = frames}};
    penta_analysis_options o;
    HELD_BY(penta_analysis_held) penta_analysis *plan = NULL;
    penta_findings found = {0};

    penta_analysis_options_init(&o);
    o.keep_background = true;
    o.accept_saturated = true;
    EXPECT_OK(ctx, penta_analysis_create(ctx, &o, &plan));
    EXPECT_OK(ctx, penta_analysis_survey(plan, &recording, false, &found));
    return found;
}

static void expect_amends(const penta_findings *f, size_t black, size_t bright, size_t repeated, size_t flickers,
                          const char *format, ...) __attribute__((format(printf, 6, 7)));
static void expect_amends(const penta_findings *f, size_t black, size_t bright, size_t repeated, size_t flickers,
                          const char *format, ...)
{
    const penta_amends *a = &f->amends;
    char what[128];
    va_list values;

    va_start(values, format);
    vsnprintf(what, sizeof what, format, values);
    va_end(values);
    if (a->black != black || a->bright != bright || a->repeated != repeated || a->flicker_count != flickers)
        fail_msg("%s: %zu black, %zu bright, %zu repeated, %zu flickers", what, a->black, a->bright, a->repeated,
                 a->flicker_count);
    if (black + bright + repeated + flickers == 0)
        assert_null(a->movie.frames);
}

/* ---- frames ---- */

enum fault { BLACK, BRIGHT, WHITE, AMBIENT, REPEATED, FAULTS };

static void spoil(size_t n, enum fault fault, size_t from, size_t end)
{
    for (size_t i = from; i < end; i++) {
        double v = numbers[n][i];

        numbers[n][i] = (uint16_t)(fault == BLACK     ? 0
                                   : fault == BRIGHT  ? 1.4 * v
                                   : fault == WHITE   ? UINT16_MAX
                                   : fault == AMBIENT ? v + 3000
                                                      : numbers[n - 1][i]);
    }
}

/* In rest, in the upstroke (frame 244), at the ends of the record: found, and interpolated to the noise of a pixel. */
TEST(spoilt_frames_are_found)
{
    static const size_t places[] = {1, 150, 244, 598, 599, 0};
    scene s = ordinary;

    for (int k = 0; k < 2 * FAULTS * 6; k++) {
        enum fault fault = k % FAULTS;
        size_t at = places[k / FAULTS % 6], count;
        double limit = 6 * part * light, off = 0;
        HELD_BY(penta_findings_free) penta_findings f;

        if (fault == REPEATED && at == 0)
            continue;
        s.snr = k < 6 * FAULTS ? 10 : 3;
        s.delay = k % 2 ? 0.6 : 0;
        count = film(&s);
        expose(count, s.snr, (unsigned)k);
        spoil(at, fault, 0, PIXELS);
        f = survey_all(state, count, s.rate);
        expect_amends(&f, fault == BLACK, fault > BLACK && fault < REPEATED, fault == REPEATED, 0,
                      "fault %d in frame %zu", fault, at);
        for (size_t i = 0; i < PIXELS; i++)
            off = fmax(off, fabs(((const uint16_t *)f.amends.movie.frames[at])[i] - signals[at][i]));
        limit = limit / s.snr + (at == 244 ? 0.6 * part * light : 0);
        if (off > limit)
            fail_msg("fault %d: frame %zu is off by %g", fault, at, off);
        assert_ptr_equal(f.amends.movie.frames[300], frames[300]);
    }
}

/* Flashes of two frames, or of a part of the field, are none of the camera's. */
TEST(flashes_are_left)
{
    for (int k = 0; k < 16; k++) {
        scene s = ordinary;
        enum fault fault = k % 4;
        size_t count, rows = k < 4 ? 16 : k < 8 ? 8 : k < 12 ? 15 : 4;
        HELD_BY(penta_findings_free) penta_findings f;

        s.delay = k % 2 ? 0 : 0.6;
        count = film(&s);
        expose(count, s.snr, (unsigned)k);
        spoil(150, fault, 0, rows * SIDE);
        if (k < 4)
            spoil(151, fault, 0, PIXELS);
        f = survey_all(state, count, s.rate);
        expect_amends(&f, 0, 0, 0, 0, "flash %d of %zu rows", fault, rows);
    }
}

TEST(many_faults_are_counted)
{
    scene s = ordinary;
    size_t count;
    HELD_BY(penta_findings_free) penta_findings f;

    s.background = true;
    count = film(&s);
    expose(count, s.snr, 5);
    spoil(100, BLACK, 0, PIXELS);
    spoil(300, BLACK, 0, PIXELS);
    spoil(333, BRIGHT, 0, PIXELS);
    for (size_t n = 400; n < 403; n++)
        spoil(n, REPEATED, 0, PIXELS);
    f = survey_all(state, count, s.rate);
    expect_amends(&f, 2, 1, 3, 0, "many");
}

/* ---- flicker ---- */

/* Of `share` of an action potential; in proportion to the light, or added. */
static void flicker(size_t count, double hz, double rate, double share, bool added)
{
    for (size_t n = 0; n < count; n++) {
        double wave = share * part * sin(2 * pi * hz * (double)n / rate + 0.3);

        for (size_t i = 0; i < PIXELS; i++)
            signals[n][i] = added ? signals[n][i] + light * wave : signals[n][i] * (1 + wave);
    }
}

/* The largest difference of a frame's mean from the truth, relative to an action potential. */
static double left_over(const penta_findings *f, size_t count)
{
    double most = 0;

    for (size_t n = 0; n < count; n++) {
        double sum = 0;

        for (size_t i = 0; i < PIXELS; i++)
            sum += (double)((const float *)f->amends.movie.frames[n])[i] - signals[n][i];
        most = fmax(most, fabs(sum) / PIXELS / (part * light));
    }
    return most;
}

TEST(flicker_is_taken_off)
{
    static const double sources[] = {50, 60, 100, 120}, rates[] = {1000, 500, 270};

    for (int k = 0; k < 24; k++) {
        scene s = ordinary;
        double source = sources[k % 4], share = k % 3 ? 0.1 : 0.3;
        bool added = k >= 12;
        size_t count;
        HELD_BY(penta_findings_free) penta_findings f;

        s.rate = rates[k / 4 % 3];
        s.ms = 900;
        s.cycle = k % 2 ? 150 : 200;
        s.beats = 4;
        s.delay = k % 5 ? 0.6 : 0;
        s.background = added;
        count = film(&s);
        flicker(count, source * 1.0004, s.rate, share, added);
        expose(count, 5, (unsigned)k);
        film(&s);
        f = survey_all(state, count, s.rate);
        expect_amends(&f, 0, 0, 0, 1, "%g Hz at %g", source, s.rate);
        expect_near(f.amends.flickers[0].source_hz, source, 0);
        assert_int_equal(f.amends.flickers[0].added, added);
        /* 4.5 standard deviations of the mean's noise, and a seventh of the flicker */
        if (left_over(&f, count) > 4.5 / 5 / SIDE + share / 7)
            fail_msg("%g Hz at %g: %g of %g are left", source, s.rate, left_over(&f, count), share);
    }
}

/* What 100 Hz look like at 96 and 110 frames a second may be beats. */
TEST(slow_aliases_are_left)
{
    for (int k = 0; k < 2; k++) {
        scene s = ordinary;
        size_t count;
        HELD_BY(penta_findings_free) penta_findings f;

        s.rate = k ? 110 : 96;
        s.ms = 5000;
        s.cycle = 700;
        s.beats = 7;
        count = film(&s);
        flicker(count, 100, s.rate, 0.3, false);
        expose(count, 10, 1);
        f = survey_all(state, count, s.rate);
        expect_amends(&f, 0, 0, 0, 0, "100 Hz at %g", s.rate);
    }
}

/* ---- movies in order ---- */

TEST(nothing_is_said_of_good_movies)
{
    static const double cycles[] = {100, 120, 150, 160, 200, 300}, rates[] = {1000, 500, 200, 100};
    static const double noise[] = {3, 10, 30, 1e9};

    for (int k = 0; k < 96; k++) {
        scene s = ordinary;
        size_t count;
        HELD_BY(penta_findings_free) penta_findings f;

        s.cycle = cycles[k % 6];
        s.rate = rates[k / 6 % 4];
        s.snr = noise[k % 4];
        s.ms = 980;
        s.beats = 12;
        s.delay = (k / 24) % 3;
        s.calcium = k >= 48 || s.cycle < 130;
        s.background = k % 5 == 0;
        count = film(&s);
        expose(count, s.snr, (unsigned)k);
        f = survey_all(state, count, s.rate);
        expect_amends(&f, 0, 0, 0, 0, "cycle %g, rate %g, snr %g, delay %g", s.cycle, s.rate, s.snr, s.delay);
    }
}

/* ---- bleaching ---- */

static bool is_doubted(const penta_findings *f)
{
    penta_doubt list[PENTA_DOUBT_KINDS];
    size_t count = penta_findings_doubts(f, list, PENTA_DOUBT_KINDS);

    for (size_t i = 0; i < count; i++)
        if (list[i].kind == PENTA_DOUBT_BLEACHING_UNSURE)
            return strstr(list[i].text, "too little rest between beats") != NULL;
    return false;
}

TEST(bleaching_is_proven_or_left)
{
    static const struct {
        double ms, first, beats, bleach;
        int least, most; /* degree */
        bool doubted;
    } cases[] = {
        {400, 40, 2, 0.05, 1, 2, false},   {400, 40, 2, 0, -1, -1, false},   {300, 40, 2, 0, -1, -1, false},
        {300, 40, 2, 0.1, -1, -1, true},   {300, -30, 2, 0, -1, -1, false},  {300, -30, 2, 0.1, -1, -1, true},
        {300, 200, 1, 0, -1, -1, false},   {300, 200, 1, 0.1, -1, -1, true}, {300, 240, 1, 0, -1, -1, false},
        {300, 240, 1, 0.05, -1, -1, true}, {600, 40, 3, 0.05, 1, 3, false},  {800, 40, 4, 0.2, 2, 4, false},
    };

    for (size_t k = 0; k < 2 * sizeof cases / sizeof *cases; k++) {
        size_t at = k / 2, count;
        scene s = ordinary;
        HELD_BY(penta_findings_free) penta_findings f;

        s.ms = cases[at].ms;
        s.first = cases[at].first;
        s.beats = cases[at].beats;
        s.bleach = cases[at].bleach;
        s.snr = k % 2 ? 4 : 10;
        count = film(&s);
        expose(count, s.snr, (unsigned)k);
        f = survey_all(state, count, s.rate);
        if (f.drift < cases[at].least || f.drift > cases[at].most || is_doubted(&f) != cases[at].doubted)
            fail_msg("case %zu, snr %g: degree %d, lost %g %%", at, s.snr, f.drift, 100 * f.survey.lost);
    }
}

ON_DEVICE;
