#include <pentacl/io/nbody_tables.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pentacl/io/table.h>
#include <pentacl/io/output.h>
#include <pentacl/numbers.h>

/* One CSV file. */
typedef struct {
    const char *header;
    bool has_energy;
    char *path;
    char *text; /* the stream's buffer, which grows */
    size_t size;
    FILE *stream;
    bool empty;    /* no row yet */
    uint64_t last; /* step of the last row */
} table;

struct penta_io_nbody_tables {
    table diagnostics, lagrangian;
};

/* The earlier run that is continued. */
typedef struct {
    const penta_io_nbody_resume *at;
    penta_nbody_energy *energy;
} former_run;

static const char diagnostics_header[] = "step,time,kinetic,potential,energy,px,py,pz,lx,ly,lz,virial,"
                                         "energy_com,step_check,step_body\n";
static const char lagrangian_header[] = "step,time,cx,cy,cz,r1,r5,r10,r25,r50,r75,r90\n";
/* Of version 0.2: its rows stay, with nothing in the last columns. */
static const char old_header[] = "step,time,kinetic,potential,energy,px,py,pz,lx,ly,lz,virial\n";
enum { ENERGY_COLUMN = 12 };

/* ---- rows of an earlier run ---- */

/* Reads the whole file, terminated; *text is NULL if there is no file. */
static bool read_text(const char *path, char **text, penta_io_error *err)
{
    FILE *probe = fopen(path, "rb");

    *text = NULL;
    if (!probe)
        return true;
    fclose(probe);
    return penta_io_text_read(path, text, err);
}

static const char *skip_columns(const char *row, int columns)
{
    while (columns-- > 0 && row) {
        row = strpbrk(row, ",\n");
        row = row && *row == ',' ? row + 1 : NULL;
    }
    return row;
}

/* Checks that the rows belong to the checkpoint's run: it began with the same energy. */
static bool is_same_run(const table *t, const char *row, double first, penta_io_error *err)
{
    const char *text = skip_columns(row, ENERGY_COLUMN);
    double energy = text ? penta_strtod(text, NULL) : 0;

    return (text && energy <= first && energy >= first) ||
           penta_io_fail(err,
                         "%s: is the table of another run, whose initial energy was %.17g, not %.17g; choose another "
                         "directory",
                         t->path, energy, first);
}

/* Copies the rows to keep, with `more` columns. */
static bool keep_rows(table *t, const char *row, const char *more, const former_run *run, penta_io_error *err)
{
    const char *end;

    for (; (end = strchr(row, '\n')) != NULL; row = end + 1) {
        char *behind;
        uint64_t step = strtoull(row, &behind, 10);

        if (behind == row || *behind != ',' || *row == '-')
            return penta_io_fail(err, "%s: '%.*s' is no row of a run; choose another directory", t->path,
                                 end - row < 40 ? (int)(end - row) : 40, row);
        if (step > run->at->step || (step == run->at->step && step % run->at->every != 0))
            return true;
        if (step == 0 && t->has_energy && run->energy && !*more && !is_same_run(t, row, run->energy->first, err))
            return false;
        if (t->has_energy && run->energy && !*more) {
            const char *text = skip_columns(row, ENERGY_COLUMN);

            penta_nbody_energy_add(run->energy, text ? penta_strtod(text, NULL) : NAN);
        }
        fprintf(t->stream, "%.*s%s\n", (int)(end - row), row, more);
        t->empty = false;
        t->last = step;
    }
    return true;
}

static bool take_rows(table *t, const char *path, const former_run *run, penta_io_error *err)
{
    char *text;
    bool ok = read_text(path, &text, err), old;
    const char *header;

    if (!ok || !text)
        return ok;
    old = t->has_energy && strncmp(text, old_header, strlen(old_header)) == 0;
    header = old ? old_header : t->header;
    if (strncmp(text, header, strlen(header)) != 0)
        ok = penta_io_fail(err, "%s: is no table of penta nbody; choose another directory", path);
    ok = ok && keep_rows(t, text + strlen(header), old ? ",,," : "", run, err);
    free(text);
    return ok;
}

