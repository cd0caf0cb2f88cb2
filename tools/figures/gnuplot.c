/* One gnuplot process for each picture: it reads the script from stdin, writes the picture to a file by stdout (which
 * becomes the output if it is complete) and its messages to another by stderr. */
#define _POSIX_C_SOURCE 200809L

#include "figures/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <pentacl/io/output.h>
#include <pentacl/numbers.h>

extern char **environ;

struct gnuplot {
    FILE *script; /* memory stream over text */
    char *text;   /* valid up to size after a flush */
    size_t size;
};

/* ---- the script ---- */

bool gnuplot_open(gnuplot **out, penta_io_error *err)
{
    gnuplot *plot = calloc(1, sizeof *plot);

    *out = NULL;
    if (!plot)
        return penta_io_fail(err, "out of memory for a plot");
    plot->script = open_memstream(&plot->text, &plot->size);
    if (!plot->script) {
        gnuplot_close(plot);
        return penta_io_fail(err, "out of memory for a plot");
    }
    *out = plot;
    return true;
}

void gnuplot_put(gnuplot *plot, const char *format, ...)
{
    void *before = penta_c_locale_enter();
    va_list args;

    va_start(args, format);
    vfprintf(plot->script, format, args);
    va_end(args);
    penta_c_locale_leave(before);
}

/* Length of the UTF-8 sequence at s; 0 if it is invalid, a control character or a non-character. */
static size_t printable(const unsigned char *s)
{
    uint32_t c;
    size_t length;

    if (s[0] < 0x80)
        return s[0] >= 0x20 && s[0] != 0x7f;
    length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    c = s[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (s[i] & 0x3f);
    }
    if (s[0] < 0xc2 || (length == 3 && c < 0x800) || (length == 4 && (c < 0x10000 || c > 0x10ffff)))
        return 0;
    if (c < 0xa0 || (c >= 0xd800 && c < 0xe000) || (c & 0xfffe) == 0xfffe)
        return 0;
    return length;
}

/* Columns that the character at s takes, roughly: 2 for the scripts from Hangul on. */
static size_t columns_of(const unsigned char *s)
{
    return s[0] > 0xe1 || (s[0] == 0xe1 && s[1] >= 0x84) ? 2 : 1;
}

void gnuplot_put_string(gnuplot *plot, const char *text, size_t columns)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t width = 0, skip = 0, length;

    for (size_t i = 0; s[i]; i += length ? length : 1) {
        length = printable(s + i);
        width += length ? columns_of(s + i) : 1;
    }
    skip = width > columns ? width - columns + 1 : 0;
    fputs(skip ? "'…" : "'", plot->script);
    for (width = 0; *s; s += length ? length : 1) {
        bool skipped = width < skip;

        length = printable(s);
        width += length ? columns_of(s) : 1;
        if (skipped)
            continue;
        if (!length)
            fputc('?', plot->script);
        else if (*s == '\'')
            fputs("''", plot->script);
        else
            fwrite(s, 1, length, plot->script);
        if (s[0] == '&' && s[1] == '#') /* the SVG terminal would pass it on as an entity */
            fputc(' ', plot->script);
    }
    fputc('\'', plot->script);
}

void gnuplot_close(gnuplot *plot)
{
    if (!plot)
        return;
    if (plot->script)
        fclose(plot->script);
    free(plot->text);
    free(plot);
}

/* ---- running it ---- */

typedef struct {
    int kind; /* 0: PNG, 1: SVG */
    char *path;
    penta_io_output *output;
    FILE *script, *drawing, *messages;
    pid_t pid; /* 0: not running */
} picture;

static const char *const suffixes[2] = {".png", ".svg"};
/* The last bytes of a complete picture, before any blanks: the chunk IEND, the closing tag. */
static const struct {
    size_t length;
    char bytes[12];
} ends[2] = {{12, "\0\0\0\0IEND\xae\x42\x60\x82"}, {6, "</svg>"}};
/* The scales compensate for the terminals' different points, so that both pictures look alike. */
static const char *const terminals[2] = {"pngcairo pointscale 1.6", "svg fontscale 1.33"};

static void picture_free(picture *p)
{
    penta_io_output_abort(p->output);
    if (p->script)
        fclose(p->script);
    if (p->drawing)
        fclose(p->drawing);
    if (p->messages)
        fclose(p->messages);
    free(p->path);
}

