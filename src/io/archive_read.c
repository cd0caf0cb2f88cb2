/* Reads the state of a watched series; checks everything in it. */
#include "io/archive_format.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pentacl/io/output.h>
#include <pentacl/io/run.h>

enum { MOST_PIXELS = 1 << 28 };

/* The member `key`, which must be a file name without a folder; to be freed. NULL: it is not one, or out of memory. */
static char *read_name(const json_t *object, const char *key)
{
    char *name = io_json_take_name(json_string_value(json_object_get(object, key)));

    if (name && *name && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
        return name;
    free(name);
    return NULL;
}

/* ---- numbers ---- */

/* The member `key`, a number; JSON null becomes NaN. */
static bool read_number(const json_t *object, const char *key, double *out)
{
    const json_t *value = json_object_get(object, key);

    *out = json_is_number(value) ? json_number_value(value) : (double)NAN;
    return json_is_number(value) || json_is_null(value);
}

static bool read_finite(const json_t *object, const char *key, double *out)
{
    return read_number(object, key, out) && isfinite(*out);
}

static bool read_size(const json_t *object, const char *key, size_t *out)
{
    const json_t *value = json_object_get(object, key);

    if (!json_is_integer(value) || json_integer_value(value) < 0 || json_integer_value(value) > INT32_MAX)
        return false;
    *out = (size_t)json_integer_value(value);
    return true;
}

/* last_grow; states written by older versions lack it, which means 0. */
static bool read_growth(const json_t *object, double *out)
{
    *out = 0;
    return !json_object_get(object, "last_grow") || (read_finite(object, "last_grow", out) && *out > -1);
}

static bool read_drift(const json_t *object, penta_drift *d)
{
    return read_finite(object, "dx", &d->dx) && read_finite(object, "dy", &d->dy) &&
           read_finite(object, "angle", &d->angle) && read_number(object, "score", &d->score);
}

/* The other places that a drift may have; states written by older versions lack the list, which means none. */
static bool read_others(const json_t *list, penta_drift *d)
{
    d->others = json_array_size(list);
    if (d->others > PENTA_DRIFT_OTHERS)
        return false;
    for (size_t i = 0; i < d->others; i++)
        if (!read_finite(json_array_get(list, i), "dx", &d->other_dx[i]) ||
            !read_finite(json_array_get(list, i), "dy", &d->other_dy[i]))
            return false;
    return true;
}

/* The index of a name among n; n: not found. */
static int number_of(const json_t *object, const char *key, const char *(*name)(int), int n)
{
    const char *text = json_string_value(json_object_get(object, key));
    int i = 0;

    while (i < n && !(text && strcmp(text, name(i)) == 0))
        i++;
    return i;
}

static const char *status_name(int i)
{
    return penta_prepared_name((enum penta_prepared)i);
}

static const char *peak_name(int i)
{
    return penta_peak_status_name((enum penta_peak_status)i);
}

static const char *type_name(int i)
{
    static const penta_type types[] = {PENTA_U8, PENTA_U16, PENTA_F32, PENTA_F64};

    return penta_type_name(types[i]);
}

/* ---- frames ---- */

static bool read_peak(const json_t *object, penta_peak *p)
{
    int status = number_of(object, "status", peak_name, PENTA_PEAK_WEAK + 1);

    p->status = (enum penta_peak_status)status;
    return status <= PENTA_PEAK_WEAK && read_number(object, "r_max", &p->r_max) &&
           read_number(object, "r_max_se", &p->r_max_se) && read_number(object, "c_max", &p->c_max) &&
           read_number(object, "r_min", &p->r_min) && read_number(object, "c_min", &p->c_min);
}

static const penta_peak no_peak = {PENTA_PEAK_FLAT, 0, NAN, NAN, NAN, NAN, NAN};

/* The file size of a frame that was left out; -1: not given. */
static bool read_bytes(const json_t *object, int64_t *out)
{
    const json_t *value = json_object_get(object, "bytes");

    *out = value ? (int64_t)json_integer_value(value) : -1;
    return !value || (json_is_integer(value) && *out >= 0);
}

static bool read_file(const json_t *object, penta_io_archive_frame *f)
{
    const json_t *skipped = json_object_get(object, "skipped");
    int status = number_of(object, "status", status_name, PENTA_PREPARED_BLANK + 1);

    f->file = read_name(object, "file");
    f->stem = read_name(object, "stem");
    f->paged = json_object_get(object, "page") != NULL;
    f->peak = no_peak;
    f->row = (penta_io_drift_row){
        .skipped = json_is_true(skipped), .done = json_is_false(skipped), .status = (enum penta_prepared)status};
    if (!f->file || !f->stem || !json_is_boolean(skipped) || status > PENTA_PREPARED_BLANK ||
        (f->row.done && status != PENTA_PREPARED_OK) || !read_finite(object, "time", &f->time) ||
        !read_bytes(object, &f->bytes) || (f->paged && !read_size(object, "page", &f->page)))
        return false;
    return f->row.skipped || (read_drift(json_object_get(object, "drift"), &f->row.drift) &&
                              read_others(json_object_get(object, "others"), &f->row.drift) &&
                              read_size(object, "dust_pixels", &f->row.dust_pixels) &&
                              read_peak(json_object_get(object, "peak"), &f->peak));
}

/* ---- the whole state ---- */

static bool is_no_state(const char *path, const char *what, penta_io_error *err)
{
    return penta_io_fail(
        err, "%s: is damaged or not the state of a series: %s; take another -o DIR, or remove this one's .prepare",
        path, what);
}

static bool read_input(const json_t *root, penta_io_image *like)
{
    static const penta_type types[] = {PENTA_U8, PENTA_U16, PENTA_F32, PENTA_F64};
    const int n = sizeof types / sizeof *types;
    const json_t *object = json_object_get(root, "input");
    int type = number_of(object, "type", type_name, n);

    if (type == n || !read_size(object, "width", &like->width) || !read_size(object, "height", &like->height) ||
        !read_size(object, "channels", &like->channels))
        return false;
    like->type = types[type];
    return like->width > 0 && like->height > 0 && like->height <= MOST_PIXELS / like->width &&
           (like->channels == 1 || like->channels == 3);
}

/* Reads the array in the file that the member `key` names, width x height floats; JSON null gives NULL. */
static bool read_array(const char *directory, const json_t *series, const char *key, size_t width, size_t height,
                       float **out, penta_io_error *err)
{
    const json_t *value = json_object_get(series, key);
    char *name = read_name(series, key), *path = name ? penta_io_archive_path(directory, name) : NULL;
    penta_io_image image = {0};
    bool ok = json_is_null(value) ||
              (path && penta_io_run_check_unedited(path, err) && penta_io_image_read(path, &image, err));

    if (ok && path &&
        (image.type != PENTA_F32 || image.width != width || image.height != height || image.channels == 3)) {
        ok = penta_io_fail(err, "%s: is not an array of %zu x %zu floats", path, height, width);
        penta_io_image_free(&image);
    }
    *out = ok ? image.data : NULL;
    free(name);
    free(path);
    return ok;
}

static bool read_series(const char *directory, const char *path, const json_t *root, const penta_io_image *like,
                        penta_prepare_state *s, penta_io_error *err)
{
    const json_t *object = json_object_get(root, "series");

    if (!read_size(object, "frames", &s->frames) || !read_size(object, "width", &s->width) ||
        !read_size(object, "height", &s->height) || !read_size(object, "nodes_x", &s->nodes_x) ||
        !read_size(object, "nodes_y", &s->nodes_y) || !read_drift(json_object_get(object, "key"), &s->key) ||
        !read_drift(json_object_get(object, "last"), &s->last) || !read_number(object, "low", &s->low) ||
        !read_number(object, "high", &s->high) || !read_growth(object, &s->last_grow) ||
        !read_others(json_object_get(object, "key_others"), &s->key) ||
        !read_others(json_object_get(object, "last_others"), &s->last))
        return is_no_state(path, "its series lacks a number", err);
    if (s->width == 0 || s->height == 0 || s->width > like->width || s->height > like->height ||
        s->nodes_x > s->width || s->nodes_y > s->height)
        return is_no_state(path, "its sizes contradict one another", err);
    return (read_array(directory, object, "key_image", s->width, s->height, &s->key_image, err) &&
            read_array(directory, object, "last_image", s->width, s->height, &s->last_image, err) &&
            read_array(directory, object, "illumination", s->nodes_x, s->nodes_y, &s->illumination, err)) ||
           (err->text[0] ? false : is_no_state(path, "the name of an array is wrong", err));
}

static bool read_files(const char *path, const json_t *root, penta_io_archive *out, penta_io_error *err)
{
    const json_t *files = json_object_get(root, "files");
    size_t done = 0;

    if (!json_is_array(files))
        return is_no_state(path, "it has no files", err);
    for (size_t i = 0; i < json_array_size(files); i++) {
        penta_io_archive_frame *f = penta_io_archive_add(out);
        char what[64];

        if (!f)
            return penta_io_fail(err, "%s: out of memory", path);
        snprintf(what, sizeof what, "file %zu lacks something", i);
        if (!read_file(json_array_get(files, i), f))
            return is_no_state(path, what, err);
        done += f->row.done;
    }
    return done == out->series.frames || is_no_state(path, "its frames are not its files", err);
}

static bool read_state(const char *directory, const char *path, const json_t *root, penta_io_archive *out,
                       penta_io_error *err)
{
    json_int_t version = json_integer_value(json_object_get(root, "version"));

    if (version != ARCHIVE_VERSION)
        return version > ARCHIVE_VERSION ? penta_io_fail(err, "%s: is of a newer version of this program", path)
                                         : is_no_state(path, "it has no version", err);
    if (!json_is_object(json_object_get(root, "recipe")))
        return is_no_state(path, "it has no recipe", err);
    if (!read_input(root, &out->like))
        return is_no_state(path, "its input has no size or type", err);
    if (!read_series(directory, path, root, &out->like, &out->series, err) || !read_files(path, root, out, err))
        return false;
    out->recipe = io_json_object_text(json_object_get(root, "recipe"));
    return out->recipe || penta_io_fail(err, "%s: out of memory", path);
}

bool penta_io_archive_read(const char *directory, bool *found, penta_io_archive *out, penta_io_error *err)
{
    char *path = penta_io_archive_path(directory, "state.json");
    json_error_t error;
    json_t *root;
    bool ok;

    *out = (penta_io_archive){0};
    *found = path && access(path, F_OK) == 0;
    if (!path)
        return penta_io_fail(err, "out of memory");
    if (!*found) {
        free(path);
        return true;
    }
    if (!penta_io_run_check_unedited(path, err)) {
        free(path);
        return false;
    }
    root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    ok = root ? read_state(directory, path, root, out, err) : is_no_state(path, error.text, err);
    json_decref(root);
    free(path);
    if (!ok)
        penta_io_archive_free(out);
    return ok;
}
