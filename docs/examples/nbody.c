/*
 * Bodies that attract each other. Usage: nbody DIR [BODIES], where DIR exists and BODIES is a file that `penta nbody
 * --input` takes. Begins with these bodies, or with a Plummer sphere; goes on where DIR/checkpoint.bin is. Each call
 * makes 100 steps and leaves a snapshot and a checkpoint, from which the next call goes on with the same bits.
 */
#include <stdio.h>
#include <stdlib.h>

#include <pentacl/io/checkpoint.h>
#include <pentacl/pentacl.h>

enum { MADE = 1024, STEPS = 100 };

static penta_io_error error;

/* To run->about: the bodies to begin with. */
static bool make_bodies(const char *file, penta_io_checkpoint *run)
{
    penta_io_bodies *b = &run->about;

    error.text[0] = 0; /* there was no checkpoint */
    penta_nbody_options_init(&run->options);
    if (file)
        return penta_io_bodies_read(file, b, &error);
    *b = (penta_io_bodies){.n = MADE, .rows = malloc(MADE * 7 * sizeof *b->rows)};
    return b->rows && penta_nbody_initial(PENTA_NBODY_PLUMMER, 1, MADE, b->rows) == PENTA_OK;
}

static bool begin(penta_context *ctx, const char *file, penta_io_checkpoint *run, penta_nbody **plan)
{
    penta_nbody_diagnostics d;

    if (!make_bodies(file, run) || penta_nbody_create(ctx, run->about.n, &run->options, plan) != PENTA_OK ||
        penta_nbody_set(*plan, run->about.rows) != PENTA_OK || penta_nbody_diagnose(*plan, &d) != PENTA_OK)
        return false;
    run->n = run->about.n;
    run->diagnose_every = STEPS;
    run->first_energy = d.energy_com, run->first_potential = d.potential;
    run->count = penta_nbody_state_size(*plan);
    run->state = malloc(run->count * sizeof *run->state);
    return run->state != NULL;
}

static bool go_on(penta_context *ctx, penta_io_checkpoint *run, penta_nbody **plan)
{
    run->about.rows = malloc(run->n * 7 * sizeof *run->about.rows);
    return run->about.rows && penta_nbody_create(ctx, run->n, &run->options, plan) == PENTA_OK &&
           penta_nbody_load(*plan, run->state, run->count) == PENTA_OK;
}

int main(int argc, char **argv)
{
    const char *dir = argc > 1 ? argv[1] : ".", *file = argc > 2 ? argv[2] : NULL;
    char snapshot[512], checkpoint[512];
    penta_context *ctx = NULL;
    penta_nbody *plan = NULL;
    penta_io_checkpoint run = {0};
    penta_nbody_diagnostics d;
    penta_nbody_energy energy;
    bool ok = penta_context_create(NULL, &ctx) == PENTA_OK;

    snprintf(checkpoint, sizeof checkpoint, "%s/checkpoint.bin", dir);
    ok = ok &&
         (penta_io_checkpoint_read(checkpoint, &run, &error) ? go_on(ctx, &run, &plan) : begin(ctx, file, &run, &plan));
    ok = ok && penta_nbody_advance(plan, STEPS) == PENTA_OK && penta_nbody_diagnose(plan, &d) == PENTA_OK;
    if (ok) {
        snprintf(snapshot, sizeof snapshot, "%s/snapshot_%06llu.npy", dir, (unsigned long long)penta_nbody_step(plan));
        ok = penta_nbody_get(plan, run.about.rows) == PENTA_OK && penta_nbody_save(plan, run.state) == PENTA_OK &&
             penta_io_bodies_write(snapshot, &run.about, &error) && penta_io_checkpoint_write(checkpoint, &run, &error);
        penta_nbody_energy_begin(&energy, run.first_energy, run.first_potential);
        printf("%s: the energy is off by %.2g\n", snapshot, penta_nbody_energy_error(&energy, d.energy_com));
    }
    if (!ok)
        fprintf(stderr, "nbody: %s\n", *error.text ? error.text : penta_last_error(ctx));
    penta_nbody_destroy(plan);
    penta_context_destroy(ctx);
    penta_io_checkpoint_free(&run);
    return !ok;
}
