/* Resources of a plan: kept, made again, released by hand and together, the one made last first. */
#include "support/test.h"

#include "core/internal.h"

enum { MANY = 100 };

typedef struct {
    int owner;
    penta_resources resources;
    penta_kernel one, range;
    penta_buffer buffer, uploaded;
    double *array, **rows;
    void *pinned;
    char *object;
    struct {
        penta_buffer first;
        int released;
    } part;
} plan;

static char destroyed[8];

static void destroy(char *object)
{
    strcat(destroyed, object);
}

static void release_part(void *part)
{
    plan *p = (plan *)((char *)part - offsetof(plan, part));

    penta_buffer_release(&p->part.first);
    p->part.released++;
}

static plan *make(penta_context *ctx)
{
    plan *p = (plan *)(uintptr_t)1;

    EXPECT_OK(ctx, penta_plan_alloc(ctx, &p));
    assert_ptr_equal(p->resources.ctx, ctx);
    assert_true(p->owner == 0 && !p->array && p->resources.count == 0);
    return p;
}

static void fill(plan *p)
{
    penta_resources *own = &p->resources;
    penta_context *ctx = own->ctx;

    EXPECT_OK(ctx, penta_kernel_get(own, "optmap/beats.cl", "optmap_beats_noise", "", &p->one));
    EXPECT_OK(ctx, penta_kernels_get(own, "optmap/beats.cl", "", KERNELS({&p->range, "optmap_beats_noise"})));
    EXPECT_OK(ctx, penta_buffer_create(own, 64, &p->buffer));
    EXPECT_OK(ctx, penta_buffer_upload(own, "uploaded", 8, &p->uploaded));
    EXPECT_OK(ctx, penta_calloc(own, 3, sizeof *p->array, &p->array));
    EXPECT_OK(ctx, penta_resources_pinned(own, 100, &p->pinned));
    EXPECT_OK(ctx, penta_buffer_create(own, 16, &p->part.first)); /* at the address of the struct that is kept next */
    EXPECT_OK(ctx, penta_own_struct(own, &p->part, release_part));
    EXPECT_OK(ctx, penta_calloc(own, MANY, sizeof *p->rows, &p->rows));
    for (int i = 0; i < MANY; i++) /* in memory that the list owns, so these must go first */
        EXPECT_OK(ctx, penta_calloc(own, 5, sizeof **p->rows, &p->rows[i]));
}

DEVICE_TEST(release)
{
    plan *p = make(ctx);
    uintptr_t pinned;
    char text[8];

    for (int round = 0; round < 2; round++) { /* the list is usable again */
        fill(p);
        assert_int_equal(p->resources.count, 9 + MANY);
        EXPECT_OK(ctx, penta_kernel_ready(&p->one));
        EXPECT_OK(ctx, penta_kernel_ready(&p->range));
        assert_true(p->one.handle && p->range.handle && p->buffer.mem && p->pinned && p->rows[MANY - 1]);
        EXPECT_OK(ctx, penta_buffer_read(&p->uploaded, 0, text, sizeof text));
        assert_memory_equal(text, "uploaded", 8);
        pinned = (uintptr_t)p->pinned;
        assert_true(penta_is_pinned(ctx, (void *)pinned, 100));
        penta_resources_release(&p->resources);
        penta_resources_release(&p->resources);
        assert_ptr_equal(p->resources.ctx, ctx);
        assert_true(!p->one.handle && !p->range.handle && !p->buffer.mem && !p->uploaded.mem);
        assert_true(!p->array && !p->pinned && !p->rows && !p->part.first.mem);
        assert_int_equal(p->part.released, round + 1);
        assert_false(penta_is_pinned(ctx, (void *)pinned, 1));
    }
    fill(p);
    penta_plan_free(p);
    p = NULL;
    penta_plan_free(p);
}

DEVICE_TEST(again)
{
    plan *p = make(ctx);
    penta_resources *own = &p->resources;
    size_t count;

    fill(p);
    count = own->count;
    p->array[2] = 3;
    EXPECT_OK(ctx, penta_buffer_create(own, 4096, &p->buffer)); /* grown */
    assert_int_equal(p->buffer.bytes, 4096);
    EXPECT_OK(ctx, penta_calloc(own, 3, sizeof *p->array, &p->array));
    assert_true(p->array[2] == 0);
    EXPECT_OK(ctx, penta_kernel_get(own, "optmap/beats.cl", "optmap_beats_noise", "", &p->one));
    EXPECT_OK(ctx, penta_resources_pinned(own, 200, &p->pinned));
    assert_int_equal(own->count, count);
    penta_buffer_release(&p->uploaded); /* by hand */
    free(p->array);
    p->array = NULL;
    assert_int_equal(penta_buffer_create(own, SIZE_MAX / 2, &p->buffer), PENTA_MEMORY);
    assert_null(p->buffer.mem);
    EXPECT_OK(ctx, penta_kernel_get(own, "optmap/beats.cl", "no_such_kernel", "", &p->one));
    assert_int_equal(penta_kernel_ready(&p->one), PENTA_DEVICE);
    assert_null(p->one.handle);
    penta_plan_free(p);
}

DEVICE_TEST(objects)
{
    char a[] = "a", b[] = "b", *later = NULL, *never = NULL;
    penta_resources own = {.ctx = ctx};
    char *first = a, *second = b;

    destroyed[0] = '\0';
    EXPECT_OK(ctx, penta_own(&own, &first, destroy));
    EXPECT_OK(ctx, penta_own(&own, &second, destroy));
    EXPECT_OK(ctx, penta_own(&own, &second, destroy)); /* once is enough */
    EXPECT_OK(ctx, penta_own(&own, &later, destroy));
    EXPECT_OK(ctx, penta_own(&own, &never, destroy));
    later = (char[]){"c"};
    penta_resources_release(&own);
    assert_string_equal(destroyed, "cba");
    assert_true(!first && !second && !later);
}

ON_DEVICE;
