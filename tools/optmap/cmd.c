/* penta optmap: camera movies of hearts in, filtered movies, maps of their beats and rotors out. */
#include <stdlib.h>
#include <string.h>

#include <pentacl/io/output.h>
#include "figures/figure.h"
#include "shared/ranks.h"
#include "optmap/run.h"
#include "shared/stems.h"

static const char NAME[] = "optmap";

static const char about[] =
    "Analyses camera movies of cardiac optical mapping. A movie is normalised, interpolated in time and "
    "filtered in space along the wave: each neighbour of a pixel is shifted by its delay before the Gaussian "
    "sums them (Pingfan Meng, UC San Diego 2011). Then beats are found; activation, repolarisation, action "
    "potential durations and conduction velocity are measured in each pixel; and phase singularities are "
    "followed. MOVIE is {movies} (--raw): TIFF or BigTIFF of 8, 16, 32 bits or float, ImageJ's stacks too; "
    "NPY frames x height x width; MATLAB height x width x frames.\n\n"
    "Writes to DIR: filtered.npy; activation, repolarisation, apd30, apd50, apd80, apd90, rise, amplitude, "
    "snr .npy (each beats x height x width), cv.npy (beats x 2 x height x width, with --pixel-size), "
    "alternans.npy, dominant_frequency.npy, singularities.csv, rotors.csv, pictures and report.html; with "
    "several movies each to DIR/NAME-OF-MOVIE. All files of a movie appear, or none. Exit code 0; 1 after an "
    "error; 2 for wrong usage.\n\n"
    "Under mpirun the ranks take movies as they become free, each with a device of its machine; a single "
    "movie is analysed by the first rank. Several devices (-d 0,1) do the same.";

static const char examples[] =
    "  penta sample optmap --kind radial --noise 100 -o movies\n"
    "  penta optmap --pixel-size 0.01 -o out movies/movie.tif\n"
    "  penta optmap --drift 1 --min-range 0.02 --average --rate 1000 --json -o mean movies/movie.npy\n"
    "  tail -c +129 movies/movie.npy | penta optmap --rate 1000 --raw 64x64:u16le --no-report -o raw -\n"
    "  penta sample optmap --kind spiral -o spiral && penta optmap -o rotor spiral/movie.tif\n";

/* ---- the movies ---- */

/* DIR; of several movies DIR/STEM each. */
static bool choose_directories(const optmap_movies *list, const char *output)
{
    bool ok = true;

    for (size_t i = 0; ok && i < list->count; i++)
        ok = (list->directories[i] = list->count == 1 ? strdup(output) : stem_of(list->paths[i])) != NULL;
    if (!ok || list->count == 1)
        return ok;
    ok = stems_tell_apart(list->directories, list->count);
    for (size_t i = 0; ok && i < list->count; i++) {
        char *stem = list->directories[i];

        ok = (list->directories[i] = penta_io_join_path(output, stem, "")) != NULL;
        free(stem);
    }
    return ok;
}

static int list_movies(optmap_run *run, optmap_movies *list)
{
    list->directories = calloc(list->count, sizeof *list->directories);
    list->answers = json_array();
    return list->answers && list->directories && choose_directories(list, run->job.common.output)
               ? CLI_OK
               : cli_fail(NAME, CLI_ERROR, "out of memory");
}

static int check_places(const optmap_run *run, const optmap_movies *list)
{
    input_files *inputs = inputs_open(list->count + 2);
    int code = inputs ? CLI_OK : cli_fail(NAME, CLI_ERROR, "out of memory");

    for (size_t i = 0; inputs && i < list->count; i++)
        inputs_add(inputs, list->paths[i]);
    if (inputs) {
        inputs_add(inputs, run->settings.flags.ratio);
        inputs_add(inputs, optmap_mask_file(&run->settings.flags));
    }
    for (size_t i = 0; code == CLI_OK && i < list->count; i++)
        code = optmap_check_place(run, inputs, list->directories[i]);
    inputs_close(inputs);
    return code;
}

static json_t *all_details(const optmap_run *run, const optmap_movies *list)
{
    if (list->count == 1 && list->all == 1)
        return json_incref(json_array_get(list->answers, 0));
    return json_pack("{s:O, s:{s:f, s:f, s:f}}", "movies", list->answers, "seconds", "read", list->read, "total",
                     cli_seconds() - run->job.start, "device", list->device);
}

