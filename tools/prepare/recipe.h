/*
 * Recipes: option tables as a JSON object, one member an option, its key the option's name (max_drift), its value a
 * number (INT: whole), a string (CHOICE: a name; TEXT; null: none) or true and false.
 */
#ifndef PENTA_TOOLS_PREPARE_RECIPE_H
#define PENTA_TOOLS_PREPARE_RECIPE_H

#include <jansson.h>
#include <pentacl/prepare.h>

#include "shared/cli.h"
#include <pentacl/io/error.h>

enum prepare_format { PREPARE_PNG = 0, PREPARE_TIFF, PREPARE_NPY, PREPARE_FITS };

/* All that a recipe of `penta prepare` holds. */
typedef struct recipe_files {
    const char *dark, *flat; /* images; NULL: none */
    int format;              /* enum prepare_format, of the frames that are written */
} recipe_files;
extern const penta_option recipe_file_table[];

typedef struct recipe {
    penta_prepare_options options;
    recipe_files files;
    json_t *text; /* holds the strings; NULL: none was read */
} recipe;

/*
 * Reads a recipe into the tables (the last has NULL rows), their values being set already: options that the file does
 * not name and those whose flag was given (cli_table.given) stay. *text holds the strings until json_decref. Errors,
 * one line with file and key: not JSON, not an object, a key twice, an unknown key (with the nearest that there is,
 * where one is near; options of the command that are not of a recipe are called that), a wrong type, a value out of
 * range, a text that penta_prepare_check refuses.
 */
bool recipe_read(const char *path, const cli_table *tables, json_t **text, penta_io_error *err);

/* All options of the tables with their values, in the tables' order; NULL: out of memory, or a text that is not UTF-8.
 */
json_t *recipe_json(const cli_table *tables);

/* Defaults, then the file: for `penta autocorr --recipe`, which writes no frames and has no use for their format. */
bool recipe_open(const char *path, recipe *out, penta_io_error *err);
void recipe_close(recipe *r);

#endif
