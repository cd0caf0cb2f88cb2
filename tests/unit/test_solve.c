/* Systems of equations with known answers, and matrices that have none. */
#include "support/test.h"

#include "math/solve.h"

enum { N = 5, STRIDE = 7 };

/* Of the Hilbert matrix, 1 / (i + j + 1), the first column of the inverse is 25, -300, 1050, -1400, 630. What lies
 * beside the rows stays. */
TEST(hilbert)
{
    static const double inverse[N] = {25, -300, 1050, -1400, 630};
    double a[N * STRIDE], x[N] = {1};

    for (int i = 0; i < N; i++)
        for (int j = 0; j < STRIDE; j++)
            a[i * STRIDE + j] = j < N ? 1.0 / (i + j + 1) : -1;
    assert_true(penta_solve_positive(N, STRIDE, a, x, 0));
    for (int i = 0; i < N; i++)
        expect_near(x[i], inverse[i], 1e-8); /* condition number 4.8e5 */
    for (int i = 0; i < N; i++)
        assert_true(a[i * STRIDE + N] == -1 && a[i * STRIDE + N + 1] == -1);
}

TEST(diagonal)
{
    double a[] = {4, 0, 0, 0.25}, x[] = {2, 2};

    assert_true(penta_solve_positive(2, 2, a, x, 0));
    assert_true(x[0] == 0.5 && x[1] == 8);
    assert_true(penta_solve_positive(0, 2, a, x, 0));
}

TEST(without_a_solution)
{
    static const double matrices[][4] = {{1, 2, 2, 4}, {1, 2, 2, 1}, {0, 0, 0, 1}, {NAN, 0, 0, 1}, {1, NAN, NAN, 1}};

    double nearly[] = {1, 0, 0, 1e-10}, y[] = {1, 1};

    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
        double a[4], x[2] = {1, 1};

        memcpy(a, matrices[i], sizeof a);
        assert_false(penta_solve_positive(2, 2, a, x, 0));
    }
    assert_false(penta_solve_positive(2, 2, nearly, y, 1e-9));
}
