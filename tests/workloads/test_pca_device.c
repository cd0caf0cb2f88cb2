/*
 * Cubes, masks and results in device memory and in place: the same bits as of rows that are copied one by one, for each
 * layout and place; no copy where none is needed; no waiting for the device where nothing comes back to the host.
 */
#include "support/test.h"

#include <unistd.h>

#include "pca/pca.h"
#include "support/device_array.h"
#include "support/numbers.h"
#include "support/pca_cube.h"

enum { BANDS = 9, ROWS = 27, COLS = 64, PIXELS = ROWS * COLS, SLAB = PCA_UNIT, OUTS = 4, STRIDE = PIXELS + 11 };
enum { IN_HOST = -1 }; /* or AT_START, AT_ALIGNED, AT_ODD */

static const int layouts[] = {PENTA_BSQ, PENTA_BIL, PENTA_BIP};
static const int everywhere[] = {IN_HOST, AT_START, AT_ALIGNED, AT_ODD};

/* An array at one of the places. */
typedef struct {
    device_array device;
    void *address;
} placed;

static placed place(penta_context *ctx, int where, const void *data, size_t bytes)
{
    placed p = {.address = (void *)data};

    if (data && where != IN_HOST) {
        p.device = make_device_array(ctx, (size_t)where, data, bytes);
        p.address = p.device.address;
    }
    return p;
}

static void free_placed(placed *p)
{
    if (p->device.address)
        free_device_array(&p->device);
}

/* ---- statistics ---- */

static penta_pca *limited_plan(penta_context *ctx, const pca_cube *c, const penta_pca_options *o)
{
    penta_pca *plan = plan_of_pca_cube(ctx, c, o);

    pca_limit_slabs(plan, SLAB);
    return plan;
}

static void expect_same_model(const penta_pca_model *a, const penta_pca_model *b)
{
    assert_int_equal(a->pixels, b->pixels);
    assert_memory_equal(a->mean, b->mean, BANDS * sizeof(double));
    assert_memory_equal(a->covariance, b->covariance, BANDS * BANDS * sizeof(double));
    assert_memory_equal(a->loadings, b->loadings, a->components * BANDS * sizeof(double));
}

/* One row at a time never makes a whole slab, so that all of them are copied. */
static penta_pca_model copied_model(penta_context *ctx, const pca_cube *c, const penta_pca_options *o)
{
    HELD_BY(penta_pca_held) penta_pca *plan = limited_plan(ctx, c, o);
    penta_pca_model m;

    add_pca_cube(ctx, plan, c, PENTA_BSQ, 1);
    EXPECT_OK(ctx, penta_pca_solve(plan, &m));
    return m;
}

static void check_statistics(penta_context *ctx, penta_type type, bool masked, const penta_pca_options *o)
{
    HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(BANDS, ROWS, COLS, type, 7);
    penta_pca_model want, got;

    if (masked)
        mask_pca_cube(&c);
    want = copied_model(ctx, &c, o);
    for (size_t l = 0; l < COUNT(layouts); l++)
        for (size_t w = 0; w < COUNT(everywhere); w++) {
            HELD_BY(penta_pca_held) penta_pca *plan = limited_plan(ctx, &c, o);
            penta_cube_rows rows = rows_of_pca_cube(&c, layouts[l], 0, ROWS);
            HELD_BY(free_placed)
            placed data = place(ctx, everywhere[w], rows.data, BANDS * PIXELS * penta_type_size(type));
            HELD_BY(free_placed) placed mask = place(ctx, everywhere[w], rows.mask, PIXELS);
            HELD void *host = (void *)rows.data;

            rows.data = data.address;
            rows.mask = mask.address;
            for (int again = 0; again < 2; again++) {
                EXPECT_OK(ctx, penta_pca_add(plan, &rows));
                EXPECT_OK(ctx, penta_pca_solve(plan, &got));
                expect_same_model(&got, &want);
                penta_pca_model_free(&got);
                penta_pca_reset(plan);
            }
        }
    penta_pca_model_free(&want);
}

