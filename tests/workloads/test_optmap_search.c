/* The search for t0 of engine `literal` by itself: equal values, which transforms hardly ever give. */
#include "support/test.h"

#include "core/core.h"

enum { Z = 1024, MOST = 300, SLOTS = 3 };

/* Shifts of neighbours 2 i and 2 i + 1 of the middle pixel of 3 x 3, the window, by literal_search and literal_reduce.
 */
static void search(penta_context *ctx, int elements, const double (*work)[Z][2], int32_t shifts[9])
{
    int group = penta_is_cpu(ctx) ? 1 : 128, parts = (2 * MOST + group * elements) / (group * elements);
    size_t items = (size_t)(parts * group), most = (size_t)(SLOTS * parts);
    penta_grid grid = penta_grid_groups(penta_grid_2d(items, SLOTS), (size_t)group, 1, 1);
    penta_kernel look = {0}, reduce = {0};
    penta_buffer data = {0}, values = {0}, places = {0}, pairs = {0}, out = {0};
    const int32_t slots[SLOTS][4] = {{4, 0, 1, 0}, {4, 2, 3, 1}, {4, 5, 6, 2}};
    char defines[64];

    snprintf(defines, sizeof defines, "-DWINDOW=3 -DELEMENTS=%d -DGROUP=%d", elements, group);
    EXPECT_OK(ctx, penta_kernel_get(ctx, "optmap/literal_search.cl", "literal_search", defines, &look));
    EXPECT_OK(ctx, penta_kernel_get(ctx, "optmap/literal_search.cl", "literal_reduce", defines, &reduce));
    EXPECT_OK(ctx, penta_buffer_create(ctx, SLOTS * sizeof *work, &data));
    EXPECT_OK(ctx, penta_buffer_write(&data, 0, work, SLOTS * sizeof *work));
    EXPECT_OK(ctx, penta_buffer_create(ctx, most * 2 * sizeof(double), &values));
    EXPECT_OK(ctx, penta_buffer_create(ctx, most * 2 * sizeof(int32_t), &places));
    EXPECT_OK(ctx, penta_buffer_create(ctx, sizeof slots, &pairs));
    EXPECT_OK(ctx, penta_buffer_write(&pairs, 0, slots, sizeof slots));
    EXPECT_OK(ctx, penta_buffer_create(ctx, 9 * sizeof *shifts, &out));
    EXPECT_OK(ctx, penta_launch(&look, grid, ARGS(&data, (int)Z, (int)MOST, 0.0, &values, &places)));
    EXPECT_OK(ctx, penta_launch(&reduce, penta_grid_rows(penta_grid_1d(SLOTS)),
                                ARGS(&values, &places, &pairs, parts, (int)MOST, 4, (int)SLOTS, 0.0, &out)));
    EXPECT_OK(ctx, penta_buffer_read(&out, 0, shifts, 9 * sizeof *shifts));
    penta_kernel_release(&look), penta_kernel_release(&reduce);
    penta_buffer_release(&data), penta_buffer_release(&values), penta_buffer_release(&places);
    penta_buffer_release(&pairs), penta_buffer_release(&out);
}

/* Without double precision engine literal has no transforms to search. */
static penta_context *search_of(void **state)
{
    penta_context *ctx = device_of(state);

    if (lacks_double(ctx, "the search among transforms in double"))
        skip();
    return ctx;
}

static double *at(double (*work)[Z][2], int pair, int lag)
{
    return &work[pair / 2][lag & (Z - 1)][pair % 2];
}

/* The first of equal values in the order 0, 1, .., -2, -1; the ends of the range; nothing beyond it. */
TEST(first_of_equals)
{
    static const struct {
        int lags[4]; /* that hold the largest value */
        int expected;
    } cases[2 * SLOTS] = {{{-1, -2, 150, 149}, 149}, {{-1, -300, -299, -129}, -300}, {{300, 299, -300, -1}, 299},
                          {{0, 1, -1, 300}, 0},      {{301, -301, 512, -5}, -5},     {{17, 145, 273, 18}, 17}};
    penta_context *ctx = search_of(state);
    double(*work)[Z][2] = must_calloc(SLOTS, sizeof *work);

    for (int pair = 0; pair < 2 * SLOTS; pair++)
        for (int lag = 0; lag < Z; lag++)
            *at(work, pair, lag) = -2 - lag % 7;
    for (int pair = 0; pair < 2 * SLOTS; pair++)
        for (int i = 0; i < 4; i++)
            *at(work, pair, cases[pair].lags[i]) = -1;
    for (int elements = 2; elements <= 128; elements *= 4) {
        int32_t shifts[9];

        search(ctx, elements, (const double(*)[Z][2])work, shifts);
        for (int pair = 0; pair < 2 * SLOTS; pair++)
            assert_int_equal(shifts[pair < 4 ? pair : pair + 1], cases[pair].expected);
    }
    free(work);
}

/* All lags equal. */
TEST(all_equal)
{
    penta_context *ctx = search_of(state);
    double(*work)[Z][2] = must_calloc(SLOTS, sizeof *work);
    int32_t shifts[9];

    search(ctx, 16, (const double(*)[Z][2])work, shifts);
    for (int pair = 0; pair < 2 * SLOTS; pair++)
        assert_int_equal(shifts[pair < 4 ? pair : pair + 1], 0);
    free(work);
}

ON_DEVICE;
AS_ON_A_GPU;
