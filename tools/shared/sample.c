/* From the flags of a sample to its files. */
#include "shared/sample.h"

#include <stdarg.h>
#include <stdlib.h>

#include <pentacl/io/output.h>
#include <pentacl/io/run.h>
#include "shared/answer.h"
#include "shared/json.h"
#include "shared/leftovers.h"

/* A list of several devices is wrong usage, which is said before anything is made. */
static int check_device(const char *command, const void *flags, const sample_maker *maker)
{
    const char *selector;
    penta_context *ctx = NULL;
    int code = CLI_OK;

    if (maker->device && maker->device(flags, &selector) && cli_may_name_several(selector))
        code = cli_open_device(command, selector, false, &ctx);
    penta_context_destroy(ctx);
    return code;
}

int sample_run(const cli_line *line, void *values)
{
    const sample_maker *maker = line->command->more;
    const void *flags = values;
    const char *command = line->command->name;
    const sample_common *own = flags;
    const cli_common common = {.quiet = own->quiet};
    leftovers *before = NULL;
    penta_io_error error = {""};
    penta_io_run *run = NULL;
    int code = cli_need_output(line);

    code = code != CLI_OK ? code : cli_take_streams(line);
    if (code == CLI_OK && maker->facts)
        code = cli_check_effect(line, maker->facts(flags));
    if (code == CLI_OK && maker->check && !maker->check(flags, &error))
        code = cli_fail(command, CLI_USAGE, "%s", error.text);
    code = code != CLI_OK ? code : check_device(command, flags, maker);
    if (code != CLI_OK)
        return code;
    if (!penta_io_make_directory(own->output, &error) || !penta_io_run_open(own->output, command, &run, &error))
        return cli_fail(command, CLI_ERROR, "%s", error.text[0] ? error.text : "out of memory");
    before = maker->optional ? leftovers_look(own->output, maker->optional) : NULL;
    if (maker->make(flags, &error) && penta_io_run_commit(run, &error))
        leftovers_note(before, &common, command);
    else
        code = cli_fail(command, CLI_ERROR, "%s", error.text[0] ? error.text : "out of memory");
    penta_io_run_close(run);
    leftovers_free(before);
    return code;
}

/* To be freed; NULL: out of memory. */
static char *format_text(const char *format, va_list args)
{
    va_list again;
    char *text;
    int length;

    va_copy(again, args);
    length = vsnprintf(NULL, 0, format, args);
    text = length >= 0 ? malloc((size_t)length + 1) : NULL;
    if (text)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    return text;
}

void sample_tell(const sample_common *flags, const char *format, ...)
{
    char *text;
    va_list args;

    va_start(args, format);
    text = format_text(format, args);
    va_end(args);
    if (flags->json)
        answer_add(text ? json_pack("{s:o}", "description", json_text(text)) : NULL);
    else if (text && !flags->quiet)
        puts(cli_shown(text));
    free(text);
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
