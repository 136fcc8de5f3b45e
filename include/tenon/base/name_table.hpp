// SPDX-License-Identifier: Apache-2.0
#pragma once
// NameTable<T>: objects by name, for tables that only grow. Looking up takes no lock, also while another thread
// inserts; an object stays where it is.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <tenon/base/config.hpp>

TENON_DETAIL_STEP_NAMESPACE_BEGIN

namespace detail {
inline std::uint64_t LoadWord(const char* at) {
  std::uint64_t word;
  std::memcpy(&word, at, 8);
  return word;
}
// Fewer than 8 bytes as a number; different ones for different bytes.
inline std::uint64_t LoadShort(const char* at, std::size_t size) {
  if (size >= 4) {
    std::uint32_t first, last;
    std::memcpy(&first, at, 4);
    std::memcpy(&last, at + size - 4, 4);
    return first | (std::uint64_t{last} << 32);
  }
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < size; ++i) word = (word << 8) | static_cast<unsigned char>(at[i]);
  return word;
}
}  // namespace detail

// a == b without a call: for short strings that mostly are equal.
inline bool SameText(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  const std::size_t size = a.size();
  if (size < 8) return detail::LoadShort(a.data(), size) == detail::LoadShort(b.data(), size);
  for (std::size_t i = 0; i + 8 < size; i += 8)
    if (detail::LoadWord(a.data() + i) != detail::LoadWord(b.data() + i)) return false;
  return detail::LoadWord(a.data() + size - 8) == detail::LoadWord(b.data() + size - 8);
}

namespace detail {
// Entries by name, in slots of open addressing: the part of a table without its type.
class NameSlots {
 public:
  struct Link {
    std::string_view name;
    std::uint64_t hash;
    Link* next;  // inserted before this one
  };

  NameSlots() = default;
  NameSlots(NameSlots&& other) noexcept
      : slots_(other.slots_.exchange(nullptr)), newest_(other.newest_.exchange(nullptr)), size_(other.size_) {
    other.size_ = 0;
  }
  NameSlots& operator=(NameSlots&&) = delete;

  // Null when there is none of this name.
  Link* Find(std::string_view name) const {
    const Slots* slots = slots_.load(std::memory_order_acquire);
    if (slots == nullptr) return nullptr;
    const std::uint64_t hash = HashOf(name);
    for (std::size_t i = hash & slots->mask;; i = (i + 1) & slots->mask) {
      Link* const entry = slots->entry[i].load(std::memory_order_acquire);
      if (entry == nullptr) return nullptr;
      if (entry->hash == hash && tenon::SameText(entry->name, name)) return entry;
    }
  }
  // Makes room for one more entry.
  void Reserve() {
    Slots* const slots = slots_.load(std::memory_order_relaxed);
    if (slots == nullptr || 4 * (size_ + 1) > 3 * (slots->mask + 1)) Grow(slots);
  }
  // Adds an entry of a name that none has, after Reserve.
  void Add(std::string_view name, Link* entry) {
    *entry = {name, HashOf(name), newest_.load(std::memory_order_relaxed)};
    Put(slots_.load(std::memory_order_relaxed), entry);
    newest_.store(entry, std::memory_order_release);
    ++size_;
  }
  Link* newest() const { return newest_.load(std::memory_order_acquire); }

 protected:
  ~NameSlots() {
    for (Slots* slots = slots_.load(std::memory_order_relaxed); slots != nullptr;) {
      Slots* const smaller = slots->smaller;
      delete[] slots->entry;
      delete slots;
      slots = smaller;
    }
  }

 private:
  // A power of two. Arrays that became too small stay for threads that still read them: together they are as large as
  // the last.
  struct Slots {
    std::size_t mask;
    std::atomic<Link*>* entry;
    Slots* smaller;
  };

  static void Put(Slots* slots, Link* entry) {
    std::size_t i = entry->hash & slots->mask;
    while (slots->entry[i].load(std::memory_order_relaxed) != nullptr) i = (i + 1) & slots->mask;
    slots->entry[i].store(entry, std::memory_order_release);
  }
  void Grow(Slots* old) {
    const std::size_t count = old == nullptr ? 64 : 4 * (old->mask + 1);
    Slots* const slots = new Slots{count - 1, new std::atomic<Link*>[count] {}, old};
    for (Link* entry = newest_.load(std::memory_order_relaxed); entry != nullptr; entry = entry->next)
      Put(slots, entry);
    slots_.store(slots, std::memory_order_release);
  }
  // Eight bytes a step; names are short and chosen by programmers.
  static std::uint64_t HashOf(std::string_view name) {
    constexpr std::uint64_t kMultiplier = 0x9e3779b97f4a7c15u;
    std::uint64_t hash = name.size() * kMultiplier;
    const char* at = name.data();
    std::size_t left = name.size();
    for (; left > 8; left -= 8, at += 8) {
      hash = (hash ^ detail::LoadWord(at)) * kMultiplier;
      hash ^= hash >> 32;
    }
    hash = (hash ^ (name.size() < 8 ? detail::LoadShort(at, left) : detail::LoadWord(at + left - 8))) * kMultiplier;
    hash = (hash ^ (hash >> 32)) * kMultiplier;  // the last bytes, too, must reach the lowest bits
    return hash ^ (hash >> 32);
  }

  std::atomic<Slots*> slots_{nullptr};
  std::atomic<Link*> newest_{nullptr};
  std::size_t size_ = 0;
};
}  // namespace detail

// Find: thread-safe. Insert: one thread at a time, which the owner of the table sees to. The bytes of a name outlive
// the table. About 15 ns a look-up.
template <class T>
class NameTable : detail::NameSlots {
 public:
  struct Entry : Link {
    explicit Entry(const T& v) : Link(), value(v) {}
    const Entry* older() const { return static_cast<const Entry*>(this->next); }

    T value;
  };

  NameTable() = default;
  // Leaves `other` empty; no other thread may use either in the meantime.
  NameTable(NameTable&& other) noexcept = default;
  NameTable& operator=(NameTable&&) = delete;
  ~NameTable() {
    for (const Entry* entry = newest(); entry != nullptr;) {
      const Entry* const older = entry->older();
      delete entry;
      entry = older;
    }
  }

  // Null when there is none of this name.
  T* Find(std::string_view name) const {
    Link* const entry = NameSlots::Find(name);
    return entry == nullptr ? nullptr : &static_cast<Entry*>(entry)->value;
  }
  // The object of this name, made from `value` when there is none yet.
  T* Insert(std::string_view name, const T& value) {
    if (T* const there = Find(name)) return there;
    Reserve();
    Entry* const entry = new Entry(value);
    Add(name, entry);
    return &entry->value;
  }

  // The newest entry, from which `older` leads to all other entries. thread-safe.
  const Entry* newest() const { return static_cast<const Entry*>(NameSlots::newest()); }
};

TENON_DETAIL_STEP_NAMESPACE_END
