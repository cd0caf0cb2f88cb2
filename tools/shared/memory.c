#include "shared/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINE = 4096 };

/* The number behind the key, which begins a line; INFINITY: none. */
static double number_in(const char *root, const char *path, const char *key)
{
    char text[2 * LINE];
    unsigned long long number;
    double found = INFINITY;
    FILE *in;

    snprintf(text, sizeof text, "%s%s", root, path);
    in = fopen(text, "re");
    while (in && fgets(text, sizeof text, in))
        if (strncmp(text, key, strlen(key)) == 0 && sscanf(text + strlen(key), "%llu", &number) == 1)
            found = (double)number;
    if (in)
        fclose(in);
    return found;
}

/* The least limit of the group and those that it is in. */
static void limit(const char *root, const char *mount, char *group, const char *file, memory_room *room)
{
    char path[2 * LINE], *slash;

    do {
        double most;

        snprintf(path, sizeof path, "%s%s/%s", mount, strcmp(group, "/") == 0 ? "" : group, file);
        most = number_in(root, path, "");
        room->of_group = room->of_group || most < room->most;
        room->most = fmin(room->most, most);
        slash = strrchr(group, '/');
        if (slash)
            *slash = 0;
    } while (slash);
}

memory_room memory_look(const char *root)
{
    static const char machine[] = "/proc/meminfo";
    double swap = number_in(root, machine, "SwapTotal:");
    memory_room room = {.most = 1024 * (number_in(root, machine, "MemTotal:") + (isfinite(swap) ? swap : 0)),
                        .available = 1024 * number_in(root, machine, "MemAvailable:")};
    char line[LINE];
    FILE *in;

    snprintf(line, sizeof line, "%s/proc/self/cgroup", root);
    in = fopen(line, "re");
    while (in && fgets(line, sizeof line, in)) {
        char *group = strchr(line, '/');

        line[strcspn(line, "\n")] = 0;
        if (group && strncmp(line, "0::", 3) == 0)
            limit(root, "/sys/fs/cgroup", group, "memory.max", &room);
        else if (group && strstr(line, ":memory:"))
            limit(root, "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes", &room);
    }
    if (in)
        fclose(in);
    return room;
}
