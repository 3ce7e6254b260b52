// SPDX-License-Identifier: Apache-2.0
// What is public about a set of images before anybody looks at it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sosia {

/// An image as numbers: planes of channels one after the other, each row by row from the top left.
struct ImageShape {
  std::size_t width = 1, height = 1;
  std::size_t channels = 1;  ///< of files: 1 is grey, 3 is red, green and blue

  std::size_t pixels() const { return width * height; }
  std::size_t values() const { return channels * pixels(); }
  bool operator==(const ImageShape&) const = default;
};

/// Declared by the owner of the images, never read off them.
struct ImageSchema {
  ImageShape shape;
  /// Labels as they are spelled: names of folders, cells of a list, "0", "1" and so on for numbers. Empty: no labels.
  std::vector<std::string> classes = {};
};

/// Reads and checks {"sosia-images": 1, "width": 28, "height": 28, "channels": 1, "classes": ["0", "1"]}, where
/// "channels" (1 unless said) and "classes" may be absent. Errors name the key.
ImageSchema parse_image_schema(std::string_view json, const std::string& where);
ImageSchema read_image_schema(const std::filesystem::path& path);
/// As JSON; parse_image_schema gives the same schema back.
std::string to_json(const ImageSchema& schema);

}  // namespace sosia
