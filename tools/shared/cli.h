/*
 * What every command shares: its description, flags, help, exit codes, messages, Ctrl-C.
 *
 * A command is described by constant data that can be read without running it: penta.c lists the descriptions, and
 * help, manual pages, shell completion and `penta options --json` are made from them.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <pentacl/context.h>
#include <pentacl/options.h>

#include "shared/messages.h"

enum { CLI_OK = 0, CLI_ERROR = 1, CLI_USAGE = 2 };

/* ---- the description of a command ---- */

/* What stands on the line besides flags. */
typedef struct cli_operand {
    const char *name; /* "IMAGE"; a command's error says it in lower case */
    const char *help;
    int least, most;     /* how many; most 0: any number */
    const char *choices; /* "a,b,c", or NULL: names of files */
} cli_operand;

/* Rows of an option table, and where the fields that they fill lie among the values of the command. */
typedef struct cli_section {
    const char *title; /* heading in the help; NULL: the rows go on under the one before */
    const char *name;  /* of the table in `penta options --json`: "autocorr", "input" */
    const penta_option *rows;
    const penta_option *(*table)(void); /* gives the rows; or NULL */
    size_t offset;                      /* of the rows' struct in the values */
    size_t size;                        /* of that struct, where it begins with its size; else 0 or any */
    const char *only;                   /* names of rows with blanks between, to take these alone; or NULL */
    const char *except;                 /* to take all but these; or NULL */
} cli_section;

/* clang-format off */
/* A section whose rows fill `member` of the struct `type`, which holds the values of the command. */
#define CLI_SECTION(title, name, rows, type, member) {title, name, rows, NULL, offsetof(type, member), 0, NULL, NULL}
/* The same of a table that a function gives, of all its rows, some, or all but some. */
#define CLI_PART(title, name, function, type, member, only, except) \
    {title, name, NULL, function, offsetof(type, member), sizeof(((type *)NULL)->member), only, except}
#define CLI_TABLE(title, name, function, type, member) CLI_PART(title, name, function, type, member, NULL, NULL)
#define CLI_LIBRARY CLI_TABLE
#define CLI_LIBRARY_ONLY(title, name, function, type, member, only) \
    CLI_PART(title, name, function, type, member, only, NULL)
#define CLI_LIBRARY_EXCEPT(title, name, function, type, member, except) \
    CLI_PART(title, name, function, type, member, NULL, except)
#define CLI_SECTIONS_END {NULL, NULL, NULL, NULL, 0, 0, NULL, NULL}
/* clang-format on */

/* Its rows; NULL behind the last section. */
static inline const penta_option *cli_section_rows(const cli_section *section)
{
    return section->table ? section->table() : section->rows;
}

/* Of flags, as the names of their rows with blanks between them: "fov focal". The last of an array has NULL flags. */
typedef struct cli_rule {
    const char *flags;
    const char *text;
    unsigned when; /* bits, any of which makes the rule hold; for rules about flags without effect */
} cli_rule;

/* What a file of the command's results is, by the pattern (fnmatch) of its name; the first that fits holds. */
typedef struct cli_output {
    const char *pattern, *kind; /* "*.c1d.csv", "c1d"; the last of an array has a NULL pattern */
} cli_output;

typedef struct cli_line cli_line;
typedef struct cli_command cli_command;

/* One command, as `penta NAME`. What is NULL is not there. */
/* What a command does where mpirun has started several processes (shared/ranks.h): it refuses to run, rank 0 alone runs
 * it, all run it together, or it calls ranks_begin itself, once it knows what is wanted. */
enum cli_ranks { CLI_RANKS_NONE = 0, CLI_RANKS_FIRST, CLI_RANKS_ALL, CLI_RANKS_LATER };

struct cli_command {
    const char *name, *summary; /* "autocorr"; of a command of another one both names, "sample autocorr" */
    const char *usage;          /* what follows `penta NAME [flags]`: "-o DIR IMAGE..." */
    const char
        *about; /* a paragraph of help; "{images}" (cubes, movies ...) stands for the formats that this build reads */
    const char *examples;                 /* lines of help */
    const cli_operand *operands;          /* the last has a NULL name */
    const char *files_with;               /* a flag's row: given, operands are files, which the command checks */
    const cli_section *sections;          /* the last has NULL rows */
    const char *output_name;              /* of the value of -o in cli_common_table; NULL: "DIR" */
    const char *output_help;              /* its line of help; NULL: that results go to a directory */
    const penta_preset *(*presets)(void); /* what --preset may name (PENTA_PRESETS_END behind the last) */
    const cli_rule *single;               /* at most one of these flags: they answer the same question, text */
    const cli_rule *together;             /* all of these flags or none */
    const cli_rule *idle;                 /* flags without effect in a run with some facts, and why */
    const cli_output *outputs;            /* what it writes, for the JSON answer */
    const cli_command *const *commands;   /* its own commands; NULL behind the last */
    size_t size;                          /* bytes of its values */
    int (*run)(const cli_line *line, void *values); /* values are zero but for what flags fill; the exit code */
    const void *more;                               /* what a run that several commands have takes of this one */
    enum cli_ranks ranks;                           /* under mpirun */
};

