// The one Python module of the compiled core; each file registers its own functions.
#include "module.hpp"

PYBIND11_MODULE(_engine, m) {
    m.doc() = "Compiled core of oracledp: exact samplers, transforms and searches on integers.";
    register_samplers(m);
    register_swaps(m);
    register_decision_lists(m);
    register_halfspaces(m);
    register_dual(m);
    register_support_forest(m);
    register_subset_forest(m);
    register_transforms(m);
    register_conjunctions(m);
    register_parities(m);
}