TEST(statistics)
{
    static const penta_type types[] = {PENTA_U8, PENTA_I16, PENTA_F32, PENTA_F64};
    penta_pca_options o = default_pca_options();

    for (size_t t = 0; t < COUNT(types); t++)
        for (int masked = 0; masked < 2; masked++)
            check_statistics(device_of(state), types[t], masked, &o);
    o.kind = PENTA_PCA_MNF;
    check_statistics(device_of(state), PENTA_F32, false, &o);
    o.kind = PENTA_PCA_PCA;
    o.no_data = "12345";
    check_statistics(device_of(state), PENTA_F64, false, &o);
}

/* Bands further apart than the piece is large, in two pieces of whole slabs and a rest; pixels that stay. */
DEVICE_TEST(pieces)
{
    enum { FIRST = 16 };
    penta_pca_options o = default_pca_options();
    HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(BANDS, ROWS, COLS, PENTA_F64, 8);
    penta_pca_model want = copied_model(ctx, &c, &o), got;
    penta_cube_rows all = rows_of_pca_cube(&c, PENTA_BSQ, 0, ROWS);

    for (size_t w = 0; w < COUNT(everywhere); w++)
        for (int keep = 0; keep < 2; keep++) {
            HELD_BY(penta_pca_held) penta_pca *plan = limited_plan(ctx, &c, &o);
            HELD_BY(free_placed) placed data = place(ctx, everywhere[w], all.data, BANDS * PIXELS * sizeof(double));
            penta_cube_rows first = all, second = all;

            if (keep)
                EXPECT_OK(ctx, penta_pca_keep(plan, 0));
            first.rows = FIRST;
            second.rows = ROWS - FIRST;
            first.band_stride = second.band_stride = PIXELS;
            first.data = data.address;
            second.data = (double *)data.address + FIRST * COLS;
            EXPECT_OK(ctx, penta_pca_add(plan, &first));
            EXPECT_OK(ctx, penta_pca_add(plan, &second));
            EXPECT_OK(ctx, penta_pca_solve(plan, &got));
            expect_same_model(&got, &want);
            assert_int_equal(penta_pca_has_kept(plan), keep);
            penta_pca_model_free(&got);
        }
    penta_pca_model_free(&want);
    free((void *)all.data);
}

/* ---- maps ---- */

static penta_map *make_map(penta_context *ctx, int precision)
{
    static double matrix[OUTS * BANDS], before[BANDS];
    penta_map *map = NULL;

    for (size_t i = 0; i < OUTS * BANDS; i++)
        matrix[i] = (double)((i * 37) % 19) / 7 - 1;
    for (size_t i = 0; i < BANDS; i++)
        before[i] = (double)i;
    EXPECT_OK(ctx, penta_map_create(ctx, &(penta_affine){BANDS, OUTS, matrix, before, NULL}, precision, NULL, &map));
    pca_limit_map(map, SLAB, 8);
    return map;
}

/* What lies between outputs is not the library's. */
static void expect_gaps(const uint8_t *out, size_t size)
{
    for (size_t o = 0; o + 1 < OUTS; o++)
        for (size_t i = (o * STRIDE + PIXELS) * size; i < (o + 1) * STRIDE * size; i++)
            assert_int_equal(out[i], GUARD);
}

static void take_results(penta_context *ctx, penta_map *map, penta_type type, int where, uint8_t *out, uint8_t *valid)
{
    size_t bytes = OUTS * STRIDE * penta_type_size(type);
    penta_map_format format = {.type = type, .fill = 77, .valid = valid};
    HELD_BY(free_placed) placed to, flags;

    memset(out, GUARD, bytes);
    to = place(ctx, where, out, bytes);
    flags = place(ctx, where, valid, PIXELS);
    format.valid = flags.address;
    EXPECT_OK(ctx, penta_map_take(map, &format, to.address, STRIDE));
    if (where != IN_HOST) {
        read_device_array(&to.device, out);
        read_device_array(&flags.device, valid);
    }
    expect_gaps(out, penta_type_size(type));
}

