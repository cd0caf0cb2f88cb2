/* Which flags have an effect in which runs, as tables. Flags in none of them always have. */
#include "nbody/usage.h"

/* Facts of a run; each makes some flags have no effect. */
enum {
    FOUND = 1 << 0,   /* bodies are not made here */
    CERTAIN = 1 << 1, /* the model has nothing random */
    STILL = 1 << 2,   /* no step is made */
    MOVING = 1 << 3,
    ELSEWHERE = 1 << 4, /* the field at other points */
    NO_PICTURES = 1 << 5,
    EQUAL_STEPS = 1 << 6
};

/* --restart may be added to the flags of the run that it continues: flags that name other bodies cause a note only. */
const cli_rule nbody_single[] = {{"input ic", "which bodies to take", 0}, {0}};

/* --steps, --dt and --integrator may stay beside --forces-only, so that it can be added to the flags of a run. */
const cli_rule nbody_idle[] = {
    {"bodies seed", "it is for bodies of --ic", FOUND},
    {"seed", "the polygon is not random", CERTAIN},
    {"step_mode diagnose_every max_energy_error snapshot_every format frames view extent size overwrite resume",
     "--forces-only makes no step", STILL},
    {"points", "it is for --forces-only", MOVING},
    {"kernel precision", "the field at --points is always computed in double, by a separate kernel", ELSEWHERE},
    {"view extent size", "it is for the pictures of --frames", NO_PICTURES},
    {"eta", "--forces-only makes no step", STILL},
    {"eta", "it is for the steps of --step-mode shared and block", EQUAL_STEPS},
    {0}};

static unsigned facts_of(const nbody_flags *f)
{
    int model = PENTA_NBODY_PLUMMER;

    if (f->ic)
        nbody_model(f->ic, &model, NULL);
    return (f->ic || f->restart ? 0 : FOUND) | (model == PENTA_NBODY_NGON ? CERTAIN : 0) |
           (f->forces_only ? STILL : MOVING) | (f->points ? ELSEWHERE : 0) | (f->frames ? 0 : NO_PICTURES);
}

int nbody_usage_check(const cli_line *line, const nbody_flags *f)
{
    penta_io_error error = {""};
    int code = cli_check_single(line), model;

    if (code != CLI_OK)
        return code;
    if (!f->input && !f->ic && !f->restart)
        return cli_fail(line->command->name, CLI_USAGE,
                        "which bodies? give --input FILE, --ic MODEL or --restart FILE; see penta nbody --help");
    if (f->ic && !nbody_model(f->ic, &model, &error))
        return cli_fail(line->command->name, CLI_USAGE, "%s", error.text);
    return cli_check_effect(line, facts_of(f));
}

int nbody_usage_check_steps(const cli_line *line, const nbody_flags *f, const penta_nbody_options *o)
{
    return cli_check_effect(line, (f->forces_only ? STILL : 0) | (o->step_mode == PENTA_NBODY_FIXED ? EQUAL_STEPS : 0));
}
