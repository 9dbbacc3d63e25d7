// Sets that cost little to find and are often good: what a search starts from.
#pragma once
#include "subsets/conjunction_index.hpp"
#include "subsets/incumbent.hpp"
#include "trees/work_meter.hpp"

namespace oracledp {

// Offers `start`, every literal that is paid to join, and what one literal after the other improves.
void guess_conjunctions(const ConjunctionIndex &index, const SubsetCosts &costs, const std::vector<int> &start,
                        WorkMeter &meter, Incumbent &incumbent);

}  // namespace oracledp