static void check_maps(penta_context *ctx, penta_type type, penta_type result, bool masked)
{
    HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(BANDS, ROWS, COLS, type, 9);
    size_t bytes = OUTS * STRIDE * penta_type_size(result);
    HELD uint8_t *want = must_calloc(bytes, 1), *got = must_calloc(bytes, 1);
    uint8_t want_valid[PIXELS], got_valid[PIXELS] = {0};
    HELD_BY(penta_map_held) penta_map *map = make_map(ctx, PENTA_PRECISION_AUTO);

    if (masked)
        mask_pca_cube(&c);
    for (size_t row = 0; row < ROWS; row++) {
        penta_cube_rows one = rows_of_pca_cube(&c, PENTA_BSQ, row, 1);

        EXPECT_OK(ctx, penta_map_add(map, &one));
        free((void *)one.data);
    }
    take_results(ctx, map, result, IN_HOST, want, want_valid);
    for (size_t l = 0; l < COUNT(layouts); l++)
        for (size_t w = 0; w < COUNT(everywhere); w++) {
            penta_cube_rows rows = rows_of_pca_cube(&c, layouts[l], 0, ROWS);
            HELD_BY(free_placed)
            placed data = place(ctx, everywhere[w], rows.data, BANDS * PIXELS * penta_type_size(type));
            HELD_BY(free_placed) placed mask = place(ctx, everywhere[w], rows.mask, PIXELS);
            HELD void *host = (void *)rows.data;

            rows.data = data.address;
            rows.mask = mask.address;
            EXPECT_OK(ctx, penta_map_add(map, &rows));
            take_results(ctx, map, result, everywhere[w], got, got_valid);
            assert_memory_equal(got, want, bytes);
            assert_memory_equal(got_valid, want_valid, PIXELS);
        }
}

TEST(maps)
{
    static const struct {
        penta_type type, result;
    } all[] = {{PENTA_F64, PENTA_F64}, {PENTA_F32, PENTA_F32}, {PENTA_U16, PENTA_I16}, {PENTA_U8, PENTA_F32}};

    for (size_t i = 0; i < COUNT(all); i++)
        for (int masked = 0; masked < 2; masked++)
            check_maps(device_of(state), all[i].type, all[i].result, masked);
}

/* ---- copies ---- */

/* Of whole slabs where they lie, no pixel and no result is copied; where parts of buffers cannot be used, slabs of BSQ
 * behind the first are, on the device. What is transferred is of a few numbers a band. */
static void check_traffic(penta_context *ctx, int layout, int where)
{
    enum { FULL_ROWS = 24 }; /* three slabs */
    HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(BANDS, FULL_ROWS, COLS, PENTA_F64, 10);
    penta_cube_rows rows = rows_of_pca_cube(&c, layout, 0, FULL_ROWS);
    size_t pixels = FULL_ROWS * COLS, in_bytes = BANDS * pixels * sizeof(double);
    HELD double *result = must_calloc(OUTS * pixels, sizeof *result);
    HELD_BY(free_placed) placed data = place(ctx, where, rows.data, in_bytes);
    HELD_BY(free_placed) placed to = place(ctx, where, result, OUTS * pixels * sizeof *result);
    HELD_BY(penta_pca_held) penta_pca *plan = limited_plan(ctx, &c, NULL);
    HELD_BY(penta_map_held) penta_map *map = make_map(ctx, PENTA_PRECISION_AUTO);
    penta_map_format format = {.type = PENTA_F64};
    HELD void *host = (void *)rows.data;
    traffic t;

    rows.data = data.address;
    penta_profile_reset(ctx);
    EXPECT_OK(ctx, penta_pca_add(plan, &rows));
    EXPECT_OK(ctx, penta_map_add(map, &rows));
    EXPECT_OK(ctx, penta_map_take(map, &format, to.address, pixels));
    t = traffic_of(ctx);
    if (works_in_place(ctx, AT_ALIGNED) || (layout != PENTA_BSQ && where == AT_START))
        assert_int_equal(t.copies, 0);
    if (t.transferred > in_bytes / 20)
        fail_msg("layout %d at %d: %zu bytes were transferred", layout, where, t.transferred);
}

DEVICE_TEST(no_copies)
{
    for (size_t l = 0; l < COUNT(layouts); l++) {
        check_traffic(ctx, layouts[l], AT_START);
        check_traffic(ctx, layouts[l], AT_ALIGNED);
        if (penta_is_cpu(ctx))
            check_traffic(ctx, layouts[l], IN_HOST);
    }
}

/* ---- no waiting ---- */

typedef struct {
    penta_context *ctx;
    penta_map *map;
    void *in, *out;
    penta_type from, to;
} link_of_chain;

