/* A series of photographs with known drift, illumination, dust and noise. */
#include "sample.h"

static int run(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return cli_fail("sample prepare", CLI_ERROR, "to be written");
}

const cli_command penta_sample_prepare = {"prepare", "a drifting series with known illumination, dust and noise", run};
