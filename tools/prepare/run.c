/* Runs frames through a plan. */
#include "prepare/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/io/output.h>
#include <pentacl/io/image.h>
#include "figures/figure.h"
#include "shared/answer_frames.h"
#include "shared/json.h"
#include "shared/prepare_plan.h"
#include "shared/stages.h"
#include "prepare/place.h"

/* ---- finishing a frame, on a worker thread ---- */

void prepare_free_result(void *result)
{
    prepare_result *own = result;

    if (!own)
        return;
    free(own->r.image);
    free(own->r.mask);
    sheet_free_cell(&own->cell);
    free(own);
}

static bool write_image(const preparation *p, const char *stem, const char *suffix, const penta_io_image *image,
                        penta_io_error *err)
{
    char *path = penta_io_join_path(p->job.common.output, stem, suffix);
    bool ok = path ? penta_io_image_write(path, image, NULL, err) : penta_io_fail(err, "out of memory for a file name");

    free(path);
    return ok;
}

/* How many pixels of an image of integers have the largest number, 0 of others: brighter than that, the division by the
 * background has made them alike. */
static size_t count_white(const penta_io_image *image)
{
    size_t pixels = image->width * image->height, white = 0;
    const uint8_t *bytes = image->data;
    const uint16_t *words = image->data;

    for (size_t i = 0; image->type == PENTA_U8 && i < pixels; i++)
        white += bytes[i] == UINT8_MAX;
    for (size_t i = 0; image->type == PENTA_U16 && i < pixels; i++)
        white += words[i] == UINT16_MAX;
    return white;
}

/* The sheet first: the mask is made 0 and 255 for its file. A rank that has run a frame which is not OK leaves it to
 * rank 0 to say so. */
bool prepare_write_frame(void *run, frame *f, penta_io_error *err)
{
    preparation *p = run;
    prepare_result *own = f->user;
    const penta_prepare_result *r = &own->r;
    penta_io_image image = {.type = penta_prepare_type(p->plan), .data = r->image};
    penta_io_image mask = {.type = PENTA_U8, .data = r->mask};

    if (r->status != PENTA_PREPARED_OK)
        return true;
    penta_prepare_size(p->plan, &image.width, &image.height);
    mask.width = image.width;
    mask.height = image.height;
    if (!p->flags.no_sheet && !sheet_make(&p->sheet, f->index, f->source->name, &f->image, &image, r->mask, &own->cell))
        return penta_io_fail(err, "out of memory for the contact sheet");
    own->white = count_white(&image);
    for (size_t i = 0; i < mask.width * mask.height; i++)
        r->mask[i] = r->mask[i] ? 255 : 0;
    return write_image(p, f->source->stem, prepare_suffix(p->recipe.files.format), &image, err) &&
           write_image(p, f->source->stem, ".mask.png", &mask, err);
}

bool prepare_keep_cell(void *run, frame *f, penta_io_error *err)
{
    preparation *p = run;
    prepare_result *own = f->user;

    (void)err;
    sheet_put(&p->sheet, f->index, &own->cell);
    if (p->white) /* rank 0 has the rows of all */
        p->white[f->index] = (size_t)own->white;
    return true;
}

static prepare_result *new_result(const preparation *p)
{
    prepare_result *own = calloc(1, sizeof *own);
    size_t width, height;

    if (!own)
        return NULL;
    penta_prepare_size(p->plan, &width, &height);
    own->r.image = malloc(width * height * penta_type_size(penta_prepare_type(p->plan)));
    own->r.mask = malloc(width * height);
    if (own->r.image && own->r.mask)
        return own;
    prepare_free_result(own);
    return NULL;
}

/* ---- before the first frame ---- */

/* The size, channels and type of a frame that can be read. */
static bool look_into(const penta_io_choice *choice, const frame_source *source, penta_io_image *like,
                      penta_io_error *err)
{
    if (source->error)
        return penta_io_fail(err, "%s", source->error);
    if (!prepare_read_colour(source->path, choice, source->page, like, err))
        return false;
    free(like->data);
    like->data = NULL;
    return true;
}

