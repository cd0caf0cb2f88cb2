/*
 * Cubes with known components. scene: each pixel a mixture of four spectra with smooth abundances that add up to 1, and
 * noise, so three components above a floor of noise; ENVI (BIL) and NPY hold the same numbers. exact: products of Walsh
 * functions, which are orthogonal over bands and over pixels, so that every eigenvalue and loading is a closed form.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <pentacl/io/array.h>
#include "shared/sample.h"

enum { SPECTRA = 4, EXACT_BANDS = 8, EXACT_SIDE = 16 };

typedef struct {
    sample_common common;
    int bands, rows, cols;
    double noise;
} sample_flags;

static const penta_option flag_table[] = {
    SAMPLE_OUTPUT,
    PENTA_INT_OPTION(sample_flags, bands, 0, 32, 4, 4096, "", "bands of the scene"),
    PENTA_INT_OPTION(sample_flags, rows, 0, 48, 2, 32768, "px", "height of the scene"),
    PENTA_INT_OPTION(sample_flags, cols, 0, 64, 2, 32768, "px", "width of the scene"),
    PENTA_REAL_OPTION(sample_flags, noise, 0, 8, 0, 1000, "", "standard deviation of the scene's noise"),
    SAMPLE_SEED("the noise"),
    SAMPLE_WORDS,
    PENTA_OPTIONS_END};

/* ---- noise ---- */

/* Uniform in (0, 1), by number. */
static double uniform(int seed, uint64_t number)
{
    return ((double)sample_bits(seed, number) + 0.5) * 0x1p-53;
}

static double normal(int seed, uint64_t number)
{
    return sqrt(-2 * log(uniform(seed, 2 * number))) * cos(TWO_PI * uniform(seed, 2 * number + 1));
}

/* ---- the scene ---- */

static double wavelength(const sample_flags *f, size_t band) /* nm */
{
    return 400 + 2000.0 * (double)band / (f->bands - 1);
}

static double bump(double x, double centre, double width)
{
    return exp(-0.5 * (x - centre) * (x - centre) / (width * width));
}

/* Reflectance of water, soil, vegetation and a bright mineral with an absorption at 2200 nm, more or less. */
static double reflectance(int spectrum, double nm)
{
    switch (spectrum) {
    case 0:
        return 0.02 + 0.08 * bump(nm, 450, 150);
    case 1:
        return 0.08 + 0.3 * (1 - exp(-(nm - 350) / 700)) - 0.05 * bump(nm, 1900, 60);
    case 2:
        return 0.04 + 0.06 * bump(nm, 550, 40) + 0.45 / (1 + exp(-(nm - 715) / 15)) * exp(-(nm - 700) / 1500) -
               0.12 * bump(nm, 1450, 80) - 0.1 * bump(nm, 1940, 80);
    default:
        return 0.6 - 0.25 * bump(nm, 2200, 70) - 0.3 * exp(-(nm - 380) / 150);
    }
}

/* They add up to 1. */
static void abundances(double x, double y, double a[SPECTRA])
{
    double sum = 0;

    a[0] = exp(6 * cos(TWO_PI * (x - 0.4 * y)) - 4);
    a[1] = 1.2;
    a[2] = exp(3 * sin(TWO_PI * 1.5 * y) * cos(TWO_PI * x));
    a[3] = 8 * bump(hypot(x - 0.72, y - 0.35), 0, 0.12);
    for (int i = 0; i < SPECTRA; i++)
        sum += a[i];
    for (int i = 0; i < SPECTRA; i++)
        a[i] /= sum;
}

/* bands x rows x cols, reflectance times 10000. */
static void make_scene(const sample_flags *f, uint16_t *cube)
{
    size_t rows = (size_t)f->rows, cols = (size_t)f->cols, pixels = rows * cols;

    for (size_t i = 0; i < pixels; i++) {
        double a[SPECTRA];

        abundances((double)(i % cols) / (double)cols, (double)(i / cols) / (double)rows, a);
        for (size_t b = 0; b < (size_t)f->bands; b++) {
            double value = f->noise * normal(f->common.seed, b * pixels + i) + 0.5;

            for (int s = 0; s < SPECTRA; s++)
                value += 10000 * a[s] * reflectance(s, wavelength(f, b));
            cube[b * pixels + i] = (uint16_t)(value < 0 ? 0 : value > UINT16_MAX ? UINT16_MAX : value);
        }
    }
}

