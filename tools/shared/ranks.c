/* Starting and ending MPI, and exchanges that carry exit codes. */
#define _GNU_SOURCE /* dladdr */
#include "shared/ranks.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pentacl/io/output.h>
#include <pentacl/mpi_world.h>

#include "shared/launch.h"
#include "shared/ranks_timeout.h"

static struct {
    penta_group *group;
    void (*close)(penta_group *group);
    void (*abort)(int code);
    int failed;    /* the exit code of a rank that has failed; nothing is exchanged any more */
    bool given_up; /* a rank does not answer */
    bool broken;   /* messages do not come through */
} job;

enum { GRACE = 300 }; /* ms that ranks have after a signal to bring back what they have */

size_t ranks_size(void)
{
    return job.group ? penta_group_size(job.group) : 1;
}

size_t ranks_rank(void)
{
    return job.group ? penta_group_rank(job.group) : 0;
}

penta_group *ranks_group(void)
{
    return job.group;
}

/* ---- libpentacl_mpi ---- */

#ifdef PENTA_MPI_LINKED

/* penta is linked with libpentacl_mpi, other programs that use this file are not. */
#pragma weak penta_mpi_world_open
#pragma weak penta_mpi_world_close
#pragma weak penta_mpi_world_abort

static const char *find_functions(penta_status (**open)(penta_group **out))
{
    if (!penta_mpi_world_open)
        return "this program has no MPI";
    *open = penta_mpi_world_open;
    job.close = penta_mpi_world_close;
    job.abort = penta_mpi_world_abort;
    return NULL;
}

#elif defined(PENTA_MPI_FILE)

#include <dlfcn.h>

static bool find_function(void *library, const char *name, void *out)
{
    void *symbol = dlsym(library, name);

    memcpy(out, &symbol, sizeof symbol); /* no cast from an object to a function in C */
    return symbol != NULL;
}

/* From the folder of libpentacl and no other. NULL, or why not. */
static const char *find_functions(penta_status (**open)(penta_group **out))
{
    static char path[PATH_MAX];
    const char *(*version)(void) = penta_version, *slash;
    void *address, *library;
    Dl_info here;

    memcpy(&address, &version, sizeof address);
    if (!dladdr(address, &here) || !(slash = strrchr(here.dli_fname, '/')))
        return "the folder of libpentacl is not known";
    snprintf(path, sizeof path, "%.*s/" PENTA_MPI_FILE, (int)(slash - here.dli_fname), here.dli_fname);
    library = dlopen(path, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE); /* MPI's own modules look for its symbols */
    if (!library || !find_function(library, "penta_mpi_world_open", open) ||
        !find_function(library, "penta_mpi_world_close", &job.close) ||
        !find_function(library, "penta_mpi_world_abort", &job.abort))
        return dlerror();
    return NULL;
}

#else

static const char *find_functions(penta_status (**open)(penta_group **out))
{
    (void)open;
    return "this build has no MPI (CMake says why)";
}

#endif

/* ---- beginning ---- */

static int refuse(const cli_command *command, const char *why)
{
    const launch *l = launch_look();

    return cli_fail(command->name, CLI_USAGE,
                    "%s has started %zu processes, and %s; run it without %s, or with PENTACL_MPI=off to have each of "
                    "them do the whole job",
                    l->launcher, l->size, why, l->launcher);
}

static int start(const cli_command *command)
{
    penta_status (*open)(penta_group * *out) = NULL;
    const char *fault = find_functions(&open);
    char why[512];

    if (fault) {
        snprintf(why, sizeof why, "%.400s", fault);
        return refuse(command, why);
    }
    if (open(&job.group) != PENTA_OK)
        return cli_fail_library(command->name, NULL, false);
    if (ranks_size() == launch_look()->size)
        return CLI_OK;
    snprintf(why, sizeof why, "MPI of this build finds %zu: take the launcher that belongs to it", ranks_size());
    return refuse(command, why);
}

int ranks_begin(const cli_command *command, bool *runs)
{
    const launch *l = launch_look();

    *runs = true;
    if (l->size < 2 || command->ranks == CLI_RANKS_LATER)
        return CLI_OK;
    *runs = command->ranks == CLI_RANKS_ALL || launch_speaks();
    if (command->ranks == CLI_RANKS_FIRST)
        return CLI_OK;
    if (command->ranks == CLI_RANKS_NONE)
        return refuse(command, "this command does not divide its work between ranks yet");
    if (l->no_exchange)
        return refuse(command, "not as MPI needs it (srun --mpi=pmix does)");
    return start(command);
}

