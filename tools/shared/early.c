#include "shared/early.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <pentacl/context.h>

static const char why[] = "interrupted; nothing was written";

typedef struct {
    char line[256], answer[512];
} early;

/* The one that is not in use is written. */
static early both[2];
static _Atomic(early *) now;

void early_prepare(const char *command, bool json)
{
    early *e = atomic_load(&now) == &both[0] ? &both[1] : &both[0];
    const char *quote = command ? "\"" : "", *name = command ? command : "null";

    snprintf(e->line, sizeof e->line, "penta%s%s: error: %s\n", command ? " " : "", command ? command : "", why);
    snprintf(
        e->answer, sizeof e->answer,
        "{\"command\": %s%s%s, \"version\": \"%s\", \"status\": \"interrupted\", \"error\": \"%s\", \"notes\": [], "
        "\"warnings\": [], \"inputs\": [], \"outputs\": []}\n",
        quote, name, quote, penta_version(), why);
    if (!json)
        e->answer[0] = 0;
    atomic_store(&now, e);
}

void early_forget(void)
{
    atomic_store(&now, NULL);
}

static void put(int fd, const char *text)
{
    (void)!write(fd, text, strlen(text)); /* there is nobody to tell */
}

void early_say(void)
{
    const early *e = atomic_load(&now);

    if (!e)
        return;
    put(STDERR_FILENO, e->line);
    put(STDOUT_FILENO, e->answer);
}
