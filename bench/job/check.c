/* Whether the command and the script have found the same. */
#include "job.h"

#include <math.h>
#include <stdlib.h>

#include <pentacl/io/image.h>
#include <pentacl/io/output.h>

typedef struct {
    double *values;
    size_t count;
} numbers;

/* Room doubles. */
static bool add(numbers *n, double value)
{
    if ((n->count & (n->count - 1)) == 0) {
        double *grown = realloc(n->values, (n->count ? 2 * n->count : 1) * sizeof *grown);

        if (!grown)
            return false;
        n->values = grown;
    }
    n->values[n->count++] = value;
    return true;
}

/* A number, an array of them, or with `member` of objects that have it. */
static bool take_json(const json_t *value, const char *member, numbers *out)
{
    const json_t *one;
    bool ok = true;
    size_t i;

    if (!json_is_array(value)) {
        one = member ? json_object_get(value, member) : value;
        return !value || add(out, json_is_number(one) ? json_number_value(one) : NAN);
    }
    json_array_foreach(value, i, one) ok = ok && take_json(one, member, out);
    return ok;
}

static bool take_file(const char *folder, const char *name, numbers *out)
{
    char *path = penta_io_join_path(folder, name, "");
    penta_io_reader *reader = NULL;
    penta_io_error error;
    bool ok = path && penta_io_reader_open(path, &reader, &error);

    for (size_t page = 0; ok && page < penta_io_reader_pages(reader); page++) {
        penta_io_image image = {0};

        ok = penta_io_reader_read(reader, page, &image, &error);
        for (size_t i = 0; ok && i < image.width * image.height; i++)
            ok = add(out, penta_io_image_value(&image, i));
        penta_io_image_free(&image);
    }
    penta_io_reader_close(reader);
    free(path);
    return ok;
}

static bool take_both(const job_check *check, const json_t *ours, const json_t *script, const char *our_folder,
                      const char *script_folder, numbers *a, numbers *b)
{
    const json_t *frames = json_object_get(ours, "frames");

    if (check->file)
        return take_file(our_folder, check->file, a) && take_file(script_folder, check->file, b);
    return take_json(frames ? frames : json_object_get(ours, check->member), frames ? check->member : NULL, a) &&
           take_json(json_object_get(json_object_get(script, "values"), check->member), NULL, b);
}

static int compare_numbers(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* Differences take the place of a's values; how many there are. */
static size_t subtract(const job_check *check, const numbers *a, const numbers *b)
{
    size_t n = 0;

    for (size_t i = 0; i < b->count; i++) {
        double x = a->values[i], y = b->values[i], unit = *check->unit ? 1 : fmax(fabs(x), fabs(y));

        if (isfinite(x) && isfinite(y))
            a->values[n++] = unit > 0 ? fabs(x - y) / unit : 0;
    }
    return n;
}

/* Of a list of eigenvalues the script may have the first ones alone; of a map each may leave out pixels, but not most
 * of them. */
static const char *judge(const job_check *check, numbers *a, numbers *b, double *difference)
{
    size_t n;

    if (b->count == 0 || a->count < b->count)
        return "the script has not as many numbers";
    n = subtract(check, a, b);
    if (n == 0 || (check->file ? 2 * n < b->count : n < b->count))
        return "there are numbers that are not finite";
    qsort(a->values, n, sizeof *a->values, compare_numbers);
    *difference = a->values[check->typical ? n / 2 : n - 1];
    return NULL;
}

const char *job_compare(const job_check *check, const json_t *ours, const json_t *script, const char *our_folder,
                        const char *script_folder, double *difference)
{
    numbers a = {0}, b = {0};
    const char *wrong = take_both(check, ours, script, our_folder, script_folder, &a, &b) ? NULL : "it cannot be read";

    *difference = INFINITY;
    wrong = wrong ? wrong : judge(check, &a, &b, difference);
    free(a.values);
    free(b.values);
    return wrong;
}
