#include "nbody/flags.h"

#include <stdio.h>
#include <string.h>

#define MODELS "plummer,hernquist,disc|disk,uniform,galaxies,ngon"

/* clang-format off */
const penta_option nbody_body_rows[] = {
    PENTA_TEXT_OPTION(nbody_flags, input, 'i', "FILE", "read bodies: tipsy, GADGET-2, GADGET's HDF5, NPY (n x 7), CSV, NBabel, .mpv or NEMO's atos, recognised by content"),
    PENTA_TEXT_OPTION(nbody_flags, ic, 0, "plummer|hernquist|disc|uniform|galaxies|ngon", "make bodies: plummer, hernquist, disc (in a halo), uniform (a cold sphere), galaxies (two that collide) or ngon"),
    PENTA_INT_OPTION(nbody_flags, bodies, 'n', 4096, 1, 268435456, "", "number of bodies for --ic"),
    PENTA_INT_OPTION(nbody_flags, seed, 's', 1, 0, 2147483647, "", "random seed for --ic"),
    PENTA_TEXT_OPTION(nbody_flags, restart, 0, "FILE", "continue from the checkpoint.bin of an earlier run, with its bodies, forces and steps; request outputs again"),
    PENTA_OPTIONS_END};

const penta_option nbody_run_rows[] = {
    PENTA_INT_OPTION(nbody_flags, steps, 0, 256, 0, 2147483647, "", "number of steps; with --restart, of additional steps"),
    PENTA_FLAG_OPTION(nbody_flags, resume, 0, "resume an interrupted run with the same arguments, from its last checkpoint"),
    PENTA_FLAG_OPTION(nbody_flags, forces_only, 0, "make no step: write accelerations and potentials of the bodies"),
    PENTA_TEXT_OPTION(nbody_flags, points, 0, "FILE", "with --forces-only: compute at these points instead; CSV with x, y and z, or NPY (m x 3)"),
    PENTA_INT_OPTION(nbody_flags, diagnose_every, 0, 0, 0, 2147483647, "", "steps between the rows of diagnostics.csv; 0: about 100 rows"),
    PENTA_REAL_OPTION(nbody_flags, max_energy_error, 0, 0, 0, 1e100, "", "stop with an error at the first row with a larger relative energy error, and keep all files; 0: never"),
    PENTA_OPTIONS_END};

const penta_option nbody_output_rows[] = {
    PENTA_INT_OPTION(nbody_flags, snapshot_every, 0, 0, 0, 2147483647, "", "steps between snapshots, with a checkpoint each; 0: none"),
    PENTA_CHOICE_OPTION(nbody_flags, format, 0, "npy,csv,tab,mpv,tipsy,gadget,hdf5", "format of snapshots, and of the final bodies beside final.npy"),
    PENTA_FLAG_OPTION(nbody_flags, frames, 0, "draw a picture at every snapshot and at the end"),
    PENTA_CHOICE_OPTION(nbody_flags, view, 0, "xy,xz,yz", "projection plane of the pictures"),
    PENTA_REAL_OPTION(nbody_flags, extent, 0, 0, 0, 1e100, "", "half the side of a picture; 0: so that 90 % of the bodies fit into the first one"),
    PENTA_INT_OPTION(nbody_flags, size, 0, 720, 16, 16384, "px", "side of a picture"),
    PENTA_FLAG_OPTION(nbody_flags, overwrite, 0, "replace the checkpoint of another run; otherwise it is kept as checkpoint-1.bin, -2, ..."),
    PENTA_OPTIONS_END};

static const penta_option model_row = PENTA_CHOICE_OPTION(nbody_flags, view, 0, MODELS, "");
/* clang-format on */

const char *const nbody_formats[] = {".npy", ".csv", ".tab", ".mpv", ".tipsy", ".gadget", ".hdf5"};

bool nbody_model(const char *name, int *out, penta_io_error *err)
{
    nbody_flags parsed = {0};
    char message[256];

    if (penta_option_parse(&model_row, &parsed, name, message, sizeof message) != PENTA_OK)
        return penta_io_fail(
            err, "--ic '%.60s' is not a model; choose plummer, hernquist, disc, uniform, galaxies or ngon", name);
    *out = parsed.view;
    return true;
}

void nbody_take_saved(const cli_line *line, const penta_nbody_options *saved, penta_nbody_options *options)
{
    for (const penta_option *row = penta_nbody_option_table(); row->type != PENTA_OPTION_END; row++)
        if (!cli_given(line->tables, row->name))
            memcpy((char *)options + row->offset, (const char *)saved + row->offset,
                   row->type == PENTA_OPTION_REAL ? sizeof(double) : sizeof(int));
}
