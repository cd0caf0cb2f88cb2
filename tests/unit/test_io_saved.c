/* What later runs go on from: models of components and checkpoints of n-body runs, written and read by the library
 * alone. */

#include "io_files.h"

#include <pentacl/io/checkpoint.h>
#include <pentacl/io/model.h>

static double *copy_of(const double *values, size_t n)
{
    double *out = malloc(n * sizeof *out);

    assert_non_null(out);
    memcpy(out, values, n * sizeof *out);
    return out;
}

/* ---- models ---- */

enum { BANDS = 3, COMPONENTS = 2 };

/* Loadings are rows of a rotation; a third is of no use, so that digits count. */
static penta_io_model make_model(void)
{
    static const double loadings[] = {0.6, 0.8, 0, -0.8, 0.6, 0}, inverse[] = {0.6, -0.8, 0.8, 0.6, 0, 0};
    static const double mean[] = {1.0 / 3, -1e-300, 7}, deviation[] = {4, 5, 1}, eigenvalues[] = {9, 4, 1.0 / 3};
    static const double percent[] = {67.5, 30, 2.5}, residuals[] = {1e-16, 1.0 / 3e15};

    return (penta_io_model){.m = {.bands = BANDS,
                                  .components = COMPONENTS,
                                  .pixels = 1000,
                                  .kind = PENTA_PCA_PCA,
                                  .ddof = 1,
                                  .rounding = 1e-15,
                                  .mean = copy_of(mean, BANDS),
                                  .deviation = copy_of(deviation, BANDS),
                                  .eigenvalues = copy_of(eigenvalues, BANDS),
                                  .percent = copy_of(percent, BANDS),
                                  .loadings = copy_of(loadings, COMPONENTS * BANDS),
                                  .forward = copy_of(loadings, COMPONENTS * BANDS),
                                  .inverse = copy_of(inverse, BANDS * COMPONENTS)},
                            .file_bands = BANDS,
                            .residuals = copy_of(residuals, COMPONENTS),
                            .residual = residuals[1],
                            .orthogonality = 1e-16,
                            .cov = "triangle",
                            .precision = "double"};
}

static void expect_same_numbers(const double *a, const double *b, size_t n)
{
    assert_non_null(b);
    assert_memory_equal(a, b, n * sizeof *a);
}

IO_TEST(model_comes_back)
{
    penta_io_model m = make_model(), back;
    const char *path = in_directory("model.json");

    EXPECT_IO(penta_io_model_write(path, &m, &err) && penta_io_model_read(path, &back, &err), err);
    assert_int_equal(back.m.bands, BANDS);
    assert_int_equal(back.m.components, COMPONENTS);
    assert_int_equal(back.m.pixels, 1000);
    expect_same_numbers(m.m.mean, back.m.mean, BANDS);
    expect_same_numbers(m.m.deviation, back.m.deviation, BANDS);
    expect_same_numbers(m.m.eigenvalues, back.m.eigenvalues, BANDS);
    expect_same_numbers(m.m.loadings, back.m.loadings, COMPONENTS * BANDS);
    expect_same_numbers(m.m.inverse, back.m.inverse, BANDS * COMPONENTS);
    expect_same_numbers(m.residuals, back.residuals, COMPONENTS);
    assert_string_equal(back.cov, "triangle");
    assert_null(back.m.covariance);
    penta_io_model_shorten(&back, 1);
    assert_int_equal(back.m.components, 1);
    assert_true(back.m.inverse[0] == 0.6 && back.m.inverse[1] == 0.8 && back.m.inverse[2] == 0);
    assert_true(back.residual == m.residuals[0]);
    penta_io_model_free(&back);
    penta_io_model_free(&back);
    penta_io_model_free(&m);
}

IO_TEST(model_is_refused)
{
    penta_io_model m = make_model(), back;

    assert_true(isnan(penta_io_model_worst(&(penta_io_model){.m = {.components = 2}})));
    m.m.forward[0] = 0.7;
    assert_true(penta_io_model_write(in_directory("model.json"), &m, &err));
    assert_false(penta_io_model_read(in_directory("model.json"), &back, &err));
    assert_non_null(strstr(err.text, "'forward' does not follow from loadings"));
    assert_null(back.m.mean);
    m.m.mean[1] = INFINITY;
    assert_false(penta_io_model_write(in_directory("infinite.json"), &m, &err));
    assert_non_null(strstr(err.text, "the means of the components is not finite"));
    assert_int_not_equal(access(in_directory("infinite.json"), F_OK), 0);
    assert_false(penta_io_model_read(write_file("list.json", "[1]", 3), &back, &err));
    assert_non_null(strstr(err.text, "is no model of penta pca"));
    penta_io_model_free(&m);
}

