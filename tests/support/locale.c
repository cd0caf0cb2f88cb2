/* A locale with a decimal comma; and with PENTACL_TEST_LOCALE=comma in the environment, programs that use this file
 * begin in it. */
#include <locale.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/files.h"
#include "support/locale.h"

static char folder[256];
static pid_t owner;

static void remove_folder(void)
{
    if (getpid() == owner) /* not in children */
        remove_tree(folder);
}

static int run(const char *const *arguments)
{
    extern char **environ;
    pid_t child;
    int status;

    if (posix_spawnp(&child, arguments[0], NULL, NULL, (char *const *)arguments, environ) != 0 ||
        waitpid(child, &status, 0) != child)
        return -1;
    return status;
}

static const char *make_german(void)
{
    char path[300];

    owner = getpid();
    if (!make_scratch_directory("locale", folder, sizeof folder))
        return NULL;
    atexit(remove_folder);
    snprintf(path, sizeof path, "%s/de_DE.UTF-8", folder);
    if (run((const char *[]){"localedef", "-c", "-i", "de_DE", "-f", "UTF-8", path, NULL}) != 0) {
        fprintf(stderr, "localedef cannot make the locale de_DE.UTF-8: install it (Debian: locales)\n");
        return NULL;
    }
    setenv("LOCPATH", folder, 1);
    return "de_DE.UTF-8";
}

/* Of the thread's locale. */
static int writes_commas(void)
{
    char text[16];

    snprintf(text, sizeof text, "%.1f", 0.5);
    return strcmp(text, "0,5") == 0;
}

static int has_comma(const char *name)
{
    char *before = strdup(setlocale(LC_ALL, NULL));
    int found = setlocale(LC_ALL, name) && writes_commas();

    setlocale(LC_ALL, before ? before : "C");
    free(before);
    return found;
}

const char *comma_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "nl_NL.UTF-8"};
    static const char *made;

    for (size_t i = 0; !made && i < sizeof names / sizeof *names; i++)
        if (has_comma(names[i]))
            return names[i];
    if (!made)
        made = make_german();
    return made;
}

void set_comma_locale(void)
{
    const char *name = comma_locale();

    if (!name || !setlocale(LC_ALL, name) || !writes_commas()) {
        fprintf(stderr, "there is no locale with a decimal comma to test in\n");
        exit(1);
    }
}

__attribute__((constructor)) static void begin_in_locale(void)
{
    const char *wanted = getenv("PENTACL_TEST_LOCALE");

    if (wanted && strcmp(wanted, "comma") == 0)
        set_comma_locale();
}
