// The one Python module of the compiled core. A class holds what is prepared from data; best_ and prove_ search,
// draw_ uses up random bits, trace_ exists for the tests. All bindings are compiled together: half of the time of each
// would go into reading pybind11.
#include "python/checking.hpp"
#include "python/decision_trees.hpp"
#include "python/draws.hpp"
#include "python/forests.hpp"
#include "python/packing.hpp"
#include "python/searches.hpp"
#include "trees/broken_tree.hpp"

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
    oracledp::bind_packing(m);
    oracledp::bind_draws(m);
    oracledp::bind_searches(m);
    oracledp::bind_forests(m);
    oracledp::bind_decision_trees(m);
    oracledp::bind_checking(m);
}
