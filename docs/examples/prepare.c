/*
 * Raw grey photographs to clean, registered frames. Usage: prepare RECIPE.json DIR IMAGE..., where RECIPE.json is one
 * of `penta prepare --print-recipe`, its dark and flat frames aside. Writes DIR/0000.png and DIR/0000.mask.png (255:
 * the pixel counts) of each good frame.
 */
#include <stdio.h>
#include <stdlib.h>

#include <pentacl/io/image.h>
#include <pentacl/io/output.h>
#include <pentacl/io/recipe.h>
#include <pentacl/pentacl.h>

static penta_io_error error;
static penta_io_image image, first; /* the frame that is looked at; the size and type of all */

static penta_status read_frame(void *paths, size_t index, const void **pixels)
{
    penta_io_image_free(&image);
    if (!penta_io_image_read(((char **)paths)[index], &image, &error))
        return PENTA_INVALID;
    first = first.width ? first : image;
    *pixels = image.data;
    return image.width == first.width && image.height == first.height && image.type == first.type ? PENTA_OK
                                                                                                  : PENTA_INVALID;
}

static bool write_frame(const char *directory, size_t number, penta_prepare *plan, const penta_prepare_result *r)
{
    penta_io_image frame = {.type = penta_prepare_type(plan), .data = r->image}, mask = {.data = r->mask};
    bool ok = true;

    penta_prepare_size(plan, &frame.width, &frame.height);
    mask.width = frame.width;
    mask.height = frame.height; /* and its type: PENTA_U8 is 0 */
    for (size_t i = 0; i < mask.width * mask.height; i++)
        r->mask[i] = r->mask[i] ? 255 : 0;
    for (int k = 0; ok && k < 2; k++) {
        char name[32], *path;

        snprintf(name, sizeof name, "%04zu", number);
        path = penta_io_join_path(directory, name, k ? ".mask.png" : ".png");
        ok = path && penta_io_image_write(path, k ? &mask : &frame, NULL, &error);
        free(path);
    }
    return ok;
}

int main(int argc, char **argv)
{
    penta_prepare_source source = {
        .count = argc > 3 ? (size_t)argc - 3 : 0, .most = 1, .data = argv + 3, .read = read_frame};
    penta_context *ctx = NULL;
    penta_prepare *plan = NULL;
    penta_io_recipe recipe = {0};
    penta_prepare_result r = {0};
    const void *pixels;
    size_t width = 0, height = 0;
    bool ok = source.count > 0 && penta_io_recipe_read(argv[1], &recipe, &error) &&
              penta_io_make_directory(argv[2], &error) && read_frame(source.data, 0, &pixels) == PENTA_OK &&
              penta_context_create(NULL, &ctx) == PENTA_OK &&
              penta_prepare_create(ctx, image.width, image.height, 1, image.type, &recipe.options, &plan) == PENTA_OK &&
              penta_prepare_look(plan, &source, NULL) == PENTA_OK; /* what the options want to know of all frames */

    if (ok)
        penta_prepare_size(plan, &width, &height);
    r.image = malloc(width * height * sizeof(float) + 1); /* the largest type there is */
    r.mask = malloc(width * height + 1);
    ok = ok && r.image && r.mask;
    for (size_t i = 0; ok && i < source.count; i++) {
        char why[256];

        ok = read_frame(source.data, i, &pixels) == PENTA_OK &&
             penta_prepare_run(plan, 1, &(penta_prepare_frame){.image = pixels, .number = i}, &r) == PENTA_OK;
        ok = ok && (r.status != PENTA_PREPARED_OK || write_frame(argv[2], i, plan, &r));
        penta_prepare_explain(plan, &r, why, sizeof why);
        printf("%s: %s %.3f %.3f px %s\n", argv[3 + i], penta_prepared_name(r.status), r.drift.dx, r.drift.dy, why);
    }
    if (!ok)
        fprintf(stderr, "prepare: %s\n", error.text[0] ? error.text : penta_last_error(ctx));
    free(r.image), free(r.mask);
    penta_io_image_free(&image);
    penta_prepare_destroy(plan); /* plans before their context; NULL is fine */
    penta_context_destroy(ctx);
    penta_io_recipe_free(&recipe);
    return !ok;
}
