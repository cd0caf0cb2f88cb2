/*
 * The JSON answer of the command that runs: with --json one object on stdout when the command is over, whatever became
 * of it. docs/json.md tells what is in it, docs/penta.schema.json checks it.
 *
 * There is one answer a process, as there is one stdout. What a command has to tell is gathered here while it runs, and
 * dropped where --json is not given. Functions that take over JSON do so in any case; NULL is memory that ran out,
 * which answer_end reports. One thread calls them; files may be written by any.
 */
#pragma once

#include <jansson.h>

#include "shared/cli.h"

/* Before the words of the program's line are read: files that are written from now on are outputs. */
void answer_begin(int argc, char *const *argv);

/* Takes over an object: its members are those of the answer. */
void answer_add(json_t *members);

/* The device, and seconds{total, device} since start (of cli_seconds). The first call counts; NULL: no device. */
void answer_device(penta_context *ctx, double start);

/* What is analysed. The run has one input, whose entry gets all that answer_add is given; path NULL: nothing is read.
 */
void answer_single_input(const char *path);
/* One of several inputs, which ended so; takes over what there is to say of it, an object. error NULL: it went well. */
void answer_input(const char *path, const char *status, const char *error, json_t *members);

/* A file that a flag names besides, as a mask; role: the flag's name. What is the single input, or NULL, is none. */
void answer_named_input(const char *role, const char *path);

/* The results are complete: what fails from now on, or failed of single inputs before, does not take them away. */
void answer_complete(void);

/*
 * The command of this name is over with this exit code (name NULL: there is no such command). Prints the answer where
 * --json was given, frees all of it in any case. Returns the code, or CLI_ERROR where stdout cannot be written.
 */
int answer_end(const char *name, int code);
