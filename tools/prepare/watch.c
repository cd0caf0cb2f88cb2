/* A directory that frames arrive in. */
#include "prepare/watch.h"

int prepare_watch(preparation *p)
{
    return cli_fail(p->job.command, CLI_ERROR, "--watch: to be written");
}
