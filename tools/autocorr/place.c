#include "autocorr/place.h"

#include "shared/inputs.h"

enum { OTHERS = 7 };

static void add_inputs(const correlation *c, input_files *inputs)
{
    const char *const others[OTHERS] = {c->flags.with,       c->flags.mask,        c->flags.times,
                                        c->flags.recipe,     c->prepared.files[0], c->prepared.files[1],
                                        c->prepared.files[2]};

    for (size_t i = 0; i < c->list.count; i++) {
        inputs_add(inputs, c->list.sources[i].path);
        inputs_add(inputs, c->list.sources[i].mask);
    }
    for (size_t i = 0; i < OTHERS; i++)
        inputs_add(inputs, others[i]);
}

static int check(const correlation *c, input_files *inputs, const char *name, const char *suffix)
{
    return inputs_check(inputs, c->job.command, c->job.common.output, name, suffix);
}

static int check_frame(const correlation *c, input_files *inputs, const char *stem)
{
    int code = check(c, inputs, stem, ".c2d.npy");

    code = code != CLI_OK ? code : check(c, inputs, stem, ".c1d.csv");
    return code != CLI_OK || !c->flags.numerators ? code : check(c, inputs, stem, ".n2d.npy");
}

static int check_pictures(const correlation *c, input_files *inputs)
{
    static const char *const names[] = {"c1d", "c2d", "growth"};
    int code = CLI_OK;

    for (size_t i = 0; code == CLI_OK && i < sizeof names / sizeof *names; i++) {
        code = check(c, inputs, names[i], ".png");
        code = code != CLI_OK ? code : check(c, inputs, names[i], ".svg");
    }
    return code;
}

int autocorr_check_place(const correlation *c)
{
    input_files *inputs = inputs_open(2 * c->list.count + OTHERS);
    int code = inputs ? CLI_OK : cli_fail(c->job.command, CLI_ERROR, "out of memory");

    if (inputs)
        add_inputs(c, inputs);
    for (size_t i = 0; code == CLI_OK && i < c->list.count; i++)
        code = check_frame(c, inputs, c->list.sources[i].stem);
    code = code != CLI_OK ? code : check(c, inputs, "series", ".csv");
    if (!c->flags.no_plots)
        code = code != CLI_OK ? code : check_pictures(c, inputs);
    inputs_close(inputs);
    return code;
}
