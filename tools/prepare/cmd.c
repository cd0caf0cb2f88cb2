/* penta prepare: raw photographs in, a clean registered series out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <pentacl/io/output.h>

#include "shared/prepare_plan.h"
#include "shared/ranks.h"
#include "shared/stages.h"
#include "prepare/place.h"
#include "prepare/run.h"
#include "prepare/watch.h"

static const char NAME[] = "prepare";

const penta_option prepare_flag_table[] = {
    PENTA_TEXT_OPTION(prepare_flags, recipe, 0, "FILE", "read options from this JSON file; flags override it"),
    FRAME_CHOICE_OPTIONS(prepare_flags),
    PENTA_FLAG_OPTION(prepare_flags, print_recipe, 0, "print the options as a recipe and do nothing else"),
    PENTA_TEXT_OPTION(prepare_flags, watch, 0, "DIR", "process frames as they arrive there, across restarts"),
    PENTA_REAL_OPTION(prepare_flags, interval, 0, 0, 0, 1e15, "s",
                      "with --watch: time between frames, for the growth; 0: use the times of the files"),
    PENTA_REAL_OPTION(prepare_flags, watch_every, 0, 2, 0.05, 86400, "s",
                      "with --watch: time between looks into the directory"),
    PENTA_REAL_OPTION(prepare_flags, watch_idle, 0, 0, 0, 1e9, "s",
                      "with --watch: stop after this long without a new frame; 0: never"),
    PENTA_FLAG_OPTION(
        prepare_flags, keep_going, 0,
        "report a bad frame, skip it and continue, as --watch always does; the exit code is 1 at the end"),
    PENTA_FLAG_OPTION(prepare_flags, resume, 0,
                      "resume an interrupted run with the same arguments; the result is identical"),
    PENTA_FLAG_OPTION(prepare_flags, no_sheet, 0, "draw no contact sheet"),
    PENTA_FLAG_OPTION(prepare_flags, overwrite, 0,
                      "end the series that --watch began in DIR; otherwise its state is kept as .prepare-1, -2, ..."),
    PENTA_OPTIONS_END};

static const char about[] =
    "Cleans and registers a series of photographs: crop, grey, dark and flat frames, uneven light, dust, "
    "drift, contrast. Images: {images}, of 8 and 16 bits or float, stacks too. Several images are a series in "
    "the order given.\n\n"
    "Writes to DIR: STEM.png and STEM.mask.png (0 where a pixel does not count) of every frame, drift.csv "
    "(index,file,dx,dy,angle,score,places,others: where the content lies against the first frame, in px, and "
    "how many places fit equally well) and report/sheet.png, frames before and after. With --watch also "
    "report/series.csv and report/growth.png, R_max of every frame. Exit code 0; 1 after an error, finished "
    "frames are kept; 2 for wrong usage.\n\n"
    "Under mpirun the ranks share frames that do not need those before them (--register none or "
    "--smooth-drift, and no --contrast-of first), each with a device of its machine; other series are "
    "prepared by the first rank.";

static const char examples[] =
    "  penta sample prepare -n 5 --width 256 --height 256 -o photos\n"
    "  penta prepare -o clean photos/*.png && penta autocorr --demean mean -o out clean/*.png\n"
    "  penta prepare --flatten poly --dust copy --print-recipe > recipe.json\n"
    "  penta prepare --recipe recipe.json --watch photos --watch-idle 1 -o watched\n";

/* ---- the answer ---- */

static void print_frame(const penta_io_drift_row *row, bool angles)
{
    if (!row->done)
        return;
    printf("%s  dx = %.2f  dy = %.2f px", cli_shown(row->file), row->drift.dx, row->drift.dy);
    if (angles)
        printf("  angle = %.3f degrees", row->drift.angle);
    if (isfinite(row->drift.score))
        printf("  (score %.3f)", row->drift.score);
    if (row->drift.others > 0)
        printf("  ambiguous: %zu places", 1 + row->drift.others);
    printf("  %zu px of dust\n", row->dust_pixels);
}

/* With --keep-going there may be all files and still a frame that is missing in them. */
static int answer(void *run)
{
    preparation *p = run;
    int code;

    if (p->list.count == 1 && p->recipe.options.registration != PENTA_PREPARE_REGISTER_NONE)
        job_note(&p->job, "a single frame is registered with nothing");
    if (job_prints(&p->job))
        for (size_t i = 0; i < p->list.count; i++)
            print_frame(&p->rows[i], p->recipe.options.registration == PENTA_PREPARE_RIGID);
    code = job_finish(&p->job, p->job.common.json ? prepare_details(p) : NULL);
    return code == CLI_OK && prepare_count_done(p) < p->list.count ? CLI_ERROR : code;
}

/* ---- a series that is all there ---- */

