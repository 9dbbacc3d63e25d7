#include "sampling/noise.hpp"

#include "sampling/exact_draws.hpp"

namespace oracledp {
namespace {

template <class Draw> void draw_each(Bits &bits, int64_t *out, size_t count, Draw draw) {
    Exact<> exact(bits);
    for (size_t i = 0; i < count; ++i) out[i] = static_cast<int64_t>(draw(exact));
}

int64_t one_gaussian(const Gaussian &law, Exact<> &exact) {
    for (;;) {
        const int64_t y = exact.laplace(law.t);
        const Wide reach = Wide{static_cast<uint64_t>(y < 0 ? -y : y)} * law.bt;
        const Wide root = reach > law.a ? reach - law.a : law.a - reach;
        if (exact.exp_minus(Wide256::square_of(root), law.denominator)) return y;
    }
}

template <class D> uint64_t trace(const std::string &law, uint64_t scale, uint64_t other, Bits &bits) {
    Exact<D> exact(bits);
    if (law == "uniform") return exact.below(scale);
    if (law == "geometric") return exact.geometric(scale);
    if (law != "fraction_times") return exact.exp_minus(Wide{other}, Wide{scale});
    uint64_t value = 0;
    return exact.fraction_times(scale, value) ? value : scale;
}

}  // namespace

void draw_uniform(uint64_t bound, Bits &bits, int64_t *out, size_t count) {
    draw_each(bits, out, count, [=](Exact<> &exact) { return exact.below(bound); });
}

void draw_geometric(uint64_t scale, Bits &bits, int64_t *out, size_t count) {
    draw_each(bits, out, count, [=](Exact<> &exact) { return exact.geometric(scale); });
}

void draw_laplace(uint64_t scale, Bits &bits, int64_t *out, size_t count) {
    draw_each(bits, out, count, [=](Exact<> &exact) { return exact.laplace(scale); });
}

void draw_gaussian(const Gaussian &law, Bits &bits, int64_t *out, size_t count) {
    draw_each(bits, out, count, [law](Exact<> &exact) { return one_gaussian(law, exact); });
}

uint64_t trace_1_bit(const std::string &law, uint64_t scale, uint64_t other, Bits &bits) {
    return trace<Digits<1, 4>>(law, scale, other, bits);
}

uint64_t trace_2_bit(const std::string &law, uint64_t scale, uint64_t other, Bits &bits) {
    return trace<Digits<2, 4>>(law, scale, other, bits);
}

bool trace_wide(Wide root, const Wide256 &denominator, Bits &bits) {
    Uniform<> drawn;
    drawn.restart(bits);
    return drawn.less_than(Wide256::square_of(root), denominator, bits);
}

}  // namespace oracledp
