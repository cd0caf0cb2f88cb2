/* Messages, beginning, end and time of every command. */
#include "shared/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <pentacl/io/output.h>
#include "shared/drivers.h"
#include "shared/early.h"
#include "shared/launch.h"
#include "shared/messages.h"
#include "shared/streams.h"
#include "shared/terminal.h"

/* ---- what runs ---- */

static const cli_command *running;
static const cli_command *const *all;
static bool json_wanted;

static void prepare_early(void)
{
    if (launch_speaks())
        early_prepare(running ? running->name : NULL, json_wanted);
}

void cli_set_running(const cli_command *command)
{
    running = command;
    prepare_early();
}

const cli_command *cli_running(void)
{
    return running;
}

void cli_want_json(bool wanted)
{
    json_wanted = wanted;
    prepare_early();
}

bool cli_wants_json(void)
{
    return json_wanted;
}

const cli_command *const *cli_commands(void)
{
    return all;
}

/* ---- messages ---- */

static bool is_name(const penta_option *row, const char *name, size_t length)
{
    return strlen(row->name) == length && memcmp(row->name, name, length) == 0;
}

static bool has_row(const cli_command *command, const char *name, size_t length)
{
    if (command->presets && is_name(&cli_preset_row, name, length))
        return true;
    for (const cli_section *s = command->sections; s && cli_section_rows(s); s++)
        for (const penta_option *row = cli_section_rows(s); row->type != PENTA_OPTION_END; row++)
            if (cli_takes(s, row) && is_name(row, name, length))
                return true;
    return false;
}

/* Appends so many bytes of text, with '-' for '_' where wanted. */
static void append(char *out, size_t size, size_t *used, const char *text, size_t length, bool as_flag)
{
    for (size_t i = 0; i < length && *used + 1 < size; i++)
        out[(*used)++] = as_flag && text[i] == '_' ? '-' : text[i];
}

char *cli_with_flags(const cli_command *command, const char *text, char *out, size_t size)
{
    size_t used = 0;

    while (*text) {
        size_t before = strcspn(text, "`"), name = text[before] ? strcspn(text + before + 1, "`") : 0;
        bool is_row = command && name > 0 && text[before + 1 + name] && has_row(command, text + before + 1, name);

        append(out, size, &used, text, before, false);
        text += before;
        if (is_row) {
            append(out, size, &used, "--", 2, false);
            append(out, size, &used, text + 1, name, true);
            text += name + 2;
        } else if (*text) {
            append(out, size, &used, text++, 1, false);
        }
    }
    out[used] = 0;
    return out;
}

char *cli_name_flags(char *message)
{
    char *copy = strdup(message);

    if (copy)
        cli_with_flags(running, copy, message, strlen(message) + 1);
    free(copy);
    return message;
}

/* "penta COMMAND: error: ", the word in colour where that may be. */
static void print_head(const char *command, message_kind kind)
{
    bool colored = terminal_colors(STDERR_FILENO);
    const char *color = kind == MESSAGE_ERROR ? "\033[1;31m" : kind == MESSAGE_WARNING ? "\033[1;35m" : "\033[1;36m";
    const char *word = kind == MESSAGE_ERROR ? "error" : kind == MESSAGE_WARNING ? "warning" : "note";

    fprintf(stderr, "penta%s%s: %s%s:%s ", command ? " " : "", command ? command : "", colored ? color : "", word,
            colored ? "\033[0m" : "");
}

/* Names of files may have anything in them. */
static char *clear_controls(char *text, const char *but)
{
    size_t n;

    for (char *p = text; *p; p += n ? n : 1) {
        n = penta_io_control(p);
        if (n > 0 && !strchr(but, *p))
            memset(p, strchr("\n\r\t", *p) ? ' ' : '?', n);
    }
    return text;
}

const char *cli_shown(const char *text)
{
    static _Thread_local char clean[4096];

    snprintf(clean, sizeof clean, "%s", text);
    return clear_controls(clean, "");
}

/* Now, or when the thread's messages have their turn. */
static void tell(const char *command, message_kind kind, bool shown, const char *kept, const char *whole)
{
    if (messages_withhold(kind, shown, kept, whole))
        return;
    if (!(messages_keep(kind, kept) && shown && launch_speaks()))
        return;
    print_head(command, kind);
    fprintf(stderr, "%s\n", whole);
}

void cli_say_held(const char *command, held_messages *held)
{
    for (size_t i = 0; i < held->count; i++)
        tell(command, held->list[i].kind, held->list[i].shown, held->list[i].text, held->list[i].whole);
    messages_free(held);
}

