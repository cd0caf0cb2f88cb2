/*
 * Reads a file in a process of its own, and tells crashes of our code from those inside libraries of others: by the
 * innermost frame of the stack that is neither the C library's nor the sanitizer's, and, where the sanitizer says who
 * allocated the memory that was misused, by who that was.
 */
#define _GNU_SOURCE
#include "fuzz/fuzz.h"

#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/files.h"
#include "support/memory.h"
#include "support/sanitizer.h"

#ifdef ADDRESS_SANITIZER
void __sanitizer_print_stack_trace(void);
void __sanitizer_set_death_callback(void (*callback)(void));
#endif

enum {
    CRASHED = 86,         /* the exit code of a child that left a report */
    SECONDS = 20,         /* wall and processor time of a child */
    GIB = 2,              /* of memory of a child without a sanitizer */
    FILE_BYTES = 64 << 20 /* that a child may write */
};

static const int deadly[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGXCPU};

/* ---- coverage: libFuzzer sees in the parent what the child reached ---- */

/* How often each edge was taken; there are none without clang's instrumentation. */
extern uint8_t __start___sancov_cntrs[] __attribute__((weak)), __stop___sancov_cntrs[] __attribute__((weak));

static uint8_t *shared; /* by the parent and the children: the counters of the last child */

static size_t count_edges(void)
{
    return (size_t)(__stop___sancov_cntrs - __start___sancov_cntrs);
}

