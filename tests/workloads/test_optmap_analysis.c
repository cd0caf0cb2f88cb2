/* From a recording to findings in one call: what is chosen, what is left out, what is doubted. */
#include "support/test.h"

enum { WIDTH = 16, HEIGHT = 12, PIXELS = WIDTH * HEIGHT, FRAMES = 300, DARK = 4 /* columns on the right */ };

static uint16_t numbers[FRAMES * PIXELS];
static const void *frames[FRAMES];

static double sigmoid(double t)
{
    return 1 / (1 + exp(-t));
}

/* Two beats of a wave that goes right at a pixel a ms; its light falls by 8 %, on a dark background. */
static penta_recording make_recording(void)
{
    uint32_t noise = 1;

    for (size_t f = 0; f < FRAMES; f++) {
        frames[f] = numbers + f * PIXELS;
        for (size_t p = 0; p < PIXELS; p++) {
            double t = (double)f - 60 - (double)(p % WIDTH), u = 0;

            for (int beat = 0; beat < 2; beat++, t -= 120)
                u += sigmoid(t) * (1 - sigmoid((t - 60) / 6));
            noise = noise * 1664525 + 1013904223;
            numbers[f * PIXELS + p] =
                (uint16_t)(p % WIDTH < WIDTH - DARK ? 20000 * (1 - 0.08 * u) : 480 + 40 * (noise >> 8) / 16777216.0);
        }
    }
    return (penta_recording){.width = WIDTH,
                             .height = HEIGHT,
                             .frames = FRAMES,
                             .frame_rate_hz = 1000,
                             .movie = {.type = PENTA_U16, .frames = frames}};
}

static bool doubts(const penta_findings *found, int kind, const char *text)
{
    penta_doubt list[PENTA_DOUBT_KINDS];
    size_t count = penta_findings_doubts(found, list, PENTA_DOUBT_KINDS);

    assert_true(count <= PENTA_DOUBT_KINDS);
    for (size_t i = 0; i < count; i++)
        if (list[i].kind == kind)
            return strstr(list[i].text, text) != NULL;
    return false;
}

DEVICE_TEST(finds_what_is_there)
{
    penta_recording recording = make_recording();
    penta_analysis_options o;
    HELD_BY(penta_analysis_held) penta_analysis *plan = NULL;
    penta_findings found;

    penta_analysis_options_init(&o);
    o.pixel_size = 0.1;
    o.average = true;
    EXPECT_OK(ctx, penta_analysis_create(ctx, &o, &plan));
    for (int turn = 0; turn < 2; turn++) { /* the plan serves many recordings */
        EXPECT_OK(ctx, penta_analysis_run(plan, &recording, &found));
        assert_int_equal(found.beat_count, 2);
        assert_int_equal(found.survey.counts[PENTA_SURVEY_BACKGROUND], DARK * HEIGHT);
        assert_int_equal(found.result.valid_pixels, PIXELS - DARK * HEIGHT);
        assert_int_equal(found.average_frames > 0, 1);
        assert_int_equal(found.averaged_beats > 0, 1);
        for (size_t x = 2; x < 10; x++) {
            size_t p = 6 * WIDTH + x;

            expect_near((double)found.maps.activation[p], 60 + (double)x, 0.3);
            expect_near((double)found.maps.activation[PIXELS + p], 180 + (double)x, 0.3);
        }
        expect_near((double)found.velocity[6 * WIDTH + 6], 100, 5); /* 0.1 cm a ms, x of the middle */
        assert_true(isnan(found.maps.activation[6 * WIDTH + WIDTH - 1]));
        assert_true(doubts(&found, PENTA_DOUBT_BACKGROUND, "48 of 192 pixels are left out as background"));
        assert_false(doubts(&found, PENTA_DOUBT_POLARITY, ""));
        penta_findings_free(&found);
        assert_null(found.maps.activation);
    }
    penta_analysis_destroy(NULL);
}

