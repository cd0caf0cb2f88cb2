/* From the flags of a sample to its files. */
#include "shared/sample.h"

#include <stdlib.h>

#include <pentacl/io/output.h>
#include "shared/leftovers.h"

int sample_run(const sample_spec *spec, int argc, char **argv)
{
    const cli_table tables[] = {{"Flags", spec->rows, spec->flags, spec->given}, {0}};
    const cli_spec spec_of_flags = {.command = spec->command,
                                    .operands = "-o DIR",
                                    .about = spec->about,
                                    .examples = spec->examples,
                                    .tables = tables};
    cli_common common = {0};
    leftovers *before = NULL;
    penta_io_error error = {""};
    int first, code = cli_parse_flags(&spec_of_flags, argc, argv, &first);

    if (code != CLI_OK || first < 0)
        return code;
    if (!spec->flags->output)
        return cli_fail(spec->command, CLI_USAGE, "-o DIR is missing: where should the files go?");
    if (spec->no_effect)
        code = cli_check_effect(&spec_of_flags, spec->no_effect, spec->facts(spec->flags));
    if (code != CLI_OK)
        return code;
    common.quiet = spec->flags->quiet;
    if (!penta_io_make_directory(spec->flags->output, &error))
        return cli_fail(spec->command, CLI_ERROR, "%s", error.text[0] ? error.text : "out of memory");
    before = spec->optional ? leftovers_look(spec->flags->output, spec->optional) : NULL;
    if (spec->make(spec->flags, &error))
        leftovers_note(before, &common, spec->command);
    else
        code = cli_fail(spec->command, CLI_ERROR, "%s", error.text[0] ? error.text : "out of memory");
    leftovers_free(before);
    return code;
}

char *sample_path(const sample_common *flags, const char *name, const char *suffix, penta_io_error *err)
{
    char *path = penta_io_join_path(flags->output, name, suffix);

    if (!path)
        penta_io_fail(err, "out of memory for a file name");
    return path;
}

bool sample_write(const sample_common *flags, const char *name, const char *suffix,
                  void (*put)(const void *data, FILE *out), const void *data, penta_io_error *err)
{
    penta_io_output *output;

    if (!penta_io_output_open_in(flags->output, name, suffix, &output, err))
        return false;
    put(data, penta_io_output_stream(output));
    return penta_io_output_commit(output, err);
}