/* Another place or other permissions do not help where too many files are open. */
static void advise_on_files(char *text, size_t size)
{
    const char *reason = strerror(EMFILE);
    char *at = strstr(text, reason);
    struct rlimit limit;

    if (!at || strstr(text, "ulimit") || strstr(text, strerror(ENFILE)) || getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    at += strlen(reason);
    snprintf(at, size - (size_t)(at - text), "; the limit is %llu: raise it (ulimit -n 1024)",
             (unsigned long long)limit.rlim_cur);
}

void cli_say(const char *command, message_kind kind, bool shown, const char *format, va_list args)
{
    char raw[4096], text[4096];

    vsnprintf(raw, sizeof raw, format, args);
    cli_with_flags(cli_running(), raw, text, sizeof text);
    streams_show(text, sizeof text);
    if (kind == MESSAGE_ERROR)
        advise_on_files(text, sizeof text);
    clear_controls(text, "");
    tell(command, kind, shown, text, text);
}

int cli_fail(const char *command, int code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    cli_say(command, MESSAGE_ERROR, true, format, args);
    va_end(args);
    return code;
}

void cli_note(const cli_common *common, const char *command, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    cli_say(command, MESSAGE_NOTE, !common->quiet, format, args);
    va_end(args);
}

void cli_explain(const cli_common *common, const char *command, const char *format, ...)
{
    va_list args;

    if (!common->verbose)
        return;
    va_start(args, format);
    cli_say(command, MESSAGE_NOTE, true, format, args);
    va_end(args);
}

/* What the first line of an error adds: drivers that nobody looked at, where no device was found. */
static const char *more_of(const char *text, char *out, size_t size)
{
    *out = 0;
    if (*drivers_hidden() && strncmp(text, "no OpenCL device", 16) == 0)
        snprintf(out, size, "; not looked at for -d or PENTACL_DEVICE: %s", drivers_hidden());
    return out;
}

int cli_fail_library(const char *command, const penta_context *ctx, bool verbose)
{
    char added[1200];
    const char *text = penta_last_error(ctx), *more = more_of(text, added, sizeof added);
    size_t size = 2 * (strlen(text) + strlen(more)) + 1;
    int line = (int)strcspn(text, "\n");
    char *whole = verbose ? malloc(size) : NULL, *both = whole ? malloc(size) : NULL, *first = NULL;

    if (both) {
        snprintf(both, size, "%.*s%s%s", line, text, more, text + line);
        first = strdup(clear_controls(cli_with_flags(cli_running(), both, whole, size), "\n"));
    }
    if (first) {
        first[strcspn(first, "\n")] = 0;
        tell(command, MESSAGE_ERROR, true, first, whole);
    } else {
        cli_fail(command, CLI_ERROR, "%.*s%s", line, text, more);
    }
    free(both);
    free(first);
    free(whole);
    return CLI_ERROR;
}

int cli_open_device(const char *command, const char *selector, bool verbose, penta_context **out)
{
    penta_status status = penta_context_create(selector, out);

    if (status == PENTA_OK) {
        penta_profile_reset(*out); /* for the answer */
        return CLI_OK;
    }
    cli_fail_library(command, NULL, verbose);
    return status == PENTA_INVALID ? CLI_USAGE : CLI_ERROR;
}

bool cli_may_name_several(const char *selector)
{
    const char *environment = getenv("PENTACL_DEVICE");
    const char *text = selector && *selector ? selector : environment ? environment : "";

    return strpbrk(text, ",*") || strcmp(text, "all") == 0;
}

/* ---- around a command ---- */

/* Of several ranks one prints. */
static void be_quiet(void)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (nowhere >= 0) {
        (void)dup2(nowhere, STDOUT_FILENO);
        close(nowhere);
    }
}

void cli_begin(const cli_command *const *commands, int argc, char *const *argv)
{
    all = commands;
    terminal_read_line(argc, argv);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY); /* the lowest free number is fd */
    if (!launch_speaks())
        be_quiet();
    signal(SIGXFSZ, SIG_IGN); /* a file over the limit of sizes is an error of its writer like a full disk */
    cli_end_on_signals();
}

static int flush_streams(const char *command, int code)
{
    errno = 0;
    if ((fflush(stdout) == 0 && !ferror(stdout)) || code != CLI_OK)
        return code;
    return cli_fail(command, CLI_ERROR, "cannot write to stdout: %s", strerror(errno ? errno : EIO));
}

int cli_end(const char *command, int code)
{
    code = flush_streams(command, code);
    if (code != CLI_OK || cli_interrupted())
        penta_io_pending_remove();
    streams_close();
    if (cli_interrupted() && launch_speaks())
        cli_end_by_signal();
    return code;
}

/* ---- time ---- */

double cli_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void cli_print_profile(penta_context *ctx)
{
    const penta_profile_entry *entries;
    size_t count = penta_profile(ctx, &entries);

    if (!launch_speaks())
        return;
    fprintf(stderr, "%-26s %9s %12s %12s %9s\n", "on the device", "calls", "total ms", "ms a call", "GB/s");
    for (size_t i = 0; i < count; i++) {
        const penta_profile_entry *e = &entries[i];

        if (e->calls == 0)
            continue;
        fprintf(stderr, "%-26s %9llu %12.3f %12.4f", e->name, (unsigned long long)e->calls, 1e3 * e->seconds,
                1e3 * e->seconds / (double)e->calls);
        if (e->transfer && e->seconds > 0)
            fprintf(stderr, " %9.2f", 1e-9 * (double)e->bytes / e->seconds);
        fputc('\n', stderr);
    }
}
