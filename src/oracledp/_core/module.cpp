// The one Python module of the compiled core; each file registers its own functions.
#include "module.hpp"

#include "broken_tree.hpp"

namespace {

void translate_broken_tree(std::exception_ptr thrown) {
    try {
        if (thrown) std::rethrow_exception(thrown);
    } catch (const oracledp::BrokenTree &error) {
        pybind11::set_error(pybind11::module_::import("oracledp.errors").attr("BrokenSearchTree"), error.what());
    }
}

}  // namespace

PYBIND11_MODULE(_engine, m) {
    m.doc() = "Compiled core of oracledp: exact samplers, transforms and searches on integers.";
    pybind11::register_local_exception_translator(translate_broken_tree);
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
