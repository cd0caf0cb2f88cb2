/* A sorted list, since series of thousands of files are read. */
#include "shared/inputs.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <pentacl/io/output.h>

#include "shared/cli.h"

typedef struct {
    dev_t device;
    ino_t number;
    const char *path;
} input;

struct input_files {
    size_t most, count;
    bool sorted;
    input files[];
};

input_files *inputs_open(size_t most)
{
    input_files *inputs = calloc(1, sizeof *inputs + most * sizeof *inputs->files);

    if (inputs)
        inputs->most = most;
    return inputs;
}

void inputs_close(input_files *inputs)
{
    free(inputs);
}

static bool look_at(const char *path, input *out)
{
    struct stat about;

    if (!path || stat(path, &about) != 0)
        return false;
    *out = (input){.device = about.st_dev, .number = about.st_ino, .path = path};
    return true;
}

void inputs_add(input_files *inputs, const char *path)
{
    if (inputs->count < inputs->most)
        inputs->count += look_at(path, &inputs->files[inputs->count]);
    inputs->sorted = false;
}

static int by_file(const void *a, const void *b)
{
    const input *x = a, *y = b;

    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

int inputs_check_path(input_files *inputs, const char *command, const char *path)
{
    const input *taken = NULL;
    const char *special = penta_io_special(path);
    input there;

    if (!inputs->sorted)
        qsort(inputs->files, inputs->count, sizeof *inputs->files, by_file);
    inputs->sorted = true;
    if (look_at(path, &there))
        taken = bsearch(&there, inputs->files, inputs->count, sizeof *inputs->files, by_file);
    if (!taken && special)
        return cli_fail(command, CLI_ERROR, "%s: is %s in the place of a file; remove it or choose another directory",
                        path, special);
    return taken ? cli_fail(command, CLI_USAGE, "%s is an input, and would be overwritten; choose another directory",
                            taken->path)
                 : CLI_OK;
}

int inputs_check(input_files *inputs, const char *command, const char *directory, const char *name, const char *suffix)
{
    char *path = penta_io_join_path(directory, name, suffix);
    int code = path ? inputs_check_path(inputs, command, path) : cli_fail(command, CLI_ERROR, "out of memory");

    free(path);
    return code;
}
