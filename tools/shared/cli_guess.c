/* "did you mean": the nearest of the words that could have been meant. */
#include <ctype.h>
#include <string.h>

#include "shared/cli.h"

enum { MOST_LETTERS = 63 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static int lower(char c)
{
    return tolower((unsigned char)c);
}

/* Letters to change, add or leave out, or neighbours to swap, until a is b; at most MOST_LETTERS of each. */
static size_t distance_between(const char *a, const char *b)
{
    size_t rows[3][MOST_LETTERS + 1], *before = rows[0], *last = rows[1], *now = rows[2], *spare;
    size_t m = strlen(a), n = strlen(b);

    if (m > MOST_LETTERS || n > MOST_LETTERS)
        return SIZE_MAX;
    for (size_t j = 0; j <= n; j++)
        last[j] = j;
    for (size_t i = 1; i <= m; i++) {
        now[0] = i;
        for (size_t j = 1; j <= n; j++) {
            now[j] = least(least(now[j - 1], last[j]) + 1, last[j - 1] + (lower(a[i - 1]) != lower(b[j - 1])));
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                now[j] = least(now[j], before[j - 2] + 1);
        }
        spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[n];
}

void cli_guess_begin(cli_guess *guess, const char *word)
{
    *guess = (cli_guess){.word = word, .distance = SIZE_MAX};
}

void cli_guess_try(cli_guess *guess, const char *candidate)
{
    size_t letters = strlen(guess->word), distance = distance_between(guess->word, candidate);
    bool begins = letters > 1 && strncmp(candidate, guess->word, letters) == 0;

    if (distance > (letters < 5 ? 1 : letters / 3) && !begins)
        return;
    if (distance < guess->distance && strlen(candidate) < sizeof guess->best) {
        guess->distance = distance;
        memcpy(guess->best, candidate, strlen(candidate) + 1);
    }
}

void cli_guess_try_values(cli_guess *guess, const cli_command *command, const penta_option *row)
{
    char word[MOST_LETTERS + 1];

    for (size_t i = 0; cli_value_word(command, row, i, word, sizeof word); i++)
        cli_guess_try(guess, word);
}

const char *cli_guess_text(cli_guess *guess, const char *before)
{
    if (guess->best[0])
        snprintf(guess->text, sizeof guess->text, "; did you mean %s%s?", before, guess->best);
    return guess->text;
}
