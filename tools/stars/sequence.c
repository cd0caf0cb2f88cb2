#define _POSIX_C_SOURCE 200809L
#include "stars/sequence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/group.h>
#include <pentacl/io/output.h>
#include "shared/progress.h"
#include "stars/writers.h"

enum { FRAMES_EACH = 2 }; /* frames of a member that are drawn or wait for their turn, at most: they may be large */

typedef struct {
    const stars_run *run;
    stars_sequence *sequence;
} sink;

char *stars_sequence_name(const char *directory, size_t number, const char *suffix)
{
    char name[32];

    snprintf(name, sizeof name, "frame-%04zu", number);
    return penta_io_join_path(directory, name, suffix);
}

/* Frames that are drawn and passed on to the writers. */
typedef struct {
    stars_run *run;
    stars_sequence *out;
    stars_writers *writers;
    progress bar;
} taking;

static bool write_shot(void *context, const stars_shot *shot, penta_io_error *err)
{
    const sink *s = context;
    const stars_request *r = &s->run->request;
    char *path = stars_sequence_name(r->output, shot->number, r->suffix);
    char *truth = r->truth ? stars_sequence_name(r->truth, shot->number, ".truth.csv") : NULL;
    bool ok = path && (truth || !r->truth) ? stars_shot_write(s->run, shot, path, truth, err)
                                           : penta_io_fail(err, "out of memory for a file name");

    s->sequence->records[shot->number].written = ok;
    free(path);
    free(truth);
    return ok;
}

static int take(stars_run *run, size_t number, stars_shot *shot)
{
    const stars_request *r = &run->request;
    penta_attitude_path path = {0};
    int code;

    if (penta_attitude_path_turn(&run->track.attitude[number], r->rate, r->detector.exposure, &path) != PENTA_OK) {
        if (!run->failure)
            return cli_fail_library(run->job.command, NULL, run->job.common.verbose);
        penta_io_fail(run->failure, "%s", penta_last_error(NULL));
        return CLI_ERROR;
    }
    code = stars_shot_take(run, number, &path, shot);
    penta_attitude_path_free(&path);
    return code;
}

/* Keeps what is told of a frame, and has it written; false where a frame could not be. */
static bool pass_on(taking *t, size_t i, stars_shot *shot)
{
    stars_record *record = &t->out->records[i];

    record->drawn = shot->drawn;
    record->flux_total = shot->flux_total;
    record->flux_in_frame = shot->flux_in_frame;
    record->variables = shot->variables;
    t->out->engine = shot->engine;
    if (!stars_writers_put(t->writers, shot))
        return false;
    progress_update(&t->bar, (double)i + 1, (double)t->out->n);
    return true;
}

static int take_all(taking *t)
{
    int code = CLI_OK;

    for (size_t i = 0; code == CLI_OK && i < t->out->n && !cli_interrupted(); i++) {
        stars_shot shot = {0};

        code = take(t->run, i, &shot);
        if (code == CLI_OK && !pass_on(t, i, &shot))
            break;
    }
    return code;
}

/* ---- by several members ---- */

static penta_status draw_piece(void *member, size_t piece, void **result)
{
    stars_run *run = member;
    penta_io_error error = {""};
    stars_shot *shot = calloc(1, sizeof *shot);
    int code;

    run->failure = &error;
    code = shot ? take(run, piece, shot) : CLI_ERROR;
    run->failure = NULL;
    *result = shot;
    if (code == CLI_OK)
        return PENTA_OK;
    free(shot);
    *result = code == STARS_INTERRUPTED ? NULL : strdup(*error.text ? error.text : "out of memory");
    return code == STARS_INTERRUPTED ? PENTA_CANCELLED : PENTA_DEVICE;
}

/* A frame that cannot be written ends the run, and Ctrl-C does. */
static penta_status take_piece(void *user, size_t piece, size_t rank, void *result)
{
    taking *t = user;
    stars_shot shot = *(stars_shot *)result;

    free(result);
    t->run->job.shares[rank]++;
    return pass_on(t, piece, &shot) && !cli_interrupted() ? PENTA_OK : PENTA_CANCELLED;
}

static void drop_piece(void *user, void *result)
{
    (void)user;
    stars_shot_free(result);
    free(result);
}

static penta_status run_member(penta_group *group, void *data)
{
    taking *t = data;
    size_t rank = penta_group_rank(group);
    penta_hand_out h;

    penta_hand_out_init(&h);
    h.count = t->out->n;
    h.window = FRAMES_EACH * penta_group_size(group);
    h.member = rank == 0 ? t->run : &t->run->others[rank - 1];
    h.user = t;
    h.work = draw_piece;
    h.take = take_piece;
    h.drop = drop_piece;
    return penta_group_hand_out(group, &h);
}

/* Frames are handed out as members become free, and written in order. */
static int take_shared(taking *t)
{
    penta_status status = penta_group_threads(t->run->job.members, run_member, t);

    if (status == PENTA_OK || status == PENTA_CANCELLED)
        return CLI_OK;
    return cli_fail_library(t->run->job.command, NULL, t->run->job.common.verbose);
}

static size_t count_written(const stars_sequence *s)
{
    size_t written = 0;

    for (size_t i = 0; i < s->n; i++)
        written += s->records[i].written;
    return written;
}

int stars_sequence_run(stars_run *run, stars_sequence *out)
{
    sink target = {run, out};
    taking t = {.run = run, .out = out};
    penta_io_error error = {""};
    stars_writers *writers;
    int code;

    *out = (stars_sequence){.n = run->track.n, .records = calloc(run->track.n, sizeof *out->records)};
    writers = out->records ? stars_writers_open(write_shot, &target) : NULL;
    if (!writers)
        return cli_fail(run->job.command, CLI_ERROR, "out of memory or threads for %zu frames", run->track.n);
    t.writers = writers;
    progress_begin(&t.bar, run->job.command, "frames", run->job.common.quiet);
    code = run->others ? take_shared(&t) : take_all(&t);
    progress_end(&t.bar);
    if (!stars_writers_close(writers, &error))
        return code == CLI_ERROR ? code : job_fail_io(&run->job, &error);
    if (run->truth && !penta_io_run_commit(run->truth, &error))
        return job_fail_io(&run->job, &error);
    if (job_commit(&run->job) != CLI_OK)
        return CLI_ERROR;
    if (code == STARS_INTERRUPTED || (code == CLI_OK && count_written(out) < out->n))
        code = cli_fail(run->job.command, CLI_ERROR, "interrupted after %zu of %zu frames; what was finished is kept",
                        count_written(out), out->n);
    return code;
}

void stars_sequence_free(stars_sequence *sequence)
{
    free(sequence->records);
    *sequence = (stars_sequence){0};
}
