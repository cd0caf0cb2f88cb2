/*
 * What every test file includes: cmocka, the usual headers, and tests that register themselves with the program's
 * runner.
 *
 *   TEST(peak_of_noise) { ... }       defines test_peak_of_noise(void **state) of this file
 *   ON_DEVICE;                        the file's tests run with a penta_context in *state (support/device.h)
 *
 * A file without RUN or ON_DEVICE runs its tests once, with NULL in *state. Tests run in the order in which they stand.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/expect.h"
#include "support/held.h"

/* The runs of a file that a test belongs to. */
enum { AS_IT_IS = 1, AS_GPU = 2, ON_HOST = 4, EVERYWHERE = 7 };

#define TEST(name)                       TEST_OF(EVERYWHERE, name, NULL, NULL)
#define TEST_IN(runs, name)              TEST_OF(runs, name, NULL, NULL)
#define TEST_WITH(setup, teardown, name) TEST_OF(EVERYWHERE, name, setup, teardown)
#define TEST_OF(runs_, name, setup, teardown)                                                                          \
    static void test_##name(void **state);                                                                             \
    __attribute__((constructor)) static void add_test_##name(void)                                                     \
    {                                                                                                                  \
        static test_entry entry = {.file = __FILE__,                                                                   \
                                   .order = __COUNTER__,                                                               \
                                   .runs = runs_,                                                                      \
                                   .unit = {#name, test_##name, setup, teardown, NULL}};                               \
        add_test(&entry);                                                                                              \
    }                                                                                                                  \
    static void test_##name(void **state __attribute__((unused)))

/* TEST with an empty error of libpentacl_io as err. */
#define IO_TEST(name)                                                                                                  \
    static void io_##name(void **state, penta_io_error err);                                                           \
    TEST(name)                                                                                                         \
    {                                                                                                                  \
        io_##name(state, (penta_io_error){""});                                                                        \
    }                                                                                                                  \
    static void io_##name(void **state __attribute__((unused)), penta_io_error err)

/* Fails the test with the error's text unless the call of libpentacl_io, which takes it, returns true. */
#define EXPECT_IO(call, err)                                                                                           \
    do {                                                                                                               \
        if (!(call))                                                                                                   \
            fail_msg("%s", (err).text);                                                                                \
    } while (0)

/* Tests of `which` run with a group's set-up and tear-down, which give *state. */
#define RUN(which, label, setup, teardown)           RUN_AT(__COUNTER__, which, label, setup, teardown)
#define RUN_AT(order, which, label, setup, teardown) RUN_NAMED(order, which, label, setup, teardown)
#define RUN_NAMED(at, which, label_, setup_, teardown_)                                                                \
    __attribute__((constructor)) static void add_run_##at(void)                                                        \
    {                                                                                                                  \
        static run_entry entry = {                                                                                     \
            .file = __FILE__, .order = at, .runs = which, .label = label_, .setup = setup_, .teardown = teardown_};    \
        add_run(&entry);                                                                                               \
    }                                                                                                                  \
    _Static_assert(1, "")

typedef struct test_entry {
    const char *file;
    int order;
    unsigned runs;
    struct CMUnitTest unit;
    struct test_entry *next;
} test_entry;

typedef struct run_entry {
    const char *file;
    int order;
    unsigned runs;
    const char *label;
    CMFixtureFunction setup, teardown;
    struct run_entry *next;
} run_entry;

void add_test(test_entry *entry);
void add_run(run_entry *entry);

#include "support/device.h"
