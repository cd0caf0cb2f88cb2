/* Recipes of penta prepare: read, written as text, compared. */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include <pentacl/io/recipe.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file("recipe.json", data, size);
    char *text = fuzz_text(data, size);
    penta_io_recipe_difference difference;
    penta_io_recipe recipe;
    penta_io_error err = {""};

    if (penta_io_recipe_read(path, &recipe, &err)) {
        const penta_io_recipe_table tables[] = {{penta_prepare_option_table(), &recipe.options, NULL},
                                                {penta_io_recipe_file_table(), &recipe.files, NULL},
                                                {0}};
        char *again = penta_io_recipe_text(tables, NULL);

        fuzz_check(again && penta_io_recipe_same(again, again, NULL), "a recipe that was read is a recipe");
        penta_io_recipe_same(text, again, &difference);
        free(again);
    } else {
        fuzz_check_error(&err);
    }
    penta_io_recipe_free(&recipe);
    penta_io_recipe_same(text, "{\"max_drift\": 1}", &difference);
    free(text);
    return 0;
}
