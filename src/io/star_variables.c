#include <pentacl/io/catalog.h>

#include <math.h>

enum { VARIABLES = 29 };

static const penta_io_star_variable variables[VARIABLES] = {
    {90, "R And", NAN},     {663, "W And", NAN},  {681, "omi Cet", 6.47}, {758, "R Tri", NAN},  {868, "R Hor", 7.22},
    {1607, "R Lep", NAN},   {1707, "R Aur", NAN}, {2063, "U Ori", NAN},   {2671, "R Gem", NAN}, {3248, "R Cnc", NAN},
    {3816, "R Car", NAN},   {3882, "R Leo", NAN}, {3999, "S Car", NAN},   {4800, "T UMa", NAN}, {4808, "R Vir", NAN},
    {5080, "R Hya", 6.40},  {5101, "S Vir", NAN}, {5199, "R CVn", NAN},   {5326, "R Cen", NAN}, {5894, "R Ser", NAN},
    {5958, "T CrB", 10.08}, {6119, "U Her", NAN}, {7002, "X Oph", NAN},   {7243, "R Aql", NAN}, {7564, "chi Cyg", 7.91},
    {8113, "T Cep", NAN},   {8992, "R Aqr", NAN}, {9066, "R Cas", NAN},   {9090, "W Cet", NAN},
};

const penta_io_star_variable *penta_io_star_variables(size_t *count)
{
    if (count)
        *count = VARIABLES;
    return variables;
}

int penta_io_star_variable_find(uint64_t hr)
{
    for (int i = 0; i < VARIABLES; i++)
        if (variables[i].hr == hr)
            return i;
    return -1;
}
