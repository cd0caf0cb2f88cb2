/*
 * Recipes: option tables as a JSON object, one member for each option. Its key is the option's name (max_drift), its
 * value a number (INT: whole), a string (CHOICE: a name; TEXT; null: none) or true and false.
 */
#ifndef PENTACL_IO_RECIPE_H
#define PENTACL_IO_RECIPE_H

#include <pentacl/prepare.h>

#include <pentacl/io/error.h>

PENTA_BEGIN_DECLS

/* Holds the strings of a recipe that was read. */
typedef struct penta_io_recipe_strings penta_io_recipe_strings;

/* A table with the struct that it fills. */
typedef struct penta_io_recipe_table {
    const penta_option *rows;
    void *values;
    const bool *given; /* one a row: options that a recipe does not change; NULL: none */
} penta_io_recipe_table;

/**
 * Reads a recipe into the tables (the last has NULL rows), whose values are set already: options that the file does not
 * name and those that were given stay. The strings among the values live until penta_io_recipe_strings_free. Errors
 * name file and key: not JSON, not an object, a key twice, an unknown key (with the nearest that there is, where one is
 * near; options of `penta prepare` that do not belong in a recipe are called that), a wrong type, a value out of range,
 * a text that penta_prepare_check refuses. On failure *strings is NULL, and some values may have been set.
 */
PENTA_API bool penta_io_recipe_read_tables(const char *path, const penta_io_recipe_table *tables,
                                           penta_io_recipe_strings **strings, penta_io_error *err);
PENTA_API void penta_io_recipe_strings_free(penta_io_recipe_strings *strings); /* NULL is fine */

/**
 * All options of the tables with their values as JSON, in the tables' order, to be freed; without: the name of one that
 * is left out, or NULL. NULL: out of memory, or a text that is not UTF-8.
 */
PENTA_API char *penta_io_recipe_text(const penta_io_recipe_table *tables, const char *without);

/* The first option by which two recipes differ: its name, and its values as JSON, cut where they are long. */
typedef struct penta_io_recipe_difference {
    char key[64]; /* "": one has options that the other lacks */
    char a[256], b[256];
} penta_io_recipe_difference;

/** Whether two texts of recipes have the same options with the same values; if not, *out (may be NULL) says where. */
PENTA_API bool penta_io_recipe_same(const char *a, const char *b, penta_io_recipe_difference *out);

/* ---- the recipe of penta prepare ---- */

enum penta_io_frames_format {
    PENTA_IO_FRAMES_PNG = 0,
    PENTA_IO_FRAMES_TIFF,
    PENTA_IO_FRAMES_NPY,
    PENTA_IO_FRAMES_FITS,
    PENTA_IO_FRAMES_FITS_GZ
};

typedef struct penta_io_recipe_files {
    const char *dark, *flat; /* images; NULL: none */
    int format;              /* enum penta_io_frames_format, of the frames that are written */
} penta_io_recipe_files;

/** The rows of penta_io_recipe_files. */
PENTA_API const penta_option *penta_io_recipe_file_table(void);

typedef struct penta_io_recipe {
    penta_prepare_options options;
    penta_io_recipe_files files;
    penta_io_recipe_strings *strings; /* NULL: none was read */
} penta_io_recipe;

/** Reads a recipe of penta prepare over the defaults. On failure as penta_io_recipe_read_tables. */
PENTA_API bool penta_io_recipe_read(const char *path, penta_io_recipe *out, penta_io_error *err);

PENTA_API void penta_io_recipe_free(penta_io_recipe *recipe); /* empties it; an empty one is fine */

PENTA_END_DECLS
#endif
