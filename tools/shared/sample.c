/* From the flags of a sample to its files. */
#include "shared/sample.h"

#include <stdlib.h>

#include <pentacl/io/output.h>
#include "shared/leftovers.h"

int sample_run(const cli_line *line, const void *flags, const sample_maker *maker)
{
    const char *command = line->command->name;
    const sample_common *own = flags;
    const cli_common common = {.quiet = own->quiet};
    leftovers *before = NULL;
    penta_io_error error = {""};
    int code = cli_need_output(line);

    if (code == CLI_OK && maker->facts)
        code = cli_check_effect(line, maker->facts(flags));
    if (code != CLI_OK)
        return code;
    if (!penta_io_make_directory(own->output, &error))
        return cli_fail(command, CLI_ERROR, "%s", error.text[0] ? error.text : "out of memory");
    before = maker->optional ? leftovers_look(own->output, maker->optional) : NULL;
    if (maker->make(flags, &error))
        leftovers_note(before, &common, command);
    else
        code = cli_fail(command, CLI_ERROR, "%s", error.text[0] ? error.text : "out of memory");
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