bool prepare_any_readable(const preparation *p, penta_io_error *err)
{
    for (size_t i = 0; i < p->list.count; i++) {
        penta_io_error here = {""};
        penta_io_image like;

        if (look_into(&p->list.choice, &p->list.sources[i], &like, &here))
            return true;
        if (i == 0)
            *err = here;
    }
    return false;
}

/* The first frame of the list that can be read, without its pixels. The run names those that cannot. */
static int find_first(preparation *p)
{
    penta_io_error error = {""};

    for (size_t i = 0; i < p->list.count; i++) {
        penta_io_error here = {""};
        penta_io_image like;

        if (look_into(&p->list.choice, &p->list.sources[i], &like, &here)) {
            p->first = like;
            return CLI_OK;
        }
        frame_list_fail(&p->list, i, here.text);
        if (!p->flags.keep_going)
            return job_fail_io(&p->job, &here);
        if (i == 0)
            error = here;
    }
    return cli_fail(p->job.command, CLI_ERROR, "none of %zu frames can be read; the first: %s", p->list.count,
                    error.text);
}

int prepare_make_plan(preparation *p)
{
    int code = prepare_members_open(&p->members, &p->job, &p->recipe, &p->first);

    p->plan = code == CLI_OK ? p->members.plans[0] : NULL;
    return code;
}

int prepare_open_plan(preparation *p)
{
    penta_io_error error = {""};
    int code = find_first(p);

    (void)stages_enter(STAGE_COMPUTE);
    code = code != CLI_OK ? code : prepare_make_plan(p);
    if (code != CLI_OK)
        return code;
    if (p->recipe.files.format == PENTA_IO_FRAMES_PNG &&
        !penta_io_image_can_write("frame.png", penta_prepare_type(p->plan), &error))
        return cli_fail(p->job.command, CLI_USAGE,
                        "a PNG holds no floating-point numbers; take --depth u16, or --format tiff, npy or fits");
    return prepare_members_look(&p->members, &p->list);
}

int prepare_open_stream(preparation *p)
{
    size_t batch = penta_prepare_batch(p->plan), slots = prepare_plan_slots(&p->first, batch, p->list.count);

    p->rows = calloc(p->list.count + 1, sizeof *p->rows);
    p->white = calloc(p->list.count + 1, sizeof *p->white);
    for (size_t i = 0; p->rows && i < p->list.count; i++) {
        p->rows[i].file = strdup(p->list.sources[i].name);
        if (!p->rows[i].file) {
            penta_io_drift_free(p->rows, i);
            p->rows = NULL;
        }
    }
    if (!p->rows || !p->white)
        return cli_fail(p->job.command, CLI_ERROR, "out of memory for %zu frames", p->list.count);
    sheet_open(&p->sheet, p->list.count);
    return frames_work_open(&p->work, slots, batch);
}

/* ---- running frames ---- */

static int bad_frame(preparation *p, const frame *f, enum penta_prepared status)
{
    if (p->flags.keep_going) {
        p->rows[f->index].skipped = true;
        p->rows[f->index].status = status;
    }
    return frames_work_skip(&p->work, f, p->flags.keep_going);
}

/* Runs n frames into results of their own; an exit code. */
static int run_frames(preparation *p, size_t member, size_t n, frame **frames)
{
    penta_prepare_frame *inputs = calloc(n, sizeof *inputs);
    penta_prepare_result *results = calloc(n, sizeof *results);
    bool ok = inputs && results;
    int code;

    for (size_t i = 0; ok && i < n; i++) {
        frames[i]->user = new_result(p);
        ok = frames[i]->user != NULL;
        if (!ok)
            break;
        results[i] = ((prepare_result *)frames[i]->user)->r;
        inputs[i] = (penta_prepare_frame){.image = frames[i]->image.data, .number = frames[i]->index};
    }
    code = ok ? prepare_members_run(&p->members, member, n, inputs, results)
              : cli_fail(p->job.command, CLI_ERROR, "out of memory for the results of %zu frames", n);
    for (size_t i = 0; code == CLI_OK && i < n; i++)
        ((prepare_result *)frames[i]->user)->r = results[i];
    free(inputs);
    free(results);
    return code;
}