DEVICE_TEST(doubts_the_wrong_polarity)
{
    penta_recording recording = make_recording();
    penta_optmap_options conditioning;
    penta_analysis_options o;
    HELD_BY(penta_analysis_held) penta_analysis *plan = NULL;
    HELD_BY(penta_findings_free) penta_findings found;

    penta_optmap_options_init(&conditioning);
    conditioning.polarity = PENTA_OPTMAP_UP;
    penta_analysis_options_init(&o);
    o.conditioning = &conditioning;
    o.keep_background = true;
    EXPECT_OK(ctx, penta_analysis_create(ctx, &o, &plan));
    EXPECT_OK(ctx, penta_analysis_run(plan, &recording, &found));
    assert_int_equal(found.result.valid_pixels, PIXELS);
    assert_null(found.velocity);
    assert_true(doubts(&found, PENTA_DOUBT_POLARITY, "a loss of light; if so, give `polarity` down"));
}

/* Every pixel at the converter's end in successive frames. */
DEVICE_TEST(refuses_what_is_saturated)
{
    penta_recording recording = make_recording();
    penta_analysis_options o;
    penta_analysis *plan;
    penta_findings found;

    for (size_t i = 0; i < (size_t)2 * PIXELS; i++)
        numbers[i] = 65535;
    EXPECT_OK(ctx, penta_analysis_create(ctx, NULL, &plan));
    assert_int_equal(penta_analysis_run(plan, &recording, &found), PENTA_INVALID);
    assert_non_null(strstr(penta_last_error(ctx), "192 of 192 pixels are saturated, at 65535"));
    penta_findings_free(&found);
    penta_analysis_destroy(plan);
    penta_analysis_options_init(&o);
    o.accept_saturated = true;
    EXPECT_OK(ctx, penta_analysis_create(ctx, &o, &plan));
    EXPECT_OK(ctx, penta_analysis_run(plan, &recording, &found));
    assert_true(doubts(&found, PENTA_DOUBT_SATURATED, "192 of 192"));
    penta_findings_free(&found);
    penta_analysis_destroy(plan);
}

static void refuse(const penta_analysis_options *o, size_t width, double rate, const char *wanted)
{
    char text[256] = "";

    assert_int_equal(penta_analysis_check(width, width, width ? FRAMES : 0, rate, o, text, sizeof text), PENTA_INVALID);
    if (!strstr(text, wanted))
        fail_msg("'%s' instead of '%s'", text, wanted);
}

TEST(checks_options_and_shapes)
{
    penta_optmap_options conditioning;
    penta_analysis_options o;

    penta_analysis_options_init(&o);
    assert_int_equal(penta_analysis_check(0, 0, 0, 0, &o, NULL, 0), PENTA_OK);
    assert_int_equal(penta_analysis_check(0, 0, 0, 0, NULL, NULL, 0), PENTA_OK);
    refuse(&o, 4, 1000, "`window` 5 does not fit");
    refuse(&o, 16, 0, "the frame rate is 0 Hz");
    o.high = 501;
    assert_int_equal(penta_analysis_check(0, 0, 0, 0, &o, NULL, 0), PENTA_OK);
    refuse(&o, 0, 1000, "no frequencies above half the rate, 500 Hz");
    o.low = 501;
    refuse(&o, 0, 0, "`high` 501 is not above `low` 501");
    penta_analysis_options_init(&o);
    penta_optmap_options_init(&conditioning);
    conditioning.window = 4;
    o.conditioning = &conditioning;
    refuse(&o, 0, 0, "`window` is 4 px; it must be odd");
    o.size = 0;
    refuse(&o, 0, 0, "penta_analysis_options_init");
}

/* ---- recordings that should be doubted ---- */

enum { LONG = 720 };

static uint16_t film[LONG * PIXELS];
static const void *film_frames[LONG];

