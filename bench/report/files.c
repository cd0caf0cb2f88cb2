/* The files of a report: its JSON, and the pages that bench/pages.py makes of it, which is in the program. */
#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/io/output.h>
#include <pentacl/io/run.h>

#include "run/process.h"

extern const unsigned char bench_pages_script[];
extern const size_t bench_pages_script_bytes;

/* ---- pages ---- */

static json_t *run_script(FILE *script, const char *const *arguments, size_t count, char *why, size_t size)
{
    const char **words = calloc(count + 5, sizeof *words);
    const bench_program program = {.words = words, .in = script};
    bench_end end = {.answer = NULL};

    for (size_t i = 0; words && i < count + 4; i++)
        words[i] = i < 4 ? ((const char *const[]){"python3", "-I", "-", "--print"})[i] : arguments[i - 4];
    if (!words || !bench_run_program(&program, &end))
        snprintf(why, size, "python3: %s", strerror(errno));
    else if (!end.started)
        snprintf(why, size, "there is no program python3, which makes pages");
    else if (!end.answer)
        snprintf(why, size, "%s", *end.said ? end.said : "python3 failed");
    free(words);
    return end.answer;
}

json_t *bench_make_pages(const char *const *arguments, size_t count, char *why, size_t size)
{
    FILE *script = tmpfile();
    json_t *pages = NULL;

    if (script && fwrite(bench_pages_script, 1, bench_pages_script_bytes, script) == bench_pages_script_bytes &&
        fseek(script, 0, SEEK_SET) == 0)
        pages = run_script(script, arguments, count, why, size);
    else
        snprintf(why, size, "no temporary file: %s", strerror(errno));
    if (script)
        fclose(script);
    return pages;
}

/* ---- files ---- */

static void put_json(const json_t *value, FILE *out)
{
    json_dumpf(value, out, JSON_INDENT(1) | JSON_REAL_PRECISION(10)); /* errors are found at commit */
    fputc('\n', out);
}

static void put_text(const json_t *text, FILE *out)
{
    fputs(json_string_value(text), out);
}

static bool write_one(const char *directory, const char *name, const char *suffix, const json_t *what,
                      void (*put)(const json_t *what, FILE *out), penta_io_error *error)
{
    penta_io_output *output = NULL;

    if (!penta_io_output_open_in(directory, name, suffix, &output, error))
        return false;
    put(what, penta_io_output_stream(output));
    return penta_io_output_commit(output, error);
}

static bool write_pages(const char *directory, const char *name, const json_t *pages, penta_io_error *error)
{
    return write_one(directory, name, ".md", json_object_get(pages, "md"), put_text, error) &&
           write_one(directory, name, ".html", json_object_get(pages, "html"), put_text, error);
}

/* Without pages the JSON stays alone. */
static bool add_pages(const char *directory, bool *has_pages, penta_io_error *error)
{
    char *path = penta_io_join_path(directory, "report", ".json"), *where = path ? penta_io_run_where(path) : NULL;
    char why[256] = "out of memory";
    json_t *pages = where ? bench_make_pages((const char *const *)&where, 1, why, sizeof why) : NULL;
    bool good = !pages || write_pages(directory, "report", pages, error);

    *has_pages = pages != NULL;
    if (!pages)
        cli_note(&(cli_common){0}, "bench", "%s/report.md and report.html are missing: %s", directory, why);
    json_decref(pages);
    free(where);
    free(path);
    return good;
}

typedef bool (*writer)(const char *directory, const void *what, penta_io_error *error);

/* All files of `write`, or none. An exit code. */
static int write_run(const char *directory, writer write, const void *what)
{
    penta_io_error error = {""};
    penta_io_run *run = NULL;
    bool good = penta_io_make_directory(directory, &error) && penta_io_run_open(directory, "bench", &run, &error) &&
                write(directory, what, &error) && penta_io_run_commit(run, &error);

    penta_io_run_close(run);
    return good ? CLI_OK : cli_fail("bench", CLI_ERROR, "%s", error.text);
}

typedef struct {
    const json_t *report;
    bench_picture picture;
    bool *has_pages;
} report_files;

static bool write_report(const char *directory, const void *what, penta_io_error *error)
{
    const report_files *f = what;

    return write_one(directory, "report", ".json", f->report, put_json, error) &&
           (!f->picture || f->picture(f->report, directory, error)) && add_pages(directory, f->has_pages, error);
}

int bench_write_report(const char *directory, const json_t *report, bench_picture picture, FILE *told)
{
    bool has_pages = false;
    int code = write_run(directory, write_report, &(report_files){report, picture, &has_pages});

    if (code == CLI_OK && told)
        fprintf(told, "%s/%sreport.json%s\n", directory, has_pages ? "report.html, report.md, " : "",
                picture ? ", scaling.png" : "");
    return code;
}

static bool write_comparison(const char *directory, const void *pages, penta_io_error *error)
{
    return write_pages(directory, "comparison", pages, error);
}

int bench_write_comparison(const char *directory, const json_t *pages)
{
    return write_run(directory, write_comparison, pages);
}
