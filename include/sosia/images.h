// SPDX-License-Identifier: Apache-2.0
// What is public about a set of images before anybody looks at it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
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

enum class Fact;  // sosia/schema.h

/// What a row is, where it is no row of columns: an image and its class. Declared by the owner of the images, never
/// read off them.
struct ImageSchema {
  ImageShape shape;
  /// Labels as they are spelled: names of folders, cells of a list, "0", "1" and so on for numbers. Empty: no labels.
  std::vector<std::string> classes = {};
  std::vector<Fact> confirmed = {};  ///< facts that were read off the images, and then confirmed by the owner
};

/// Where things are in files of images, if not where they are expected.
struct ImageOptions {
  /// IDX and NPY: a file of the same kind, else that whose name says "labels" for "images". A folder: a table with the
  /// columns "file" and "label", whose rows are the set; else the folder that a file is in is its class.
  std::filesystem::path labels = {};
  std::string image_array = "images", label_array = "labels";  ///< in an .npz file
};

}  // namespace sosia
