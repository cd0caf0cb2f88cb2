/*
 * Refusals of the command: `refusals TABLE`, which run.sh runs in an empty folder. For each row the command runs in a
 * fork of this program, which is linked of its objects, once as it stands and once with --json -q. It must end with the
 * code, write one line to stderr that begins with penta and matches the pattern (extended, any case), give no result on
 * stdout (with --json an answer with the same error), and leave no new file or folder.
 *
 *   # text                          a comment
 *   > nbody -o no.d                 the words that rows from here on begin with
 *   ! shell                         with lib.sh, together with such lines above; 77: rows up to an empty line are left
 * out CODE PATTERN | WORDS [| shell]  what is run before the row idle FLAG [VALUE] | WORDS       "FLAG has no effect:
 * ...; leave it out", with code 2
 *
 * Words are parted by blanks, '...' holds one. A row with {a|b} stands for a row with a and one with b, there and in
 * place of each %.
 */
#define _XOPEN_SOURCE 700
#include <fcntl.h>
#include <ftw.h>
#include <jansson.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int __real_main(int argc, char **argv); /* penta's */
int __wrap_main(int argc, char **argv);

enum { LONGEST = 4000, MOST_WORDS = 100 };

static struct {
    const char *file;
    int line, rows, failed;
    char prefix[LONGEST];
} table;

static void fail(const char *what, const char *words, const char *out, const char *err)
{
    fprintf(stderr, "%s:%d: %s: penta%s %s\n--- its stdout\n%s--- its stderr\n%s", table.file, table.line, what,
            table.prefix, words, out, err);
    table.failed++;
}

static int entries;

static int count_entry(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)path, (void)about, (void)kind, (void)where;
    entries++;
    return 0;
}

/* Files and folders below this one. */
static int count_entries(void)
{
    entries = 0;
    nftw(".", count_entry, 16, FTW_PHYS);
    return entries;
}