/* Rows from device memory into device memory, after the event; says when they are there. */
static cl_event map_after(const link_of_chain *m, size_t pixels, cl_event before)
{
    penta_cube_rows rows = {.rows = pixels / COLS, .cols = COLS, .layout = PENTA_BSQ, .type = m->from, .data = m->in};
    penta_map_format format = {.type = m->to};
    cl_event done;

    if (before)
        EXPECT_OK(m->ctx, penta_opencl_wait(m->ctx, 1, &before));
    EXPECT_OK(m->ctx, penta_map_add(m->map, &rows));
    EXPECT_OK(m->ctx, penta_map_take(m->map, &format, m->out, pixels));
    EXPECT_OK(m->ctx, penta_opencl_done(m->ctx, &done));
    return done;
}

static penta_map *mixing_map(penta_context *ctx)
{
    double matrix[BANDS * BANDS];
    penta_map *map = NULL;

    for (size_t i = 0; i < BANDS * BANDS; i++)
        matrix[i] = i % (BANDS + 1) == 0 ? 1 : (double)(i % 5) / 16;
    EXPECT_OK(ctx, penta_map_create(ctx, &(penta_affine){BANDS, BANDS, matrix, NULL, NULL}, PENTA_PRECISION_AUTO, NULL,
                                    &map));
    pca_limit_map(map, SLAB, 8);
    return map;
}

/* Two maps in turn, in two contexts on one OpenCL context, one of them on the caller's queue: what one writes the other
 * reads. All is enqueued while an event of the caller's holds the first one back. */
TEST_IN(AS_IT_IS, two_plans)
{
    enum { TURNS = 6, FULL_ROWS = 24, ALL = FULL_ROWS * COLS }; /* three slabs */
    penta_context *ctx = *state, *a = NULL, *b = NULL;
    HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(BANDS, FULL_ROWS, COLS, PENTA_I16, 11);
    penta_cube_rows rows = rows_of_pca_cube(&c, PENTA_BSQ, 0, FULL_ROWS);
    size_t bytes = BANDS * ALL * sizeof(int16_t);
    int16_t *got = must_calloc(1, bytes), *want[2] = {must_calloc(1, bytes), must_calloc(1, bytes)};
    device_array first = make_device_array(ctx, AT_START, rows.data, bytes);
    device_array second = make_device_array(ctx, AT_START, NULL, bytes);
    penta_map_format format = {.type = PENTA_I16};
    link_of_chain there, back;
    cl_command_queue queue;
    cl_event gate, last, warm;
    cl_int code;

    assert_int_equal(penta_context_from_opencl(penta_opencl_context(ctx), penta_opencl_device(ctx), &a), PENTA_OK);
    assert_int_equal(penta_context_from_opencl(penta_opencl_context(ctx), penta_opencl_device(ctx), &b), PENTA_OK);
    queue = clCreateCommandQueue(penta_opencl_context(ctx), penta_opencl_device(ctx), CL_QUEUE_PROFILING_ENABLE, &code);
    assert_int_equal(code, CL_SUCCESS);
    EXPECT_OK(a, penta_opencl_use_queue(a, queue));
    there = (link_of_chain){.ctx = a, .map = mixing_map(a), .from = PENTA_I16, .to = PENTA_I16};
    back = (link_of_chain){.ctx = b, .map = mixing_map(b), .from = PENTA_I16, .to = PENTA_I16};
    EXPECT_OK(a, penta_opencl_array(a, first.memory, 0, bytes, &there.in));
    EXPECT_OK(a, penta_opencl_array(a, second.memory, 0, bytes, &there.out));
    EXPECT_OK(b, penta_opencl_array(b, second.memory, 0, bytes, &back.in));
    EXPECT_OK(b, penta_opencl_array(b, first.memory, 0, bytes, &back.out));

    /* What is right: the same through host memory, and the kernels are compiled. */
    memcpy(want[0], rows.data, bytes);
    for (int turn = 0; turn < TURNS; turn++) {
        rows.data = want[turn % 2];
        EXPECT_OK(ctx, penta_map_add(turn % 2 ? back.map : there.map, &rows));
        EXPECT_OK(ctx, penta_map_take(turn % 2 ? back.map : there.map, &format, want[1 - turn % 2], ALL));
    }
    penta_profile_reset(a);
    penta_profile_reset(b);

    gate = last = clCreateUserEvent(penta_opencl_context(ctx), &code);
    alarm(100); /* a call that waits would wait for ever */
    for (int turn = 0; turn < TURNS; turn++) {
        warm = map_after(turn % 2 ? &back : &there, ALL, last);
        if (last != gate)
            clReleaseEvent(last);
        last = warm;
    }
    assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    assert_int_equal(clWaitForEvents(1, &last), CL_SUCCESS);
    alarm(0);
    clReleaseEvent(last);
    clReleaseEvent(gate);
    assert_int_equal(traffic_of(a).transfers + traffic_of(b).transfers, 0);
    if (works_in_place(ctx, AT_ALIGNED))
        assert_int_equal(traffic_of(a).copies + traffic_of(b).copies, 0);
    assert_true(traffic_of(a).kernels > 0 && traffic_of(b).kernels > 0);
    read_device_array(&first, got);
    assert_memory_equal(got, want[0], bytes);
    read_device_array(&second, got);
    assert_memory_equal(got, want[1], bytes);

    penta_map_destroy(there.map);
    penta_map_destroy(back.map);
    penta_context_destroy(a);
    penta_context_destroy(b);
    clReleaseCommandQueue(queue);
    free_device_array(&first);
    free_device_array(&second);
    free(want[0]);
    free(want[1]);
    free(got);
}

