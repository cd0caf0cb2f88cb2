#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/internal.h"
#include "support/members.h"

enum { MOST = 5 };

penta_context **open_members(penta_context *like, size_t count)
{
    const char *one = getenv("PENTACL_DEVICE"), *of = one && *one ? one : penta_context_device(like)->name;
    char list[MOST * 130] = "";
    penta_context **contexts;
    size_t opened;

    assert_true(count <= MOST);
    for (size_t i = 0; i < count; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%.128s", i ? "," : "", of);
    assert_int_equal(penta_contexts_create(list, &contexts, &opened), PENTA_OK);
    assert_int_equal(opened, count);
    for (size_t i = 0; i < count; i++)
        contexts[i]->info.type = like->info.type;
    return contexts;
}