/* Beats of a wave, noise, and what may be wrong. */
typedef struct {
    uint32_t seed;
    double cycle, slowness, snr;      /* ms, ms/px */
    double premature;                 /* ms after the second beat; 0: none */
    double light, unit, minus, moves; /* unit: counts of a step; minus: is taken off; moves: px, of a texture */
} scene;

static double noise_of(uint32_t *seed)
{
    double sum = -6;

    for (int i = 0; i < 12; i++) {
        *seed = *seed * 1664525 + 1013904223;
        sum += (*seed >> 8) / 16777216.0;
    }
    return sum;
}

static double signal_of(const scene *s, double t)
{
    double u = 0;

    for (int beat = 0; beat < 5; beat++) {
        double at = t - 40 - beat * s->cycle;

        u += sigmoid(at) * (1 - sigmoid((at - 60) / 6));
    }
    if (s->premature > 0) {
        double at = t - 40 - s->cycle - s->premature;

        u += 0.3 * sigmoid(at / 3) * (1 - sigmoid((at - 40) / 6));
    }
    return u;
}

static penta_recording film_of(const scene *s)
{
    uint32_t seed = s->seed;

    for (size_t f = 0; f < LONG; f++) {
        film_frames[f] = film + f * PIXELS;
        for (size_t p = 0; p < PIXELS; p++) {
            double x = (double)(p % WIDTH), y = (double)p / WIDTH;
            double u = signal_of(s, (double)f - s->slowness * (s->seed % 2 ? x : y)), texture = 0;

            if (s->moves > 0)
                texture = 0.2 * sin(1.1 * (x + s->moves * u) + 0.9 * y) - 0.2 * sin(0.7 * (x + s->moves * u) - 1.3 * y);
            u = s->light * (1 + texture - (s->moves > 0 ? 0 : 0.08 * (u + noise_of(&seed) / s->snr)));
            film[f * PIXELS + p] = (uint16_t)(int)(floor(u / s->unit + 0.5) * s->unit - s->minus);
        }
    }
    return (penta_recording){.width = WIDTH,
                             .height = HEIGHT,
                             .frames = LONG,
                             .frame_rate_hz = 1000,
                             .movie = {.type = s->minus > 0 ? PENTA_I16 : PENTA_U16, .frames = film_frames}};
}

static const scene plain = {.seed = 1, .cycle = 150, .slowness = 0.6, .snr = 10, .light = 20000, .unit = 1};

static void expect_doubt(penta_context *ctx, penta_analysis *plan, const penta_recording *r, int kind, const char *text)
{
    HELD_BY(penta_findings_free) penta_findings found;

    EXPECT_OK(ctx, penta_analysis_run(plan, r, &found));
    if (!doubts(&found, kind, text)) {
        penta_doubt list[PENTA_DOUBT_KINDS];
        size_t count = penta_findings_doubts(&found, list, PENTA_DOUBT_KINDS);

        for (size_t i = 0; i < count; i++)
            print_error("%s\n", list[i].text);
        fail_msg("no doubt of kind %d, '%s'", kind, text);
    }
}

