#include "nbody/flags.h"

#include <stdio.h>
#include <string.h>

#define MODELS "plummer,hernquist,disc|disk,uniform,galaxies,ngon"

/* clang-format off */
static const penta_option body_rows[] = {
    PENTA_TEXT_OPTION(gravity_flags, input, 'i', "FILE", "read them: tipsy, GADGET-2, GADGET's HDF5, NPY (n x 7), CSV, NBabel, .mpv or NEMO's atos, told by the content"),
    PENTA_TEXT_OPTION(gravity_flags, ic, 0, "MODEL", "make them: plummer, hernquist, disc (in a halo), uniform (a cold sphere), galaxies (two that collide) or ngon"),
    PENTA_INT_OPTION(gravity_flags, bodies, 'n', 4096, 1, 268435456, "", "bodies of the --ic"),
    PENTA_INT_OPTION(gravity_flags, seed, 's', 1, 0, 2147483647, "", "seed of the --ic"),
    PENTA_TEXT_OPTION(gravity_flags, restart, 'r', "FILE", "go on with the checkpoint.bin of an earlier run: its bodies, forces and steps; outputs are asked for anew"),
    PENTA_OPTIONS_END};

static const penta_option run_rows[] = {
    PENTA_INT_OPTION(gravity_flags, steps, 'k', 256, 0, 2147483647, "", "steps to make; with --restart so many more"),
    PENTA_FLAG_OPTION(gravity_flags, forces_only, 0, "make no step: write accelerations and potentials of the bodies"),
    PENTA_TEXT_OPTION(gravity_flags, points, 0, "FILE", "with --forces-only: at these points instead: CSV with x, y and z, or NPY (m x 3)"),
    PENTA_INT_OPTION(gravity_flags, diagnose_every, 0, 0, 0, 2147483647, "", "steps between the rows of diagnostics.csv; 0: about 100 rows"),
    PENTA_REAL_OPTION(gravity_flags, max_energy_error, 0, 0, 0, 1e100, "", "stop with an error, all files kept, at the first row whose energy is off by more than this part; 0: never"),
    PENTA_OPTIONS_END};

static const penta_option output_rows[] = {
    PENTA_INT_OPTION(gravity_flags, snapshot_every, 0, 0, 0, 2147483647, "", "steps between snapshots, with a checkpoint each; 0: none"),
    PENTA_CHOICE_OPTION(gravity_flags, format, 0, "npy,csv,tab,mpv,tipsy,gadget,hdf5", "of the snapshots"),
    PENTA_FLAG_OPTION(gravity_flags, frames, 0, "draw a picture at every snapshot and at the end"),
    PENTA_CHOICE_OPTION(gravity_flags, view, 0, "xy,xz,yz", "plane that pictures are projected to"),
    PENTA_REAL_OPTION(gravity_flags, extent, 0, 0, 0, 1e100, "", "half the side of a picture; 0: nine tenths of the bodies fit into the first one"),
    PENTA_INT_OPTION(gravity_flags, size, 0, 720, 16, 16384, "px", "side of a picture"),
    PENTA_OPTIONS_END};

static const penta_option model_row = PENTA_CHOICE_OPTION(gravity_flags, view, 0, MODELS, "");
/* clang-format on */

const char *const gravity_formats[] = {".npy", ".csv", ".tab", ".mpv", ".tipsy", ".gadget", ".hdf5"};

void gravity_tables_make(gravity_tables *t, gravity_flags *flags, penta_nbody_options *options, cli_common *common)
{
    memset(t->given, 0, sizeof t->given);
    t->tables[0] = (cli_table){"Bodies", body_rows, flags, t->given[0]};
    t->tables[GRAVITY_OPTION_TABLE] =
        (cli_table){"Forces and steps", penta_nbody_option_table, options, t->given[GRAVITY_OPTION_TABLE]};
    t->tables[2] = (cli_table){"Run", run_rows, flags, t->given[2]};
    t->tables[3] = (cli_table){"Output", output_rows, flags, t->given[3]};
    t->tables[4] = (cli_table){"Common", cli_common_table, common, t->given[4]};
    t->tables[GRAVITY_TABLES] = (cli_table){NULL, NULL, NULL, NULL};
}

bool gravity_model(const char *name, int *out, penta_io_error *err)
{
    gravity_flags parsed = {0};
    char message[256];

    if (penta_option_parse(&model_row, &parsed, name, message, sizeof message) != PENTA_OK)
        return penta_io_fail(
            err, "--ic '%.60s' is no model; there are plummer, hernquist, disc, uniform, galaxies and ngon", name);
    *out = parsed.view;
    return true;
}

void gravity_take_saved(const gravity_tables *t, const penta_nbody_options *saved, penta_nbody_options *options)
{
    const penta_option *rows = penta_nbody_option_table;
    const bool *given = t->given[GRAVITY_OPTION_TABLE];

    for (size_t i = 0; rows[i].type != PENTA_OPTION_END; i++)
        if (!given[i])
            memcpy((char *)options + rows[i].offset, (const char *)saved + rows[i].offset,
                   rows[i].type == PENTA_OPTION_REAL ? sizeof(double) : sizeof(int));
}
