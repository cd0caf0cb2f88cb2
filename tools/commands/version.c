/* penta version */
#include <stdio.h>

#include <pentacl/io/formats.h>
#include "commands/commands.h"
#include "shared/answer.h"
#include "shared/json.h"

typedef struct {
    bool json, formats;
} version_flags;

/* ---- what this build reads and writes ---- */

static json_t *describe_format(const penta_io_format *f)
{
    json_t *ends = json_array();
    char end[32];

    for (size_t i = 0; f->ends[i]; i++) {
        snprintf(end, sizeof end, ".%s", f->ends[i]);
        json_array_append_new(ends, json_string(end));
    }
    return json_pack("{s:s, s:o, s:b, s:b, s:s?, s:s?}", "name", f->name, "extensions", ends, "read", (int)f->read,
                     "write", (int)f->write, "library", f->library, "install", f->package);
}

static json_t *describe_formats(void)
{
    json_t *all = json_object();
    penta_io_format f;

    for (int kind = 0; kind < PENTA_IO_KINDS; kind++) {
        json_t *list = json_array();

        for (size_t i = 0; penta_io_format_at((enum penta_io_kind)kind, i, &f); i++)
            json_array_append_new(list, describe_format(&f));
        json_object_set_new(all, penta_io_kind_name((enum penta_io_kind)kind), list);
    }
    return all;
}

/* "images: PNG, FITS and NPY; left out of this build: TIFF (libtiff-dev)" */
static void print_kind(enum penta_io_kind kind)
{
    char names[512];
    penta_io_format f;
    bool some = false;

    penta_io_format_names(kind, names, sizeof names);
    printf("%s: %s", penta_io_kind_name(kind), names);
    for (size_t i = 0; penta_io_format_at(kind, i, &f); i++)
        if (!f.read) {
            printf("%s%s", some ? ", " : "; left out of this build: ", f.name);
            if (f.package)
                printf(" (%s)", f.package);
            some = true;
        }
    printf("\n");
}

/* The answer of every command has the version. */
static int run(const cli_line *line, void *values)
{
    const version_flags *f = values;

    (void)line;
    if (f->json) {
        answer_add(json_pack("{s:o}", "formats", describe_formats()));
        return CLI_OK;
    }
    printf("pentacl %s\n", penta_version());
    for (int kind = 0; f->formats && kind < PENTA_IO_KINDS; kind++)
        print_kind((enum penta_io_kind)kind);
    return CLI_OK;
}

static const penta_option rows[] = {
    PENTA_FLAG_OPTION(version_flags, formats, 0,
                      "also print which formats this build reads, and what to install for the others"),
    PENTA_FLAG_OPTION(version_flags, json, 0,
                      "print one JSON object on stdout instead of text; it has the formats too"),
    PENTA_OPTIONS_END};
static const cli_section sections[] = {{"Flags", "version", rows, NULL, 0, 0, NULL, NULL}, CLI_SECTIONS_END};

const cli_command penta_command_version = {.name = "version",
                                           .summary = "print the version, and the formats of this build",
                                           .usage = "",
                                           .about = "Prints the version, and with --formats which files can be read.",
                                           .sections = sections,
                                           .size = sizeof(version_flags),
                                           .run = run,
                                           .ranks = CLI_RANKS_FIRST};
