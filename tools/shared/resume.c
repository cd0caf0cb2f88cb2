#include "shared/resume.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <pentacl/io/run.h>
#include <pentacl/version.h>
#include "shared/streams.h"

static const char NAME[] = PENTA_IO_RUN_RECORD;

/* Rows that change no file of a run. */
static const char without_effect[] =
    " device output json quiet verbose profile color keep_going resume overwrite watch_every watch_idle ";

static bool is_listed(const char *names, const char *name)
{
    char word[80];

    snprintf(word, sizeof word, " %s ", name);
    return names && strstr(names, word);
}

/* ---- this run ---- */

static resume_input look_at(const char *path)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return (resume_input){0, -1};
    return (resume_input){(uint64_t)st.st_size, (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec};
}

/* As a flag's value is typed. */
static void value_text(const penta_option *row, const void *values, char *text, size_t size)
{
    const char *field = (const char *)values + row->offset;
    const char *word;
    int number;
    double real;
    bool flag;

    switch (row->type) {
    case PENTA_OPTION_INT:
        memcpy(&number, field, sizeof number);
        snprintf(text, size, "%d", number);
        break;
    case PENTA_OPTION_CHOICE:
        memcpy(&number, field, sizeof number);
        if (!penta_option_choice(row, (size_t)number, text, size))
            snprintf(text, size, "%d", number);
        break;
    case PENTA_OPTION_REAL:
        memcpy(&real, field, sizeof real);
        snprintf(text, size, "%.17g", real);
        break;
    case PENTA_OPTION_FLAG:
        memcpy(&flag, field, sizeof flag);
        snprintf(text, size, "%s", flag ? "on" : "off");
        break;
    default:
        memcpy(&word, field, sizeof word);
        snprintf(text, size, "%s", word ? word : "none");
    }
}

enum { TEXT = 4096 };

/* Of a file its size and time, too. */
static void put_item(FILE *out, const char *name, const char *value, const char *path)
{
    resume_input file = path ? look_at(path) : (resume_input){0, -1};

    parcel_put_text(out, name);
    parcel_put_text(out, value);
    parcel_put(out, &file, sizeof file);
}

static void put_row(const resume *r, FILE *out, const penta_option *row, const void *values)
{
    char text[TEXT], *word = NULL;

    if (is_listed(without_effect, row->name) || is_listed(r->free, row->name))
        return;
    value_text(row, values, text, sizeof text);
    if (row->type == PENTA_OPTION_TEXT && cli_value_is_file(row) && !cli_value_is_output(row))
        memcpy(&word, (const char *)values + row->offset, sizeof word);
    put_item(out, row->name, text, word);
}

static bool put_line(resume *r)
{
    const cli_line *line = r->job->line;
    parcel p;

    parcel_begin(&p);
    for (const cli_table *t = line->tables; p.out && t && t->rows; t++)
        for (const penta_option *row = t->rows; row->type != PENTA_OPTION_END; row++)
            put_row(r, p.out, row, t->values);
    for (const char *const *other = r->others; p.out && other && *other; other++)
        put_item(p.out, "file", *other, *other);
    return parcel_end(&p, (void **)&r->line, &r->line_size);
}

/* Whether a flag or an operand names what came through a pipe. */
static bool any_piped(const cli_line *line)
{
    bool piped = false;

    for (int i = 0; i < line->operand_count; i++)
        piped = piped || strcmp(streams_name(line->operands[i]), line->operands[i]) != 0;
    for (const cli_table *t = line->tables; t && t->rows; t++)
        for (const penta_option *row = t->rows; row->type != PENTA_OPTION_END; row++) {
            const char *word = NULL;

            if (row->type == PENTA_OPTION_TEXT && cli_value_is_file(row))
                memcpy(&word, (const char *)t->values + row->offset, sizeof word);
            piped = piped || (word && strcmp(streams_name(word), word) != 0);
        }
    return piped;
}

static int look(resume *r)
{
    const job *j = r->job;
    size_t n = r->count;

    r->possible = !any_piped(j->line);
    r->inputs = calloc(n + 1, sizeof *r->inputs);
    r->changed = calloc(n + 1, sizeof *r->changed);
    if (!r->inputs || !r->changed || !put_line(r))
        return cli_fail(j->command, CLI_ERROR, "out of memory");
    if (j->again && !r->possible)
        return cli_fail(j->command, CLI_USAGE, "--resume needs inputs that can be read again, not a pipe");
    for (size_t i = 0; r->possible && i < n; i++)
        r->inputs[i] = look_at(r->operands[i]);
    return CLI_OK;
}

int resume_begin(resume *r, const job *j, const char *free, const char *const *others)
{
    *r = (resume){.job = j,
                  .free = free,
                  .others = others,
                  .directory = j->common.output,
                  .operands = j->line->operands,
                  .count = (size_t)j->line->operand_count};
    return look(r);
}