static void share_edges(void)
{
    if (shared || count_edges() == 0)
        return;
    shared = mmap(NULL, count_edges(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    fuzz_check(shared != MAP_FAILED, "memory can be shared");
}

static void give_edges(void)
{
    for (size_t i = 0; shared && i < count_edges(); i++)
        shared[i] = __start___sancov_cntrs[i];
}

static void take_edges(void)
{
    for (size_t i = 0; shared && i < count_edges(); i++)
        if (shared[i] > __start___sancov_cntrs[i])
            __start___sancov_cntrs[i] = shared[i];
}

/* ---- the child ---- */

static void leave(void)
{
    _exit(CRASHED);
}

static void on_signal(int signal)
{
    const char *name = sigabbrev_np(signal);
    char line[64];

    snprintf(line, sizeof line, "fuzz: SIG%s\n", name ? name : "?");
    if (write(STDERR_FILENO, line, strlen(line)) < 0)
        leave();
#ifdef ADDRESS_SANITIZER
    __sanitizer_print_stack_trace();
#else
    void *frames[64];

    backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
#endif
    leave();
}

static void limit(int resource, rlim_t value)
{
    struct rlimit l;

    getrlimit(resource, &l);
    l.rlim_cur = value;
    setrlimit(resource, &l);
}

static void be_guarded(void (*read)(const char *path), const char *path, const char *report)
{
    static char stack[1 << 16]; /* a stack overflow needs another one */
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    stack_t other = {.ss_sp = stack, .ss_size = sizeof stack};
    int file = open(report, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    if (file < 0 || dup2(file, STDERR_FILENO) < 0)
        _exit(1);
    sigaltstack(&other, NULL);
    for (size_t i = 0; i < sizeof deadly / sizeof *deadly; i++)
        sigaction(deadly[i], &action, NULL);
#ifdef ADDRESS_SANITIZER
    __sanitizer_set_death_callback(leave);
#endif
    limit_memory(GIB);
    limit(RLIMIT_CPU, SECONDS);
    limit(RLIMIT_FSIZE, FILE_BYTES);
    alarm(SECONDS);
    read(path);
    give_edges();
    _exit(0);
}

/* ---- whose crash it was ---- */

static bool has_any(const char *text, const char *const words[])
{
    for (size_t i = 0; words[i]; i++)
        if (strstr(text, words[i]))
            return true;
    return false;
}

/* A line of a stack: "    #1 0x55.. in name place" of a sanitizer, "place(name+0x1) [0x55..]" of backtrace_symbols_fd.
 */
static bool is_frame(const char *line)
{
    line += strspn(line, " ");
    return (*line == '#' && strstr(line, " 0x")) || (strchr("/.", *line) && strstr(line, " [0x"));
}

/* Frames that any crash may have on top. */
static bool is_of_nobody(const char *line)
{
    static const char *const words[] = {"/libc.so",      "/libasan.so", "/libubsan.so", "/libpthread", "ld-linux",
                                        "__interceptor", "__asan",      "__sanitizer",  "__ubsan",     "__lsan",
                                        "on_signal",     "calloc",      "in malloc ",   "in realloc",  "in free ",
                                        "in memcpy",     "in operator", "linux-vdso",   "/libstdc++.", NULL};

    return has_any(line, words);
}

/* The library whose frame the line is, without its folder, in `name`; "": ours. */
static void name_owner(const char *line, char *name, size_t size)
{
    const char *so = strstr(line, ".so"), *start = so;

    *name = 0;
    if (!so)
        return;
    while (start > line && start[-1] != '/' && start[-1] != '(')
        start--;
    snprintf(name, size, "%.*s", (int)(so - start), start);
    if (strncmp(name, "libpentacl", 10) == 0)
        *name = 0;
}

/* Goes through a report's lines, from the first stack on; "": ours, or nobody's. */
static void find_owner(const char *report, char *name, size_t size)
{
    bool found = false, allocation = false;

    *name = 0;
    while (*report) {
        size_t length = strcspn(report, "\n");
        char line[512], owner[64];

        snprintf(line, sizeof line, "%.*s", (int)length, report);
        report += length + (report[length] == '\n');
        allocation = allocation || strstr(line, "allocated by thread");
        if (!is_frame(line) || is_of_nobody(line) || (found && !allocation))
            continue;
        name_owner(line, owner, sizeof owner);
        if (!found)
            snprintf(name, size, "%s", owner);
        else if (!*owner)
            *name = 0; /* memory of ours was misused */
        if (found)
            break;
        found = true;
    }
}

/* ---- the parent ---- */

static void copy_file(const char *from, const char *directory, const char *name)
{
    char path[1024];
    size_t size = 0;
    char *data = file_contents(from, &size);
    FILE *to;

    snprintf(path, sizeof path, "%s/%s", directory, name);
    to = data ? fopen(path, "wb") : NULL;
    if (to) {
        fwrite(data, 1, size, to);
        fclose(to);
    }
    free(data);
}

/* Each library and kind of crash once for each size of the file: enough to look at, and not a disk full. */
static void keep(const char *path, const char *report, const char *owner)
{
    const char *directory = getenv("PENTA_FUZZ_FOREIGN");
    char name[128], text[160];
    size_t size = 0;
    char *data = file_contents(path, &size);

    free(data);
    snprintf(name, sizeof name, "%s-%zu", owner, size);
    fprintf(stderr, "fuzz: %s failed, not we, on a file of %zu bytes\n", owner, size);
    if (!directory || !*directory)
        return;
    copy_file(path, directory, name);
    snprintf(text, sizeof text, "%s.txt", name);
    copy_file(report, directory, text);
}

static void judge(int status, const char *path, const char *report)
{
    char *text = file_contents(report, NULL);
    char owner[64] = "";

    if (text)
        find_owner(text, owner, sizeof owner);
    if (*owner) {
        keep(path, report, owner);
        free(text);
        return;
    }
    fprintf(stderr, "fuzz: reading a file ended with status %#x\n%s\n", (unsigned)status, text ? text : "");
    abort();
}

void fuzz_guard(void (*read)(const char *path), const char *path)
{
    char report[512];
    pid_t child;
    int status = 0;

    snprintf(report, sizeof report, "%s", fuzz_path("report"));
    share_edges();
    child = fork();
    if (child == 0)
        be_guarded(read, path, report);
    fuzz_check(child > 0, "a process can be started");
    while (waitpid(child, &status, 0) < 0)
        fuzz_check(errno == EINTR, "a process can be waited for"); /* libFuzzer's own alarm */
    if (status == 0)
        take_edges();
    else
        judge(status, path, report);
}