/* ---- checkpoints ---- */

static penta_io_checkpoint make_checkpoint(void)
{
    static const double numbers[] = {1.0 / 3, -0.0, 1e-310, 5, 6, 7, 8};
    penta_io_checkpoint c = {.n = 3,
                             .diagnose_every = 10,
                             .first_energy = -0.25,
                             .count = COUNT(numbers),
                             .state = copy_of(numbers, COUNT(numbers)),
                             .about = {.n = 3, .time = 2.5, .has_time = true, .units = {1, 2, 3}}};

    penta_nbody_options_init(&c.options);
    c.options.eps = 0.05;
    c.about.id = malloc(3 * sizeof *c.about.id);
    c.about.family = calloc(3, 1);
    assert_true(c.about.id && c.about.family);
    for (size_t i = 0; i < 3; i++)
        c.about.id[i] = UINT64_MAX - i;
    c.about.family[2] = PENTA_IO_STARS;
    return c;
}

IO_TEST(checkpoint_comes_back)
{
    penta_io_checkpoint c = make_checkpoint(), back;
    const char *path = in_directory("checkpoint.bin");

    EXPECT_IO(penta_io_checkpoint_write(path, &c, &err) && penta_io_checkpoint_read(path, &back, &err), err);
    assert_int_equal(back.n, 3);
    assert_int_equal(back.diagnose_every, 10);
    assert_int_equal(back.count, c.count);
    expect_same_numbers(c.state, back.state, c.count);
    assert_memory_equal(c.about.id, back.about.id, 3 * sizeof *c.about.id);
    assert_memory_equal(c.about.family, back.about.family, 3);
    assert_null(back.about.softening);
    assert_true(back.options.eps == 0.05 && back.options.size == sizeof back.options);
    assert_true(back.first_energy == -0.25 && back.about.time == 2.5 && back.about.units.velocity == 3);
    penta_io_checkpoint_free(&back);
    penta_io_checkpoint_free(&back);
    penta_io_checkpoint_free(&c);
}

/* A change of any byte, and the loss of any at the end. */
IO_TEST(checkpoint_is_refused)
{
    penta_io_checkpoint c = make_checkpoint(), back;
    HELD unsigned char *bytes = NULL;
    size_t size;

    assert_true(penta_io_checkpoint_write(in_directory("checkpoint.bin"), &c, &err));
    bytes = read_file(in_directory("checkpoint.bin"), &size);
    for (size_t i = 0; i < size; i++) {
        bytes[i] ^= 16;
        assert_false(penta_io_checkpoint_read(write_file("damaged.bin", bytes, size), &back, &err));
        assert_null(back.state);
        bytes[i] ^= 16;
        if (i > 0)
            assert_false(penta_io_checkpoint_read(write_file("cut.bin", bytes, i), &back, &err));
    }
    penta_io_checkpoint_free(&c);
}

/* With a right checksum, too: families are indices, and go to other files. */
IO_TEST(checkpoint_of_impossible_bodies)
{
    HELD_BY(penta_io_checkpoint_free) penta_io_checkpoint c = make_checkpoint(), back;
    const char *path = in_directory("impossible.bin");

    c.about.family[1] = PENTA_IO_FAMILIES;
    assert_true(penta_io_checkpoint_write(path, &c, &err));
    assert_false(penta_io_checkpoint_read(path, &back, &err));
    expect_line(&err, path, "what it says of its bodies cannot be");
    assert_null(back.about.family);
    c.about.family[1] = PENTA_IO_FAMILIES - 1;
    c.about.softening = copy_of((const double[]){1, -1, 0}, 3);
    assert_true(penta_io_checkpoint_write(path, &c, &err));
    assert_false(penta_io_checkpoint_read(path, &back, &err));
    c.about.softening[1] = 0;
    assert_true(penta_io_checkpoint_write(path, &c, &err));
    assert_true(penta_io_checkpoint_read(path, &back, &err));
}

IN_DIRECTORY;
