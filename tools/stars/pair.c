#define _XOPEN_SOURCE 700 /* realpath */
#include "stars/pair.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shared/streams.h"

static const double patience = 10; /* s, for other runs that write to the directory */

/* The real path of the directory that the file is in, to be freed; NULL: there is none. */
static char *directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *parent = slash ? strndup(path, slash > path ? (size_t)(slash - path) : 1) : strdup(".");
    char *real = parent ? realpath(parent, NULL) : NULL;

    free(parent);
    return real;
}

/* Cuts `a` to the directory that is, or is above, both; empty: the root. */
static void cut_to_common(char *a, const char *b)
{
    size_t n = 0, end = 0;

    for (; a[n] && a[n] == b[n]; n++)
        if (a[n] == '/')
            end = n;
    if ((a[n] == 0 || a[n] == '/') && (b[n] == 0 || b[n] == '/'))
        end = n;
    a[end] = 0;
}

static bool is_file_or_new(const char *path)
{
    struct stat st;

    return stat(path, &st) != 0 || S_ISREG(st.st_mode);
}

/* Where others make files, as in /tmp, their manifest could not be replaced. */
static bool is_own(const char *directory)
{
    struct stat st;

    return stat(directory, &st) == 0 && st.st_uid == geteuid() && !(st.st_mode & S_ISVTX) &&
           access(directory, W_OK) == 0;
}

/* To be freed; NULL: each file appears by itself. */
static char *place_of(const stars_request *r)
{
    char *place, *other;

    if (!r->truth || streams_stdout_taken() || !is_file_or_new(r->output) || !is_file_or_new(r->truth))
        return NULL;
    place = directory_of(r->output);
    other = directory_of(r->truth);
    if (place && other)
        cut_to_common(place, other);
    if (place && (!other || !*place || !is_own(place))) {
        free(place);
        place = NULL;
    }
    free(other);
    return place;
}

int stars_pair_open(stars_run *run)
{
    penta_io_error error = {""};
    char *place = place_of(&run->request);
    bool ok = !place || penta_io_run_open_patiently(place, run->job.command, patience, &run->job.run, &error);

    free(place);
    return ok ? CLI_OK : job_fail_io(&run->job, &error);
}

int stars_pair_try(stars_run *run)
{
    int code = stars_pair_open(run);

    penta_io_run_close(run->job.run);
    run->job.run = NULL;
    return code;
}
