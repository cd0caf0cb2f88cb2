#define _DEFAULT_SOURCE /* TIOCGWINSZ */
#include "shared/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LEAST_COLUMNS = 20, USUAL_COLUMNS = 80, MOST_COLUMNS = 1 << 20 };

static enum terminal_color wanted = TERMINAL_AUTO;

bool terminal_draws(int fd)
{
    const char *term = getenv("TERM");

    return isatty(fd) && term && *term && strcmp(term, "dumb") != 0;
}

/* TERMINAL_NEVER + 1: it is none. */
static int color_of(const char *word)
{
    static const char *const words[] = {"auto", "always", "never"};
    int i = TERMINAL_AUTO;

    while (i <= TERMINAL_NEVER && strcmp(word, words[i]) != 0)
        i++;
    return i;
}

static void take(const char *word)
{
    int color = color_of(word);

    wanted = color <= TERMINAL_NEVER ? (enum terminal_color)color : wanted;
}

bool terminal_is_color(const char *word)
{
    return color_of(word) <= TERMINAL_NEVER;
}

void terminal_read_line(int argc, char *const *argv)
{
    static const char flag[] = "--color";
    const size_t length = sizeof flag - 1;

    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strncmp(argv[i], flag, length) == 0)
            take(argv[i][length] == '=' ? argv[i] + length + 1 : !argv[i][length] && i + 1 < argc ? argv[i + 1] : "");
}

bool terminal_colors(int fd)
{
    const char *no = getenv("NO_COLOR");

    if (wanted != TERMINAL_AUTO)
        return wanted == TERMINAL_ALWAYS;
    return terminal_draws(fd) && !(no && *no);
}

static long columns_by_name(void)
{
    const char *text = getenv("COLUMNS");
    char *end = NULL;
    long n = text && *text ? strtol(text, &end, 10) : 0;

    return end && !*end && n >= LEAST_COLUMNS ? n < MOST_COLUMNS ? n : MOST_COLUMNS : 0;
}

int terminal_columns(int fd)
{
    long named = columns_by_name();
    struct winsize size = {0};

    if (named > 0)
        return (int)named;
    if (isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= LEAST_COLUMNS)
        return size.ws_col;
    return USUAL_COLUMNS;
}
