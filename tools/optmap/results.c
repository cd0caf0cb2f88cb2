/* The files of a movie: all of them, or none. */
#include <stdio.h>
#include <stdlib.h>

#include <pentacl/io/array.h>
#include <pentacl/io/output.h>
#include "optmap/draw.h"
#include "optmap/report.h"
#include "optmap/run.h"
#include "shared/stages.h"

/* ---- lists ---- */

static void put_singularities(const optmap_study *s, FILE *out)
{
    fputs("frame,x,y,charge,id\n", out);
    for (size_t i = 0; i < s->found.singularity_count; i++) {
        const penta_singularity *p = &s->found.singularities[i];

        fprintf(out, "%zu,%.10g,%.10g,%d,%d\n", p->frame, p->x, p->y, p->charge, p->id);
    }
}

static void put_rotors(const optmap_study *s, FILE *out)
{
    fputs("id,charge,first,last,frames,life,length,turns\n", out);
    for (size_t i = 0; i < s->found.rotor_count; i++) {
        const penta_rotor *r = &s->found.rotors[i];

        fprintf(out, "%d,%d,%zu,%zu,%zu,%.10g,%.10g,%.10g\n", r->id, r->charge, r->first, r->last, r->frames,
                1e3 * (double)(r->last - r->first + 1) / s->rate, r->length, r->turns);
    }
}

static void put_numbers(FILE *out, const penta_findings_statistics *s)
{
    const double numbers[] = {s->median, s->q1, s->q3, s->mean, s->sd, s->largest - s->least, s->least, s->largest};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (s->count > 0 && !s->refused)
            fprintf(out, ",%.7g", numbers[i]);
        else
            putc(',', out);
    fprintf(out, ",%zu,%zu\n", s->pixels, s->beats);
}

/* False when out of memory. */
static bool put_statistics(FILE *out, const optmap_findings *f)
{
    penta_findings_statistics s;
    penta_findings_map map;

    fputs("name,unit,median,q1,q3,mean,sd,range,least,largest,pixels,beats\n", out);
    for (size_t i = 0; penta_findings_map_at(f->found, i, &map); i++) {
        if (map.instants || !map.data)
            continue;
        if (penta_findings_summarise(f->found, &map, 0, map.count, &s) != PENTA_OK)
            return false;
        fprintf(out, "%s,%s", map.name, map.unit);
        put_numbers(out, &s);
    }
    return true;
}

static bool write_list(const optmap_study *s, const char *path, void (*put)(const optmap_study *s, FILE *out),
                       penta_io_error *err)
{
    penta_io_output *output = NULL;

    if (!penta_io_output_open(path, &output, err))
        return false;
    put(s, penta_io_output_stream(output));
    return penta_io_output_commit(output, err);
}

/* ---- what there is to write ---- */

typedef struct {
    const char *name;
    bool wanted;
    /* One of these. */
    const void *numbers;
    void (*put)(const optmap_study *s, FILE *out);
    bool (*table)(FILE *out, const optmap_findings *f);
    bool (*draw)(const char *path, const optmap_findings *f, penta_io_error *err);
    const char *map; /* for optmap_draw_map */
    /* Of numbers. */
    penta_type type;
    size_t dimensions, shape[4];
} file;

enum { MOST_FILES = 28 };
typedef struct {
    file files[MOST_FILES];
    size_t count;
} file_list;

static void add(file_list *list, file f)
{
    list->files[list->count++] = f;
}

/* frames or beats x height x width */
static void add_maps(file_list *list, const optmap_study *s, const char *name, const float *numbers, size_t count,
                     bool wanted)
{
    const penta_movie_view *f = &s->found.filtered;

    add(list, (file){.name = name,
                     .wanted = wanted,
                     .numbers = numbers,
                     .type = PENTA_F32,
                     .dimensions = 3,
                     .shape = {count, f->height, f->width}});
}

static void add_map(file_list *list, const optmap_study *s, const char *name, const float *numbers)
{
    const penta_movie_view *f = &s->found.filtered;

    add(list, (file){.name = name,
                     .wanted = true,
                     .numbers = numbers,
                     .type = PENTA_F32,
                     .dimensions = 2,
                     .shape = {f->height, f->width}});
}