typedef struct {
    const sample_flags *flags;
    const uint16_t *cube; /* bands x rows x cols */
} scene;

static void put_data(const void *data, FILE *out)
{
    const scene *s = data;
    size_t bands = (size_t)s->flags->bands, rows = (size_t)s->flags->rows, cols = (size_t)s->flags->cols;

    for (size_t y = 0; y < rows; y++)
        for (size_t b = 0; b < bands; b++)
            for (size_t x = 0; x < cols; x++) {
                unsigned value = s->cube[(b * rows + y) * cols + x];
                unsigned char bytes[2] = {(unsigned char)value, (unsigned char)(value >> 8)};

                fwrite(bytes, 1, sizeof bytes, out);
            }
}

static void put_header(const void *flags, FILE *out)
{
    const sample_flags *f = flags;

    fprintf(out,
            "ENVI\ndescription = {mixed spectra, reflectance x 10000}\nsamples = %d\nlines = %d\nbands = %d\n"
            "header offset = 0\nfile type = ENVI Standard\ndata type = 12\ninterleave = bil\nbyte order = 0\n"
            "wavelength units = Nanometers\nwavelength = {",
            f->cols, f->rows, f->bands);
    for (size_t b = 0; b < (size_t)f->bands; b++)
        fprintf(out, "%s%.6g", b > 0 ? ", " : "", wavelength(f, b));
    fputs("}\n", out);
}

static bool write_npy(const sample_flags *f, const char *name, penta_type type, const size_t shape[3], const void *data,
                      penta_io_error *err)
{
    char *path = sample_path(&f->common, name, ".npy", err);
    bool ok = path && penta_io_npy_write(path, type, 3, shape, data, err);

    free(path);
    return ok;
}

static bool write_scene(const sample_flags *f, penta_io_error *err)
{
    const size_t shape[3] = {(size_t)f->bands, (size_t)f->rows, (size_t)f->cols};
    uint16_t *cube = malloc(shape[0] * shape[1] * shape[2] * sizeof *cube);
    bool ok = cube != NULL;

    if (!ok)
        return penta_io_fail(err, "out of memory for the scene");
    make_scene(f, cube);
    ok = sample_write(&f->common, "scene", ".img", put_data, &(scene){f, cube}, err) &&
         sample_write(&f->common, "scene", ".hdr", put_header, f, err) &&
         write_npy(f, "scene", PENTA_U16, shape, cube, err);
    free(cube);
    return ok;
}

/* ---- the exact cube ---- */

/* Walsh function i at x, in Hadamard's order: 1 or -1. */
static int walsh(unsigned i, unsigned x)
{
    int sign = 1;

    for (unsigned bits = i & x; bits; bits &= bits - 1)
        sign = -sign;
    return sign;
}

/* The j-th component has amplitude 2^(7-j), loadings walsh(j, band) / sqrt(8) and scores along walsh(j + 1, pixel). */
static bool write_exact(const sample_flags *f, penta_io_error *err)
{
    enum { PIXELS = EXACT_SIDE * EXACT_SIDE };
    static int16_t cube[EXACT_BANDS * PIXELS];
    const size_t shape[3] = {EXACT_BANDS, EXACT_SIDE, EXACT_SIDE};

    for (unsigned b = 0; b < EXACT_BANDS; b++)
        for (unsigned i = 0; i < PIXELS; i++) {
            int value = 100 * (int)b;

            for (unsigned j = 0; j < EXACT_BANDS; j++)
                value += (1 << (EXACT_BANDS - 1 - j)) * walsh(j, b) * walsh(j + 1, i);
            cube[b * PIXELS + i] = (int16_t)value;
        }
    return write_npy(f, "exact", PENTA_I16, shape, cube, err);
}

/* ---- what is known ---- */