/* Runs bash with lib.sh; its exit code. */
static int shell(const char *text)
{
    static char command[2 * LONGEST];
    int status;

    snprintf(command, sizeof command,
             "bash -c '. \"${0%%/*}/lib.sh\" && . \"${0%%/*}/optmap.sh\" && eval \"$TEXT\"' %s", table.file);
    setenv("TEXT", text, 1);
    status = system(command);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static void read_back(int file, char *text)
{
    ssize_t length = pread(file, text, LONGEST - 1, 0);

    text[length > 0 ? length : 0] = 0;
}

/* The command's exit code; what it wrote to stdout and stderr. */
static int run(char **argv, char *out, char *err)
{
    FILE *files[2] = {tmpfile(), tmpfile()};
    int argc = 0, status;
    pid_t child;

    while (argv[argc])
        argc++;
    fflush(NULL);
    child = fork();
    if (child == 0) {
        dup2(open("/dev/null", O_RDONLY), 0);
        dup2(fileno(files[0]), 1);
        dup2(fileno(files[1]), 2);
        exit(__real_main(argc, argv));
    }
    waitpid(child, &status, 0);
    read_back(fileno(files[0]), out);
    read_back(fileno(files[1]), err);
    fclose(files[0]);
    fclose(files[1]);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Cuts text into words, in place. */
static void split(char *text, char **words)
{
    int count = 0;

    while (*(text += strspn(text, " ")) && count < MOST_WORDS - 1) {
        char *to = text;

        words[count++] = text;
        for (bool quoted = false; *text && (quoted || *text != ' '); text++)
            if (*text == '\'')
                quoted = !quoted;
            else
                *to++ = *text;
        text += *text == ' ';
        *to = 0;
    }
    words[count] = NULL;
}

static bool matches(const char *pattern, const char *text)
{
    regex_t regex;
    bool found;

    if (regcomp(&regex, pattern, REG_EXTENDED | REG_ICASE | REG_NOSUB | REG_NEWLINE) != 0)
        return false;
    found = regexec(&regex, text, 0, NULL, 0) == 0;
    regfree(&regex);
    return found;
}

/* Whether stdout is one answer with the status whose error ends the line on stderr. */
static bool answers(const char *out, const char *err, const char *status)
{
    json_t *answer = json_loads(out, 0, NULL);
    const char *said = json_string_value(json_object_get(answer, "status"));
    const char *error = json_string_value(json_object_get(answer, "error"));
    size_t length = error ? strlen(error) : 0, whole = strlen(err) - 1;
    bool fine = said && strcmp(said, status) == 0 && length > 0 && length <= whole &&
                strncmp(err + whole - length, error, length) == 0;

    json_decref(answer);
    return fine;
}

static void check(int code, const char *pattern, const char *words, bool json)
{
    static char line[2 * LONGEST], out[LONGEST], err[LONGEST];
    const char *end;
    char *argv[MOST_WORDS];
    int before = count_entries(), got;

    snprintf(line, sizeof line, "penta %s %s%s", table.prefix, words, json ? " --json -q" : "");
    split(line, argv);
    got = run(argv, out, err);
    end = strchr(err, '\n');
    if (got != code)
        fail("another exit code", words, out, err);
    else if (!end || end[1] || strncmp(err, "penta", 5) != 0 || !matches(pattern, err))
        fail(pattern, words, out, err);
    else if (json ? !answers(out, err, code == 2 ? "usage" : "error") : *out)
        fail("a result, or none with --json", words, out, err);
    if (count_entries() != before)
        fail("a file is left", words, out, err);
    table.rows++;
}

/* Runs a row whose columns are parted by " | ". */
static void take_row(char *row)
{
    bool idle = strncmp(row, "idle ", 5) == 0;
    int code = idle ? 2 : atoi(row);
    char *pattern = strchr(row, ' '), *words = strstr(row, " |"), *before = words ? strstr(words + 2, " | ") : NULL;
    static char of_idle[2][LONGEST];

    if (!pattern || !words || (code != 1 && code != 2)) {
        fail("neither row nor comment", row, "", "");
        return;
    }
    pattern++;
    *words = 0;
    words += 2;
    if (before) {
        *before = 0;
        if (shell(before + 3) != 0)
            fail("its shell fails", words, "", "");
    }
    if (idle) {
        snprintf(of_idle[1], LONGEST, "%s %s", words, pattern);
        snprintf(of_idle[0], LONGEST, "^penta [a-z]+: error: %.*s has no effect: .+; leave it out$",
                 (int)strcspn(pattern, " "), pattern);
        pattern = of_idle[0];
        words = of_idle[1];
    }
    check(code, pattern, words, false);
    check(code, pattern, words, true);
}

/* The row for each value of its {a|b}. */
static void take_rows(const char *row)
{
    const char *open = row, *close = NULL, *value, *end;
    static char one[LONGEST];

    while ((open = strchr(open, '{')) &&
           (open[1] == ' ' || !(close = strchr(open, '}')) || !memchr(open, '|', (size_t)(close - open))))
        open++;
    for (value = open; value && value < close; value = end) {
        size_t length = strcspn(++value, "|}");
        char *to = one;

        end = value + length;
        for (const char *c = row; *c; c = c == open ? close + 1 : c + 1)
            if (c == open || *c == '%')
                to = (char *)memcpy(to, value, length) + length;
            else
                *to++ = *c;
        *to = 0;
        take_row(one);
    }
    if (!open)
        take_row(strcpy(one, row));
}

int __wrap_main(int argc, char **argv)
{
    static char text[50 * LONGEST], script[4 * LONGEST];
    bool left_out = false;
    FILE *file = fopen(table.file = argv[argc - 1], "r");

    if (file) { /* closed before there are forks, whose exit would turn it back */
        text[fread(text, 1, sizeof text - 1, file)] = 0;
        fclose(file);
    }
    for (char *row = text, *next; *row; row = next) {
        next = row + strcspn(row, "\n");
        if (*next)
            *next++ = 0;
        table.line++;
        if (*row == '!') {
            strcat(strcat(script, row + 1), "\n");
            continue;
        }
        if (*script) {
            int code = shell(script);

            left_out = code == 77;
            if (code != 0 && code != 77)
                fail("the shell above it fails", "", "", "");
            *script = 0;
        }
        left_out = left_out && *row;
        if (*row == '>')
            strcpy(table.prefix, row + 1);
        else if (*row && *row != '#' && !left_out)
            take_rows(row);
    }
    printf("%d refusals, %d failed\n", table.rows, table.failed);
    return table.failed > 0 || table.rows == 0;
}
