/* Choosing a device: by index, by type, by a part of a name, by the environment; and what is known of it. */
#include "support/test.h"

#include <ctype.h>
#include <pentacl/opencl.h>

static void expect_device(const char *selector, const penta_device *expected)
{
    HELD_BY(penta_context_held) penta_context *ctx = NULL;

    if (penta_context_create(selector, &ctx) != PENTA_OK)
        fail_msg("'%s': %s", selector, penta_last_error(NULL));
    assert_string_equal(penta_context_device(ctx)->name, expected->name);
    assert_int_equal(penta_context_device(ctx)->type, expected->type);
}

static void expect_no_device(const char *selector)
{
    penta_context *ctx = (penta_context *)1;

    assert_int_equal(penta_context_create(selector, &ctx), PENTA_NO_DEVICE);
    assert_null(ctx);
    expect_text(penta_last_error(NULL), selector);
}

/* The part of a name that a user would type, in capitals. */
static void shout(const char *name, char *out, size_t size)
{
    size_t n = 0;

    for (const char *p = name + (strlen(name) > 4 ? 1 : 0); *p && n + 1 < size; p++)
        out[n++] = (char)toupper((unsigned char)*p);
    out[n] = 0;
}

static const penta_device *first_of(const penta_device *devices, size_t count, int type)
{
    for (size_t i = 0; i < count; i++)
        if ((int)devices[i].type == type)
            return &devices[i];
    return NULL;
}

TEST(selectors)
{
    penta_device *devices;
    size_t count;
    char text[160];

    assert_int_equal(penta_devices(&devices, &count), PENTA_OK);
    assert_true(count >= 1);
    snprintf(text, sizeof text, "%zu", count - 1);
    expect_device(text, &devices[count - 1]);
    expect_device("0", &devices[0]);
    shout(devices[0].name, text, sizeof text);
    expect_device(text, &devices[0]);
    shout(devices[0].vendor, text, sizeof text);
    if (*devices[0].vendor)
        expect_device(text, &devices[0]);
    shout(devices[0].platform, text, sizeof text);
    expect_device(text, &devices[0]);
    for (int type = PENTA_DEVICE_GPU; type <= PENTA_DEVICE_CPU; type++) {
        const penta_device *first = first_of(devices, count, type);

        if (first)
            expect_device(type == PENTA_DEVICE_GPU ? "GPU" : "cpu", first);
        else
            expect_no_device(type == PENTA_DEVICE_GPU ? "gpu" : "cpu");
    }
    penta_devices_free(devices);
}

TEST(unknown_devices)
{
    penta_device *devices;
    size_t count;
    char index[24];

    assert_int_equal(penta_devices(&devices, &count), PENTA_OK);
    snprintf(index, sizeof index, "%zu", count);
    expect_no_device(index);
    expect_no_device("no such thing");
    for (size_t i = 0; i < count && i < 3; i++)
        expect_text(penta_last_error(NULL), devices[i].name);
    expect_text(penta_last_error(NULL), "0: ");
    penta_devices_free(devices);
}

/* The environment speaks where the caller does not. */
TEST(environment)
{
    const char *now = getenv("PENTACL_DEVICE");
    HELD char *kept = now ? strdup(now) : NULL;
    penta_device *devices;
    penta_context *ctx = NULL;
    size_t count;

    assert_int_equal(penta_devices(&devices, &count), PENTA_OK);
    setenv("PENTACL_DEVICE", "no such thing", 1);
    expect_device("0", &devices[0]);
    assert_int_equal(penta_context_create(NULL, &ctx), PENTA_NO_DEVICE);
    EXPECT_REFUSED(NULL, penta_context_create("", &ctx), PENTA_NO_DEVICE, "no such thing");
    setenv("PENTACL_DEVICE", "0", 1);
    expect_device(NULL, &devices[0]);
    unsetenv("PENTACL_DEVICE");
    expect_device(NULL, first_of(devices, count, PENTA_DEVICE_GPU) ? first_of(devices, count, PENTA_DEVICE_GPU)
                                                                   : &devices[0]);
    if (kept)
        setenv("PENTACL_DEVICE", kept, 1);
    penta_devices_free(devices);
}

TEST(device_info)
{
    const penta_device *d = penta_context_device(*state);

    assert_true(*d->name && *d->platform && *d->version && *d->driver);
    assert_true(d->compute_units >= 1 && d->memory > 1 << 20 && d->max_allocation > 1 << 20 && d->local_memory >= 1024);
    assert_true(d->max_allocation <= d->memory);
    assert_string_equal(penta_device_type_name(PENTA_DEVICE_GPU), "gpu");
    assert_string_equal(penta_device_type_name(PENTA_DEVICE_CPU), "cpu");
    assert_string_equal(penta_device_type_name((penta_device_type)9), "other");
    assert_true(isdigit((unsigned char)*penta_version()));
}

