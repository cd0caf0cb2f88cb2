#define _GNU_SOURCE
#include "devices/mask.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static mask_settings set;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool take_flag(const char *word)
{
    const struct {
        const char *name;
        bool *at;
    } flags[] = {{"gpu", &set.gpu}, {"nofp64", &set.nofp64}, {"noimages", &set.noimages}, {"cl12", &set.cl12}};

    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strcmp(word, flags[i].name) == 0) {
            *flags[i].at = true;
            return true;
        }
    return false;
}

static bool take_number(const char *word)
{
    const struct {
        const char *name;
        size_t *at;
    } numbers[] = {{"group=", &set.group}, {"local=", &set.local}, {"alloc=", &set.alloc}, {"latency=", &set.latency}};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        size_t length = strlen(numbers[i].name);
        char *end = NULL;

        if (strncmp(word, numbers[i].name, length) != 0)
            continue;
        *numbers[i].at = strtoul(word + length, &end, 10);
        return *numbers[i].at > 0 && *end == 0;
    }
    return false;
}

static void read_words(void)
{
    const char *given = getenv("PENTA_MASK");
    char words[256], *rest = NULL;

    if (!given || strlen(given) >= sizeof words) {
        fprintf(stderr, "mask: PENTA_MASK is %s\n", given ? "too long" : "not set");
        abort();
    }
    strcpy(words, given);
    for (char *word = strtok_r(words, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
        if (!take_flag(word) && !take_number(word)) {
            fprintf(stderr, "mask: '%s' in PENTA_MASK is no word of tests/devices/mask.h\n", word);
            abort();
        }
}

const mask_settings *mask(void)
{
    pthread_once(&once, read_words);
    return &set;
}

void *mask_next(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);

    if (!function) {
        fprintf(stderr, "mask: there is no %s behind the mask\n", name);
        abort();
    }
    return function;
}
