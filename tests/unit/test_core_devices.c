/* Choosing a device: by index, by type, by a part of a name, by the environment; and what is known of it. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/device.h"
#include "support/expect.h"

static void expect_device(const char *selector, const penta_device *expected)
{
    penta_context *ctx = NULL;

    if (penta_context_create(selector, &ctx) != PENTA_OK)
        fail_msg("'%s': %s", selector, penta_last_error(NULL));
    assert_string_equal(penta_context_device(ctx)->name, expected->name);
    assert_int_equal(penta_context_device(ctx)->type, expected->type);
    penta_context_destroy(ctx);
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

static void test_selectors(void **state)
{
    penta_device *devices;
    size_t count;
    char text[160];

    (void)state;
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

static void test_unknown_devices(void **state)
{
    penta_device *devices;
    size_t count;
    char index[24];

    (void)state;
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
static void test_environment(void **state)
{
    const char *now = getenv("PENTACL_DEVICE");
    char *kept = now ? strdup(now) : NULL;
    penta_device *devices;
    penta_context *ctx = NULL;
    size_t count;

    (void)state;
    assert_int_equal(penta_devices(&devices, &count), PENTA_OK);
    setenv("PENTACL_DEVICE", "no such thing", 1);
    expect_device("0", &devices[0]);
    assert_int_equal(penta_context_create(NULL, &ctx), PENTA_NO_DEVICE);
    assert_int_equal(penta_context_create("", &ctx), PENTA_NO_DEVICE);
    expect_text(penta_last_error(NULL), "no such thing");
    setenv("PENTACL_DEVICE", "0", 1);
    expect_device(NULL, &devices[0]);
    unsetenv("PENTACL_DEVICE");
    expect_device(NULL, first_of(devices, count, PENTA_DEVICE_GPU) ? first_of(devices, count, PENTA_DEVICE_GPU)
                                                                   : &devices[0]);
    if (kept)
        setenv("PENTACL_DEVICE", kept, 1);
    free(kept);
    penta_devices_free(devices);
}

static void test_device_info(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_selectors),
        cmocka_unit_test(test_unknown_devices),
        cmocka_unit_test(test_environment),
        cmocka_unit_test(test_device_info),
    };

    return cmocka_run_group_tests_name("core, devices", tests, open_device, close_device);
}