DEVICE_TEST(doubts_what_is_wrong)
{
    penta_analysis_options o;
    HELD_BY(penta_analysis_held) penta_analysis *plan = NULL;
    penta_findings found;
    penta_recording r;
    scene s = plain;

    penta_analysis_options_init(&o);
    o.keep_background = true;
    EXPECT_OK(ctx, penta_analysis_create(ctx, &o, &plan));
    s.premature = 90;
    r = film_of(&s);
    expect_doubt(ctx, plan, &r, PENTA_DOUBT_MINOR_CLIMBS, "1 rise of the mean signal, the first at 28");
    s = plain;
    s.light = 30;
    r = film_of(&s);
    expect_doubt(ctx, plan, &r, PENTA_DOUBT_FEW_COUNTS, "steps of the camera's numbers high");
    s = plain;
    s.unit = 800;
    r = film_of(&s);
    expect_doubt(ctx, plan, &r, PENTA_DOUBT_FEW_COUNTS, "an action potential is ");
    s = plain;
    s.minus = 30000;
    r = film_of(&s);
    assert_int_equal(penta_analysis_run(plan, &r, &found), PENTA_INVALID);
    assert_non_null(strstr(penta_last_error(ctx), "the mean light is below 0 in 100 % of the pixels"));
    penta_findings_free(&found);
    s = plain;
    s.moves = 0.5;
    r = film_of(&s);
    expect_doubt(ctx, plan, &r, PENTA_DOUBT_PICTURE_MOVES, "a shift of the picture explains");
    r = film_of(&plain);
    r.frame_rate_hz = 1e5;
    expect_doubt(ctx, plan, &r, PENTA_DOUBT_RATE, "is above that of hearts; is the rate 100000 Hz?");
    for (size_t i = 0; i < (size_t)LONG * PIXELS; i++)
        film[i] = (uint16_t)(film[i] << 8 | film[i] >> 8);
    r.frame_rate_hz = 1000;
    expect_doubt(ctx, plan, &r, PENTA_DOUBT_SWAPPED, "bytes swapped");
}

/* Rows x columns x time, as a file whose first axis is read as frames has it. */
DEVICE_TEST(doubts_the_order_of_axes)
{
    penta_recording r = film_of(&plain);
    HELD uint16_t *turned = must_calloc((size_t)LONG * PIXELS, sizeof *turned);
    const void *rows[HEIGHT];
    penta_analysis_options o;
    HELD_BY(penta_analysis_held) penta_analysis *plan = NULL;

    for (size_t f = 0; f < LONG; f++)
        for (size_t p = 0; p < PIXELS; p++)
            turned[p * LONG + f] = film[f * PIXELS + p];
    for (size_t y = 0; y < HEIGHT; y++)
        rows[y] = turned + y * WIDTH * LONG;
    r = (penta_recording){LONG, WIDTH, HEIGHT, 1000, {.type = PENTA_U16, .frames = rows}};
    penta_analysis_options_init(&o);
    o.keep_background = true;
    EXPECT_OK(ctx, penta_analysis_create(ctx, &o, &plan));
    expect_doubt(ctx, plan, &r, PENTA_DOUBT_TIME_ALONG_X,
                 "12 frames of 720 x 16 pixels may be 720 frames of 16 x 12 with time along rows");
}

/* False alarms: none in 40 movies. */
DEVICE_TEST(believes_clean_movies)
{
    static const int kinds[] = {PENTA_DOUBT_SWAPPED,       PENTA_DOUBT_NEGATIVE,     PENTA_DOUBT_FEW_COUNTS,
                                PENTA_DOUBT_TIME_ALONG_X,  PENTA_DOUBT_TIME_ALONG_Y, PENTA_DOUBT_RATE,
                                PENTA_DOUBT_PICTURE_MOVES, PENTA_DOUBT_MINOR_CLIMBS, PENTA_DOUBT_UPSTROKES,
                                PENTA_DOUBT_ALTERNANS};
    penta_analysis_options o;
    HELD_BY(penta_analysis_held) penta_analysis *plan = NULL;

    penta_analysis_options_init(&o);
    o.keep_background = true;
    EXPECT_OK(ctx, penta_analysis_create(ctx, &o, &plan));
    for (uint32_t seed = 0; seed < 40; seed++) {
        const scene s = {.seed = seed,
                         .cycle = 120 + 3 * (seed % 17),
                         .slowness = 0.3 + 0.1 * (seed % 11),
                         .snr = 2 + 3 * (seed % 7),
                         .light = 2000 + 900 * (seed % 19),
                         .unit = 1};
        penta_recording r = film_of(&s);
        HELD_BY(penta_findings_free) penta_findings found;

        EXPECT_OK(ctx, penta_analysis_run(plan, &r, &found));
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (doubts(&found, kinds[k], ""))
                fail_msg("seed %u: a doubt of kind %d", seed, kinds[k]);
    }
}

ON_DEVICE;