static void put_exact(FILE *out)
{
    const double n = EXACT_SIDE * EXACT_SIDE;

    fputs("  \"exact.npy\": {\n    \"mean\": [", out);
    for (int b = 0; b < EXACT_BANDS; b++)
        fprintf(out, "%s%d", b > 0 ? ", " : "", 100 * b);
    fputs("],\n    \"eigenvalues\": [", out);
    for (int j = 0; j < EXACT_BANDS; j++)
        fprintf(out, "%s%.17g", j > 0 ? ", " : "", EXACT_BANDS * pow(4, EXACT_BANDS - 1 - j) * (n / (n - 1)));
    fputs("],\n    \"eigenvalues_ddof_0\": [", out);
    for (int j = 0; j < EXACT_BANDS; j++)
        fprintf(out, "%s%.17g", j > 0 ? ", " : "", EXACT_BANDS * pow(4, EXACT_BANDS - 1 - j));
    fputs("],\n    \"loadings_times_sqrt_8\": [", out);
    for (unsigned j = 0; j < EXACT_BANDS; j++)
        for (unsigned b = 0; b < EXACT_BANDS; b++)
            fprintf(out, "%s%d%s",
                    b == 0 && j == 0 ? "\n      ["
                    : b == 0         ? ",\n      ["
                                     : ", ",
                    walsh(j, b), b + 1 == EXACT_BANDS ? "]" : "");
    fputs("\n    ]\n  }\n", out);
}

static void put_truth(const void *flags, FILE *out)
{
    const sample_flags *f = flags;

    fprintf(out,
            "{\n  \"scene.npy\": {\n    \"bands\": %d, \"rows\": %d, \"cols\": %d,\n    \"signal_components\": %d,\n"
            "    \"noise_sd\": %.17g,\n    \"noise_eigenvalue\": %.17g,\n    \"spectra\": [",
            f->bands, f->rows, f->cols, SPECTRA - 1, f->noise, f->noise * f->noise + 1.0 / 12);
    for (int s = 0; s < SPECTRA; s++)
        for (size_t b = 0; b < (size_t)f->bands; b++)
            fprintf(out, "%s%.6f%s",
                    b > 0   ? ", "
                    : s > 0 ? ",\n      ["
                            : "\n      [",
                    reflectance(s, wavelength(f, b)), b + 1 == (size_t)f->bands ? "]" : "");
    fputs("\n    ]\n  },\n", out);
    put_exact(out);
    fputs("}\n", out);
}

static bool make_files(const void *flags, penta_io_error *err)
{
    const sample_flags *f = flags;

    if (!write_scene(f, err) || !write_exact(f, err) || !sample_write(&f->common, "truth", ".json", put_truth, f, err))
        return false;
    sample_tell(
        &f->common,
        "scene.img with scene.hdr, the same as scene.npy (%d bands, %d rows x %d cols), exact.npy and truth.json "
        "in %s",
        f->bands, f->rows, f->cols, f->common.output);
    return true;
}

static const cli_section sections[] = {{"Flags", "sample_pca", flag_table, NULL, 0, 0, NULL, NULL}, CLI_SECTIONS_END};

static const cli_output outputs[] = {{"truth.json", "truth"}, {"*", "cube"}, {0}};

const cli_command penta_sample_pca = {
    .name = "sample pca",
    .summary = "a scene of mixed spectra, and a cube with exact components",
    .usage = "-o DIR",
    .about = "Makes scene.img with scene.hdr (ENVI, BIL) and the same numbers as scene.npy: water, soil, vegetation "
             "and a mineral mixed in each pixel, 16 bits, with noise, so that three components rise above the noise; "
             "exact.npy, whose eigenvalues and loadings are known in closed form; and truth.json with all of this.",
    .examples = "  penta sample pca -o cubes\n"
                "  penta pca -k 3 -o out cubes/scene.npy\n"
                "  penta pca --ddof 0 --json -o exact cubes/exact.npy\n",
    .sections = sections,
    .outputs = outputs,
    .size = sizeof(sample_flags),
    .run = sample_run,
    .more = &(const sample_maker){.make = make_files}};