int resume_begin_one(resume *r, const job *j, char **operand, const char *directory)
{
    *r = (resume){.job = j, .directory = directory, .operands = operand, .count = 1};
    return look(r);
}

void resume_end(resume *r)
{
    free(r->inputs);
    free(r->changed);
    free(r->line);
    free(r->device);
    free(r->driver);
    free(r->own);
    *r = (resume){0};
}

/* ---- the run before ---- */

static int differs(const resume *r, const char *what, const char *before, const char *now)
{
    const char *lack = "take another -o DIR, or leave --resume out to begin again";

    return cli_fail(r->job->command, CLI_USAGE, "--resume: the run in %s had %s%s, and this one has %s; %s",
                    r->directory, what, before, now, lack);
}

static int has_changed(const resume *r, const char *path)
{
    return cli_fail(r->job->command, CLI_ERROR,
                    "--resume: %s has changed since the run in %s read it; take another -o DIR, or leave --resume out "
                    "to begin again",
                    streams_name(path), r->directory);
}

static int is_foreign(const resume *r)
{
    return cli_fail(r->job->command, CLI_ERROR,
                    "--resume: %s/%s is of another build of penta; remove it and begin again", r->directory, NAME);
}

typedef struct row_text {
    char *name, *value;
    resume_input file;
} row_text;

static bool get_row(parcel_reader *p, row_text *out)
{
    out->name = parcel_get_text(p);
    out->value = parcel_get_text(p);
    parcel_get(p, &out->file, sizeof out->file);
    return p->ok && out->name && out->value;
}

static void free_row(row_text *row)
{
    free(row->name);
    free(row->value);
}

static int compare_row(const resume *r, const row_text *before, const row_text *now)
{
    char flag[80], what[96];

    if (strcmp(before->name, now->name) != 0)
        return is_foreign(r);
    snprintf(what, sizeof what, "--%s ", cli_flag_name(now->name, flag, sizeof flag));
    if (strcmp(before->value, now->value) != 0)
        return differs(r, what, before->value, now->value);
    if (before->file.bytes != now->file.bytes || before->file.time != now->file.time)
        return has_changed(r, now->value);
    return CLI_OK;
}

static int compare_lines(const resume *r, const void *bytes, size_t size)
{
    parcel_reader before = parcel_read(bytes, size), now = parcel_read(r->line, r->line_size);
    int code = CLI_OK;

    while (code == CLI_OK && now.left > 0) {
        row_text a = {0}, b = {0};

        if (get_row(&before, &a) && get_row(&now, &b))
            code = compare_row(r, &a, &b);
        else
            code = is_foreign(r);
        free_row(&a);
        free_row(&b);
    }
    return code == CLI_OK && before.left > 0 ? is_foreign(r) : code;
}

/* Names one after another, each with its end. */
static int compare_operands(resume *r, const char *names, size_t size, const resume_input *inputs, size_t count)
{
    const char *end = names + size;
    char before[32], now[32];

    for (size_t i = 0; i < count && i < r->count; i++) {
        if (names >= end || strcmp(names, r->operands[i]) != 0)
            return differs(r, "", names < end ? names : "", r->operands[i]);
        names += strlen(names) + 1;
        r->changed[i] = inputs[i].bytes != r->inputs[i].bytes || inputs[i].time != r->inputs[i].time;
    }
    if (count == r->count)
        return CLI_OK;
    snprintf(before, sizeof before, "%zu inputs", count);
    snprintf(now, sizeof now, "%zu", r->count);
    return differs(r, "", before, now);
}

/* What stands before what the command has kept. */
typedef struct {
    uint64_t operands;
    uint8_t complete, some_failed;
} record_head;

static void put_device(const resume *r, FILE *out)
{
    const penta_device *d = penta_context_device(r->job->ctx);

    parcel_put_text(out, d->name);
    parcel_put_text(out, d->driver);
}

int resume_check_device(resume *r)
{
    const penta_device *d = penta_context_device(r->job->ctx);

    if (!r->device || !r->driver)
        return CLI_OK;
    if (strcmp(r->device, d->name) != 0)
        return differs(r, "the device ", r->device, d->name);
    return strcmp(r->driver, d->driver) != 0 ? differs(r, "the driver ", r->driver, d->driver) : CLI_OK;
}

static int compare_device(resume *r, parcel_reader *p)
{
    r->device = parcel_get_text(p);
    r->driver = parcel_get_text(p);
    if (!r->device || !r->driver)
        return is_foreign(r);
    return r->job->ctx ? resume_check_device(r) : CLI_OK;
}

