// Several threads for one computation. How the work is cut into shares never depends on their number, so neither do
// answers or counts of work.
#pragma once
#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace oracledp {

inline std::atomic<int> most_threads{1};  // of one computation

// Calls work(share) for every share below `shares`, on as many threads as are allowed, and throws what the first share
// threw that did. Shares must not write to the same place.
template <class Work> void each_share(size_t shares, const Work &work) {
    const size_t threads = std::min(shares, size_t(most_threads.load()));
    if (threads <= 1) {
        for (size_t share = 0; share < shares; ++share) work(share);
        return;
    }
    std::atomic<size_t> next{0};
    std::vector<std::exception_ptr> thrown(shares);
    const auto serve = [&] {
        for (size_t share; (share = next++) < shares;) try {
                work(share);
            } catch (...) {
                thrown[share] = std::current_exception();
            }
    };
    std::vector<std::thread> others;
    for (size_t i = 1; i < threads; ++i) others.emplace_back(serve);
    serve();
    for (std::thread &other : others) other.join();
    for (const std::exception_ptr &error : thrown)
        if (error) std::rethrow_exception(error);
}

}  // namespace oracledp
