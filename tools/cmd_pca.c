/* to be written */
#include "cli.h"
static int run(int argc, char **argv)
{
    (void)argc, (void)argv;
    return cli_fail("pca", CLI_ERROR, "not written yet");
}
extern const cli_command penta_command_pca;
const cli_command penta_command_pca = {"pca", "principal components of hyperspectral cubes", run};