static int compare_program(const resume *r, parcel_reader *p)
{
    char *command = parcel_get_text(p), *version = parcel_get_text(p);
    int code = CLI_OK;

    if (!command || !version)
        code = is_foreign(r);
    else if (strcmp(command, r->job->command) != 0)
        code =
            cli_fail(r->job->command, CLI_USAGE, "--resume: the run in %s was one of penta %s", r->directory, command);
    else if (strcmp(version, penta_version()) != 0)
        code = differs(r, "version ", version, penta_version());
    free(command);
    free(version);
    return code;
}

static int compare(resume *r, parcel_reader *p)
{
    record_head h = {0};
    resume_input *inputs = NULL;
    char *names = NULL, *line = NULL;
    size_t names_size = 0, inputs_size = 0, line_size = 0;
    int code = compare_program(r, p);

    if (code == CLI_OK) {
        parcel_get(p, &h, sizeof h);
        line = parcel_get_block(p, &line_size);
        names = parcel_get_block(p, &names_size);
        inputs = parcel_get_block(p, &inputs_size);
        if (!p->ok || inputs_size != h.operands * sizeof *inputs || (names && names[names_size - 1]))
            code = is_foreign(r);
    }
    code = code != CLI_OK ? code : compare_lines(r, line, line_size);
    code = code != CLI_OK ? code : compare_operands(r, names, names_size, inputs, (size_t)h.operands);
    code = code != CLI_OK ? code : compare_device(r, p);
    if (code == CLI_OK)
        r->own = parcel_get_block(p, &r->own_size);
    r->complete = h.complete;
    r->some_failed = h.some_failed;
    free(line);
    free(names);
    free(inputs);
    return code == CLI_OK && !p->ok ? is_foreign(r) : code;
}

int resume_read(resume *r)
{
    penta_io_error error = {""};
    parcel_reader p;
    void *bytes;
    size_t size;
    int code;

    if (!penta_io_run_read_record(r->directory, NAME, &bytes, &size, &error))
        return job_fail_io(r->job, &error);
    if (!bytes)
        return CLI_OK;
    p = parcel_read(bytes, size);
    code = compare(r, &p);
    free(bytes);
    r->found = code == CLI_OK;
    return code;
}

int resume_refuse_input(const resume *r, size_t operand)
{
    return has_changed(r, r->operands[operand]);
}

int resume_refuse_changed(const resume *r)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->changed[i])
            return resume_refuse_input(r, i);
    return CLI_OK;
}

void resume_note_nothing(const resume *r)
{
    job_note(r->job, "--resume: %s has no record of a run to go on with; this one begins at the beginning",
             r->directory);
}

bool resume_has_all(const resume *r)
{
    char name[256];

    if (!penta_io_run_lacks(r->directory, r->job->command, NAME, name, sizeof name))
        return true;
    job_note(r->job, "--resume: %s/%s is missing, or not as the run left it; all is done again", r->directory, name);
    return false;
}

int resume_note_all(const resume *r)
{
    job_note(r->job, "--resume: all is done in %s%s", r->directory,
             r->some_failed ? ", but for inputs that could not be used" : "");
    answer_device(r->job->ctx, r->job->start);
    answer_complete();
    return r->some_failed ? CLI_ERROR : CLI_OK;
}

/* ---- keeping ---- */

static void put_operands(const resume *r, FILE *out)
{
    size_t n = r->count, names = 0;

    for (size_t i = 0; i < n; i++)
        names += strlen(r->operands[i]) + 1;
    parcel_put(out, &(uint64_t){names}, sizeof(uint64_t));
    for (size_t i = 0; i < n; i++)
        parcel_put(out, r->operands[i], strlen(r->operands[i]) + 1);
    parcel_put_block(out, r->inputs, n * sizeof *r->inputs);
}

bool resume_keep(const resume *r, penta_io_run *run, bool now, bool complete, bool some_failed, const void *own,
                 size_t size, penta_io_error *err)
{
    record_head h;
    void *bytes = NULL;
    size_t all = 0;
    parcel p;
    bool ok;

    if (!r->possible || !run)
        return true;
    memset(&h, 0, sizeof h); /* the record has no byte by chance */
    h.operands = r->count;
    h.complete = complete;
    h.some_failed = some_failed;
    parcel_begin(&p);
    if (p.out) {
        parcel_put_text(p.out, r->job->command);
        parcel_put_text(p.out, penta_version());
        parcel_put(p.out, &h, sizeof h);
        parcel_put_block(p.out, r->line, r->line_size);
        put_operands(r, p.out);
        put_device(r, p.out);
        parcel_put_block(p.out, own, size);
    }
    ok = parcel_end(&p, &bytes, &all) || penta_io_fail(err, "out of memory for %s", NAME);
    ok = ok && penta_io_run_record(run, NAME, now, bytes, all, err);
    free(bytes);
    return ok;
}

double resume_interval(void)
{
    const char *text = getenv("PENTACL_SAVE_EVERY");
    char *end = NULL;
    double seconds = text ? strtod(text, &end) : 0;

    return text && end > text && !*end && seconds >= 0 ? seconds : 60;
}
