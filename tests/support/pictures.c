/* Pictures of a test, and stand-ins for gnuplot. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/expect.h"
#include "support/files.h"
#include "support/pictures.h"

static char root[256], pictures[300], stand_ins[300];
static char *usual_path;

/* ---- directories ---- */

int make_picture_directories(void **state)
{
    const char *path = getenv("PATH");

    (void)state;
    usual_path = strdup(path ? path : "");
    if (!usual_path || !make_scratch_directory("plot", root, sizeof root))
        return -1;
    snprintf(pictures, sizeof pictures, "%s/pictures", root);
    snprintf(stand_ins, sizeof stand_ins, "%s/bin", root);
    return mkdir(pictures, 0777) == 0 && mkdir(stand_ins, 0777) == 0 ? 0 : -1;
}

int remove_picture_directories(void **state)
{
    (void)state;
    empty_directory(pictures);
    empty_directory(stand_ins);
    free(usual_path);
    return rmdir(pictures) == 0 && rmdir(stand_ins) == 0 && rmdir(root) == 0 ? 0 : -1;
}

int use_usual_path(void **state)
{
    (void)state;
    assert_int_equal(setenv("PATH", usual_path, 1), 0);
    return 0;
}

int leave_pictures(void **state)
{
    use_usual_path(state);
    empty_pictures();
    return 0;
}

const char *picture_directory(void)
{
    return pictures;
}

size_t empty_pictures(void)
{
    return empty_directory(pictures);
}

const char *in_pictures(const char *name)
{
    static char paths[8][600];
    static unsigned next;
    char *path = paths[next++ % 8];

    snprintf(path, sizeof *paths, "%s/%s", pictures, name);
    return path;
}

/* ---- gnuplot and stand-ins for it ---- */

/* Command substitution would strip trailing newlines. */
static const char draw[] = "draw()\n"
                           "{\n"
                           "    script=$(cat; echo .)\n"
                           "    printf %s \"${script%.}\"\n"
                           "    case $script in\n"
                           "    *'set terminal pngcairo'*) printf '\\000\\000\\000\\000IEND\\256B`\\202' ;;\n"
                           "    *) echo '</svg>' ;;\n"
                           "    esac\n"
                           "}\n";

void use_gnuplot(const char *script)
{
    char name[400];
    FILE *f;

    snprintf(name, sizeof name, "%s/gnuplot", stand_ins);
    f = fopen(name, "w");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\nPATH=/bin:/usr/bin\n%s%s\n", draw, script);
    fclose(f);
    assert_int_equal(chmod(name, 0755), 0);
    assert_int_equal(setenv("PATH", stand_ins, 1), 0);
}

void use_copier(void)
{
    use_gnuplot("draw");
}

void need_gnuplot(void)
{
    char name[1024];
    size_t length;

    for (const char *s = usual_path; s && *s; s += length + (s[length] == ':')) {
        length = strcspn(s, ":");
        snprintf(name, sizeof name, "%.*s/gnuplot", (int)length, s);
        if (access(name, X_OK) == 0)
            return;
    }
    leave_out_test("there is no gnuplot");
}

/* ---- expectations ---- */

void expect_in_file(const char *path, const char *expected, bool present)
{
    size_t size;
    char *text = file_contents(path, &size);

    assert_non_null(text);
    if ((strstr(text, expected) != NULL) != present)
        fail_msg("%s should %scontain \"%s\":\n%.3000s", path, present ? "" : "not ", expected, text);
    free(text);
}

void expect_pictures(const char *base, const char *label)
{
    static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    char name[700];
    size_t size;
    char *text;

    snprintf(name, sizeof name, "%s.png", base);
    text = file_contents(name, &size);
    assert_non_null(text);
    assert_true(size > 1000);
    assert_memory_equal(text, signature, 8);
    assert_memory_equal(text + size - 8, "IEND", 4);
    free(text);
    snprintf(name, sizeof name, "%s.svg", base);
    text = file_contents(name, &size);
    assert_non_null(text);
    assert_memory_equal(text, "<?xml", 5);
    assert_non_null(strstr(text, "</svg>"));
    free(text);
    expect_in_file(name, label, true);
    assert_int_equal(empty_pictures(), 2);
}
