// Vectors of exact lattice noise (proofs/noise.md). The interpreter is released while they are drawn.
#include "samplers.hpp"

namespace py = pybind11;
using Vector = py::array_t<std::int64_t>;

namespace {

// A discrete Gaussian of variance a/b: Laplace proposals of scale t, kept with probability
// exp(-(|y| bt - a)^2 / (2 a b t^2)).
struct Gaussian {
    std::uint64_t t, bt;
    Wide128 a;
    Wide256 denominator;

    std::int64_t draw(Exact<> &exact) const {
        for (;;) {
            const std::int64_t y = exact.laplace(t);
            const Wide128 reach = Wide128{static_cast<std::uint64_t>(y < 0 ? -y : y)} * bt;
            const Wide128 root = reach > a ? reach - a : a - reach;
            if (exact.exp_minus(Wide256::square_of(root), denominator)) return y;
        }
    }
};

template <class Draw> Vector fill(std::size_t count, std::uint64_t bytes_each, py::object reader, Draw draw) {
    Vector out(static_cast<py::ssize_t>(count));
    auto *values = out.mutable_data();
    Bits bits(std::move(reader), 64 + bytes_each * count);
    Exact<> exact(bits);
    py::gil_scoped_release release;
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<std::int64_t>(draw(exact));
    return out;
}

Vector uniform(std::uint64_t bound, std::size_t count, py::object reader) {
    return fill(count, 8, std::move(reader), [=](Exact<> &exact) { return exact.below(bound); });
}

Vector geometric(std::uint64_t scale, std::size_t count, py::object reader) {
    return fill(count, 16, std::move(reader), [=](Exact<> &exact) { return exact.geometric(scale); });
}

Vector laplace(std::uint64_t scale, std::size_t count, py::object reader) {
    return fill(count, 18, std::move(reader), [=](Exact<> &exact) { return exact.laplace(scale); });
}

Vector gaussian(std::uint64_t t, std::uint64_t bt, const std::string &a, const std::string &denominator,
                std::size_t count, py::object reader) {
    const Gaussian law{t, bt, Wide256::of_bytes(a).low_half(), Wide256::of_bytes(denominator)};
    return fill(count, 28, std::move(reader), [law](Exact<> &exact) { return law.draw(exact); });
}

// One draw with tiny digits, and how many bits it used: lets the tests enumerate the law of this very code.
template <class D>
py::tuple trace(const std::string &law, std::uint64_t scale, std::uint64_t other, py::object reader) {
    Bits bits(std::move(reader), 64);
    Exact<D> exact(bits);
    std::uint64_t value = 0;
    if (law == "uniform") {
        value = exact.below(scale);
    } else if (law == "geometric") {
        value = exact.geometric(scale);
    } else if (law == "fraction_times") {
        if (!exact.fraction_times(scale, value)) value = scale;
    } else {
        value = exact.exp_minus(Wide128{other}, Wide128{scale});
    }
    return py::make_tuple(value, bits.consumed());
}

// Whether a scripted uniform real is below root^2 / denominator: lets the tests reach every limb.
bool trace_wide(const std::string &root, const std::string &denominator, py::object reader) {
    Bits bits(std::move(reader), 64);
    Uniform<> drawn;
    drawn.restart(bits);
    const Wide256 square = Wide256::square_of(Wide256::of_bytes(root).low_half());
    return drawn.less_than(square, Wide256::of_bytes(denominator), bits);
}

}  // namespace

void register_samplers(py::module_ &m) {
    using py::arg;
    m.def("uniform", &uniform, arg("bound"), arg("count"), arg("reader"));
    m.def("geometric", &geometric, arg("scale"), arg("count"), arg("reader"));
    m.def("laplace", &laplace, arg("scale"), arg("count"), arg("reader"));
    m.def("gaussian", &gaussian, arg("t"), arg("bt"), arg("a"), arg("denominator"), arg("count"), arg("reader"));
    m.def("trace_1_bit", &trace<Digits<1, 4>>, arg("law"), arg("scale"), arg("other"), arg("reader"));
    m.def("trace_2_bit", &trace<Digits<2, 4>>, arg("law"), arg("scale"), arg("other"), arg("reader"));
    m.def("trace_wide", &trace_wide, arg("root"), arg("denominator"), arg("reader"));
    register_selection(m);
    register_partition(m);
}
