// SPDX-License-Identifier: Apache-2.0
// Any bytes either are an IDX, CIFAR, NPY or NPZ file of images, whose rows hold pixels in [0, 1] and declared classes
// and are the same in two passes, or are refused by a sosia::Error that shows none of them. The first byte chooses
// kind, packing, classes and colours; the next two are the length of a file of labels that follows. Where labels need
// no file, it may be one of features that were computed elsewhere, which stand in the place of the pixels then.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sosia/error.h>

#include "data/images/computed_rows.h"
#include "data/images/image_records.h"
#include "data/images/image_rows.h"

namespace {

std::shared_ptr<const sosia::ImageFormat> open(int kind, const sosia::ByteSource& images,
                                               const sosia::ByteSource& labels, const sosia::ImageSchema& schema) {
  const sosia::ByteSource* const beside = schema.classes.empty() ? nullptr : &labels;
  if (kind == 0) return sosia::open_idx(images, beside, schema);
  if (kind == 1) return sosia::open_cifar(images, schema);
  if (kind == 2) return sosia::open_npy(images, beside, schema);
  return sosia::open_npz(images, "images", "labels", schema);
}

std::vector<float> rows_of(const sosia::RowSource& source, const sosia::ImageSchema& schema) {
  std::vector<float> all;
  const std::size_t numbers = static_cast<std::size_t>(source.columns()) - (schema.classes.empty() ? 0 : 1);
  const auto scan = source.scan();
  for (sosia::RowBlock block; scan->next(block);) {
    for (std::size_t r = 0; r < block.rows.rows; ++r) {
      const std::span<const float> row = block.rows.row(r);
      for (const float pixel : row.first(numbers)) {
        if (!(pixel >= 0.0F && pixel <= 1.0F)) std::abort();
      }
      if (!schema.classes.empty() && !(row.back() >= 0.0F && row.back() <= 2.0F)) std::abort();
      all.insert(all.end(), row.begin(), row.end());
    }
  }
  return all;
}

}  // namespace

// The name that libFuzzer looks for.
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 3, size - 3);
  const std::size_t cut = std::min<std::size_t>(rest.size(), data[1] + 256U * data[2]);
  const int kind = data[0] % 4;
  const auto packing = kind == 3 ? sosia::Packing::none : static_cast<sosia::Packing>(data[0] / 4 % 3);
  sosia::ImageSchema schema{.shape = {4, 3, data[0] / 24 % 2 == 0 ? 1U : 3U}};
  if (data[0] / 12 % 2 == 1) schema.classes = {"0", "1", "2"};
  try {
    const sosia::ByteSource labels(std::string(rest.substr(0, cut)), "labels", packing);
    const sosia::ByteSource images(std::string(rest.substr(cut)), "images", packing);
    const bool is_computed = (kind == 1 || kind == 3) && data[0] / 48 % 2 == 1;
    constexpr std::size_t kFeatures = 5;
    const auto source = is_computed
                            ? sosia::computed_rows(open(kind, images, labels, schema), labels, kFeatures, schema)
                            : sosia::image_rows(open(kind, images, labels, schema), schema);
    if (rows_of(*source, schema) != rows_of(*source, schema)) std::abort();
  } catch (const sosia::Error& error) {
    if (error.kind() != sosia::ErrorKind::data && error.kind() != sosia::ErrorKind::io) std::abort();
    if (std::string_view(error.what()).find("4711") != std::string_view::npos) std::abort();
  }
  return 0;
}