/* Good frames as one batch. */
static int run_good(preparation *p, size_t member, size_t n, frame **frames)
{
    int code = run_frames(p, member, n, frames);

    for (size_t i = 0; code != CLI_OK && i < n; i++)
        frames_work_drop(&p->work, frames[i]);
    return code;
}

int prepare_compute(void *run, size_t member, size_t n, frame **frames)
{
    preparation *p = run;
    int code = CLI_OK;

    for (size_t i = 0; code == CLI_OK && i < n; i++) {
        size_t good = 0;

        while (i + good < n && prepare_plan_fits(&p->first, frames[i + good]))
            good++;
        if (good > 0)
            code = run_good(p, member, good, frames + i);
        i += good;
    }
    return code;
}

int prepare_accept(void *run, frame *f)
{
    preparation *p = run;
    const prepare_result *own = f->user;
    const penta_prepare_result *r = own ? &own->r : NULL;
    penta_io_drift_row *row = &p->rows[f->index];
    enum penta_prepared status = r ? r->status : PENTA_PREPARED_OK;

    if (!r)
        return bad_frame(p, f, status);
    row->dust_pixels = r->dust_pixels;
    row->drift = r->drift;
    row->done = status == PENTA_PREPARED_OK;
    if (row->done)
        return CLI_OK;
    prepare_plan_explain(p->plan, r, f);
    frames_work_drop(&p->work, f);
    return bad_frame(p, f, status);
}

/* ---- afterwards ---- */

/* A note where much is marked: what stands out regularly is no dust. */
static void note_dust(const preparation *p)
{
    const double much = 0.1; /* of a frame: dust on 2 % of it, with its rims, is 5 % */
    const penta_io_drift_row *most = NULL;
    size_t width, height, frames = 0;

    penta_prepare_size(p->plan, &width, &height);
    for (size_t i = 0; i < p->list.count; i++)
        if (p->rows[i].done && (double)p->rows[i].dust_pixels > much * (double)width * (double)height) {
            frames++;
            most = most && most->dust_pixels >= p->rows[i].dust_pixels ? most : &p->rows[i];
        }
    if (most)
        job_warn(
            &p->job,
            "%.1f %% of %s is marked as dust, and over %.0f %% of %zu of %zu frames; where that is the picture itself, "
            "raise --dust-limit",
            100 * (double)most->dust_pixels / ((double)width * (double)height), most->file, 100 * much, frames,
            p->list.count);
}

/* A note where drifts are ambiguous. */
static void prepare_note_ambiguous(const preparation *p)
{
    const penta_io_drift_row *first = NULL;
    size_t frames = 0;

    for (size_t i = 0; i < p->list.count; i++)
        if (p->rows[i].done && p->rows[i].drift.others > 0) {
            frames++;
            first = first ? first : &p->rows[i];
        }
    if (first)
        job_warn(
            &p->job,
            "the drift of %zu of %zu frames is ambiguous: the pattern is periodic, or the same along a line, and fits "
            "other places as well, or parts of the picture have moved apart; %s lies at (%.2f, %.2f) px, or at (%.2f, "
            "%.2f)%s (drift.csv has all). "
            "Where the drift is less than half a period, --max-drift decides; where something moves in the picture, "
            "--crop to a part without it, or --dust none where what stands still was taken for dust",
            frames, p->list.count, first->file, first->drift.dx, first->drift.dy, first->drift.other_dx[0],
            first->drift.other_dy[0], first->drift.others > 1 ? " or elsewhere" : "");
}

size_t prepare_count_done(const void *run)
{
    const preparation *p = run;
    size_t done = 0;

    for (size_t i = 0; p->rows && i < p->list.count; i++)
        done += p->rows[i].done;
    return done;
}

