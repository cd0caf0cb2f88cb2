/* penta prepare: raw photographs in, a clean registered series out. */
#include "prepare/run.h"

static const char NAME[] = "prepare";

const penta_option recipe_file_table[] = {
    PENTA_TEXT_OPTION(recipe_files, dark, 0, "IMAGE", "dark frame, taken off first"),
    PENTA_TEXT_OPTION(recipe_files, flat, 0, "IMAGE", "flat frame, by which frames are divided"), PENTA_OPTIONS_END};

const penta_option prepare_flag_table[] = {
    PENTA_TEXT_OPTION(prepare_flags, recipe, 0, "FILE", "options from this JSON; flags go before it"),
    PENTA_FLAG_OPTION(prepare_flags, print_recipe, 0, "print the options as a recipe and do nothing else"),
    PENTA_CHOICE_OPTION(prepare_flags, format, 0, "png,tiff,npy,fits",
                        "of the frames; float frames need the latter three"),
    PENTA_TEXT_OPTION(prepare_flags, watch, 0, "DIR", "process frames as they arrive there, across restarts"),
    PENTA_REAL_OPTION(prepare_flags, interval, 0, 0, 0, 1e15, "s",
                      "watch: time between frames, for the growth; 0: the times of the files"),
    PENTA_REAL_OPTION(prepare_flags, watch_every, 0, 2, 0.05, 86400, "s", "time between looks"),
    PENTA_REAL_OPTION(prepare_flags, watch_idle, 0, 0, 0, 1e9, "s", "end after so long without a frame; 0: never"),
    PENTA_FLAG_OPTION(prepare_flags, keep_going, 'k', "report a bad frame, leave it out and go on"),
    PENTA_FLAG_OPTION(prepare_flags, no_sheet, 0, "no contact sheet"),
    PENTA_OPTIONS_END};

static const char about[] =
    "Cleans and registers a series of photographs: crop, grey, dark and flat frames, flattening, dust, drift, "
    "contrast.\n"
    "Writes to DIR: STEM.png and STEM.mask.png (0 where a pixel does not count) of every frame, drift.csv\n"
    "(index,file,dx,dy,angle,score; where the content lies against the first frame, in px) and report/sheet.png, "
    "frames\n"
    "before and after. With --watch also report/series.csv and report/growth.png, R_max of every frame.";

static const char examples[] = "  penta prepare -o clean photos/*.png && penta autocorr -o out clean/*.png\n"
                               "  penta prepare --flatten poly --dust copy --print-recipe > recipe.json\n"
                               "  penta prepare --recipe recipe.json --watch incoming -o clean\n";

static int run(int argc, char **argv)
{
    preparation p = {.job = {.command = NAME, .start = cli_seconds()}};
    bool given[64], files_given[sizeof recipe_file_table / sizeof *recipe_file_table],
        flags_given[sizeof prepare_flag_table / sizeof *prepare_flag_table];
    const cli_table tables[] = {{"Method", penta_prepare_option_table, &p.recipe.options, given},
                                {"Calibration", recipe_file_table, &p.recipe.files, files_given},
                                {"Input and output", prepare_flag_table, &p.flags, flags_given},
                                {"Common", cli_common_table, &p.job.common, NULL},
                                {0}};
    const cli_spec spec = {
        .command = NAME, .operands = "-o DIR IMAGE...", .about = about, .examples = examples, .tables = tables};
    int first, code = cli_parse(&spec, argc, argv, &first);

    if (code != CLI_OK || first < 0)
        return code;
    return cli_fail(NAME, CLI_ERROR, "to be written");
}

const cli_command penta_command_prepare = {"prepare", "raw photographs in, a clean registered series out", run};
