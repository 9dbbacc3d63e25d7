// What a search has found out about the records that a prefix leaves: by position and by the conditions that hold for
// none of them.
#pragma once
#include <vector>

#include "integers.hpp"

namespace oracledp {

struct KnownRest {
    Value floor;  // no list from here on is below this
    bool exact;   // and one reaches it
};

// Open addressing; keys are kept whole, so that no two are ever taken for one another. Once full it learns no new keys.
class PrefixMemory {
  public:
    PrefixMemory(int key_words, size_t most) : key_words_(size_t(key_words)), most_(most), slots_(1024, -1) {}

    // Null if nothing is known.
    const KnownRest *find(const Word *key, int position) const {
        const int32_t entry = slots_[slot(key, position)];
        return entry < 0 ? nullptr : &entries_[size_t(entry)].known;
    }
    void learn(const Word *key, int position, KnownRest known) {
        const size_t place = slot(key, position);
        if (slots_[place] >= 0) {
            entries_[size_t(slots_[place])].known = known;
            return;
        }
        if (entries_.size() >= most_) return;
        slots_[place] = int32_t(entries_.size());
        entries_.push_back({known, position});
        keys_.insert(keys_.end(), key, key + key_words_);
        if (2 * entries_.size() > slots_.size()) grow();
    }

  private:
    struct Entry {
        KnownRest known;
        int position;
    };
    size_t key_words_, most_;
    std::vector<int32_t> slots_;
    std::vector<Entry> entries_;
    std::vector<Word> keys_;

    size_t slot(const Word *key, int position) const {
        Word hash = Word(position) + 1;
        for (size_t i = 0; i < key_words_; ++i) {
            hash = (hash ^ key[i]) * 0x9E3779B97F4A7C15ull;
            hash ^= hash >> 29;
        }
        const size_t last = slots_.size() - 1;
        for (size_t place = size_t(hash) & last;; place = (place + 1) & last) {
            const int32_t entry = slots_[place];
            if (entry < 0 || same(size_t(entry), key, position)) return place;
        }
    }
    bool same(size_t entry, const Word *key, int position) const {
        if (entries_[entry].position != position) return false;
        const Word *known = &keys_[entry * key_words_];
        for (size_t i = 0; i < key_words_; ++i)
            if (known[i] != key[i]) return false;
        return true;
    }
    void grow() {
        slots_.assign(2 * slots_.size(), -1);
        for (size_t entry = 0; entry < entries_.size(); ++entry)
            slots_[slot(&keys_[entry * key_words_], entries_[entry].position)] = int32_t(entry);
    }
};

}  // namespace oracledp
