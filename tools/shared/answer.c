/* What a command has to tell, gathered until it is over. */
#include "shared/answer.h"

#include <fnmatch.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pentacl/io/output.h>
#include "shared/early.h"
#include "shared/json.h"
#include "shared/messages.h"
#include "shared/stages.h"
#include "shared/streams.h"

static struct {
    json_t *members;          /* of the answer, beside the common ones */
    json_t *device, *seconds; /* NULL: no device was opened */
    json_t *inputs;           /* several ones; NULL: none so far */
    json_t *named;            /* [role, path] of files that flags name besides; NULL: none so far */
    char *single;             /* path of the single one, where has_single; NULL: nothing is read */
    json_t *written;          /* an object whose keys are the names of files */
    bool has_single, failed_input, complete, no_memory;
} gathered;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* over gathered.written */

/* ---- gathering ---- */

/* A file that is written often is one output. Names need not be UTF-8. */
static void take_written(void *user, const char *path)
{
    (void)user;
    pthread_mutex_lock(&lock);
    gathered.written = gathered.written ? gathered.written : json_object();
    json_object_set_new_nocheck(gathered.written, path, json_true());
    pthread_mutex_unlock(&lock);
}

/* Whether the words ask for JSON, as far as can be told before a command has read them. */
static bool ask_for_json(int argc, char *const *argv)
{
    const char *flag = "--json";

    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strlen(argv[i]) > 2 && strncmp(argv[i], flag, strlen(argv[i])) == 0)
            return true;
    return false;
}

void answer_begin(int argc, char *const *argv)
{
    cli_want_json(ask_for_json(argc, argv));
    penta_io_output_notify(take_written, NULL);
}

static bool is_there(const json_t *value)
{
    if (cli_wants_json() && !value)
        gathered.no_memory = true;
    return cli_wants_json() && value;
}

void answer_add(json_t *members)
{
    if (!is_there(members)) {
        json_decref(members);
        return;
    }
    gathered.members = gathered.members ? gathered.members : json_object();
    if (json_object_update(gathered.members, members) != 0)
        gathered.no_memory = true;
    json_decref(members);
}

void answer_device(penta_context *ctx, double start)
{
    if (!ctx || !cli_wants_json() || gathered.device)
        return;
    gathered.device = json_device(penta_context_device(ctx));
    gathered.seconds = json_pack("{s:o, s:o}", "total", json_number(cli_seconds() - start), "device",
                                 json_number(penta_profile_seconds(ctx, true, true)));
}

void answer_single_input(const char *path)
{
    free(gathered.single);
    gathered.single = path ? strdup(path) : NULL;
    gathered.has_single = true;
}

/* {path, status, error} and the members, which are borrowed; or NULL. */
static json_t *describe_input(const char *path, const char *status, const char *error, json_t *members)
{
    json_t *input = json_pack("{s:o, s:s, s:o}", "path", path ? json_text(streams_name(path)) : json_null(), "status",
                              status, "error", json_null());

    if (input && members && json_object_update(input, members) != 0)
        gathered.no_memory = true;
    if (!input)
        return NULL;
    json_object_del(input, "ranks"); /* are of the run */
    json_object_set_new(input, "status", json_string(status));
    json_object_set_new(input, "error", error ? json_text(error) : json_null());
    return input;
}

void answer_input(const char *path, const char *status, const char *error, json_t *members)
{
    json_t *input = cli_wants_json() ? describe_input(path, status, error, members) : NULL;

    if (is_there(input)) {
        gathered.inputs = gathered.inputs ? gathered.inputs : json_array();
        if (json_array_append_new(gathered.inputs, input) != 0)
            gathered.no_memory = true;
    }
    gathered.failed_input = gathered.failed_input || error;
    json_decref(members);
}

void answer_named_input(const char *role, const char *path)
{
    if (!cli_wants_json() || !path || (gathered.single && strcmp(gathered.single, path) == 0))
        return;
    gathered.named = gathered.named ? gathered.named : json_array();
    if (json_array_append_new(gathered.named, json_pack("[s, o]", role, json_text(streams_name(path)))) != 0)
        gathered.no_memory = true;
}

void answer_complete(void)
{
    gathered.complete = true;
}

/* ---- the answer ---- */

static const char *status_of(int code)
{
    if (code == CLI_USAGE)
        return "usage";
    if (code != CLI_OK && cli_interrupted())
        return "interrupted";
    if (gathered.complete && gathered.failed_input)
        return "partial";
    return code == CLI_OK ? "ok" : "error";
}

static json_t *list_messages(message_kind kind)
{
    json_t *list = json_array();
    const char *text;

    for (size_t i = 0; (text = messages_at(kind, i)) != NULL; i++)
        json_array_append_new(list, json_text(text));
    return list;
}

/* Of a file that a flag names: an error is its own where it begins with its name. */
static json_t *describe_named(const json_t *named, const char *status, const char *error)
{
    const char *path = json_string_value(json_array_get(named, 1));
    bool all_done = gathered.complete || strcmp(status, "ok") == 0;
    bool failed = !all_done && error && path && strstr(error, path);
    const char *own = all_done ? "ok" : failed ? "error" : strcmp(status, "error") == 0 ? "not_run" : status;

    return json_pack("{s:O, s:O, s:s, s:o}", "role", json_array_get(named, 0), "path", json_array_get(named, 1),
                     "status", own, "error", failed ? json_text(error) : json_null());
}

