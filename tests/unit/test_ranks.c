/* Ranks of numbers against a sort: random ones, many equal ones, sorted ones, few. */
#include "support/test.h"

#include "math/ranks.h"
#include "optmap/ranks.h"

enum { MOST = 700 };

/* Numbers of several kinds, from a linear congruential generator. */
static void fill(int kind, size_t n, double *values)
{
    uint32_t x = 1 + (uint32_t)n;

    for (size_t i = 0; i < n; i++) {
        x = x * 1664525 + 1013904223;
        values[i] = kind == 0   ? (double)x / 4294967296
                    : kind == 1 ? (double)(x >> 30)
                    : kind == 2 ? (double)i
                    : kind == 3 ? -(double)i
                    : kind == 4 ? (double)(i < n / 2 ? i : n - i)
                                : 7;
    }
}

enum { KINDS = 6 };

static void expect_rank(const double *values, const double *sorted, size_t n, size_t rank)
{
    double own[MOST];

    memcpy(own, values, n * sizeof *own);
    assert_true(penta_select(n, own, rank) == sorted[rank]);
    for (size_t i = 0; i < n; i++)
        assert_true(i < rank ? own[i] <= own[rank] : own[i] >= own[rank]);
    qsort(own, n, sizeof *own, penta_compare_doubles);
    assert_memory_equal(own, sorted, n * sizeof *own); /* none is lost */
}

TEST(select)
{
    static const size_t counts[] = {1, 2, 3, 4, 5, 8, 25, 64, 699, MOST};

    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        for (int kind = 0; kind < KINDS; kind++) {
            size_t n = counts[k], step = n > 30 ? n / 11 : 1;
            double values[MOST], sorted[MOST];

            fill(kind, n, values);
            memcpy(sorted, values, n * sizeof *sorted);
            qsort(sorted, n, sizeof *sorted, penta_compare_doubles);
            for (size_t rank = 0; rank < n; rank += step)
                expect_rank(values, sorted, n, rank);
            expect_rank(values, sorted, n, n - 1);
        }
}

TEST(few)
{
    for (size_t n = 0; n <= 25; n++)
        for (int kind = 0; kind < KINDS; kind++) {
            double values[25], sorted[25];

            fill(kind, n, values);
            memcpy(sorted, values, n * sizeof *sorted);
            qsort(sorted, n, sizeof *sorted, penta_compare_doubles);
            optmap_sort_few(values, n);
            assert_memory_equal(values, sorted, n * sizeof *sorted);
        }
}

TEST(sort_floats)
{
    static const size_t counts[] = {0, 1, 2, 511, 512, MOST};

    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        for (int kind = 0; kind < KINDS; kind++) {
            size_t n = counts[k];
            double numbers[MOST];
            float values[MOST], sorted[MOST];

            fill(kind, n, numbers);
            for (size_t i = 0; i < n; i++)
                sorted[i] = values[i] = i % 97 == 5 ? -INFINITY : i % 89 == 7 ? -0.0F : (float)numbers[i] - 0.25F;
            qsort(sorted, n, sizeof *sorted, penta_compare_floats);
            optmap_sort(values, n);
            for (size_t i = 0; i < n; i++)
                assert_true(values[i] == sorted[i]);
        }
}

TEST(medians)
{
    double odd[] = {5, 1, 3}, even[] = {4, 1, 3, 2}, upper[] = {4, 1, 3, 2};

    assert_true(penta_median(3, odd) == 3);
    assert_true(penta_median(4, even) == 2.5);
    assert_true(optmap_median(upper, 4) == 3);
}