/* A warning where much of a frame is white, and --contrast has not asked for it. */
static void note_white(const preparation *p)
{
    const double much = 0.05; /* of a frame */
    size_t width, height, frames = 0, most = 0;
    double pixels;

    if (!p->white || !p->plan || p->recipe.options.contrast)
        return;
    penta_prepare_size(p->plan, &width, &height);
    pixels = (double)width * (double)height;
    for (size_t i = 0; i < p->list.count; i++)
        if (p->rows[i].done && (double)p->white[i] > much * pixels) {
            most = frames == 0 || p->white[i] > p->white[most] ? i : most;
            frames++;
        }
    if (frames > 0)
        job_warn(&p->job,
                 "%.1f %% of %s is white in what is written (%zu of %zu frames have over %.0f %%): flattened, it is "
                 "brighter than white. --contrast makes room, --depth f32 with --format tiff, npy or fits keeps the "
                 "levels",
                 100 * (double)p->white[most] / pixels, p->rows[most].file, frames, p->list.count, 100 * much);
}

int prepare_write_summary(void *run)
{
    preparation *p = run;
    char *csv = penta_io_join_path(p->job.common.output, "drift", ".csv"), *picture = NULL;
    penta_io_error error = {""}, missing;
    bool tables = csv && penta_io_drift_write(csv, p->list.count, p->rows, &error), ok = tables;

    if (ok && !p->flags.no_sheet && !figures_ready(&missing))
        job_note(&p->job, "%s", missing.text);
    else if (ok && !p->flags.no_sheet) {
        picture = prepare_report_path(p, "sheet.png", &error);
        (void)stages_enter(STAGE_PICTURES);
        ok = picture && sheet_write(&p->sheet, picture, &error);
        (void)stages_enter(STAGE_WRITE);
    }
    free(csv);
    free(picture);
    note_dust(p);
    note_white(p);
    prepare_note_ambiguous(p);
    if (tables && job_commit(&p->job) != CLI_OK) /* the frames are kept where the sheet cannot be written */
        return CLI_ERROR;
    if (tables && *p->kept)
        job_note(&p->job, "the series of --watch in %s has ended; its state is kept as %s (--overwrite removes it)",
                 p->job.common.output, p->kept);
    return ok ? CLI_OK : job_fail_io(&p->job, &error);
}

static const char *status_of(const penta_io_drift_row *row)
{
    return row->skipped && row->status == PENTA_PREPARED_OK ? "error" : penta_prepared_name(row->status);
}

/* [{dx, dy}] of the other places of a drift. */
static json_t *prepare_others_json(const penta_drift *d)
{
    json_t *out = json_array();

    for (size_t i = 0; out && i < d->others; i++)
        json_array_append_new(
            out, json_pack("{s:o, s:o}", "dx", json_number(d->other_dx[i]), "dy", json_number(d->other_dy[i])));
    return out;
}

/* NULL: the frame has not run. */
static json_t *row_json(const void *run, size_t i)
{
    const preparation *p = run;
    const penta_io_drift_row *row = p->rows ? &p->rows[i] : NULL;
    bool ran = row && (row->done || row->status != PENTA_PREPARED_OK);

    if (!row || (!row->done && !row->skipped))
        return NULL;
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:b, s:o}", "file", json_text(row->file), "dx",
                     json_number(row->done ? row->drift.dx : (double)NAN), "dy",
                     json_number(row->done ? row->drift.dy : (double)NAN), "angle",
                     json_number(row->done ? row->drift.angle : (double)NAN), "score",
                     json_number(ran ? row->drift.score : (double)NAN), "dust_pixels",
                     ran ? json_integer((json_int_t)row->dust_pixels) : json_null(), "status", status_of(row),
                     "ambiguous", row->done && row->drift.others > 0, "others", prepare_others_json(&row->drift));
}

json_t *prepare_details(const void *run)
{
    const preparation *p = run;

    return json_pack("{s:o}", "frames", answer_frames(&p->list, row_json, p));
}
