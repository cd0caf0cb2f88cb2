/*
 * Inputs of `penta nbody` with known answers: the figure-eight of three bodies (A. Chenciner and R. Montgomery, Ann.
 * Math. 152 (2000) 881), the Pythagorean problem (C. Burrau, 1913), a regular polygon, whose accelerations have a
 * closed form, and a Plummer sphere that is scaled so that its energies without softening are exactly 1/4 and -1/2.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/nbody.h>

#include <pentacl/io/bodies.h>
#include "shared/sample.h"

typedef struct {
    sample_common common;
    int bodies, sides;
} sample_flags;

static const penta_option flag_table[] = {
    SAMPLE_OUTPUT,
    PENTA_INT_OPTION(sample_flags, bodies, 'n', 1024, 2, 32768, "", "number of bodies of the Plummer sphere"),
    PENTA_INT_OPTION(sample_flags, sides, 0, 1024, 2, 10000000, "", "number of bodies of the polygon"),
    SAMPLE_SEED("the Plummer sphere"),
    SAMPLE_WORDS,
    PENTA_OPTIONS_END};

static const double figure_eight[3][7] = {{1, 0.97000436, -0.24308753, 0, 0.4662036840695394, 0.4323657309174769, 0},
                                          {1, -0.97000436, 0.24308753, 0, 0.4662036840695394, 0.4323657309174769, 0},
                                          {1, 0, 0, 0, -0.9324073681390788, -0.8647314618349538, 0}};

static const double pythagorean[3][7] = {{3, 1, 3, 0, 0, 0, 0}, {4, -2, -1, 0, 0, 0, 0}, {5, 1, -1, 0, 0, 0, 0}};

/* Kinetic and potential energy without softening. */
static void energies(const penta_io_bodies *b, double *kinetic, double *potential)
{
    *kinetic = *potential = 0;
    for (size_t i = 0; i < b->n; i++) {
        const double *p = b->rows + 7 * i;

        *kinetic += 0.5 * p[0] * (p[4] * p[4] + p[5] * p[5] + p[6] * p[6]);
        for (size_t j = 0; j < i; j++) {
            const double *q = b->rows + 7 * j;

            *potential -= p[0] * q[0] / sqrt(pow(p[1] - q[1], 2) + pow(p[2] - q[2], 2) + pow(p[3] - q[3], 2));
        }
    }
}

/* To a kinetic energy of 1/4 and a potential one of -1/2. */
static void scale(penta_io_bodies *b)
{
    double kinetic, potential;

    energies(b, &kinetic, &potential);
    for (size_t i = 0; i < b->n; i++)
        for (size_t k = 1; k < 7; k++)
            b->rows[7 * i + k] *= k < 4 ? -potential / 0.5 : sqrt(0.25 / kinetic);
}

static bool make_model(int model, const sample_flags *f, size_t n, penta_io_bodies *out, penta_io_error *err)
{
    *out = (penta_io_bodies){.n = n, .rows = malloc(7 * n * sizeof *out->rows)};
    if (!out->rows)
        return penta_io_fail(err, "out of memory for %zu bodies", n);
    return penta_nbody_initial(model, (uint64_t)f->common.seed, n, out->rows) == PENTA_OK ||
           penta_io_fail(err, "%s", penta_last_error(NULL));
}

static bool write_file(const sample_flags *f, const char *name, const penta_io_bodies *bodies, penta_io_error *err)
{
    char *path = sample_path(&f->common, name, "", err);
    bool ok = path && penta_io_bodies_write(path, bodies, err);

    free(path);
    return ok;
}

static bool write_three(const sample_flags *f, const char *name, const double rows[3][7], penta_io_error *err)
{
    double copy[3][7];
    penta_io_bodies bodies = {.n = 3, .rows = copy[0]};

    memcpy(copy, rows, sizeof copy);
    return write_file(f, name, &bodies, err);
}

static bool write_models(const sample_flags *f, penta_io_error *err)
{
    penta_io_bodies plummer = {0}, polygon = {0};
    bool ok = make_model(PENTA_NBODY_PLUMMER, f, (size_t)f->bodies, &plummer, err) &&
              make_model(PENTA_NBODY_NGON, f, (size_t)f->sides, &polygon, err);

    if (ok)
        scale(&plummer);
    ok = ok && write_file(f, "plummer.tab", &plummer, err) && write_file(f, "plummer.npy", &plummer, err) &&
         write_file(f, "ngon.npy", &polygon, err);
    penta_io_bodies_free(&plummer);
    penta_io_bodies_free(&polygon);
    return ok;
}

static bool make_files(const void *flags, penta_io_error *err)
{
    const sample_flags *f = flags;
    bool ok = write_three(f, "figure8.mpv", figure_eight, err) && write_three(f, "pythagorean.mpv", pythagorean, err) &&
              write_models(f, err);

    if (ok)
        sample_tell(
            &f->common,
            "figure8.mpv, pythagorean.mpv, plummer.tab and plummer.npy (%d bodies) and ngon.npy (%d bodies) in %s",
            f->bodies, f->sides, f->common.output);
    return ok;
}

static const cli_section sections[] = {{"Flags", "sample_nbody", flag_table, NULL, 0, 0, NULL, NULL}, CLI_SECTIONS_END};

static const cli_output outputs[] = {{"*", "bodies"}, {0}};

const cli_command penta_sample_nbody = {
    .name = "sample nbody",
    .summary = "orbits, a Plummer sphere and a polygon with known answers",
    .usage = "-o DIR",
    .about = "Makes figure8.mpv (three bodies that chase one another; period 6.325914, energy -1.287142), "
             "pythagorean.mpv (3, 4\n"
             "and 5 from rest; energy -12.816667), plummer.tab and plummer.npy (kinetic energy 1/4, potential -1/2 "
             "without\n"
             "softening) and ngon.npy (every acceleration is (1/4n) times the sum of csc(pi k/n) over k, inwards).",
    .examples = "  penta sample nbody -o bodies\n"
                "  penta nbody --input bodies/figure8.mpv --eps 0 --dt 0.01 --steps 633 --integrator hermite4 -o "
                "orbit\n"
                "  penta nbody --input bodies/ngon.npy --eps 0 --forces-only --precision double -o forces\n",
    .sections = sections,
    .outputs = outputs,
    .size = sizeof(sample_flags),
    .run = sample_run,
    .more = &(const sample_maker){.make = make_files}};