/* ---- refusals ---- */

TEST(refusals)
{
    penta_context *ctx = device_of(state), *other = NULL;
    HELD_BY(free_pca_cube) pca_cube c = make_pca_cube(BANDS, ROWS, COLS, PENTA_F32, 12);
    penta_cube_rows rows = rows_of_pca_cube(&c, PENTA_BSQ, 0, ROWS);
    size_t bytes = BANDS * PIXELS * sizeof(float);
    HELD_BY(free_device_array) device_array full = make_device_array(ctx, AT_START, rows.data, bytes), mask;
    HELD_BY(free_device_array) device_array small = make_device_array(ctx, AT_START, rows.data, bytes - 1), foreign;
    HELD_BY(penta_pca_held) penta_pca *plan = limited_plan(ctx, &c, NULL);
    HELD_BY(penta_map_held) penta_map *map = make_map(ctx, PENTA_PRECISION_SINGLE);
    penta_map_format format = {.type = PENTA_F32};
    penta_pca_model m;

    assert_int_equal(penta_context_create(NULL, &other), PENTA_OK);
    foreign = make_device_array(other, AT_START, rows.data, bytes);
    mask = make_device_array(ctx, AT_START, NULL, PIXELS - 1);
    free((void *)rows.data);
    rows.data = small.address;
    EXPECT_REFUSED(ctx, penta_pca_add(plan, &rows), PENTA_INVALID,
                   "62208 bytes are needed of a device array that has 62207");
    assert_int_equal(penta_map_add(map, &rows), PENTA_INVALID);
    rows.data = foreign.address;
    EXPECT_REFUSED(ctx, penta_pca_add(plan, &rows), PENTA_INVALID, "belongs to another context");
    rows.data = full.address;
    rows.mask = mask.address;
    EXPECT_REFUSED(ctx, penta_pca_add(plan, &rows), PENTA_INVALID,
                   "1728 bytes are needed of a device array that has 1727");

    /* Nothing has happened to the plan and the map. */
    rows.mask = NULL;
    EXPECT_OK(ctx, penta_pca_add(plan, &rows));
    EXPECT_OK(ctx, penta_pca_solve(plan, &m));
    assert_int_equal(m.pixels, PIXELS);
    penta_pca_model_free(&m);
    EXPECT_OK(ctx, penta_map_add(map, &rows));
    EXPECT_REFUSED(ctx, penta_map_take(map, &format, mask.address, PIXELS), PENTA_INVALID,
                   "of a device array that has 1727");
    penta_opencl_array_release(ctx, full.address);
    EXPECT_REFUSED(ctx, penta_pca_add(plan, &rows), PENTA_INVALID, "was released");

    penta_context_destroy(other);
}

ON_DEVICE;
AS_ON_A_GPU;