/* Flags that all workloads have; a table of their own. */
typedef struct cli_common {
    const char *device, *output;
    bool json, quiet, verbose, profile;
    int color; /* enum terminal_color */
    int fp64;  /* 0: auto, 1: never */
} cli_common;
extern const penta_option cli_common_table[];

/* ---- a line of words, parsed ---- */

/* A section's rows with the struct they fill. */
typedef struct cli_table {
    const char *title; /* heading in the help that its rows are under */
    const penta_option *rows;
    void *values;
    bool *given; /* one a row: whether its flag is on the line; NULL: not known */
} cli_table;

struct cli_line {
    const cli_command *command;
    cli_table *tables;     /* one a section; the last has NULL rows */
    penta_option **copies; /* of the rows of sections that take some of their table, else NULL */
    const char *preset;    /* name after --preset; or NULL */
    char **operands;
    int operand_count;
    char **words; /* as typed, the command's name first; NULL behind the last */
    int word_count;
    bool helped; /* --help was served: there is no more to do */
};

/*
 * Fills the values with their defaults and parses the flags; checks how many operands there are. CLI_OK, or CLI_USAGE
 * after one line on stderr. A preset's values go to every row of their name whose own flag is not given, wherever on
 * the line --preset stands; such a row does not count as given. argv is put in order, flags first. To be freed in any
 * case.
 */
int cli_parse(const cli_command *command, void *values, int argc, char **argv, cli_line *line);
void cli_line_free(cli_line *line);

/*
 * Takes the common flags that stand before the command and puts them behind it, so that argv[1] names it; --color,
 * which also commands without that flag heed, is dropped, as cli_begin has read it. CLI_OK, or an exit code after one
 * line.
 */
int cli_take_front(const cli_command *const *commands, int *argc, char **argv);

/* Parses the words and runs the command, or that of its own commands which argv[1] names. Returns the exit code. */
int cli_run(const cli_command *command, int argc, char **argv);

/* The one of these commands that a word names; NULL after one line on stderr. of: whose commands they are; NULL:
 * penta's. */
const cli_command *cli_find_command(const cli_command *const *commands, const cli_command *of, const char *word);

/* Whether the flag of the row with this name was given. */
bool cli_given(const cli_table *tables, const char *name);
/* Whether any flag under this heading of the help was. */
bool cli_given_under(const cli_table *tables, const char *title);

/* The command's rules about flags that were given, whatever their values; facts: bits of cli_rule.when. CLI_OK, or
 * CLI_USAGE after one line on stderr. */
int cli_check_single(const cli_line *line);
int cli_check_together(const cli_line *line);
int cli_check_effect(const cli_line *line, unsigned facts);

/*
 * Where a file is to be read, "-" is standard input; it and pipes are replaced on the line by copies (streams.h). Where
 * one file is written, "-" is standard output; -o of a directory refuses it. To be called once the line is found
 * right, since it waits for what comes. CLI_OK, or an exit code after one line on stderr.
 */
int cli_take_streams(const cli_line *line);

/* For a command that writes: CLI_OK, or CLI_USAGE after one line on stderr when -o is missing. */
int cli_need_output(const cli_line *line);

/* ---- the description, read ---- */

/* Whether the section takes this row. */
bool cli_takes(const cli_section *section, const penta_option *row);
/* The row as this command explains it: -o of the common flags may be its own. */
penta_option cli_explained(const cli_command *command, const penta_option *row);
/* --preset NAME */
extern const penta_option cli_preset_row;
/* The row's flag without --, with '-' for '_', as far as it fits. Returns out. */
char *cli_flag_name(const char *name, char *out, size_t size);

/* How help and manual name its value, with a blank before: " px", " auto|fft"; "" of a flag without one. Returns out.
 */
char *cli_value_name(const penta_option *row, char *out, size_t size);
/* " (default 3)"; "" where there is none to tell. Returns out. */
char *cli_default_text(const penta_option *row, char *out, size_t size);

/* The i-th word that the row's value may be, copied; false past the last, or where any text will do. */
bool cli_value_word(const cli_command *command, const penta_option *row, size_t i, char *word, size_t size);
/* Whether the row's value names a file, or a directory. */
bool cli_value_is_file(const penta_option *row);
bool cli_value_is_directory(const penta_option *row);
/* Whether what its value names is written. */
bool cli_value_is_output(const penta_option *row);

/* The text with the names of formats in place of "{images}" and the like, to be freed; NULL: out of memory. */
char *cli_with_formats(const char *text);

