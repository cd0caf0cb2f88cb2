// Principal components in C++: plans and models are freed by their owners, failures are exceptions, vectors are used as
// they lie on a CPU device. Usage: embed_cpp [DEVICE], as in `penta -d`.
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

#include <pentacl/pentacl.h>

template <auto destroy> struct By {
    template <class T> void operator()(T *object) const { destroy(object); }
};
using Context = std::unique_ptr<penta_context, By<penta_context_destroy>>;
using Pca = std::unique_ptr<penta_pca, By<penta_pca_destroy>>;

struct Model : penta_pca_model {
    Model() : penta_pca_model() {}
    ~Model() { penta_pca_model_free(this); }
    Model(const Model &) = delete;
    Model &operator=(const Model &) = delete;
};

static void check(penta_status status, const penta_context *ctx)
{
    if (status != PENTA_OK)
        throw std::runtime_error(penta_last_error(ctx));
}

// Calls that make something give it by a pointer at the end.
template <class Owner, class Make> Owner made(const penta_context *ctx, Make make)
{
    typename Owner::pointer object = nullptr;

    check(make(&object), ctx);
    return Owner(object);
}

int main(int argc, char **argv)
try {
    const size_t side = 256, bands = 3, pixels = side * side;
    std::vector<float> cube(bands * pixels); // bands x rows x cols; the third band is the sum of the others
    Context ctx = made<Context>(
        nullptr, [&](penta_context **out) { return penta_context_create(argc > 1 ? argv[1] : nullptr, out); });
    Pca plan = made<Pca>(ctx.get(),
                         [&](penta_pca **out) { return penta_pca_create(ctx.get(), bands, pixels, nullptr, out); });
    penta_cube_rows rows = penta_cube_rows();
    Model model;

    for (size_t i = 0; i < pixels; i++) {
        cube[i] = static_cast<float>(i % side);
        cube[pixels + i] = static_cast<float>(3 * (i / side));
        cube[2 * pixels + i] = cube[i] + cube[pixels + i];
    }
    rows.rows = rows.cols = side;
    rows.layout = PENTA_BSQ;
    rows.type = PENTA_F32;
    rows.data = cube.data();
    check(penta_pca_add(plan.get(), &rows), ctx.get());
    check(penta_pca_solve(plan.get(), &model), ctx.get());
    std::printf("%.4f %%, %.4f %%, %.4f %% of the variance (%s)\n", model.percent[0], model.percent[1],
                model.percent[2], std::fabs(model.percent[2]) < 1e-9 ? "ok" : "wrong");
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "embed_cpp: %s\n", error.what());
    return 1;
}
