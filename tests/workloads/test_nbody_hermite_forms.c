/* Both forms of the Hermite integrator's kernels, and restart. */
#include "support/test.h"

#include "reference/nbody.h"
#include "support/hermite_run.h"

/* ---- forms of the kernels ---- */

/* The state that is kept: 2 numbers, accelerations and jerks as arrays of coordinates, levels. */
static double *kept_of(simulation *s, size_t *count)
{
    double *kept;

    *count = nbody_hermite.kept(s->state);
    kept = must_calloc(*count, sizeof *kept);
    EXPECT_OK(s->setup.ctx, nbody_hermite.save(s->state, &s->bodies, 0, nbody_hermite.kept(s->state), kept));
    return kept;
}

/* Accelerations and jerks at the end of a step, which come from the predicted bodies: the step is too short to move. */
static void compare_with_reference(penta_context *ctx, int precision, size_t n, double eps, double tolerance)
{
    method m = {PENTA_NBODY_FIXED, precision, 1e-300, 0, eps};
    HELD double *rows = plummer_sphere(n), *a = must_calloc(3 * n, sizeof *a), *want = must_calloc(3 * n, sizeof *want),
                *kept;
    reference_nbody_errors of_a, of_j;
    simulation s;
    size_t count;

    if (n > 2) /* at one place: no force between these two where eps is 0 */
        memcpy(rows + 7 * (n - 1) + 1, rows + 1, 3 * sizeof *rows);
    s = simulation_start(ctx, m, n, rows);
    simulation_go(&s, 1);
    kept = kept_of(&s, &count);
    for (size_t i = 0; i < 3 * n; i++)
        a[i] = kept[2 + i % 3 * n + i / 3];
    reference_nbody_forces(n, rows, eps, want, NULL);
    of_a = reference_nbody_compare(n, a, want);
    for (size_t i = 0; i < n; i++)
        reference_jerk(n, rows, eps, i, want + 3 * i);
    for (size_t i = 0; i < 3 * n; i++)
        a[i] = kept[2 + (3 + i % 3) * n + i / 3];
    of_j = reference_nbody_compare(n, a, want);
    print_message("precision %d, n %zu, eps %g: acceleration %.2g (median) %.2g (worst), jerk %.2g %.2g\n", precision,
                  n, eps, of_a.median, of_a.largest, of_j.median, of_j.largest);
    assert_true(of_a.median <= tolerance && of_a.largest <= 20 * tolerance);
    assert_true(of_j.median <= 2 * tolerance && of_j.largest <= 100 * tolerance);
    assert_true(s.interactions >= 2.0 * (double)(n * n) && s.interactions <= 2.0 * (double)(n * n));
    simulation_stop(&s);
}

DEVICE_TEST(accelerations_and_jerks)
{
    static const size_t sizes[] = {1, 2, 17, 300, 1500, 2500}; /* 2500: CPUs with few cores meet each pair once */
    static const double softening[] = {0, 0.01};

    for (size_t i = 0; i < COUNT(sizes); i++)
        for (size_t k = 0; k < COUNT(softening); k++) {
            if (penta_context_device(ctx)->fp64)
                compare_with_reference(ctx, PENTA_PRECISION_DOUBLE, sizes[i], softening[k], 1e-15);
            compare_with_reference(ctx, PENTA_PRECISION_DS, sizes[i], softening[k], 3e-7);
            compare_with_reference(ctx, PENTA_PRECISION_SINGLE, sizes[i], softening[k], 5e-7);
        }
}

/*
 * Few active bodies among many share the sources out in other ways, and lists have several blocks: the forms must
 * agree, and with steps that all bodies share.
 */
TEST_IN(AS_IT_IS, forms_agree)
{
    enum { N = 1300 };
    method m = {PENTA_NBODY_BLOCK, PENTA_PRECISION_DOUBLE, 1.0 / 16, 0.05, 1e-3};
    void *gpu_form = NULL;
    HELD double *a = plummer_sphere(N), *b = copy_of_bodies(N, a), *c = copy_of_bodies(N, a),
                *first = copy_of_bodies(N, a);
    double pairs_a, pairs_b;

    if (lacks_double(*state, "a comparison of orbits to 1e-11"))
        return;
    assert_int_equal(open_gpu_form(&gpu_form), 0);
    pairs_a = integrate_bodies(*state, m, N, a, 1);
    assert_true(energy_error(N, first, a, m.eps) <= 1e-8);
    if (gpu_form) {
        pairs_b = integrate_bodies(gpu_form, m, N, b, 1);
        print_message("forms: %.3g and %.3g interactions, difference %.3g\n", pairs_a, pairs_b,
                      largest_difference(N, a, b, 6));
        assert_true(largest_difference(N, a, b, 6) <= 1e-11);
        close_device(&gpu_form);
    }
    m.mode = PENTA_NBODY_SHARED;
    pairs_b = integrate_bodies(*state, m, N, c, 1);
    print_message("shared steps: %.3g interactions, difference %.3g\n", pairs_b, largest_difference(N, a, c, 6));
    assert_true(pairs_b > 2 * pairs_a);
    assert_true(largest_difference(N, a, c, 6) <= 1e-6);
}

/* ---- restart ---- */

DEVICE_TEST(restarts)
{
    enum { N = 100 };
    static const int modes[] = {PENTA_NBODY_FIXED, PENTA_NBODY_SHARED, PENTA_NBODY_BLOCK};

    for (size_t i = 0; i < COUNT(modes); i++) {
        method m = {modes[i], finest_precision(ctx), -1.0 / 32, 0.05, 1e-3};
        HELD double *rows = plummer_sphere(N), *middle = copy_of_bodies(N, rows), *a = copy_of_bodies(N, rows),
                    *b = copy_of_bodies(N, rows), *kept;
        simulation s = simulation_start(ctx, m, N, rows), t;
        size_t count;

        simulation_go(&s, 3);
        simulation_bodies(&s, middle);
        kept = kept_of(&s, &count);
        simulation_go(&s, 3);
        simulation_bodies(&s, a);
        t = simulation_start(ctx, m, N, middle);
        EXPECT_OK(ctx, nbody_hermite.load(t.state, &t.bodies, kept));
        simulation_go(&t, 3);
        simulation_bodies(&t, b);
        assert_memory_equal(a, b, 7 * N * sizeof *a); /* saved and loaded: as if nothing had been */
        integrate_bodies(ctx, m, N, rows, 6);
        assert_memory_equal(a, rows, 7 * N * sizeof *a); /* another run: the same bits */
        if (modes[i] == PENTA_NBODY_BLOCK) {             /* without what was kept levels begin anew, so the bits tell */
            integrate_bodies(ctx, m, N, middle, 3);
            assert_memory_not_equal(a, middle, 7 * N * sizeof *a);
        }
        kept[count - 1] = 0.5;
        EXPECT_REFUSED(ctx, nbody_hermite.load(t.state, &t.bodies, kept), PENTA_INVALID, "level");
        simulation_stop(&s);
        simulation_stop(&t);
    }
}

ON_DEVICE;
AS_ON_A_GPU;
