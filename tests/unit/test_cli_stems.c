/* Names of outputs by the files that they come from. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "shared/stems.h"

static void expect_stem(const char *path, const char *wanted)
{
    char *stem = stem_of(path);

    assert_string_equal(stem, wanted);
    free(stem);
}

static void test_stem(void **state)
{
    (void)state;
    expect_stem("a.png", "a");
    expect_stem("x.y/a.tar.gz", "a.tar");
    expect_stem("/no/ending", "ending");
    expect_stem("dir/.hidden", ".hidden");
    expect_stem("dir.d/name", "name");
}

static void expect_apart(size_t n, const char *const *given, const char *const *wanted)
{
    char *stems[8];

    for (size_t i = 0; i < n; i++)
        stems[i] = strdup(given[i]);
    assert_true(stems_tell_apart(stems, n));
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(stems[i], wanted[i]);
        free(stems[i]);
    }
}

static void test_apart(void **state)
{
    (void)state;
    expect_apart(0, NULL, NULL);
    expect_apart(3, (const char *[]){"b", "a", "c"}, (const char *[]){"b", "a", "c"});
    expect_apart(5, (const char *[]){"a", "b", "a", "b", "a"}, (const char *[]){"a", "b", "a-2", "b-2", "a-3"});
    /* Whoever has a name keeps it, also one behind. */
    expect_apart(4, (const char *[]){"a", "a", "a-2", "a-3"}, (const char *[]){"a", "a-4", "a-2", "a-3"});
    expect_apart(4, (const char *[]){"a-2", "a", "a-2", "a"}, (const char *[]){"a-2", "a", "a-2-2", "a-3"});
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Ten thousand recordings of one name. */
static void test_many(void **state)
{
    enum { N = 10000 };
    static char *stems[N];

    (void)state;
    for (size_t i = 0; i < N; i++)
        stems[i] = strdup(i % 100 == 7 ? "movie-12" : "movie");
    assert_true(stems_tell_apart(stems, N));
    assert_string_equal(stems[0], "movie");
    assert_string_equal(stems[1], "movie-2");
    assert_string_equal(stems[7], "movie-12");
    qsort(stems, N, sizeof *stems, by_text);
    for (size_t i = 0; i < N; i++) {
        assert_true(i == 0 || strcmp(stems[i - 1], stems[i]) != 0);
        if (i > 0)
            free(stems[i - 1]);
    }
    free(stems[N - 1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stem),
        cmocka_unit_test(test_apart),
        cmocka_unit_test(test_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