static void list_beats(file_list *list, const optmap_study *s)
{
    static const char *const apd[PENTA_APD_LEVELS] = {"apd30.npy", "apd50.npy", "apd80.npy", "apd90.npy"};
    const penta_beat_maps *m = &s->found.maps;

    add_maps(list, s, "activation.npy", m->activation, s->found.beat_count, true);
    add_maps(list, s, "repolarisation.npy", m->repolarisation, s->found.beat_count, true);
    for (size_t i = 0; i < PENTA_APD_LEVELS; i++)
        add_maps(list, s, apd[i], m->apd[i], s->found.beat_count, true);
    add_maps(list, s, "rise.npy", m->rise, s->found.beat_count, true);
    add_maps(list, s, "amplitude.npy", m->amplitude, s->found.beat_count, true);
    add_maps(list, s, "snr.npy", m->snr, s->found.beat_count, true);
    add_maps(list, s, "snr_filtered.npy", s->found.snr_filtered, s->found.beat_count, true);
    add(list, (file){.name = "cv.npy",
                     .wanted = s->found.velocity != NULL,
                     .numbers = s->found.velocity,
                     .type = PENTA_F32,
                     .dimensions = 4,
                     .shape = {s->found.beat_count, 2, s->found.filtered.height, s->found.filtered.width}});
}

static void list_pictures(file_list *list, const optmap_study *s)
{
    const optmap_flags *flags = &s->run->settings.flags;
    bool drawn = !flags->no_report && figures_ready(NULL);

    add(list, (file){.name = "report.html", .wanted = !flags->no_report, .draw = optmap_write_report});
    add(list, (file){.name = "traces.png", .wanted = drawn, .draw = optmap_draw_traces});
    add(list, (file){.name = "activation.png", .wanted = drawn, .draw = optmap_draw_activation});
    add(list, (file){.name = "apd80.png", .wanted = drawn, .map = "apd80"});
    add(list, (file){.name = "cv.png", .wanted = drawn && s->found.velocity, .map = "cv"});
    add(list, (file){.name = "movie.png", .wanted = drawn && !flags->no_movie, .draw = optmap_draw_movie});
}

/* What takes longest comes first. Of an empty study: all names. */
static void list_files(file_list *list, const optmap_study *s)
{
    const penta_movie_view *f = &s->found.filtered;
    size_t window = (size_t)s->run->settings.conditioning.window;

    list->count = 0;
    add_maps(list, s, "filtered.npy", f->data, f->frames, true);
    list_pictures(list, s);
    add(list, (file){.name = "statistics.csv", .wanted = true, .table = put_statistics});
    add(list, (file){.name = "shifts.npy",
                     .wanted = s->found.result.shifts != NULL,
                     .numbers = s->found.result.shifts,
                     .type = PENTA_I32,
                     .dimensions = 3,
                     .shape = {f->height, f->width, window * window}});
    list_beats(list, s);
    add_map(list, s, "alternans.npy", s->found.alternans);
    add_map(list, s, "dominant_frequency.npy", s->found.frequency);
    add_maps(list, s, "phase.npy", s->found.phase, s->found.traces.frames, s->run->settings.flags.phase);
    add_maps(list, s, "average.npy", s->found.average, s->found.average_frames, s->found.average != NULL);
    add(list, (file){.name = "singularities.csv", .wanted = true, .put = put_singularities});
    add(list, (file){.name = "rotors.csv", .wanted = true, .put = put_rotors});
}

int optmap_check_place(const optmap_run *run, input_files *inputs, const char *directory)
{
    const optmap_study nothing = {.run = (optmap_run *)run};
    file_list list;
    int code = CLI_OK;

    list_files(&list, &nothing);
    for (size_t i = 0; code == CLI_OK && i < list.count; i++)
        code = inputs_check(inputs, run->job.command, directory, list.files[i].name, "");
    return code;
}

