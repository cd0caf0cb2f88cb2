#include "shared/launch.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static launch found = {0, 1, NULL, false};

/* False where there is no such variable, or no number in it. */
static bool read_number(const char *name, size_t *out)
{
    const char *text = getenv(name);
    char *end;

    if (!text || !*text)
        return false;
    *out = strtoul(text, &end, 10);
    return *end == 0;
}

static bool read_two(const char *rank, const char *size)
{
    launch l = {0, 1, "mpirun", false};

    if (!read_number(rank, &l.rank) || !read_number(size, &l.size) || l.size < 2 || l.rank >= l.size)
        return false;
    found = l;
    return true;
}

/* Steps of srun have these two; a batch script, which is no step, has neither. */
static void read_srun(void)
{
    if (!getenv("SLURM_STEP_NUM_TASKS") || !read_two("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"))
        return;
    found.launcher = "srun";
    found.no_exchange = !getenv("PMIX_RANK") && !getenv("PMI_RANK");
}

static void look(void)
{
    const char *wanted = getenv("PENTACL_MPI");

    if (wanted && strcmp(wanted, "off") == 0)
        return;
    if (!read_two("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE") && !read_two("PMI_RANK", "PMI_SIZE"))
        read_srun();
}

const launch *launch_look(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, look);
    return &found;
}

bool launch_speaks(void)
{
    return launch_look()->rank == 0;
}