static void list_named(json_t *list, const char *status, const char *error)
{
    const json_t *named;
    size_t i;

    if (strcmp(status, "usage") == 0)
        return;
    json_array_foreach(gathered.named, i,
                       named) if (json_array_append_new(list, describe_named(named, status, error)) != 0)
        gathered.no_memory = true;
}

static json_t *list_inputs(const char *status, const char *error)
{
    json_t *list = gathered.inputs ? json_incref(gathered.inputs) : json_array();

    if (gathered.has_single)
        json_array_append_new(list, describe_input(gathered.single, strcmp(status, "usage") == 0 ? "error" : status,
                                                   error, gathered.members));
    list_named(list, status, error);
    return list;
}

/* Whether the file or its folder is. */
static bool is_hidden(const char *path)
{
    const char *slash = strrchr(path, '/'), *folder = slash;

    while (folder && folder > path && folder[-1] != '/')
        folder--;
    return (slash ? slash[1] : *path) == '.' || (folder && folder[0] == '.' && folder[1] != '/' && folder[1] != '.');
}

/* What the command says of files with such names; hidden ones are for the next run. */
static const char *kind_of(const char *path)
{
    const cli_command *command = cli_running();
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

    if (is_hidden(path))
        return "state";
    for (const cli_output *o = command ? command->outputs : NULL; o && o->pattern; o++)
        if (fnmatch(o->pattern, name, 0) == 0)
            return o->kind;
    return "file";
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* What a run keeps for itself, as its manifest, is no output. */
static bool is_record(const char *path)
{
    const char *slash = strrchr(path, '/');

    return strcmp(slash ? slash + 1 : path, ".penta-resume") == 0;
}

/* By name, as threads write them in any order. Files that were taken away again are none. */
static json_t *list_outputs(void)
{
    size_t n = 0;
    const char **paths = calloc(json_object_size(gathered.written) + 1, sizeof *paths), *path;
    json_t *list = json_array(), *value;

    gathered.no_memory = gathered.no_memory || !paths;
    json_object_foreach(paths ? gathered.written : NULL, path, value) paths[n++] = path;
    qsort(paths, n, sizeof *paths, compare);
    for (size_t i = 0; i < n; i++)
        if (access(paths[i], F_OK) == 0 && !is_record(paths[i]))
            json_array_append_new(list,
                                  json_pack("{s:o, s:s}", "path", json_text(paths[i]), "kind", kind_of(paths[i])));
    free(paths);
    return list;
}

static void put(json_t *answer, const char *key, json_t *value)
{
    if (json_object_set_new(answer, key, value) != 0)
        gathered.no_memory = true;
}

/* The common members stand around those of the command; version is one of these in the answer of `penta options`. */
static json_t *make_answer(const char *name, int code, json_t *stages)
{
    const char *status = status_of(code), *error = code == CLI_OK ? NULL : messages_last(MESSAGE_ERROR);
    json_t *answer = json_object();

    error = code != CLI_OK && !error ? "failed" : error;
    put(answer, "command", name ? json_text(name) : json_null());
    put(answer, "version", json_string(penta_version()));
    put(answer, "status", json_string(status));
    put(answer, "error", error ? json_text(error) : json_null());
    if (gathered.device && gathered.seconds) {
        put(answer, "device", json_incref(gathered.device));
        put(answer, "seconds", json_incref(gathered.seconds));
    }
    if (stages)
        put(answer, "stages", json_incref(stages));
    if (gathered.members && json_object_update(answer, gathered.members) != 0)
        gathered.no_memory = true;
    put(answer, "status", json_string(status));
    put(answer, "notes", list_messages(MESSAGE_NOTE));
    put(answer, "warnings", list_messages(MESSAGE_WARNING));
    put(answer, "inputs", list_inputs(status, error));
    put(answer, "outputs", list_outputs());
    return answer;
}

static void forget(void)
{
    penta_io_output_notify(NULL, NULL);
    json_decref(gathered.members);
    json_decref(gathered.device);
    json_decref(gathered.seconds);
    json_decref(gathered.inputs);
    json_decref(gathered.named);
    json_decref(gathered.written);
    free(gathered.single);
    memset(&gathered, 0, sizeof gathered);
    messages_forget();
}

int answer_end(const char *name, int code)
{
    const char *running = cli_running() ? cli_running()->name : name;
    json_t *answer, *stages;

    early_forget();
    if (cli_wants_json()) {
        stages = stages_json();
        answer = make_answer(running, code, stages);
        if (gathered.no_memory && code == CLI_OK) {
            code = cli_fail(running, CLI_ERROR, "out of memory for the JSON answer");
            json_decref(answer);
            answer = make_answer(running, code, stages);
        }
        json_decref(stages);
        if (json_print(running, answer) != CLI_OK)
            code = code == CLI_OK ? CLI_ERROR : code;
    }
    forget();
    return code;
}
