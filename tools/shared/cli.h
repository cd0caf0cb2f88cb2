/* What every command shares: flags from option tables, help, exit codes, messages, Ctrl-C. */
#ifndef PENTA_TOOLS_CLI_H
#define PENTA_TOOLS_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include <pentacl/context.h>
#include <pentacl/options.h>

enum { CLI_OK = 0, CLI_ERROR = 1, CLI_USAGE = 2 };

/* A table with the struct it fills. */
typedef struct cli_table {
    const char *title; /* heading in the help */
    const penta_option *rows;
    void *values;
    bool *given; /* one a row: set to whether its flag is on the command line; NULL: not wanted */
} cli_table;

/* Of flags, as the names of their rows with blanks between them: "fov focal". The last of an array has NULL flags. */
typedef struct cli_rule {
    const char *flags;
    const char *text;
    unsigned when; /* bits, any of which makes the rule hold; for rules about flags without effect */
} cli_rule;

/* One command, as `penta NAME`. */
typedef struct cli_command {
    const char *name, *summary;
    int (*run)(int argc, char **argv); /* argv[0] is the command's name; returns an exit code */
} cli_command;

/* Flags that all workloads have; a table of their own. */
typedef struct cli_common {
    const char *device, *output;
    bool json, quiet, verbose, profile;
} cli_common;
extern const penta_option cli_common_table[];

typedef struct cli_spec {
    const char *command;         /* "autocorr" */
    const char *operands;        /* "IMAGE..." or "" */
    const char *about;           /* a paragraph of help */
    const char *examples;        /* lines of help, or NULL */
    const cli_table *tables;     /* the last has NULL rows */
    const char *output_name;     /* of the value of -o in cli_common_table; NULL: "DIR" */
    const char *output_help;     /* its line of help; NULL: that results go to a directory */
    const penta_preset *presets; /* what --preset may name (PENTA_PRESETS_END behind the last); NULL: no such flag */
    const char **preset;         /* where the name that was given goes, NULL for none; may be NULL */
} cli_spec;

/*
 * Fills the tables with their defaults and parses the flags. Returns CLI_OK and *first = index of the first operand; or
 * CLI_USAGE after one line on stderr. After --help was served *first is -1: exit with CLI_OK. A preset's values go to
 * every row of their name whose own flag is not given, wherever on the line --preset stands; such a row does not count
 * as given.
 */
int cli_parse(const cli_spec *spec, int argc, char **argv, int *first);

/* The same for a command without operands, which refuses any. */
int cli_parse_flags(const cli_spec *spec, int argc, char **argv, int *first);

/* Whether the flag of the row with this name was given; false where its table does not want to know. */
bool cli_given(const cli_table *tables, const char *name);

/*
 * Rules about the flags that were given, whatever their values: at most one of those that answer the same question
 * (text: "which stars to draw"), all or none of those that belong together (no text), none that has no effect in a run
 * with these facts (text: why). CLI_OK, or CLI_USAGE after one line on stderr.
 */
int cli_check_single(const cli_spec *spec, const cli_rule *rules);
int cli_check_together(const cli_spec *spec, const cli_rule *rules);
int cli_check_effect(const cli_spec *spec, const cli_rule *rules, unsigned facts);

/* For a command that writes: CLI_OK, or CLI_USAGE after one line on stderr when -o is missing. */
int cli_need_output(const cli_spec *spec, const cli_common *common);

/* "penta COMMAND: message" on stderr, one line. Returns code. */
int cli_fail(const char *command, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same as a warning: a result is doubtful. --quiet does not silence it. */
void cli_warn(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same as a note that --quiet silences. */
void cli_note(const cli_common *common, const char *command, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The library's error of a context (NULL: of its creation), whole with verbose. Returns CLI_ERROR. */
int cli_fail_library(const char *command, const penta_context *ctx, bool verbose);

/*
 * Around a command. Before: streams that the program was started without fail from now on, where a file opened later
 * would have taken their place; signals that end the program take temporary files with them. After: what is printed is
 * out, or CLI_ERROR after one line on stderr, else code; after an error the directories that were made and are empty
 * are gone.
 */
void cli_begin(void);
int cli_end(const char *command, int code);

/* From here on Ctrl-C and SIGTERM set a flag instead of ending the program; a second one ends it. */
void cli_catch_interrupts(void);
bool cli_interrupted(void);

/* Time on a monotonic clock, s. */
double cli_seconds(void);

/* Time per kernel and transfer as a table on stderr. */
void cli_print_profile(penta_context *ctx);

#endif