/* Frames are replaced, so --watch cannot go on with the series that they were of. */
static int keep_series(preparation *p)
{
    char *state = penta_io_archive_path(p->job.common.output, "state.json");
    penta_io_error error = {""};
    bool ok = state != NULL;

    if (ok && p->flags.overwrite && access(state, F_OK) == 0)
        penta_io_remove_file(state);
    else if (ok && access(state, F_OK) == 0)
        ok = penta_io_run_keep(p->job.run, ".prepare", p->kept, sizeof p->kept, &error);
    free(state);
    return ok ? CLI_OK : job_fail_io(&p->job, &error);
}

static int open_run(preparation *p, int argc, char **argv)
{
    penta_io_choice choice = prepare_choice(&p->flags);
    int code;

    (void)stages_enter(STAGE_READ);
    if (!frame_list_make_chosen(argv, (size_t)argc, &choice, &p->list))
        return cli_fail(NAME, CLI_ERROR, "out of memory for the list of frames");
    p->list.colour = true;
    p->work.in_order = prepare_runs_in_order(&p->recipe.options);
    p->work.looks = prepare_plan_looks(&p->recipe.options);
    frames_work_note_doubts(&p->work);
    code = prepare_check_place(p);
    code = code != CLI_OK ? code : job_open_devices(&p->job);
    if (code == CLI_OK && ranks_rank() == 0 && !p->job.again)
        code = prepare_open_plan(p);
    code = code != CLI_OK ? code : job_make_directory(&p->job, "*.mask.png");
    code = code != CLI_OK ? code : frames_resume_begin(&p->work);
    if (code != CLI_OK || frames_resume_is_done(&p->work))
        return code;
    if (ranks_rank() > 0) { /* they hear of the plan when frames are shared */
        sheet_open(&p->sheet, p->list.count);
        return CLI_OK;
    }
    if (p->job.again)
        code = frames_resume_start(&p->work) > 0 ? frames_resume_plan(&p->work) : prepare_open_plan(p);
    code = code != CLI_OK ? code : keep_series(p);
    return code != CLI_OK ? code : prepare_open_stream(p);
}

static const frames_task task = {.compute = prepare_compute,
                                 .accept = prepare_accept,
                                 .write = prepare_write_frame,
                                 .keep = prepare_keep_cell,
                                 .pack_plan = prepare_pack_plan,
                                 .unpack_plan = prepare_unpack_plan,
                                 .pack = prepare_pack,
                                 .unpack = prepare_unpack,
                                 .free_result = prepare_free_result,
                                 .count_done = prepare_count_done,
                                 .write_summary = prepare_write_summary,
                                 .answer = answer,
                                 .details = prepare_details};

static void close_run(preparation *p)
{
    sheet_close(&p->sheet);
    penta_io_drift_free(p->rows, p->list.count);
    free(p->white);
    frame_list_free(&p->list);
    prepare_members_close(&p->members);
    job_close(&p->job);
    frames_work_end(&p->work);
}

/* ---- flags ---- */

/* Of a run; the bits of rules without effect. */
enum {
    WATCHED = 64,
    NOT_WATCHED = 1,
    NO_REGISTRATION = 2,
    NO_DUST = 4,
    NO_FLATTENING = 8,
    NO_CONTRAST = 16,
    NOT_RIGID = 32
};

static unsigned facts_of(const preparation *p)
{
    const penta_prepare_options *o = &p->recipe.options;

    return (p->flags.watch ? WATCHED : NOT_WATCHED) |
           (o->registration == PENTA_PREPARE_REGISTER_NONE ? NO_REGISTRATION : 0) |
           (o->registration != PENTA_PREPARE_RIGID ? NOT_RIGID : 0) |
           (o->dust == PENTA_PREPARE_DUST_NONE ? NO_DUST : 0) |
           (o->flatten == PENTA_PREPARE_FLATTEN_NONE && o->dust == PENTA_PREPARE_DUST_NONE &&
                    o->registration == PENTA_PREPARE_REGISTER_NONE
                ? NO_FLATTENING
                : 0) |
           (o->contrast ? 0 : NO_CONTRAST);
}

static const cli_rule idle[] = {{"interval watch_every watch_idle", "there is no --watch", NOT_WATCHED},
                                {"overwrite resume", "--watch goes on with the series", WATCHED},
                                {"correlation max_drift min_score key_score smooth_drift interpolation",
                                 "frames are not registered", NO_REGISTRATION},
                                {"max_angle", "only --register rigid turns frames", NOT_RIGID},
                                {"dust_key dust_limit dust_size dust_grow", "--dust none looks for no dust", NO_DUST},
                                {"flatten_sigma flatten_degree", "no background is needed", NO_FLATTENING},
                                {"contrast_of", "there is no --contrast", NO_CONTRAST},
                                {0}};

