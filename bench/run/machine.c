/* What this machine is, without its name. */
#define _GNU_SOURCE /* sched_getaffinity */

#include "run.h"

#include <ctype.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "shared/json.h"

int bench_cores(void)
{
    cpu_set_t allowed;
    long online;

    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        return CPU_COUNT(&allowed);
    online = sysconf(_SC_NPROCESSORS_ONLN); /* more processors than a cpu_set_t holds */
    return online > 0 ? (int)online : 1;
}

/* Value of the first line "model name : ..." of /proc/cpuinfo, else the architecture. */
static void processor(char *text, size_t size)
{
    struct utsname system;
    char line[512];
    FILE *info = fopen("/proc/cpuinfo", "r");
    const char *value = NULL;

    while (info && !value && fgets(line, sizeof line, info))
        if (strncmp(line, "model name", 10) == 0)
            value = strchr(line, ':');
    if (info)
        fclose(info);
    if (value) {
        for (value++; isspace((unsigned char)*value); value++)
            ;
        snprintf(text, size, "%.*s", (int)strcspn(value, "\n"), value);
    } else {
        snprintf(text, size, "%s", uname(&system) == 0 ? system.machine : "unknown processor");
    }
}

void bench_machine_host(char *text, size_t size)
{
    char name[256];
    int cores = bench_cores();

    processor(name, sizeof name);
    snprintf(text, size, "%s, %d core%s", name, cores, cores == 1 ? "" : "s");
}

json_t *bench_here(void)
{
    char machine[512], date[32] = "";
    time_t now = time(NULL);
    struct tm utc;

    bench_machine_host(machine, sizeof machine);
    if (gmtime_r(&now, &utc))
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return json_pack("{s:o, s:s}", "machine", json_text(machine), "date", date);
}

void bench_machine_add(bench *b, const char *name)
{
    size_t used = strlen(b->machine);

    if (!strstr(b->machine, name))
        snprintf(b->machine + used, sizeof b->machine - used, ", %s", name);
}