/* The others' first: rank 0 made the directories above theirs, and ends last. */
static void remove_pending(void)
{
    void *nothing = NULL;

    if (!launch_speaks())
        penta_io_pending_remove();
    if (!job.broken)
        (void)penta_group_gather(job.group, NULL, 0, &nothing, NULL);
    free(nothing);
}

/* What is unfinished goes before: the launcher may end this rank by no signal that it can catch. */
static void end_all(int code)
{
    fflush(stdout);
    penta_io_pending_remove();
    job.abort(code);
}

void ranks_abort(int code)
{
    if (!job.group)
        return;
    ranks_timeout_say();
    end_all(code);
}

int ranks_end(int code)
{
    if (!job.group)
        return launch_speaks() ? code : CLI_OK; /* the launcher ends all where one fails, before rank 0 has spoken */
    if (job.given_up && launch_speaks())
        end_all(code);
    if (ranks_agree(code) != CLI_OK)
        remove_pending();
    job.close(job.group);
    job.group = NULL;
    return launch_speaks() ? code : CLI_OK;
}

/* ---- exchanges ---- */

/* What a rank says of itself, with the text of its error. */
typedef struct {
    int32_t code, signal; /* signal: it was told to stop; or 0 */
    char host[56], text[1024];
} verdict;

static verdict own_verdict(int code)
{
    const char *text = code != CLI_OK ? messages_last(MESSAGE_ERROR) : NULL;
    verdict v = {.code = code, .signal = cli_signal()};

    (void)gethostname(v.host, sizeof v.host - 1);
    snprintf(v.text, sizeof v.text, "%s", text ? text : "");
    return v;
}

static const char *running_name(void)
{
    return cli_running() ? cli_running()->name : NULL;
}

/* The code of the first rank that has failed; rank 0 says why, unless it is that. One that was told to stop says what
 * one process would say. */
static int judge(const verdict *all)
{
    int code = CLI_OK;

    for (size_t i = 0; i < ranks_size(); i++) {
        const verdict *v = &all[i];

        if (v->signal)
            cli_interrupt(v->signal);
        if (code == CLI_OK && v->code != CLI_OK && i > 0 && v->signal)
            cli_fail(running_name(), v->code, "%s", v->text);
        else if (code == CLI_OK && v->code != CLI_OK && i > 0)
            cli_fail(running_name(), v->code, "rank %zu (%s): %s", i, v->host, v->text);
        code = code != CLI_OK ? code : v->code;
    }
    return code;
}

/* all NULL: of all ranks; there are no bytes. */
static int exchange(int code, const void *data, size_t bytes, void **all, size_t *sizes)
{
    const verdict mine = own_verdict(code);
    verdict *verdicts = NULL;
    penta_status status;

    if (code != CLI_OK && job.abort)
        ranks_timeout_begin(code, end_all);
    status = penta_group_gather(job.group, &mine, sizeof mine, (void **)&verdicts, NULL);
    if (status == PENTA_OK)
        job.failed = judge(verdicts);
    if (status == PENTA_OK && job.failed == CLI_OK && all)
        status = penta_group_gather(job.group, data, bytes, all, sizes);
    ranks_timeout_end();
    free(verdicts);
    if (status == PENTA_OK)
        return code != CLI_OK ? code : job.failed;
    job.failed = CLI_ERROR;
    job.broken = true;
    return cli_fail_library(running_name(), NULL, false);
}

int ranks_exchange(int code, const void *data, size_t bytes, void **all, size_t *sizes)
{
    void *got = NULL;

    if (!job.group) {
        got = malloc(bytes + 1);
        if (got && bytes > 0)
            memcpy(got, data, bytes);
        if (sizes)
            sizes[0] = bytes;
    } else if (job.failed != CLI_OK) {
        code = code != CLI_OK ? code : job.failed;
    } else {
        code = exchange(code, data, bytes, all ? &got : NULL, sizes);
    }
    if (all)
        *all = got ? got : calloc(1, 1); /* nobody had bytes */
    else
        free(got);
    return code;
}

int ranks_agree(int code)
{
    return job.group ? ranks_exchange(code, NULL, 0, NULL, NULL) : code;
}

void ranks_give_up(void)
{
    job.given_up = true;
    job.failed = CLI_ERROR;
}

bool ranks_lose_patience(double *since)
{
    if (!cli_interrupted())
        return false;
    if (*since <= 0)
        *since = cli_seconds();
    if (cli_seconds() - *since < 1e-3 * GRACE)
        return false;
    ranks_give_up();
    return true;
}
