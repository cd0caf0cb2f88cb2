#define _POSIX_C_SOURCE 200809L
#include "shared/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 4096 };

static FILE *open_at(const char *root, const char *path)
{
    char whole[2 * PATH_SIZE];
    int length = snprintf(whole, sizeof whole, "%s%s", root, path);

    return length > 0 && (size_t)length < sizeof whole ? fopen(whole, "re") : NULL;
}

static void read_machine(const char *root, memory_room *room)
{
    FILE *in = open_at(root, "/proc/meminfo");
    char line[256], name[64];
    unsigned long long kib;
    double all = 0;

    while (in && fgets(line, sizeof line, in))
        if (sscanf(line, "%63[^:]: %llu kB", name, &kib) == 2) {
            all += strcmp(name, "MemTotal") == 0 || strcmp(name, "SwapTotal") == 0 ? 1024 * (double)kib : 0;
            if (strcmp(name, "MemAvailable") == 0)
                room->available = 1024 * (double)kib;
        }
    if (in)
        fclose(in);
    room->most = all > 0 ? all : INFINITY;
}

static void read_limit(const char *root, const char *path, memory_room *room)
{
    FILE *in = open_at(root, path);
    unsigned long long bytes;

    if (in && fscanf(in, "%llu", &bytes) == 1 && (double)bytes < room->most) { /* "max": none */
        room->most = (double)bytes;
        room->of_group = true;
    }
    if (in)
        fclose(in);
}

/* Of the group and those that it is in. */
static void read_groups(const char *root, const char *mount, char *group, const char *file, memory_room *room)
{
    char path[2 * PATH_SIZE];

    for (;;) {
        char *slash;

        snprintf(path, sizeof path, "%s%s/%s", mount, strcmp(group, "/") == 0 ? "" : group, file);
        read_limit(root, path, room);
        slash = strrchr(group, '/');
        if (!slash)
            return;
        *slash = 0;
    }
}

memory_room memory_look(const char *root)
{
    memory_room room = {INFINITY, INFINITY, false};
    FILE *in = open_at(root, "/proc/self/cgroup");
    char line[PATH_SIZE];

    read_machine(root, &room);
    while (in && fgets(line, sizeof line, in)) {
        char *kind = strchr(line, ':'), *group = kind ? strchr(kind + 1, ':') : NULL;

        line[strcspn(line, "\n")] = 0;
        if (!group)
            continue;
        *group++ = 0;
        if (!kind[1])
            read_groups(root, "/sys/fs/cgroup", group, "memory.max", &room);
        else if (strstr(kind, "memory"))
            read_groups(root, "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes", &room);
    }
    if (in)
        fclose(in);
    return room;
}