static int check_flags(const cli_line *line, const preparation *p, int operands)
{
    int code = cli_check_effect(line, facts_of(p));
    penta_io_choice choice = prepare_choice(&p->flags);
    penta_io_error error = {""};

    if (code != CLI_OK)
        return code;
    if (!penta_io_choice_check(&choice, &error))
        return cli_fail(NAME, CLI_USAGE, "%s", error.text);
    if (p->recipe.files.format == PENTA_IO_FRAMES_PNG && p->recipe.options.depth == PENTA_PREPARE_F32)
        return cli_fail(NAME, CLI_USAGE,
                        "a PNG holds no floating-point numbers; take --depth u16, or --format tiff, npy or fits");
    if (p->flags.watch && operands > 0)
        return cli_fail(NAME, CLI_USAGE, "--watch takes its frames from a directory; leave the images out");
    if (p->flags.watch && ranks_size() > 1)
        return cli_fail(NAME, CLI_USAGE, "--watch prepares a series in one process, and there are ranks for %zu",
                        ranks_size());
    if (p->flags.watch && p->recipe.options.smooth_drift > 0)
        return cli_fail(NAME, CLI_USAGE, "--smooth-drift needs the whole series; leave it out with --watch");
    if (!p->flags.watch && operands == 0)
        return cli_fail(NAME, CLI_USAGE, "no image given; see penta prepare --help");
    return cli_need_output(line);
}

/* Under --json the recipe is part of the answer. */
static int print_recipe(const penta_io_recipe_table *tables)
{
    char *text = penta_io_recipe_text(tables, NULL);

    if (!text)
        return cli_fail(NAME, CLI_ERROR, "out of memory for the recipe");
    if (cli_wants_json())
        answer_add(json_pack("{s:o}", "recipe", json_loads(text, 0, NULL)));
    else
        puts(text);
    free(text);
    return CLI_OK;
}

static int start(const cli_line *line, preparation *p)
{
    const cli_table *t = line->tables;
    const penta_io_recipe_table recipe_tables[] = {{penta_prepare_option_table(), t[0].values, t[0].given},
                                                   {penta_io_recipe_file_table(), t[1].values, t[1].given},
                                                   {0}};
    penta_io_error error = {""};
    char message[256];
    int code;

    if (penta_prepare_check(0, 0, 1, PENTA_U8, &p->recipe.options, message, sizeof message) != PENTA_OK)
        return cli_fail(NAME, CLI_USAGE, "%s", message);
    code = cli_take_streams(line);
    if (code != CLI_OK)
        return code;
    if (p->flags.recipe && (!penta_io_run_check(p->flags.recipe, &error) ||
                            !penta_io_recipe_read_tables(p->flags.recipe, recipe_tables, &p->recipe.strings, &error)))
        return job_fail_io(&p->job, &error);
    if (p->flags.print_recipe)
        return print_recipe(recipe_tables);
    code = check_flags(line, p, line->operand_count);
    if (code != CLI_OK)
        return code;
    cli_catch_interrupts();
    if (p->flags.watch)
        return prepare_watch(p);
    return frames_work_run(&p->work, open_run(p, line->operand_count, line->operands));
}

static int run(const cli_line *line, void *values)
{
    preparation *p = values;
    int code;

    job_begin(&p->job, line);
    p->job.again = p->flags.resume;
    frames_work_begin(&p->work, &task, p, &p->job, &p->list);
    code = start(line, p);
    close_run(p);
    penta_io_recipe_free(&p->recipe);
    return code;
}

static const cli_operand operands[] = {
    {"IMAGE", "photographs, or stacks of them, in the order of the series; none with --watch", 0, 0, NULL}, {0}};

/* The first two are those of recipes. */
static const cli_section sections[] = {
    CLI_LIBRARY("Method", "prepare", penta_prepare_option_table, preparation, recipe.options),
    CLI_TABLE("Calibration and format", "recipe", penta_io_recipe_file_table, preparation, recipe.files),
    CLI_SECTION("Input and output", "files", prepare_flag_table, preparation, flags),
    CLI_SECTION("Common", "common", cli_common_table, preparation, job.common), CLI_SECTIONS_END};

static const cli_output outputs[] = {{"*.mask.png", "mask"},
                                     {"drift.csv", "drift"},
                                     {"series.csv", "series"},
                                     {"sheet.png", "picture"},
                                     {"growth.*", "picture"},
                                     {"*", "frame"},
                                     {0}};

const cli_command penta_command_prepare = {.name = "prepare",
                                           .summary = "clean and register a series of photographs",
                                           .usage = "-o DIR IMAGE...",
                                           .about = about,
                                           .examples = examples,
                                           .operands = operands,
                                           .sections = sections,
                                           .idle = idle,
                                           .outputs = outputs,
                                           .size = sizeof(preparation),
                                           .run = run,
                                           .ranks = CLI_RANKS_ALL};
