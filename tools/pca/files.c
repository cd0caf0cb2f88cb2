#include "pca/files.h"

#include <stdlib.h>

#include <pentacl/io/output.h>
#include "pca/plot_scree.h"
#include "shared/stages.h"

typedef struct {
    const pca_run *run;
    const pca_preview *preview;
    char *model, *rgb, *scree; /* paths */
} files;

static bool write_model(files *f, penta_io_error *err)
{
    return penta_io_model_write(f->model, &f->run->model, err);
}

static bool draw_preview(files *f, penta_io_error *err)
{
    return pca_preview_write(f->preview, f->rgb, err);
}

static bool draw_scree(files *f, penta_io_error *err)
{
    const penta_pca_model *m = &f->run->model.m;
    const pca_scree_values values = {.n = m->bands,
                                     .kept = m->components,
                                     .eigenvalues = m->eigenvalues,
                                     .percent = m->percent,
                                     .rounding = m->rounding,
                                     .noise_fractions = m->kind == PENTA_PCA_MNF};

    return pca_has_model(f->run) || !figures_ready(NULL) || pca_plot_scree(f->scree, f->run->path, &values, err);
}

/* On any thread. */
static bool write_one(void *user, size_t i, penta_io_error *err)
{
    static bool (*const write[3])(files *, penta_io_error *) = {draw_scree, draw_preview, write_model};

    return write[i](user, err);
}

bool pca_write_files(const pca_run *run, const pca_preview *preview, penta_io_error *err)
{
    const char *folder = run->job.common.output;
    files f = {.run = run,
               .preview = preview,
               .model = penta_io_join_path(folder, "model.json", ""),
               .rgb = penta_io_join_path(folder, "rgb.png", ""),
               .scree = penta_io_join_path(folder, "scree", "")};
    penta_io_error missing;
    stage before = stages_enter(STAGE_PICTURES);
    bool ok = (f.model && f.rgb && f.scree) || penta_io_fail(err, "out of memory");

    ok = ok && penta_io_output_together(3, write_one, &f, err);
    (void)stages_enter(before);
    if (ok && !pca_has_model(run) && !figures_ready(&missing)) /* an error stands alone */
        job_note(&run->job, "%s", missing.text);
    free(f.model);
    free(f.rgb);
    free(f.scree);
    return ok;
}
