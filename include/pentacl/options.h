/*
 * Option tables. One row an option: from it come the default of the options struct, the range check, the command-line
 * flag, the help text, the man page and the shell completion.
 *
 * The options structs of the library begin with their size, `size_t size`, so that they can grow: a newer library takes
 * the defaults for the options that a program built with older headers does not have, and leaves the memory behind its
 * struct alone. penta_<name>_options_init sets the size; a struct of size 0 is refused.
 */
#ifndef PENTACL_OPTIONS_H
#define PENTACL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pentacl/context.h>

PENTA_BEGIN_DECLS

typedef enum penta_option_type {
    PENTA_OPTION_END = 0,
    PENTA_OPTION_INT,    /* int */
    PENTA_OPTION_REAL,   /* double */
    PENTA_OPTION_CHOICE, /* int: the index into choices */
    PENTA_OPTION_FLAG,   /* bool, false by default */
    PENTA_OPTION_TEXT    /* const char *, NULL by default, borrowed */
} penta_option_type;

typedef struct penta_option {
    const char *name; /* field name; the flag is --name with '-' for '_' */
    penta_option_type type;
    size_t offset;            /* of the field in the options struct */
    char letter;              /* short flag, or 0 */
    double initial, min, max; /* initial: the default; of a choice its number, which need not be 0 */
    const char *choices; /* "a,b|bee,c" (CHOICE; b may be called bee too), the placeholder of the value (TEXT), or names
                            of the values min, min + 1, .. (INT; NULL: there are none) */
    const char *unit;    /* "px", "s", ... or "" */
    const char *help;    /* one sentence without a full stop */
    bool sized;          /* the struct begins with its size, beyond which nothing is read or written */
} penta_option;

/* Of the rows below: the library's structs begin with their size; those of a program's own tables need not. */
#ifndef PENTA_OPTIONS_SIZED
#define PENTA_OPTIONS_SIZED false
#endif

/* One row each; `type` is the options struct, `field` its member. */
/* clang-format off */
#define PENTA_INT_OPTION(type, field, letter, initial, min, max, unit, help) \
    {#field, PENTA_OPTION_INT, offsetof(type, field), letter, initial, min, max, NULL, unit, help, PENTA_OPTIONS_SIZED}
#define PENTA_NAMED_INT_OPTION(type, field, letter, names, initial, min, max, unit, help) /* names: "auto,none" */ \
    {#field, PENTA_OPTION_INT, offsetof(type, field), letter, initial, min, max, names, unit, help, PENTA_OPTIONS_SIZED}
#define PENTA_REAL_OPTION(type, field, letter, initial, min, max, unit, help) \
    {#field, PENTA_OPTION_REAL, offsetof(type, field), letter, initial, min, max, NULL, unit, help, PENTA_OPTIONS_SIZED}
#define PENTA_CHOICE_OPTION(type, field, letter, choices, help) /* the first choice is the default */ \
    {#field, PENTA_OPTION_CHOICE, offsetof(type, field), letter, 0, 0, 0, choices, "", help, PENTA_OPTIONS_SIZED}
#define PENTA_CHOICE_FROM_OPTION(type, field, letter, initial, choices, help) /* the default is choice number initial */ \
    {#field, PENTA_OPTION_CHOICE, offsetof(type, field), letter, initial, 0, 0, choices, "", help, PENTA_OPTIONS_SIZED}
#define PENTA_FLAG_OPTION(type, field, letter, help) \
    {#field, PENTA_OPTION_FLAG, offsetof(type, field), letter, 0, 0, 1, NULL, "", help, PENTA_OPTIONS_SIZED}
#define PENTA_TEXT_OPTION(type, field, letter, placeholder, help) \
    {#field, PENTA_OPTION_TEXT, offsetof(type, field), letter, 0, 0, 0, placeholder, "", help, PENTA_OPTIONS_SIZED}
#define PENTA_OPTIONS_END {NULL, PENTA_OPTION_END, 0, 0, 0, 0, 0, NULL, NULL, NULL, PENTA_OPTIONS_SIZED}
/* clang-format on */

/**
 * Writes every option's default into the struct. Those of the library have functions that set their size too
 * (penta_stars_options_init); with this one alone the size must be set before. A zeroed struct need not hold the
 * defaults.
 */
PENTA_API void penta_options_init(const penta_option *table, void *options);

/**
 * Checks every field against its row. On failure returns PENTA_INVALID and writes one line naming option, value and
 * range into message (which may be NULL). Messages of the library put the names of options between backquotes:
 * "`max_offset` is 400 px; it must be between 1 and 256".
 */
PENTA_API penta_status penta_options_check(const penta_option *table, const void *options, char *message, size_t size);

/**
 * Parses text as the value of one row into the struct. On failure returns PENTA_INVALID with a one-line message.
 * A TEXT value is borrowed from text.
 */
PENTA_API penta_status penta_option_parse(const penta_option *option, void *options, const char *text, char *message,
                                          size_t size);

/** The first name of the i-th choice, or of an INT's value min + i, copied into name (at least size bytes); false past
 * the last. */
PENTA_API bool penta_option_choice(const penta_option *option, size_t i, char *name, size_t size);

enum { PENTA_PRESET_VALUES = 12 };

/** Values of several options under one name. */
typedef struct penta_preset {
    const char *name; /* "paper" */
    const char *help; /* one sentence without a full stop */
    struct {
        const char *option; /* name of a row, of the library's table or of the command's own; NULL behind the last */
        const char *value;  /* as penta_option_parse takes it; "" for a FLAG, which it sets */
    } values[PENTA_PRESET_VALUES];
} penta_preset;

/* clang-format off */
#define PENTA_PRESETS_END {NULL, NULL, {{NULL, NULL}}} /* behind the last preset of an array */
/* clang-format on */

/** The preset of this name, or NULL. presets may be NULL: there are none. */
PENTA_API const penta_preset *penta_preset_find(const penta_preset *presets, const char *name);

/**
 * Writes the values of the preset called name into the struct and leaves all other fields as they are. Call it after
 * penta_options_init and before setting fields of your own. Options that are the command's own, of which the table has
 * no row, are passed over. On failure (no preset of that name, a value that is out of range) returns PENTA_INVALID and
 * writes one line into message (which may be NULL).
 */
PENTA_API penta_status penta_preset_apply(const penta_preset *presets, const char *name, const penta_option *table,
                                          void *options, char *message, size_t size);

/** One workload of the library, with its option tables and presets. */
typedef struct penta_workload penta_workload;

/** The i-th workload, NULL past the last. */
PENTA_API const penta_workload *penta_workload_at(size_t i);
/** "autocorr". */
PENTA_API const char *penta_workload_name(const penta_workload *workload);
/** What it is for, one line. */
PENTA_API const char *penta_workload_summary(const penta_workload *workload);
/**
 * The i-th option table, NULL past the last; the first is that of the workload's plan. *name: what the table is called
 * ("autocorr", "spinodal"); its function is penta_<name>_option_table. *size: bytes of its struct. Both may be NULL.
 */
PENTA_API const penta_option *penta_workload_table(const penta_workload *workload, size_t i, const char **name,
                                                   size_t *size);
/** The presets of its first table, PENTA_PRESETS_END behind the last; NULL: there are none. */
PENTA_API const penta_preset *penta_workload_presets(const penta_workload *workload);
/** Known-answer test on a context's device: PENTA_OK, or an error that says what differed. */
PENTA_API penta_status penta_workload_selftest(const penta_workload *workload, penta_context *ctx);

PENTA_END_DECLS
#endif