static int work(optmap_run *run, optmap_movies *list)
{
    int code = list_movies(run, list);
    penta_io_error missing;

    code = code != CLI_OK ? code : check_places(run, list);
    if (run->job.again) {
        code = code != CLI_OK ? code : optmap_need_device(run);
        code = code != CLI_OK ? code : optmap_leave_done(run, list);
    }
    code = code != CLI_OK ? code : optmap_do_movies(run, list);
    if (ranks_rank() > 0)
        return code;
    if (code != CLI_OK && list->all > 1 && run->job.common.json)
        answer_add(all_details(run, list));
    if (code != CLI_OK)
        return code;
    if (!(run->settings.flags.pixel_size > 0) && list->count > 0)
        job_note(&run->job, "without --pixel-size there are no velocities, and no cv.npy");
    if (!run->settings.flags.no_report && list->count > 0 && !figures_ready(&missing))
        job_note(&run->job, "%s", missing.text);
    code = job_finish(&run->job, run->job.common.json ? all_details(run, list) : NULL);
    return code == CLI_OK && list->failed > 0 ? CLI_ERROR : code;
}

static void close_run(optmap_run *run, optmap_movies *list)
{
    for (size_t i = 0; list->directories && i < list->count; i++)
        free(list->directories[i]);
    free(list->directories);
    json_decref(list->answers);
    optmap_ahead_end(run->ahead, true);
    for (size_t i = 0; run->analyses && i < run->job.members; i++)
        penta_analysis_destroy(run->analyses[i]);
    free(run->analyses);
    free(run->command);
    job_close(&run->job);
}

/* The word as a shell takes it: in quotes unless all its letters are harmless. Returns the end. */
static char *put_word(char *at, const char *word)
{
    static const char harmless[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";

    if (*word && !word[strspn(word, harmless)])
        return stpcpy(at, word);
    *at++ = '\'';
    for (; *word; word++)
        if (*word == '\'')
            at = stpcpy(at, "'\\''");
        else
            *at++ = *word;
    return stpcpy(at, "'");
}

static bool is_resume(const char *word)
{
    return strlen(word) >= strlen("--re") && strncmp(word, "--resume", strlen(word)) == 0;
}

/* "penta optmap ...", to be typed again. A run that goes on is told of as the one that began. */
static char *join_line(int argc, char **argv)
{
    size_t size = sizeof "penta";
    char *line, *at;

    for (int i = 0; i < argc; i++)
        size += 4 * strlen(argv[i]) + 3; /* the worst: each letter is a quote */
    line = malloc(size);
    at = line ? stpcpy(line, "penta") : NULL;
    for (int i = 0; line && i < argc; i++) {
        if (is_resume(argv[i]))
            continue;
        *at++ = ' ';
        at = put_word(at, argv[i]);
    }
    return line;
}

static int run_optmap(const cli_line *line, void *values)
{
    optmap_run *run = values;
    optmap_movies list = {.paths = line->operands, .count = (size_t)line->operand_count};
    int code = optmap_check_usage(line, &run->settings, list.count);

    list.all = list.count;

    code = code != CLI_OK ? code : cli_need_output(line);
    code = code != CLI_OK ? code : cli_take_streams(line);
    if (code != CLI_OK)
        return code;
    job_begin(&run->job, line);
    run->job.again = run->settings.flags.resume;
    run->tables = line->tables;
    run->command = join_line(line->word_count, line->words);
    cli_catch_interrupts();
    code = run->command ? work(run, &list) : cli_fail(NAME, CLI_ERROR, "out of memory");
    close_run(run, &list);
    return code;
}

static const cli_section sections[] = {
    CLI_SECTION("Input", "input", optmap_input_rows, optmap_run, settings.flags),
    CLI_LIBRARY("Conditioning", "optmap", penta_optmap_option_table, optmap_run, settings.conditioning),
    CLI_LIBRARY("Beats", "beats", penta_beats_option_table, optmap_run, settings.beats),
    CLI_LIBRARY("Rotors", "rotors", penta_rotors_option_table, optmap_run, settings.rotors),
    CLI_SECTION("Output", "output", optmap_output_rows, optmap_run, settings.flags),
    CLI_SECTION("Common", "common", cli_common_table, optmap_run, job.common),
    CLI_SECTIONS_END};

static const cli_operand operands[] = {{"MOVIE", "movies; each by itself", 1, 0, NULL}, {0}};

static const cli_output outputs[] = {{"filtered.npy", "movie"}, {"average.npy", "movie"}, {"phase.npy", "movie"},
                                     {"shifts.npy", "shifts"},  {"*.npy", "map"},         {"*.csv", "table"},
                                     {"report.html", "report"}, {"*", "picture"},         {0}};

const cli_command penta_command_optmap = {.name = "optmap",
                                          .summary = "cardiac optical mapping: activation, velocity, rotors",
                                          .usage = "-o DIR MOVIE...",
                                          .about = about,
                                          .examples = examples,
                                          .operands = operands,
                                          .sections = sections,
                                          .presets = penta_optmap_presets,
                                          .idle = optmap_idle,
                                          .outputs = outputs,
                                          .size = sizeof(optmap_run),
                                          .run = run_optmap,
                                          .ranks = CLI_RANKS_ALL};
