// SPDX-License-Identifier: Apache-2.0
// The arrays of a model file.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sosia {

inline constexpr std::int64_t kMostWidth = 1 << 20;  ///< of a layer that is read

/// Throws an error that says so.
[[noreturn]] void damaged_model(const std::string& where, const std::string& what);

template <class T>
void put_array(std::string& bytes, std::span<const T> numbers) {
  bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
}

/// Takes numbers off the front; refuses more than there are, and what is not finite.
class ModelArrays {
 public:
  ModelArrays(std::string_view bytes, const std::string& where) : bytes_(bytes), where_(where) {}

  template <class T>
  std::vector<T> take(std::size_t count) {
    if (count > bytes_.size() / sizeof(T)) damaged_model(where_, "numbers are missing");
    std::vector<T> numbers(count);
    const std::string_view part = bytes_.substr(0, count * sizeof(T));
    std::copy(part.begin(), part.end(), reinterpret_cast<char*>(numbers.data()));
    bytes_.remove_prefix(part.size());
    for (const T number : numbers) {
      if (!std::isfinite(number)) damaged_model(where_, "a number is not finite");
    }
    return numbers;
  }
  /// Bytes as they are.
  std::string take_bytes(std::size_t count) {
    if (count > bytes_.size()) damaged_model(where_, "bytes are missing");
    const std::string part(bytes_.substr(0, count));
    bytes_.remove_prefix(count);
    return part;
  }
  std::size_t bytes_left() const { return bytes_.size(); }
  void end() const {
    if (!bytes_.empty()) damaged_model(where_, "there is more than the header says");
  }
  const std::string& where() const { return where_; }

 private:
  std::string_view bytes_;
  const std::string& where_;
};

}  // namespace sosia
