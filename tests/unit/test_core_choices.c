/* What plans choose is told once, with reasons that follow options, frames and bodies; without a listener nobody is
 * called. */
#include "support/test.h"

#include "core/core.h"

enum { WIDTH = 40, HEIGHT = 30, PIXELS = WIDTH * HEIGHT };

typedef struct {
    char text[4096]; /* "what|chosen|why\n" for each call */
    size_t calls;
} told;

static void note(void *user, const char *what, const char *chosen, const char *why)
{
    told *t = user;
    size_t used = strlen(t->text);

    assert_true(*what && *chosen && *why);
    snprintf(t->text + used, sizeof t->text - used, "%s|%s|%s\n", what, chosen, why);
    t->calls++;
}

/* From now on *t has what is told, without what belongs to the context. */
static void listen(penta_context *ctx, told *t)
{
    penta_context_on_choice(ctx, note, t);
    *t = (told){.text = ""};
}

/* Whether a line of the text begins with this, once. */
static void expect_once(const told *t, const char *line)
{
    const char *found = NULL;
    size_t times = 0;

    for (const char *at = t->text; (at = strstr(at, line)); at++)
        if (at == t->text || at[-1] == '\n') {
            found = at;
            times++;
        }
    if (!found || times != 1)
        fail_msg("'%s' is told %zu times in:\n%s", line, times, t->text);
}

/* ---- the context ---- */

TEST_IN(AS_IT_IS, context)
{
    const penta_device *d = penta_context_device(*state);
    told t = {.text = ""};
    char line[512];

    penta_context_on_choice(*state, note, &t);
    snprintf(line, sizeof line, "device|%s (%s, %s)|", d->name, penta_device_type_name(d->type), d->platform);
    expect_once(&t, line);
    snprintf(line, sizeof line, "kernels|in the form for a %s|", d->type == PENTA_DEVICE_CPU ? "CPU" : "GPU");
    expect_once(&t, line);
    expect_once(&t, "compiled programs|");
    expect_once(&t, "opening|");
    assert_int_equal(t.calls, d->fp64 ? 4 : 5);
    penta_context_on_choice(*state, NULL, NULL);
}

/* The rule by which a selector finds the device. */
static void expect_rule(const char *selector, const char *rule)
{
    HELD_BY(penta_context_held) penta_context *ctx = NULL;
    told t = {.text = ""};

    EXPECT_OK(NULL, penta_context_create(selector, &ctx));
    penta_context_on_choice(ctx, note, &t);
    expect_text(t.text, rule);
}

TEST_IN(AS_IT_IS, device_rules)
{
    const char *kept = getenv("PENTACL_DEVICE");
    HELD char *before = kept ? strdup(kept) : NULL;

    expect_rule("0", "|the first that matches '0'\n");
    setenv("PENTACL_DEVICE", "0", 1);
    expect_rule(NULL, "|the first that matches PENTACL_DEVICE, '0'\n");
    unsetenv("PENTACL_DEVICE");
    expect_rule("", "|the first ");
    if (before)
        setenv("PENTACL_DEVICE", before, 1);
}

TEST_IN(AS_IT_IS, without_double)
{
    HELD_BY(penta_context_held) penta_context *ctx = NULL;
    told t = {.text = ""};

    EXPECT_OK(NULL, penta_context_create(NULL, &ctx));
    if (penta_context_device(ctx)->fp64) {
        listen(ctx, &t);
        penta_context_without_double(ctx);
        penta_context_without_double(ctx);
        expect_once(&t, "double precision|not used|the program asks for that");
        assert_int_equal(t.calls, 1);
        t = (told){.text = ""};
        penta_context_on_choice(ctx, note, &t); /* a later listener hears of it, too */
        expect_once(&t, "double precision|not used|");
    }
}

DEVICE_TEST_IN(AS_IT_IS, nobody)
{
    told t;

    listen(ctx, &t);
    penta_chose(ctx, "size", "7", "%d of %s", 7, "nine");
    expect_once(&t, "size|7|7 of nine\n");
    penta_context_on_choice(ctx, NULL, NULL);
    penta_chose(ctx, "size", "8", "%d of %s", 8, "nine");
    penta_chose(NULL, "size", "9", "no context");
    assert_int_equal(t.calls, 1);
}

/* ---- autocorr ---- */

static penta_autocorr *plan_of(penta_context *ctx, penta_type type, const penta_autocorr_options *o)
{
    penta_autocorr *plan = NULL;

    EXPECT_OK(ctx, penta_autocorr_create(ctx, WIDTH, HEIGHT, type, o, &plan));
    return plan;
}

DEVICE_TEST_IN(AS_IT_IS, autocorr_auto)
{
    HELD_BY(penta_autocorr_held) penta_autocorr *plan = NULL;
    told t;

    listen(ctx, &t);
    plan = plan_of(ctx, PENTA_U8, NULL);
    expect_once(&t, "method|");
    expect_once(&t, "batch|of up to ");
    expect_once(&t, "precision|exact|images of type u8 have exact sums\n");
    expect_text(t.text, "|least estimated time a frame: ");
    penta_context_on_choice(ctx, NULL, NULL);
}

