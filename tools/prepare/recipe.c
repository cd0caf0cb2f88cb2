/* Recipes as JSON. */
#include "prepare/recipe.h"

const penta_option recipe_file_table[] = {
    PENTA_TEXT_OPTION(recipe_files, dark, 0, "IMAGE", "dark frame, taken off first"),
    PENTA_TEXT_OPTION(recipe_files, flat, 0, "IMAGE", "flat frame, by which frames are divided"), PENTA_OPTIONS_END};

bool recipe_read(const char *path, const cli_table *tables, json_t **text, io_error *err)
{
    (void)tables;
    *text = NULL;
    return io_fail(err, "%s: reading recipes: to be written", path);
}

json_t *recipe_json(const cli_table *tables)
{
    (void)tables;
    return NULL;
}

bool recipe_open(const char *path, recipe *out, io_error *err)
{
    *out = (recipe){0};
    return io_fail(err, "%s: reading recipes: to be written", path);
}

void recipe_close(recipe *r)
{
    json_decref(r->text);
    *r = (recipe){0};
}
