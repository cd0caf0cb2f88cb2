#include "stars/plans.h"

#include <stdlib.h>
#include <string.h>

#include <pentacl/group.h>
#include "shared/messages.h"
#include "shared/ranks.h"
#include "stars/notes.h"

static bool stop(void *user, double done, double total)
{
    (void)user, (void)done, (void)total;
    return cli_interrupted();
}

/* Options that contradict each other are wrong usage, too. */
static int fail_plan(const stars_run *run, penta_status status)
{
    int code = job_fail_library(&run->job);

    return status == PENTA_INVALID ? CLI_USAGE : code;
}

static bool read_psf(const char *path, penta_io_image *out, penta_io_error *err)
{
    penta_io_reader *reader = NULL;
    bool ok = penta_io_reader_open(path, &reader, err);

    if (ok && penta_io_reader_pages(reader) > 1)
        ok = penta_io_fail(err, "%s holds %zu pages, but a PSF is one image", path, penta_io_reader_pages(reader));
    ok = ok && penta_io_reader_read(reader, 0, out, err);
    penta_io_reader_close(reader);
    return ok;
}

static int give_psf(stars_run *run)
{
    const stars_request *r = &run->request;
    penta_io_image image = {0};
    penta_io_error error = {""};
    double *samples = NULL;
    int code = CLI_OK;

    if (!r->psf_image)
        return CLI_OK;
    if (!read_psf(r->psf_image, &image, &error))
        return job_fail_io(&run->job, &error);
    samples = malloc(image.width * image.height * sizeof *samples);
    for (size_t i = 0; samples && i < image.width * image.height; i++)
        samples[i] = penta_io_image_value(&image, i);
    if (!samples)
        code = cli_fail(run->job.command, CLI_ERROR, "%s: out of memory for its pixels", r->psf_image);
    else if (penta_stars_set_psf(run->plan, image.width, image.height, r->oversampling, samples) != PENTA_OK)
        code = job_fail_library(&run->job);
    free(samples);
    penta_io_image_free(&image);
    return code;
}

static int make_plan(stars_run *run)
{
    const stars_request *r = &run->request;
    size_t width = run->optics.width, height = run->optics.height;
    penta_status status;
    int code;

    status = penta_stars_create(run->job.ctx, width, height, &r->stars, &run->plan);
    penta_context_set_progress(run->job.ctx, stop, NULL);
    if (status != PENTA_OK)
        return fail_plan(run, status);
    code = give_psf(run);
    if (code != CLI_OK)
        return code;
    if (r->noise)
        status = penta_detector_create(run->job.ctx, width, height, &r->detector, &run->detector);
    return status == PENTA_OK ? CLI_OK : fail_plan(run, status);
}

/* Frames of the other engines differ in their last bits from device to device. */
static void note_kinds(const stars_run *run)
{
    const char *first = penta_context_device(run->job.ctx)->name, *other;
    bool ranks = run->job.workers > run->job.members;

    for (size_t i = 1; i < run->job.workers && run->request.stars.engine != PENTA_STARS_FIXED; i++) {
        other = ranks ? ranks_places()[i].device : penta_context_device(run->job.contexts[i])->name;
        if (strcmp(first, other) != 0) {
            job_note(&run->job, "frames drawn by %s and %s differ in their last bits; --engine fixed gives the same",
                     first, other);
            return;
        }
    }
}

/* Several devices draw different frames of a track; one frame is not divided. */
static void note_devices(const stars_run *run)
{
    if (run->request.pointing == STARS_POINTS_TRACK)
        note_kinds(run);
    else if (run->job.workers > 1)
        job_note(&run->job, "one frame is drawn on one device: of %zu %s the first draws it", run->job.workers,
                 run->job.workers > run->job.members ? "ranks" : "devices");
}

/* Runs of the other devices: the same but for what they draw with. */
static int copy_others(stars_run *run)
{
    size_t count = run->job.members - 1;

    run->others = calloc(count, sizeof *run->others);
    if (!run->others)
        return cli_fail(run->job.command, CLI_ERROR, "out of memory");
    for (size_t i = 0; i < count; i++) {
        run->others[i] = *run;
        run->others[i].others = NULL;
        run->others[i].job.ctx = run->job.contexts[i + 1];
    }
    return CLI_OK;
}

typedef struct {
    stars_run *run;
    held_messages said;
    int code;
} planner;

static penta_status plan_member(penta_group *group, void *data)
{
    planner *p = (planner *)data + penta_group_rank(group);

    messages_hold(&p->said);
    p->code = make_plan(p->run);
    messages_hold(NULL);
    return PENTA_OK;
}

/* Side by side; of members that fail the first is heard. */
static int make_plans(stars_run *run)
{
    size_t count = run->job.members;
    planner *all = calloc(count, sizeof *all);
    int code = all ? copy_others(run) : cli_fail(run->job.command, CLI_ERROR, "out of memory");

    for (size_t i = 0; code == CLI_OK && i < count; i++)
        all[i].run = i == 0 ? run : &run->others[i - 1];
    if (code == CLI_OK && penta_group_threads(count, plan_member, all) != PENTA_OK)
        code = cli_fail_library(run->job.command, NULL, run->job.common.verbose);
    for (size_t i = 0; all && i < count; i++) {
        if (code == CLI_OK)
            cli_say_held(run->job.command, &all[i].said);
        else
            messages_free(&all[i].said);
        code = code == CLI_OK ? all[i].code : code;
    }
    free(all);
    return code;
}

int stars_plans_open(stars_run *run)
{
    int code;

    note_devices(run);
    if (run->request.engine_by_noise)
        cli_explain(&run->job.common, run->job.command,
                    "option --engine is fixed: with a detector sums must not depend on the order of stars");
    code = run->job.members > 1 && run->request.pointing == STARS_POINTS_TRACK ? make_plans(run) : make_plan(run);
    if (code == CLI_OK)
        stars_note_plan(run);
    return code;
}

void stars_plans_close(stars_run *run)
{
    for (size_t i = 0; run->others && i + 1 < run->job.members; i++) {
        penta_detector_destroy(run->others[i].detector);
        penta_stars_destroy(run->others[i].plan);
    }
    free(run->others);
    penta_detector_destroy(run->detector);
    penta_stars_destroy(run->plan);
}