DEVICE_TEST_IN(AS_IT_IS, autocorr_given)
{
    penta_autocorr_options o;
    penta_autocorr *plan;
    told t;

    penta_autocorr_options_init(&o);
    o.method = PENTA_AUTOCORR_FFT;
    o.fft = PENTA_FFT_VKFFT;
    o.precision = PENTA_PRECISION_SINGLE;
    listen(ctx, &t);
    plan = plan_of(ctx, PENTA_U8, &o);
    expect_once(&t, "method|fft|option `method`\n");
    expect_once(&t, "FFT|vkfft|option `fft`\n");
    expect_once(&t, "precision|single|option `precision`\n");
    penta_autocorr_destroy(plan);
    penta_autocorr_options_init(&o);
    o.demean = PENTA_AUTOCORR_DEMEAN_PLANE; /* integers become fractions */
    if (penta_context_device(ctx)->fp64) {
        listen(ctx, &t);
        plan = plan_of(ctx, PENTA_U16, &o);
        expect_once(&t, "precision|double|option `demean` ");
        penta_autocorr_destroy(plan);
    }
    penta_context_on_choice(ctx, NULL, NULL);
}

/* Masked frames have a pipeline of their own, which is made with the first of them. */
DEVICE_TEST_IN(AS_IT_IS, autocorr_late)
{
    uint8_t image[PIXELS], mask[PIXELS];
    penta_autocorr_bin c1d[WIDTH];
    const penta_autocorr_frame plain = {.image = image}, masked = {.image = image, .mask = mask};
    penta_autocorr_result result = {.c1d = c1d};
    HELD_BY(penta_autocorr_held) penta_autocorr *plan = NULL;
    told t;

    for (size_t i = 0; i < PIXELS; i++) {
        image[i] = (uint8_t)(i * i % 251);
        mask[i] = i % 7 != 0;
    }
    listen(ctx, &t);
    plan = plan_of(ctx, PENTA_U8, NULL);
    t = (told){.text = ""};
    for (int run = 0; run < 2; run++)
        EXPECT_OK(ctx, penta_autocorr_run(plan, 1, &plain, &result));
    assert_int_equal(t.calls, 0);
    for (int run = 0; run < 2; run++)
        EXPECT_OK(ctx, penta_autocorr_run(plan, 1, &masked, &result));
    expect_once(&t, "method|");
    expect_once(&t, "batch|of up to 1 frame for masked frames|");
    expect_text(t.text, " for masked frames|");
    penta_context_on_choice(ctx, NULL, NULL);
}

/* The form for GPUs takes many frames at a time where nothing forbids it. */
TEST_IN(AS_GPU, gpu_batch)
{
    penta_context *ctx = gpu_of(state);
    penta_autocorr_options o;
    penta_autocorr *plan;
    told t;

    penta_autocorr_options_init(&o);
    for (o.demean = PENTA_AUTOCORR_DEMEAN_NONE; o.demean <= PENTA_AUTOCORR_DEMEAN_MEAN; o.demean++) {
        bool on_host = !penta_context_device(ctx)->fp64 && o.demean == PENTA_AUTOCORR_DEMEAN_MEAN;

        listen(ctx, &t);
        plan = plan_of(ctx, PENTA_U8, &o);
        expect_once(&t, on_host ? "batch|of up to 1 frame|the host makes the sums over overlaps, a frame at a time"
                                : "batch|of up to 64 frames|no batch has more; of ");
        penta_autocorr_destroy(plan);
    }
    penta_context_on_choice(ctx, NULL, NULL);
}

/* ---- nbody ---- */

static void set_pair(penta_context *ctx, const penta_nbody_options *o, double distance, told *t)
{
    const double bodies[14] = {1, 1, 0, 0, 0, 0, 0, 1, 1 + distance, 0, 0, 0, 0, 0};
    HELD_BY(penta_nbody_held) penta_nbody *plan = NULL;

    listen(ctx, t);
    EXPECT_OK(ctx, penta_nbody_create(ctx, 2, o, &plan));
    assert_int_equal(t->calls, 0); /* bodies decide */
    for (int times = 0; times < 2; times++)
        EXPECT_OK(ctx, penta_nbody_set(plan, bodies));
    penta_context_on_choice(ctx, NULL, NULL);
    assert_int_equal(t->calls, 2);
    expect_once(t, "kernel|");
    expect_once(t, "precision|");
}

DEVICE_TEST_IN(AS_IT_IS, nbody)
{
    penta_nbody_options o;
    told t;

    if (!penta_context_device(ctx)->fp64)
        leave_out_test("this device has no double precision");
    penta_nbody_options_init(&o);
    o.eps = 0;
    set_pair(ctx, &o, 1, &t);
    expect_once(&t, "precision|double|it costs no more for at most 64 bodies\n");
    o.integrator = PENTA_NBODY_YOSHIDA4; /* double whatever the bodies need */
    set_pair(ctx, &o, 1e-6, &t);
    expect_once(&t, "kernel|double|it is the one of precision double for a ");
    expect_once(&t, "precision|double|option `integrator` is of fourth order\n");
    o.integrator = PENTA_NBODY_LEAPFROG;
    o.precision = PENTA_PRECISION_DOUBLE;
    set_pair(ctx, &o, 1, &t);
    expect_once(&t, "precision|double|option `precision`\n");
    o.precision = PENTA_PRECISION_AUTO;
    o.kernel = PENTA_NBODY_AOS;
    set_pair(ctx, &o, 1, &t);
    expect_once(&t, "kernel|aos|option `kernel`\n");
    expect_once(&t, "precision|single|it is that of option `kernel`\n");
}

ON_DEVICE;
AS_ON_A_GPU;
