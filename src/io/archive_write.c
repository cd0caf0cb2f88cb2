/* Writes the state of a watched series. */
#include "io/archive_format.h"

#include <dirent.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/npy_format.h"
#include <pentacl/io/output.h>

static json_t *drift_json(const penta_drift *d)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "dx", io_json_number(d->dx), "dy", io_json_number(d->dy), "angle",
                     io_json_number(d->angle), "score", io_json_number(d->score));
}

/* ---- frames ---- */

static json_t *peak_json(const penta_peak *p)
{
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "status", penta_peak_status_name(p->status), "r_max",
                     io_json_number(p->r_max), "r_max_se", io_json_number(p->r_max_se), "c_max",
                     io_json_number(p->c_max), "r_min", io_json_number(p->r_min), "c_min", io_json_number(p->c_min));
}

static json_t *others_json(const penta_drift *d)
{
    json_t *out = json_array();

    for (size_t i = 0; out && i < d->others; i++)
        json_array_append_new(out, json_pack("{s:f, s:f}", "dx", d->other_dx[i], "dy", d->other_dy[i]));
    return out;
}

static json_t *file_json(const penta_io_archive_frame *f)
{
    json_t *out = json_pack("{s:o, s:o, s:f, s:b, s:s}", "file", io_json_name(f->file), "stem", io_json_name(f->stem),
                            "time", f->time, "skipped", f->row.skipped, "status", penta_prepared_name(f->row.status));

    if (out && f->paged)
        json_object_set_new(out, "page", json_integer((json_int_t)f->page));
    if (out && f->row.skipped) /* the file is read again if its size changes */
        json_object_set_new(out, "bytes", json_integer((json_int_t)f->bytes));
    if (out && !f->row.skipped) {
        json_object_set_new(out, "drift", drift_json(&f->row.drift));
        json_object_set_new(out, "others", others_json(&f->row.drift));
        json_object_set_new(out, "dust_pixels", json_integer((json_int_t)f->row.dust_pixels));
        json_object_set_new(out, "peak", peak_json(&f->peak));
    }
    return out;
}

/* ---- the archive ---- */

/* Writes the array under a name with this number of frames; *name: the name as JSON, null if there is no array. */
static bool write_array(const char *directory, const char *title, const penta_io_archive *state, size_t width,
                        size_t height, const float *data, json_t **name, penta_io_error *err)
{
    const size_t shape[] = {height, width};
    char text[64], *path;
    bool ok;

    *name = NULL;
    if (!data) {
        *name = json_null();
        return true;
    }
    snprintf(text, sizeof text, "%s-%zu.npy", title, state->count);
    path = penta_io_archive_path(directory, text);
    ok = path && penta_io_npy_write(path, PENTA_F32, 2, shape, data, err) && penta_io_sync(path, err);
    free(path);
    *name = ok ? json_string(text) : NULL;
    return ok;
}

static json_t *series_json(const char *directory, const penta_io_archive *state, penta_io_error *err)
{
    const penta_prepare_state *s = &state->series;
    json_t *names[3] = {NULL};
    bool ok = write_array(directory, "key", state, s->width, s->height, s->key_image, &names[0], err) &&
              write_array(directory, "last", state, s->width, s->height, s->last_image, &names[1], err) &&
              write_array(directory, "illumination", state, s->nodes_x, s->nodes_y, s->illumination, &names[2], err);

    if (ok)
        return json_pack("{s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:f, s:o, s:o, s:o, s:o, s:o}", "frames",
                         (json_int_t)s->frames, "width", (json_int_t)s->width, "height", (json_int_t)s->height,
                         "nodes_x", (json_int_t)s->nodes_x, "nodes_y", (json_int_t)s->nodes_y, "key",
                         drift_json(&s->key), "key_others", others_json(&s->key), "last", drift_json(&s->last),
                         "last_others", others_json(&s->last), "last_grow", s->last_grow, "low", io_json_number(s->low),
                         "high", io_json_number(s->high), "key_image", names[0], "last_image", names[1], "illumination",
                         names[2]);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        json_decref(names[i]);
    return NULL;
}

static json_t *input_json(const penta_io_image *like)
{
    return json_pack("{s:I, s:I, s:I, s:s}", "width", (json_int_t)like->width, "height", (json_int_t)like->height,
                     "channels", (json_int_t)(like->channels == 3 ? 3 : 1), "type", penta_type_name(like->type));
}

static json_t *files_json(const penta_io_archive *state)
{
    json_t *files = json_array();
    bool ok = files != NULL;

    for (size_t i = 0; ok && i < state->count; i++)
        ok = json_array_append_new(files, file_json(&state->files[i])) == 0;
    if (ok)
        return files;
    json_decref(files);
    return NULL;
}

/* Removes arrays of earlier states, and of runs that ended before they wrote their state. In an open run (run.h) they
 * go when it is committed, as the state on the disk names them until then. */
static void remove_other_arrays(const char *directory, size_t count)
{
    char *folder = penta_io_join_path(directory, ".prepare", ""), current[64];
    DIR *dir = folder ? opendir(folder) : NULL;
    struct dirent *item;

    snprintf(current, sizeof current, "*-%zu.npy", count);
    while (dir && (item = readdir(dir)) != NULL)
        if (fnmatch("*-*.npy", item->d_name, FNM_PERIOD) == 0 && fnmatch(current, item->d_name, FNM_PERIOD) != 0) {
            char *path = penta_io_join_path(folder, item->d_name, "");

            if (path)
                penta_io_remove_file(path);
            free(path);
        }
    if (dir)
        closedir(dir);
    free(folder);
}

static bool write_json(const char *path, const json_t *root, penta_io_error *err)
{
    penta_io_output *output;

    if (!penta_io_output_open(path, &output, err))
        return false;
    if (json_dumpf(root, penta_io_output_stream(output), JSON_INDENT(1) | JSON_REAL_PRECISION(17)) != 0) {
        penta_io_output_abort(output);
        return penta_io_fail(err, "%s: cannot be written", path);
    }
    fputc('\n', penta_io_output_stream(output));
    return penta_io_output_commit(output, err) && penta_io_sync(path, err);
}

bool penta_io_archive_write(const char *directory, const penta_io_archive *state, penta_io_error *err)
{
    char *folder = penta_io_join_path(directory, ".prepare", ""),
         *path = penta_io_archive_path(directory, "state.json");
    json_t *root = NULL;
    bool ok = folder && path && penta_io_make_directory(folder, err);
    json_t *series = ok ? series_json(directory, state, err) : NULL;

    ok = ok && series;
    if (ok) {
        root = json_pack("{s:i, s:o, s:o, s:o, s:o}", "version", ARCHIVE_VERSION, "recipe",
                         json_loads(state->recipe, 0, NULL), "input", input_json(&state->like), "series", series,
                         "files", files_json(state));
        ok = root || penta_io_fail(err, "out of memory for the state of %zu frames", state->count);
    }
    ok = ok && write_json(path, root, err) && penta_io_sync(folder, err);
    if (ok)
        remove_other_arrays(directory, state->count);
    json_decref(root);
    free(folder);
    free(path);
    return ok || (err->text[0] ? false : penta_io_fail(err, "out of memory for the state of %zu frames", state->count));
}
