/* Faults in functions without a plan: the list of devices, fits of growth, the index of the sky and its TAN-SIP fit. */
#include "faults/sweep.h"

#include "support/device.h"
#include "support/random.h"

/* ---- devices ---- */

static penta_status attempt_devices(trial *t)
{
    penta_device *devices = (penta_device *)(uintptr_t)1;
    size_t count = 99;
    penta_status status;

    begin_faults(t);
    status = penta_devices(&devices, &count);
    end_faults(t, NULL, status);
    if (status == PENTA_OK) {
        assert_non_null(devices);
    } else {
        assert_null(devices);
        assert_int_equal(count, 0);
    }
    if (t->kind == FAULT_MEMORY && t->struck)
        assert_int_equal(status, PENTA_MEMORY);
    penta_devices_free(devices);
    return status;
}

TEST_WITH(no_faults, NULL, devices)
{
    sweep(&(job){.name = "devices", .attempt = attempt_devices, .leaves_out = true});
}

/* ---- resources ---- */

enum { ARRAYS = 20 };

typedef struct {
    penta_resources resources;
    penta_kernel kernel;
    penta_buffer buffer;
    char *arrays[ARRAYS];
    void *pinned, *object;
} owner;

static penta_status own_object(owner *plan)
{
    free(plan->object);
    plan->object = calloc(1, 1);
    if (!plan->object)
        return penta_fail(plan->resources.ctx, PENTA_MEMORY, "out of host memory");
    return penta_own(&plan->resources, &plan->object, free);
}

static penta_status attempt_resources(trial *t)
{
    penta_status status = PENTA_OK;
    owner *plan = (owner *)(uintptr_t)1;

    begin_faults(t);
    TRY(penta_plan_alloc(t->ctx, &plan));
    TRY(penta_kernels_get(&plan->resources, "optmap/beats.cl", "", KERNELS({&plan->kernel, "optmap_beats_noise"})));
    TRY(own_object(plan));
    for (int i = 0; i < ARRAYS; i++) /* the list grows on the way */
        TRY(penta_calloc(&plan->resources, 1, 1, &plan->arrays[i]));
    TRY(own_object(plan));
    TRY(penta_buffer_upload(&plan->resources, "abc", 3, &plan->buffer));
    TRY(penta_buffer_create(&plan->resources, 64, &plan->buffer));
    TRY(penta_resources_pinned(&plan->resources, 8, &plan->pinned));
cleanup:
    end_faults(t, t->ctx, status);
    faults_disarm();
    if (plan && status != PENTA_OK)
        penta_resources_release(&plan->resources);
    penta_plan_free(plan);
    return status;
}

TEST_WITH(no_faults, NULL, resources)
{
    sweep(&(job){.name = "resources", .attempt = attempt_resources, .least = 4});
}

/* ---- growth ---- */

enum { TIMES = 12 };

static double times[TIMES], lengths[TIMES];
static penta_growth_fit right[PENTA_GROWTH_MODELS];

static penta_status attempt_growth(trial *t)
{
    penta_growth_fit fits[PENTA_GROWTH_MODELS];
    bool outlier[TIMES];
    penta_status status;

    begin_faults(t);
    status = penta_growth_fit_all(TIMES, times, lengths, NULL, outlier, fits);
    end_faults(t, NULL, status);
    assert_int_equal(status, t->struck ? PENTA_MEMORY : PENTA_OK);
    if (status != PENTA_OK)
        return status;
    assert_true(outlier[6]);
    for (int m = 0; m < PENTA_GROWTH_MODELS; m++)
        for (size_t k = 0; k < right[m].parameters; k++)
            assert_memory_equal(&fits[m].value[k], &right[m].value[k], sizeof(double));
    return status;
}

TEST_WITH(no_faults, NULL, growth)
{
    bool outlier[TIMES];

    for (int i = 0; i < TIMES; i++) {
        times[i] = i;
        lengths[i] = 10 + 0.5 * i + 0.05 * (i * 7 % 5) + (i == 6 ? 9 : 0);
    }
    assert_int_equal(penta_growth_fit_all(TIMES, times, lengths, NULL, outlier, right), PENTA_OK);
    sweep(&(job){.name = "fits of growth", .attempt = attempt_growth, .on_host = true, .least = 4});
}

/* ---- sky ---- */

enum { SKY_STARS = 3000, FOUND = 600 };

static double ras[SKY_STARS], decs[SKY_STARS];

static penta_status query(const penta_sky_index *index)
{
    static size_t ids[SKY_STARS];
    size_t count = 0;
    penta_status status = penta_sky_index_query(index, 123, 4, 60, SKY_STARS, ids, &count);

    if (status != PENTA_OK)
        return status;
    assert_true(count > FOUND);
    for (size_t i = 0, at = 0; i < SKY_STARS; i++)
        if (penta_sky_separation(123, 4, ras[i], decs[i]) <= 60)
            assert_int_equal(ids[at++], i);
    return PENTA_OK;
}

static penta_status attempt_index(trial *t)
{
    HELD_BY(penta_sky_index_held) penta_sky_index *index = (penta_sky_index *)(uintptr_t)1;
    penta_status status;

    begin_faults(t);
    status = penta_sky_index_create(SKY_STARS, ras, decs, &index);
    assert_true((status == PENTA_OK) == (index != NULL));
    if (index)
        status = query(index);
    end_faults(t, NULL, status);
    faults_disarm();
    if (index)
        EXPECT_OK(NULL, query(index));
    return status;
}

static penta_status attempt_fit(trial *t)
{
    penta_camera camera;
    penta_attitude attitude;
    penta_sky_view view;
    penta_sip_residual residual;
    penta_wcs wcs;
    penta_status status;

    EXPECT_OK(NULL, penta_camera_init(800, 600, 900, &camera));
    camera.k1 = -0.1;
    EXPECT_OK(NULL, penta_attitude_from_radec(80, -3, 20, &attitude));
    EXPECT_OK(NULL, penta_sky_view_from_camera(&attitude, &camera, &view));
    begin_faults(t);
    status = penta_sky_fit_sip(&view, 4, &wcs, &residual);
    end_faults(t, NULL, status);
    if (status == PENTA_OK)
        assert_true(wcs.a_order == 4 && residual.forward > 0 && residual.forward < 1);
    return status;
}

TEST_WITH(no_faults, NULL, sky)
{
    random_seed(3);
    for (size_t i = 0; i < SKY_STARS; i++) {
        ras[i] = 360 * random_uniform();
        decs[i] = asin(2 * random_uniform() - 1) * 57.29577951308232;
    }
    sweep(&(job){.name = "index of the sky", .attempt = attempt_index, .on_host = true});
    sweep(&(job){.name = "TAN-SIP fit", .attempt = attempt_fit, .on_host = true});
}
