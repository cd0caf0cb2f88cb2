#include "pca/files.h"

#include <stdlib.h>

#include <pentacl/io/output.h>
#include "pca/plot_scree.h"
#include "shared/stages.h"

/* Without gnuplot there is a note instead of a picture. */
static bool draw_scree(const pca_run *run, const char *base, penta_io_error *err)
{
    const penta_pca_model *m = &run->model.m;
    const job *j = &run->job;
    const pca_scree_values values = {.n = m->bands,
                                     .kept = m->components,
                                     .eigenvalues = m->eigenvalues,
                                     .percent = m->percent,
                                     .rounding = m->rounding,
                                     .noise_fractions = m->kind == PENTA_PCA_MNF};
    stage before = stages_enter(STAGE_PICTURES);
    plot_status status = pca_plot_scree(base, run->path, &values, err);

    (void)stages_enter(before);
    if (status == PLOT_NO_GNUPLOT)
        job_note(j, "%s; there is no scree.png: apt install gnuplot-nox", err->text);
    if (status == PLOT_TOO_SLOW)
        job_warn(j, "%s; the run goes on without it", err->text);
    return status != PLOT_FAILED;
}

static bool draw_preview(const pca_preview *preview, const char *path, penta_io_error *err)
{
    stage before = stages_enter(STAGE_PICTURES);
    bool ok = pca_preview_write(preview, path, err);

    (void)stages_enter(before);
    return ok;
}

bool pca_write_files(const pca_run *run, const pca_preview *preview, penta_io_error *err)
{
    const char *folder = run->job.common.output;
    char *model = penta_io_join_path(folder, "model.json", ""), *rgb = penta_io_join_path(folder, "rgb.png", "");
    char *scree = penta_io_join_path(folder, "scree", "");
    bool ok = (model && rgb && scree) || penta_io_fail(err, "out of memory");

    ok = ok && penta_io_model_write(model, &run->model, err) && draw_preview(preview, rgb, err);
    ok = ok && (pca_has_model(run) || draw_scree(run, scree, err));
    free(model);
    free(rgb);
    free(scree);
    return ok;
}