void optmap_look_around(optmap_study *s)
{
    const optmap_study nothing = {.run = s->run};
    file_list list;
    char names[MOST_FILES * 32] = "";
    size_t used = 0;

    list_files(&list, &nothing);
    for (size_t i = 0; i < list.count && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s ", list.files[i].name);
    s->before = leftovers_look(s->directory, names);
}

/* ---- writing ---- */

/* The settings, with what those that say "as the movie has it" or "as others have it" came to. */
enum { MOST_TABLES = 8 };

typedef struct {
    optmap_settings settings;
    cli_table tables[MOST_TABLES + 1]; /* of the settings; without those of the command alone */
} settings_in_force;

/* The tables that fill run->settings, with the fields of out->settings. */
static void find_tables(const optmap_run *run, settings_in_force *out)
{
    const char *from = (const char *)&run->settings;
    size_t n = 0;

    for (const cli_table *t = run->tables; t->rows && n < MOST_TABLES; t++) {
        const char *values = t->values;

        if (values < from || values >= from + sizeof run->settings)
            continue;
        out->tables[n] = *t;
        out->tables[n++].values = (char *)&out->settings + (values - from);
    }
    out->tables[n] = (cli_table){0};
}

static void find_settings(const optmap_study *s, settings_in_force *out)
{
    const optmap_run *run = s->run;
    penta_optmap_options *conditioning = &out->settings.conditioning;
    optmap_flags *flags = &out->settings.flags;

    out->settings = run->settings;
    flags->rate = s->rate;
    flags->high = flags->high > 0 ? flags->high : s->found.filtered.frame_rate_hz / 2;
    conditioning->taps = conditioning->taps ? conditioning->taps : 8 * conditioning->interp + 1;
    find_tables(run, out);
}

static optmap_findings findings_of(const optmap_study *s, const settings_in_force *in_force)
{
    const optmap_run *run = s->run;

    return (optmap_findings){.found = &s->found,
                             .movie = s->path,
                             .device = penta_context_device(optmap_context(s))->name,
                             .version = penta_version(),
                             .command = run->command,
                             .real_time_factor = optmap_real_time_factor(s),
                             .no_movie = s->run->settings.flags.no_movie || !figures_ready(NULL),
                             .settings = in_force->tables};
}

static bool write_table(const optmap_findings *f, const char *path, bool (*put)(FILE *out, const optmap_findings *f),
                        penta_io_error *err)
{
    penta_io_output *output = NULL;

    if (!penta_io_output_open(path, &output, err))
        return false;
    if (put(penta_io_output_stream(output), f))
        return penta_io_output_commit(output, err);
    penta_io_output_abort(output);
    return penta_io_fail(err, "%s: out of memory", path);
}

static bool draw(const optmap_findings *f, const file *what, const char *path, penta_io_error *err)
{
    stage before = stages_enter(STAGE_PICTURES);
    bool ok = what->draw ? what->draw(path, f, err) : optmap_draw_map(path, f, what->map, err);

    (void)stages_enter(before);
    return ok;
}

static bool write_file(const optmap_study *s, const optmap_findings *f, const file *what, const char *path,
                       penta_io_error *err)
{
    if (what->table)
        return write_table(f, path, what->table, err);
    if (what->draw || what->map)
        return draw(f, what, path, err);
    if (what->put)
        return write_list(s, path, what->put, err);
    return penta_io_npy_write(path, what->type, what->dimensions, what->shape, what->numbers, err);
}

/* Draws the animated picture once, for a file of its own and for the report. */
static bool make_film(const optmap_study *s, optmap_findings *f, char **film, penta_io_error *err)
{
    const optmap_flags *flags = &s->run->settings.flags;
    stage before;
    bool ok;

    *film = NULL;
    if (flags->no_report || f->no_movie)
        return true;
    before = stages_enter(STAGE_PICTURES);
    ok = optmap_film(f, film, &f->film_bytes);
    f->film = *film;
    (void)stages_enter(before);
    return ok || penta_io_fail(err, "%s: out of memory for the animated picture", s->path);
}

typedef struct {
    const optmap_study *study;
    const optmap_findings *findings;
    const file *files;
} writing;

/* On any thread. */
static bool write_one(void *user, size_t i, penta_io_error *err)
{
    const writing *w = user;
    const file *f = &w->files[i];
    char *path;
    bool ok;

    if (!f->wanted)
        return true;
    if (cli_interrupted())
        return false;
    path = penta_io_join_path(w->study->directory, f->name, "");
    ok = path ? write_file(w->study, w->findings, f, path, err) : penta_io_fail(err, "out of memory");
    free(path);
    return ok;
}

int optmap_write_results(optmap_study *s)
{
    settings_in_force in_force;
    optmap_findings findings;
    optmap_note notes[PENTA_DOUBT_KINDS];
    penta_io_error error = {""};
    file_list list;
    char *film;
    bool ok;

    find_settings(s, &in_force);
    findings = findings_of(s, &in_force);
    findings.notes = notes;
    findings.note_count = optmap_list_notes(s, notes);
    list_files(&list, s);
    ok = make_film(s, &findings, &film, &error) &&
         penta_io_output_together(list.count, write_one, &(writing){s, &findings, list.files}, &error);
    free(film);
    if (!ok && error.text[0] == '\0')
        return optmap_interrupted(s);
    return ok ? CLI_OK : job_fail_io(&s->run->job, &error);
}

int optmap_commit_results(const optmap_study *s)
{
    penta_io_error error = {""};

    return penta_io_run_commit(s->files, &error) ? CLI_OK : job_fail_io(&s->run->job, &error);
}
