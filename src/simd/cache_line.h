// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace sosia::simd {

/// Floats in the memory that a core fetches at once, on all CPUs that matter here: as many as the longest vector has.
inline constexpr std::size_t kLine = 16;

/// An array of these begins on a cache line, which no std::vector<float> promises. Vectors that are read from it touch
/// one line each; where they come from far away, that is worth a tenth of the time.
struct alignas(kLine * sizeof(float)) CacheLine {
  float numbers[kLine];
};

/// Memory that begins on a cache line.
template <class T>
class LineAllocator {
 public:
  using value_type = T;
  LineAllocator() = default;
  template <class U>
  explicit(false) LineAllocator(const LineAllocator<U>&) {}

  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), kAlignment)); }
  void deallocate(T* place, std::size_t) { ::operator delete(place, kAlignment); }
  bool operator==(const LineAllocator&) const = default;

 private:
  static constexpr std::align_val_t kAlignment{sizeof(CacheLine)};
};

/// Numbers of which the first begins a cache line.
using LineFloats = std::vector<float, LineAllocator<float>>;

}  // namespace sosia::simd