/* ---- lists ---- */

static void expect_list(const char *list, size_t expected)
{
    penta_context **contexts = NULL;
    size_t count = 0;

    if (penta_contexts_create(list, &contexts, &count) != PENTA_OK)
        fail_msg("'%s': %s", list, penta_last_error(NULL));
    assert_int_equal(count, expected);
    for (size_t i = 0; i < count; i++) {
        size_t index, part, parts;

        penta_context_share(contexts[i], &index, &part, &parts);
        assert_true(part < parts && parts <= count);
    }
    penta_contexts_destroy(contexts, count);
}

static void refuse_list(const char *list, penta_status expected, const char *text)
{
    penta_context **contexts = (penta_context **)1;
    size_t count = 1;

    assert_int_equal(penta_contexts_create(list, &contexts, &count), expected);
    assert_null(contexts);
    assert_int_equal(count, 0);
    expect_text(penta_last_error(NULL), text);
}

TEST(lists)
{
    const char *now = getenv("PENTACL_DEVICE");
    char *kept = now ? strdup(now) : NULL, word[40];
    penta_device *devices;
    penta_context *ctx = NULL;
    size_t count, alike = 0, gpus = 0;

    assert_int_equal(penta_devices(&devices, &count), PENTA_OK);
    for (size_t i = 0; i < count; i++) {
        alike += devices[i].type == devices[0].type;
        gpus += devices[i].type == PENTA_DEVICE_GPU;
    }
    unsetenv("PENTACL_DEVICE");
    expect_list(NULL, 1);
    expect_list("0", 1);
    expect_list(" 0 , 0,0", 3);
    snprintf(word, sizeof word, "%s*", penta_device_type_name(devices[0].type));
    expect_list(word, alike);
    if (gpus > 0 || alike == count)
        expect_list("all", gpus > 0 ? gpus : count);
    refuse_list("0,", PENTA_INVALID, "empty place");
    refuse_list("0,no such thing", PENTA_NO_DEVICE, "'no such thing'");
    refuse_list("no such*", PENTA_NO_DEVICE, "'no such'");
    if (gpus > 0 && gpus < count)
        refuse_list("gpu,cpu", PENTA_INVALID, "different types");
    EXPECT_REFUSED(NULL, penta_context_create("0,0", &ctx), PENTA_INVALID,
                   "'0,0' names 2 devices, but one is used here");
    setenv("PENTACL_DEVICE", "0,0", 1);
    expect_list(NULL, 2);
    EXPECT_REFUSED(NULL, penta_context_create(NULL, &ctx), PENTA_INVALID, "PENTACL_DEVICE");
    assert_null(ctx);
    unsetenv("PENTACL_DEVICE");
    if (kept)
        setenv("PENTACL_DEVICE", kept, 1);
    free(kept);
    penta_devices_free(devices);
}

/* Members of one device: each has a part of its compute units where it can be divided, and describes the whole. */
TEST(shared)
{
    const penta_device *whole = penta_context_device(*state);
    penta_context **contexts = NULL;
    size_t count = 0, units = 0;
    bool divided = false;

    assert_int_equal(penta_contexts_create("0,0", &contexts, &count), PENTA_OK);
    assert_int_equal(count, 2);
    for (size_t i = 0; i < count; i++) {
        const penta_device *d = penta_context_device(contexts[i]);
        size_t index, part, parts;
        cl_uint mine = 0;

        penta_context_share(contexts[i], &index, &part, &parts);
        assert_true(index == 0 && part == i && parts == 2);
        assert_int_equal(
            clGetDeviceInfo(penta_opencl_device(contexts[i]), CL_DEVICE_MAX_COMPUTE_UNITS, sizeof mine, &mine, NULL),
            CL_SUCCESS);
        divided = divided || mine < d->compute_units;
        units += mine;
        if (strcmp(d->name, whole->name) == 0)
            assert_int_equal(d->compute_units, whole->compute_units);
    }
    if (divided)
        assert_int_equal(units, penta_context_device(contexts[0])->compute_units);
    else
        leave_out("device 0 is not divided: a single compute unit, no CPU, or a driver that cannot");
    penta_contexts_destroy(contexts, count);
}

ON_DEVICE;
