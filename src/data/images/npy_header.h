// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/io/type_fwd.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sosia {

/// The header of an .npy file (NumPy's format, versions 1 to 3).
struct NpyHeader {
  std::string type;                 ///< NumPy's name: "|u1", "<f4", "<i8"
  std::vector<std::int64_t> shape;  ///< the slowest first
  std::size_t bytes = 0;            ///< before the first number

  /// For errors: "(60000, 28, 28)".
  std::string shape_text() const;
};

/// Reads up to the first number. Refuses what is no such file, or has its columns first.
NpyHeader read_npy_header(arrow::io::InputStream& stream, const std::string& name);
/// As NumPy writes it.
std::string npy_header_text(std::string_view type, const std::vector<std::int64_t>& shape);

}  // namespace sosia