static bool take_old(table *t, const char *name, const former_run *run, penta_io_error *err)
{
    char *path = run->at->directory ? penta_io_join_path(run->at->directory, name, ".csv") : NULL;
    bool ok = path || !run->at->directory || penta_io_fail(err, "out of memory for a table");

    ok = ok && take_rows(t, path ? path : t->path, run, err);
    free(path);
    return ok;
}

/* ---- opening ---- */

static bool open_table(table *t, const char *directory, const char *name, const former_run *run, penta_io_error *err)
{
    t->empty = true;
    t->path = penta_io_join_path(directory, name, ".csv");
    t->stream = open_memstream(&t->text, &t->size);
    if (!t->path || !t->stream)
        return penta_io_fail(err, "out of memory for a table");
    fputs(t->header, t->stream);
    return !run->at || take_old(t, name, run, err);
}

bool penta_io_nbody_tables_open(const char *directory, const penta_io_nbody_resume *resume, penta_nbody_energy *energy,
                                penta_io_nbody_tables **out, penta_io_error *err)
{
    penta_io_nbody_tables *d = calloc(1, sizeof *d);
    const former_run run = {resume, energy};

    *out = NULL;
    if (!d)
        return penta_io_fail(err, "out of memory for the tables");
    d->diagnostics = (table){.header = diagnostics_header, .has_energy = true};
    d->lagrangian = (table){.header = lagrangian_header};
    if (!open_table(&d->diagnostics, directory, "diagnostics", &run, err) ||
        !open_table(&d->lagrangian, directory, "lagrangian", &run, err)) {
        penta_io_nbody_tables_close(d);
        return false;
    }
    *out = d;
    return true;
}

bool penta_io_nbody_tables_empty(const penta_io_nbody_tables *d)
{
    return d->diagnostics.empty;
}

uint64_t penta_io_nbody_tables_last(const penta_io_nbody_tables *d)
{
    return d->diagnostics.last;
}

/* ---- new rows ---- */

static void put_row(table *t, uint64_t step, double time, const double *values, size_t count)
{
    FILE *out = t->stream;

    fprintf(out, "%" PRIu64 ",", step);
    penta_io_table_put_number(out, time);
    for (size_t i = 0; i < count; i++) {
        putc(',', out);
        penta_io_table_put_number(out, values[i]);
    }
    putc('\n', out);
    t->empty = false;
    t->last = step;
}

void penta_io_nbody_tables_add(penta_io_nbody_tables *d, uint64_t step, double time, const penta_nbody_diagnostics *m)
{
    const double *p = m->momentum, *l = m->angular, *c = m->center, *r = m->radii;
    const double sums[] = {
        m->kinetic,    m->potential,  m->energy,           p[0], p[1], p[2], l[0], l[1], l[2], m->virial,
        m->energy_com, m->step_check, (double)m->step_body};
    const double radii[] = {c[0], c[1], c[2], r[0], r[1], r[2], r[3], r[4], r[5], r[6]};

    put_row(&d->diagnostics, step, time, sums, sizeof sums / sizeof *sums);
    put_row(&d->lagrangian, step, time, radii, sizeof radii / sizeof *radii);
}

/* ---- files ---- */

static bool write_table(table *t, penta_io_error *err)
{
    penta_io_output *output;

    if (fflush(t->stream) != 0 || ferror(t->stream))
        return penta_io_fail(err, "%s: out of memory for its rows", t->path);
    if (!penta_io_output_open(t->path, &output, err))
        return false;
    fwrite(t->text, 1, t->size, penta_io_output_stream(output));
    return penta_io_output_commit(output, err);
}

bool penta_io_nbody_tables_write(penta_io_nbody_tables *d, penta_io_error *err)
{
    return write_table(&d->lagrangian, err) && write_table(&d->diagnostics, err);
}

static void close_table(table *t)
{
    if (t->stream)
        fclose(t->stream);
    free(t->text);
    free(t->path);
}

void penta_io_nbody_tables_close(penta_io_nbody_tables *d)
{
    if (!d)
        return;
    close_table(&d->diagnostics);
    close_table(&d->lagrangian);
    free(d);
}
