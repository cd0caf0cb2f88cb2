/* Accelerations and potentials of the bodies, or at other points: acc.npy and pot.npy. */
#include <stdio.h>
#include <stdlib.h>

#include <pentacl/io/array.h>
#include <pentacl/io/output.h>
#include <pentacl/io/points.h>
#include "nbody/members.h"
#include "shared/stages.h"

static int write_array(const nbody_run *run, const char *name, size_t rows, size_t columns, const double *data)
{
    char *path = penta_io_join_path(run->job.common.output, name, ".npy");
    size_t shape[] = {rows, columns};
    penta_io_error error = {""};
    bool ok = path && penta_io_npy_write(path, PENTA_F64, columns > 1 ? 2 : 1, shape, data, &error);

    free(path);
    return ok ? CLI_OK : job_fail_io(&run->job, &error);
}

static bool on_progress(void *user, double done, double total)
{
    (void)user;
    (void)done;
    (void)total;
    return cli_interrupted();
}

static int compute(nbody_run *run, size_t m, const double *points, double *acceleration, double *potential)
{
    penta_context *ctx = run->job.ctx;
    double before = nbody_members_clock(run);
    penta_status status;

    penta_context_set_progress(ctx, on_progress, NULL);
    status = points ? nbody_members_field(run, m, points, acceleration, potential)
                    : nbody_members_forces(run, acceleration, NULL);
    run->step_seconds = nbody_members_clock(run) - before;
    run->interactions = (double)m * (double)run->bodies.n;
    if (status == PENTA_OK && !points)
        status = nbody_members_forces(run, NULL, potential);
    penta_context_set_progress(ctx, NULL, NULL);
    if (run->untold)
        return CLI_ERROR;
    if (status == PENTA_CANCELLED)
        return cli_fail(run->job.command, CLI_ERROR, "interrupted; nothing was written");
    return status == PENTA_OK ? CLI_OK : job_fail_library(&run->job);
}

static int compute_and_write(nbody_run *run, size_t m, const double *points)
{
    double *acceleration = malloc(3 * m * sizeof *acceleration), *potential = malloc(m * sizeof *potential);
    int code = CLI_OK;

    if (!acceleration || !potential)
        code = cli_fail(run->job.command, CLI_ERROR, "out of memory for the forces at %zu points", m);
    code = code != CLI_OK ? code : compute(run, m, points, acceleration, potential);
    if (code == CLI_OK && !points)
        nbody_check_units_at(run, potential);
    (void)stages_enter(STAGE_WRITE);
    code = code != CLI_OK ? code : write_array(run, "acc", m, 3, acceleration);
    code = code != CLI_OK ? code : write_array(run, "pot", m, 1, potential);
    free(acceleration);
    free(potential);
    if (code == CLI_OK && job_prints(&run->job))
        printf("accelerations and potentials by %zu bodies at %zu points (%s, %s)\n", run->bodies.n, m, run->kernel,
               run->precision);
    return code;
}

int nbody_forces(nbody_run *run)
{
    size_t m = run->bodies.n;
    double *points = NULL;
    penta_io_error error = {""};
    stage before = stages_enter(STAGE_READ);
    bool ok = !run->flags.points || penta_io_points_read(run->flags.points, &points, &m, &error);
    int code;

    (void)stages_enter(before);
    if (!ok)
        return job_fail_io(&run->job, &error);
    if (points) {
        run->kernel = "field";
        run->precision = penta_context_device(run->job.ctx)->fp64 ? "double" : "ds";
    }
    code = compute_and_write(run, m, points);
    free(points);
    return code;
}