/* Opens the files and writes the script. */
static bool picture_prepare(picture *p, const gnuplot *plot, int kind, const char *base, int width, int height,
                            penta_io_error *err)
{
    size_t length = strlen(base) + 5;
    penta_io_output *output = NULL;
    bool ok;

    p->kind = kind;
    p->path = malloc(length);
    if (!p->path)
        return penta_io_fail(err, "out of memory for a plot");
    snprintf(p->path, length, "%s%s", base, suffixes[kind]);
    if (!penta_io_output_open(p->path, &output, err))
        return false;
    p->output = output;
    p->script = tmpfile();
    p->drawing = tmpfile();
    p->messages = tmpfile();
    if (!p->script || !p->drawing || !p->messages)
        return penta_io_fail(err, "%s: cannot open a temporary file for gnuplot: %s", p->path, strerror(errno));
    fprintf(p->script,
            "set encoding utf8\nset terminal %s enhanced size %d,%d font 'sans-serif,13' background '#ffffff'\n",
            terminals[kind], width, height);
    ok = fwrite(plot->text, 1, plot->size, p->script) == plot->size && fflush(p->script) == 0;
    if (!ok || lseek(fileno(p->script), 0, SEEK_SET) != 0)
        return penta_io_fail(err, "%s: cannot write the script for gnuplot: %s", p->path, strerror(errno));
    return true;
}

