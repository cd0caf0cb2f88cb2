/* The line of words of the command: every flag of every command, and the lists of numbers that flags take. The first
 * byte picks the command; words are lines. */
#include "fuzz/fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "pca/flags.h"
#include "stars/numbers.h"

enum { MOST_WORDS = 32, MOST_COMMANDS = 64, MOST_BANDS = 300 };

/* All that can be run, those of other commands too. */
static size_t list_commands(const cli_command *const *commands, const cli_command **out, size_t n)
{
    for (; *commands && n < MOST_COMMANDS; commands++)
        if ((*commands)->commands)
            n = list_commands((*commands)->commands, out, n);
        else
            out[n++] = *commands;
    return n;
}

static void parse(const cli_command *command, int argc, char **argv)
{
    void *values = calloc(1, command->size + 1);
    cli_line line;
    int code;

    fuzz_check(values != NULL, "there is memory for the values of a command");
    code = cli_parse(command, values, argc, argv, &line);
    fuzz_check(code == CLI_OK || code == CLI_USAGE, "a line of words is right or wrong");
    if (code == CLI_OK && !line.helped) {
        cli_check_single(&line);
        cli_check_together(&line);
        cli_check_effect(&line, ~0u);
    }
    cli_line_free(&line);
    free(values);
}

static void parse_numbers(const char *text, const char *second)
{
    penta_io_error err = {""};
    double numbers[4], number;
    size_t n, width, height, *bands = NULL;

    if (stars_numbers("--at", text, "RA,DEC,ROLL in degrees", 2, 4, numbers, &n, &err))
        for (size_t i = 0; i < n; i++)
            fuzz_check(n >= 2 && n <= 4 && isfinite(numbers[i]), "numbers are finite");
    if (stars_number("--fov", text, 0, 180, &number, &err))
        fuzz_check(number >= 0 && number <= 180, "a number is in its range");
    if (stars_count("--count", text, 1e6, &n, &err))
        fuzz_check(n <= 1000000, "a count is in its range");
    if (stars_size("--size", text, 16384, &width, &height, &err))
        fuzz_check(width >= 1 && width <= 16384 && height >= 1 && height <= 16384, "a size is in its range");
    if (pca_parse_bands(text, second, MOST_BANDS, &bands, &n, &err))
        for (size_t i = 0; i < n; i++)
            fuzz_check(bands[i] < MOST_BANDS, "a band is there");
    free(bands);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const cli_command *commands[MOST_COMMANDS];
    char name[] = "penta", *words[MOST_WORDS + 1] = {name}, *text, *at;
    size_t n = list_commands(penta_commands, commands, 0);
    int count = 1;

    if (size < 1)
        return -1;
    at = text = fuzz_text(data + 1, size - 1);
    while (at && count < MOST_WORDS) {
        words[count++] = at;
        at = strchr(at, '\n');
        if (at)
            *at++ = 0;
    }
    parse_numbers(words[1], words[count - 1]);
    parse(commands[data[0] % n], count, words);
    free(text);
    return 0;
}
