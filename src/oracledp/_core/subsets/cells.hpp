// A large array that is filled by whoever works on it first: nothing clears it, and its pages are large where the
// system has such.
#pragma once
#include <cstdlib>
#include <memory>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace oracledp {

template <class T> class Cells {
  public:
    Cells() = default;
    explicit Cells(size_t size) : size_(size) {
        constexpr size_t page = size_t{1} << 21;
        const size_t bytes = size * sizeof(T);
        void *memory = bytes < page ? std::malloc(bytes) : std::aligned_alloc(page, (bytes + page - 1) / page * page);
        if (!memory) throw std::bad_alloc();
#if defined(__linux__) && defined(MADV_HUGEPAGE)
        if (bytes >= page) madvise(memory, bytes, MADV_HUGEPAGE);  // it may refuse: then pages are small
#endif
        cells_.reset(static_cast<T *>(memory));
    }

    T *data() { return cells_.get(); }
    const T *data() const { return cells_.get(); }
    size_t size() const { return size_; }
    T operator[](size_t place) const { return cells_.get()[place]; }

  private:
    struct Free {
        void operator()(T *cells) const { std::free(cells); }
    };
    std::unique_ptr<T[], Free> cells_;
    size_t size_ = 0;
};

}  // namespace oracledp