/* Starts the child with the given descriptors as its 0, 1 and 2. They must lie above 2, so that none is overwritten. */
static int spawn(const int fds[3], pid_t *pid)
{
    /* -d: ignore the user's start-up files. Gnuplot reads a named standard input in blocks, else byte by byte. */
    char name[] = "gnuplot", defaults[] = "-d", input[] = "/dev/stdin";
    char *const argv[] = {name, defaults, input, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    int error = posix_spawn_file_actions_init(&actions);

    if (error)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (!error) {
        sigemptyset(&none); /* Ctrl-C ends it, though our threads block it */
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
        for (int i = 0; i < 3 && !error; i++)
            error = posix_spawn_file_actions_adddup2(&actions, fds[i], i);
        if (!error)
            error = posix_spawnp(pid, name, &actions, &attributes, argv, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static plot_status no_gnuplot(penta_io_error *err)
{
    penta_io_fail(err, "plots need gnuplot, which is not installed or not in PATH");
    return PLOT_NO_GNUPLOT;
}

static plot_status picture_start(picture *p, penta_io_error *err)
{
    FILE *const files[3] = {p->script, p->drawing, p->messages};
    int fds[3] = {-1, -1, -1}, error = 0;

    for (int i = 0; i < 3 && !error; i++) {
        fds[i] = fcntl(fileno(files[i]), F_DUPFD_CLOEXEC, 3);
        error = fds[i] < 0 ? errno : 0;
    }
    if (!error)
        error = spawn(fds, &p->pid);
    for (int i = 0; i < 3; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    if (!error)
        return PLOT_OK;
    p->pid = 0;
    if (error == ENOENT || error == ENOTDIR || error == EACCES)
        return no_gnuplot(err);
    penta_io_fail(err, "%s: cannot run gnuplot: %s", p->path, strerror(error));
    return PLOT_FAILED;
}

/* The most informative line: gnuplot's `"/dev/stdin" line N: what` unless it is a warning, else the last one. */
static void explain(FILE *messages, char *text, size_t size)
{
    char line[512];

    snprintf(text, size, "no message");
    rewind(messages);
    while (fgets(line, sizeof line, messages)) {
        char *s = line + strspn(line, " \t\r\n"), *where = strstr(s, "\" line ");

        s[strcspn(s, "\r\n")] = '\0';
        if (*s)
            snprintf(text, size, "%s", where ? where + 2 : s);
        if (where && !strstr(where, "warning:"))
            return;
    }
}

/* Whether the picture of `size` bytes is complete. */
static bool is_whole(const picture *p, long size)
{
    const size_t end = ends[p->kind].length;
    char tail[64];
    long from = size > (long)sizeof tail ? size - (long)sizeof tail : 0;
    size_t length;

    if (fseek(p->drawing, from, SEEK_SET) != 0)
        return false;
    length = fread(tail, 1, sizeof tail, p->drawing);
    while (length > 0 && (tail[length - 1] == '\n' || tail[length - 1] == ' '))
        length--;
    return length >= end && memcmp(tail + length - end, ends[p->kind].bytes, end) == 0;
}

/* Copies the picture to the output, whose errors show at commit. On a full disk gnuplot still ends with 0.
 * said: gnuplot's message. */
static plot_status picture_take(picture *p, const char *said, penta_io_error *err)
{
    long size = fseek(p->drawing, 0, SEEK_END) == 0 ? ftell(p->drawing) : -1;
    char bytes[4096];

    if (size == 0) {
        penta_io_fail(err, "%s: gnuplot drew nothing: %s", p->path, said);
        return PLOT_FAILED;
    }
    if (!is_whole(p, size)) {
        penta_io_fail(err, "%s: gnuplot broke off within the picture: %s; is there space for temporary files?", p->path,
                      said);
        return PLOT_FAILED;
    }
    rewind(p->drawing);
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, p->drawing)) > 0;)
        fwrite(bytes, 1, n, penta_io_output_stream(p->output));
    if (!ferror(p->drawing))
        return PLOT_OK;
    penta_io_fail(err, "%s: cannot read what gnuplot drew: %s", p->path, strerror(errno));
    return PLOT_FAILED;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds that gnuplot may take for a picture. */
static double patience(void)
{
    const char *text = getenv("PENTACL_GNUPLOT_SECONDS");
    double seconds = text ? penta_strtod(text, NULL) : 0;

    return seconds > 0 ? seconds : 60;
}

/* Waits for the child, which is killed at the time `end`. As waitpid; *killed says whether that was necessary. */
static pid_t wait_until(pid_t child, double end, int *state, bool *killed)
{
    struct timespec pause = {0, 1000000};
    pid_t pid;

    *killed = false;
    for (;;) {
        pid = waitpid(child, state, *killed ? 0 : WNOHANG);
        if (pid > 0 || (pid < 0 && errno != EINTR))
            return pid;
        if (pid == 0 && now() > end) {
            kill(child, SIGKILL);
            *killed = true;
        } else if (pid == 0) {
            nanosleep(&pause, NULL);
            pause.tv_nsec = pause.tv_nsec < 16000000 ? 2 * pause.tv_nsec : pause.tv_nsec;
        }
    }
}

/* end: when its time is over. */
static plot_status picture_finish(picture *p, double end, penta_io_error *err)
{
    char text[512];
    bool killed;
    int state = 0;
    pid_t pid = wait_until(p->pid, end, &state, &killed);

    p->pid = 0;
    if (killed) {
        penta_io_fail(err, "%s: gnuplot did not end within %g s and was killed", p->path, patience());
        return PLOT_TOO_SLOW;
    }
    if (pid < 0) {
        penta_io_fail(err, "%s: lost sight of gnuplot: %s", p->path, strerror(errno));
        return PLOT_FAILED;
    }
    if (WIFEXITED(state) && WEXITSTATUS(state) == 127) /* some C libraries say "not found" like this */
        return no_gnuplot(err);
    if (WIFSIGNALED(state)) {
        penta_io_fail(err, "%s: gnuplot was stopped by signal %d", p->path, WTERMSIG(state));
        return PLOT_FAILED;
    }
    explain(p->messages, text, sizeof text);
    if (WEXITSTATUS(state) != 0) {
        penta_io_fail(err, "%s: gnuplot failed: %s", p->path, text);
        return PLOT_FAILED;
    }
    return picture_take(p, text, err);
}

static plot_status pictures_commit(picture pictures[2], penta_io_error *err)
{
    for (int i = 0; i < 2; i++) {
        penta_io_output *output = pictures[i].output;

        pictures[i].output = NULL;
        if (!penta_io_output_commit(output, err)) {
            if (i == 1)
                penta_io_remove_file(pictures[0].path);
            return PLOT_FAILED;
        }
    }
    return PLOT_OK;
}

plot_status gnuplot_write(gnuplot *plot, const char *base, int width, int height, penta_io_error *err)
{
    picture pictures[2] = {{0}};
    plot_status status = PLOT_FAILED;
    double until = now() + patience();

    if (fflush(plot->script) != 0 || ferror(plot->script)) {
        penta_io_fail(err, "%s: out of memory for a plot", base);
        return PLOT_FAILED;
    }
    for (int i = 0; i < 2; i++)
        if (!picture_prepare(&pictures[i], plot, i, base, width, height, err))
            goto cleanup;
    status = PLOT_OK;
    for (int i = 0; i < 2 && status == PLOT_OK; i++)
        status = picture_start(&pictures[i], err);
    for (int i = 0; i < 2; i++) {
        penta_io_error ignored;
        plot_status end =
            pictures[i].pid ? picture_finish(&pictures[i], until, status == PLOT_OK ? err : &ignored) : status;

        status = status == PLOT_OK ? end : status;
    }
    if (status == PLOT_OK)
        status = pictures_commit(pictures, err);
cleanup:
    for (int i = 0; i < 2; i++)
        picture_free(&pictures[i]);
    return status;
}