/* Wrapped to the columns of `out` (terminal_columns). */
void cli_print_help(const cli_command *command, FILE *out);

/* A line of a list of commands. */
void cli_print_command(const char *name, const char *summary, FILE *out);

/* ---- "did you mean" ---- */

/* The nearest of the candidates to a word that is none of them; best is empty where none is near. */
typedef struct cli_guess {
    const char *word;
    size_t distance;
    char best[64], text[96];
} cli_guess;

void cli_guess_begin(cli_guess *guess, const char *word);
void cli_guess_try(cli_guess *guess, const char *candidate);
/* All words that the row's value may be. */
void cli_guess_try_values(cli_guess *guess, const cli_command *command, const penta_option *row);
/* "; did you mean BEFOREbest?", or "". */
const char *cli_guess_text(cli_guess *guess, const char *before);

/* ---- messages ---- */

/*
 * One line on stderr, "penta COMMAND: error: message"; coloured by --color. `max_offset` in backquotes, where the
 * command that runs has a row of that name, is printed as its flag, --max-offset. Control characters are not printed.
 * command NULL: "penta: error: ...". Returns code.
 */
int cli_fail(const char *command, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A message of any kind, which is printed where `shown` and kept for the JSON answer in any case. */
void cli_say(const char *command, message_kind kind, bool shown, const char *format, va_list args)
    __attribute__((format(printf, 4, 0)));
/* What a thread had to hold back (messages_hold) is said now; the list is empty then. */
void cli_say_held(const char *command, held_messages *held);
/* A note, which --quiet silences, of what has no job; commands with one use job_note (shared/job.h). */
void cli_note(const cli_common *common, const char *command, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A note of what was chosen and why, which is printed with --verbose alone. */
void cli_explain(const cli_common *common, const char *command, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The library's error of a context (NULL: of its creation), whole with verbose. Returns CLI_ERROR. */
int cli_fail_library(const char *command, const penta_context *ctx, bool verbose);

/* Makes the context on the device of -d, or PENTACL_DEVICE, for a command that uses one: CLI_OK, CLI_ERROR, or
 * CLI_USAGE where a list names several. */
int cli_open_device(const char *command, const char *selector, bool verbose, penta_context **out);
/* Whether the selector, or without one PENTACL_DEVICE, is a list that may name several devices, as 0,1 or gpu*. */
bool cli_may_name_several(const char *selector);

/* Copies text with names of the command's rows in backquotes as flags, as far as it fits. command NULL: as it is.
 * Returns out. */
char *cli_with_flags(const cli_command *command, const char *text, char *out, size_t size);
/* The same in place for the command that runs, for text that goes elsewhere than to cli_fail and its like: two dashes
 * take the place of two backquotes. Returns the message. */
char *cli_name_flags(char *message);
/* A text with names of files as it may go to a terminal, without control characters; until the thread's
 * next call. */
const char *cli_shown(const char *text);
/* The command whose line was parsed last, whose flags messages name; NULL: none yet. */
void cli_set_running(const cli_command *command);
const cli_command *cli_running(void);

/* Whether the program is to print a JSON answer (shared/answer.h): set from its words, then by the line that was
 * parsed. */
void cli_want_json(bool wanted);
bool cli_wants_json(void);

/* ---- around a command ---- */

/*
 * Before: streams that the program was started without fail from now on, where a file opened later would have taken
 * their place; signals that end the program take temporary files with them; --color is read from the line. After: what
 * is printed is out, or CLI_ERROR after one line on stderr, else code; after an error the directories that were made
 * and are empty are gone. Where a signal was caught the program ends by it here, so that a loop of the shell ends too.
 */
void cli_begin(const cli_command *const *commands, int argc, char *const *argv);
int cli_end(const char *command, int code);

/* The commands that the program began with, NULL behind the last. */
const cli_command *const *cli_commands(void);

/* SIGINT, SIGTERM, SIGHUP and SIGPIPE end the program, whose temporary files go. */
void cli_end_on_signals(void);
/* From here on Ctrl-C and SIGTERM set a flag instead of ending the program at once; a second one does that. To be
 * called before a device is opened: threads that were begun earlier, a compiler's among them, may still be interrupted.
 */
void cli_catch_interrupts(void);
bool cli_interrupted(void);
/* Ends the program by cli_signal(), so that a shell sees it and ends its loop or script. */
void cli_end_by_signal(void);
/* For a child process: they come to it as they did to this program before they were caught. */
void cli_let_interrupts_through(void);
/* The signal that told this process, or another rank of its job, to stop; 0: none. */
int cli_signal(void);
/* Another rank was told to stop by this signal, so this process is. */
void cli_interrupt(int signal_number);

/* Time on a monotonic clock, s. */
double cli_seconds(void);

/* Time per kernel and transfer as a table on stderr. */
void cli_print_profile(penta_context *ctx);
