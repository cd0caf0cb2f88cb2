/* Names of outputs by the files that they come from. */
#include "support/test.h"

#include "shared/stems.h"

static void expect_stem(const char *path, const char *wanted)
{
    HELD char *stem = stem_of(path);

    assert_string_equal(stem, wanted);
}

TEST(stem)
{
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

TEST(apart)
{
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
TEST(many)
{
    enum { N = 10000 };
    static char *stems[N];

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

static const char *wrong_of(size_t n, const char *const *paths)
{
    return stems_out_of_order((char *const *)paths, n);
}

TEST(shell_order)
{
    assert_string_equal(wrong_of(3, (const char *[]){"d/frame1.png", "d/frame10.png", "d/frame2.png"}), "d/frame2.png");
    assert_string_equal(wrong_of(3, (const char *[]){"f10.png", "f1.png", "f2.png"}), "f1.png"); /* other locales */
    assert_string_equal(wrong_of(4, (const char *[]){"t1_c1", "t100_c1", "t2_c1", "t20_c1"}), "t2_c1");
    assert_string_equal(wrong_of(3, (const char *[]){"9-a8.tif", "9-a80.tif", "9-a9.tif"}), "9-a9.tif");
}

/* Numbers in order, from each beginning, with zeros and without, backwards, and names without one number. */
TEST(other_orders)
{
    static char names[12][32];
    const char *paths[12];

    for (int first = 0; first < 60; first++)
        for (int kind = 0; kind < 3; kind++) {
            for (int i = 0; i < 12; i++) {
                snprintf(names[i], sizeof names[i], kind == 0 ? "d2/f%d_c1.png" : "f%04d.png",
                         kind == 2 ? 200 - first - 7 * i : first + 3 * i);
                paths[i] = names[i];
            }
            assert_null(wrong_of(12, paths));
        }
    assert_null(wrong_of(0, NULL));
    assert_null(wrong_of(1, (const char *[]){"a10.png"}));
    assert_null(wrong_of(3, (const char *[]){"a1.png", "b10.png", "a2.png"}));
    assert_null(wrong_of(3, (const char *[]){"a1.png", "a10.tif", "a2.png"}));
    assert_null(wrong_of(3, (const char *[]){"a1b1", "a1b10", "a2b10"}));
    assert_null(wrong_of(3, (const char *[]){"f3.png", "f20.png", "f1.png"}));
    assert_null(wrong_of(2, (const char *[]){"f01.png", "f1.png"}));
}
