/* Maps of a model without a device, types of results, wavelengths. */
#include "support/test.h"

#include <pentacl/pca.h>

enum { BANDS = 3, KEPT = 2 };

/* Loadings (0.6, 0.8, 0) and (-0.8, 0.6, 0), orthonormal; nothing of the third band is kept. */
static double mean[BANDS] = {10, 20, 30};
static double forward[KEPT * BANDS] = {0.6, 0.8, 0, -0.8, 0.6, 0};
static double inverse[BANDS * KEPT] = {0.6, -0.8, 0.8, 0.6, 0, 0};
static const penta_pca_model model = {
    .bands = BANDS, .components = KEPT, .mean = mean, .forward = forward, .inverse = inverse};

static void apply(const penta_affine *a, const double *x, double *y)
{
    for (size_t o = 0; o < a->outs; o++) {
        y[o] = a->after[o];
        for (size_t i = 0; i < a->ins; i++)
            y[o] += a->matrix[o * a->ins + i] * (x[i] - a->before[i]);
    }
}

static void expect_numbers(const double *got, const double *want, size_t n)
{
    for (size_t i = 0; i < n; i++)
        expect_near(got[i], want[i], 1e-12);
}

static penta_affine map_of(int direction, const double *gain, const double *offset, const penta_pca_scaling *scaling)
{
    penta_affine a;

    assert_int_equal(penta_pca_affine(&model, direction, gain, offset, scaling, &a), PENTA_OK);
    return a;
}

/* Elements e of numbers 2 e + 1, -e, e / 4. */
TEST(directions)
{
    const double gain[] = {2, -1, 0.25}, offset[] = {1, 0, 0}, elements[] = {7, -30, 80};
    const double x[] = {15, 30, 20}, scores[] = {0.6 * 5 + 0.8 * 10, -0.8 * 5 + 0.6 * 10}, kept[] = {15, 30, 30};
    penta_affine a = map_of(PENTA_PCA_FORWARD, NULL, NULL, NULL);
    double y[BANDS];

    apply(&a, x, y);
    expect_numbers(y, scores, KEPT);
    penta_affine_free(&a);
    assert_null(a.matrix);
    penta_affine_free(&a);
    a = map_of(PENTA_PCA_FORWARD, gain, offset, NULL);
    apply(&a, elements, y);
    expect_numbers(y, scores, KEPT);
    penta_affine_free(&a);
    a = map_of(PENTA_PCA_INVERSE, NULL, NULL, NULL);
    apply(&a, scores, y);
    expect_numbers(y, kept, BANDS);
    penta_affine_free(&a);
    a = map_of(PENTA_PCA_FILTER, gain, offset, NULL);
    apply(&a, elements, y);
    expect_numbers(y, kept, BANDS);
    penta_affine_free(&a);
}

/* Scores from -20 .. 20 and 0 .. 10 were written as 0 .. 255. */
TEST(rescaled)
{
    const double least[] = {-20, 0}, largest[] = {20, 10}, kept[] = {15, 30, 30};
    const double written[] = {(11 + 20) * 255 / 40.0, 2 * 255 / 10.0};
    const penta_pca_scaling scaling = {0, 255, least, largest};
    HELD_BY(penta_affine_free) penta_affine a = map_of(PENTA_PCA_INVERSE, NULL, NULL, &scaling);
    double y[BANDS];

    apply(&a, written, y);
    expect_numbers(y, kept, BANDS);
}

TEST(refusals)
{
    const double one[BANDS] = {1, 1, 1};
    penta_affine a = {.ins = 1};

    assert_int_equal(penta_pca_affine(&model, 3, NULL, NULL, NULL, &a), PENTA_INVALID);
    assert_int_equal(a.ins, 0);
    assert_int_equal(penta_pca_affine(&model, PENTA_PCA_FORWARD, one, NULL, NULL, &a), PENTA_INVALID);
}

TEST(types)
{
    assert_int_equal(penta_map_type(0, 255, false), PENTA_U8);
    assert_int_equal(penta_map_type(0, 255, true), PENTA_U16);
    assert_int_equal(penta_map_type(1, 255, true), PENTA_U8);
    assert_int_equal(penta_map_type(-1, 255, true), PENTA_I16);
    assert_int_equal(penta_map_type(INT16_MIN, INT16_MAX, true), PENTA_I32);
    assert_int_equal(penta_map_type(0, 0.5, false), PENTA_F64);
    assert_int_equal(penta_map_type(INT32_MIN, INT32_MAX, true), PENTA_F64);
    expect_near(penta_map_fill(PENTA_U8, 1, 255), 0, 0);
    expect_near(penta_map_fill(PENTA_U8, 0, 254), 255, 0);
    assert_true(isnan(penta_map_fill(PENTA_U8, 0, 255)));
    assert_true(isnan(penta_map_fill(PENTA_F32, 0, 1)));
    assert_true(penta_cube_type_holds(PENTA_U32, 4294967295.0));
    assert_false(penta_cube_type_holds(PENTA_I32, 4294967295.0));
    assert_false(penta_cube_type_holds(PENTA_U8, 1.5));
    assert_false(penta_cube_type_holds(PENTA_U8, NAN));
    assert_true(penta_cube_type_holds(PENTA_F32, NAN));
    assert_false(penta_cube_type_holds(PENTA_F32, 1e39));
}

TEST(wavelengths)
{
    const double want[] = {400, 500, 2500}, near[] = {400.1, 499.9, 2500.3}, far[] = {400, 501, 2502};

    assert_int_equal(penta_pca_wavelengths_differ(3, want, want), 3);
    assert_int_equal(penta_pca_wavelengths_differ(3, want, near), 3);
    assert_int_equal(penta_pca_wavelengths_differ(3, want, far), 2);
    assert_int_equal(penta_pca_wavelengths_differ(2, want, far), 1);
    assert_int_equal(penta_pca_wavelengths_differ(0, want, far), 0);
}
