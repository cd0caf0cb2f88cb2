/* How much memory there is. */
#pragma once

#include <stdbool.h>

/* Bytes; INFINITY: unknown. */
typedef struct {
    double most; /* that this process can have: the least limit of its control groups, or the machine's with swap */
    double available; /* now */
    bool of_group;    /* a control group limits it */
} memory_room;

/* root: "", or a folder that stands for / in a test. */
memory_room memory_look(const char *root);
