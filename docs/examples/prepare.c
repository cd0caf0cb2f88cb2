/*
 * Raw grey photographs to clean, registered frames. Usage: prepare RECIPE.json DIR IMAGE..., where RECIPE.json is one
 * of `penta prepare --print-recipe`, its dark and flat frames aside. Writes DIR/0.png and DIR/0.mask.png (255: the
 * pixel counts) of each good frame.
 */
#include <stdio.h>
#include <stdlib.h>

#include <pentacl/io/image.h>
#include <pentacl/io/output.h>
#include <pentacl/io/recipe.h>
#include <pentacl/pentacl.h>

static penta_io_error error;
static penta_io_image image, first; /* the frame at hand; the size and type of all */

static penta_status read_frame(void *paths, size_t index, const void **pixels)
{
    const char *path = ((char **)paths)[index];
    bool ok;

    penta_io_image_free(&image);
    ok = penta_io_image_read(path, &image, &error);
    first = first.width ? first : image;
    if (ok && (image.width != first.width || image.height != first.height || image.type != first.type))
        ok = penta_io_fail(&error, "%s is not like the first image", path);
    *pixels = image.data;
    return ok ? PENTA_OK : PENTA_INVALID;
}

static bool write_image(const char *directory, size_t number, const char *suffix, penta_type type, size_t width,
                        size_t height, void *data)
{
    char name[300];

    snprintf(name, sizeof name, "%s/%zu%s", directory, number, suffix);
    return penta_io_image_write(name, &(penta_io_image){width, height, type, data, 1}, NULL, &error);
}

int main(int argc, char **argv)
{
    penta_prepare_source source = {.most = 1, .data = argv + 3, .read = read_frame};
    penta_context *ctx = NULL;
    penta_prepare *plan = NULL;
    penta_io_recipe recipe = {0};
    penta_prepare_result r = {0};
    const void *pixels;
    size_t width = 0, height = 0;
    bool ok = (argc > 3 || penta_io_fail(&error, "give RECIPE.json DIR IMAGE...")) &&
              penta_io_recipe_read(argv[1], &recipe, &error) && penta_io_make_directory(argv[2], &error) &&
              read_frame(source.data, 0, &pixels) == PENTA_OK && penta_context_create(NULL, &ctx) == PENTA_OK &&
              penta_prepare_create(ctx, image.width, image.height, 1, image.type, &recipe.options, &plan) == PENTA_OK;

    source.count = ok ? (size_t)argc - 3 : 0;
    ok = ok && penta_prepare_look(plan, &source, NULL) == PENTA_OK; /* what the options want to know of all frames */
    if (ok)
        penta_prepare_size(plan, &width, &height);
    r.image = malloc(width * height * sizeof(float) + 1); /* no type of frames is larger */
    r.mask = malloc(width * height + 1);
    for (size_t i = 0; ok && i < source.count; i++) {
        char why[256] = "";

        ok = r.image && r.mask && read_frame(source.data, i, &pixels) == PENTA_OK &&
             penta_prepare_run(plan, 1, &(penta_prepare_frame){.image = pixels, .number = i}, &r) == PENTA_OK;
        for (size_t p = 0; ok && p < width * height; p++)
            r.mask[p] = r.mask[p] ? 255 : 0;
        if (ok && r.status == PENTA_PREPARED_OK)
            ok = write_image(argv[2], i, ".png", penta_prepare_type(plan), width, height, r.image) &&
                 write_image(argv[2], i, ".mask.png", PENTA_U8, width, height, r.mask);
        penta_prepare_explain(plan, &r, why, sizeof why);
        printf("%s: %s %.3f %.3f px %s\n", argv[3 + i], penta_prepared_name(r.status), r.drift.dx, r.drift.dy, why);
    }
    if (!ok)
        fprintf(stderr, "prepare: %s\n", error.text[0] ? error.text : penta_last_error(ctx));
    free(r.image), free(r.mask), penta_io_image_free(&image);
    penta_prepare_destroy(plan); /* plans before their context; NULL is fine */
    penta_context_destroy(ctx), penta_io_recipe_free(&recipe);
    return !ok;
}
