// SPDX-License-Identifier: Apache-2.0
#include <sosia/draft.h>

#include "data/images/image_rows.h"

namespace sosia {

ImageCheck check_images(const std::filesystem::path& path, const Draft& draft, const ImageOptions& options) {
  ImageCheck check = check_images(path, draft.private_facts(), options);
  check.unreviewed = draft.unreviewed();
  return check;
}

ImageCheck check_images(const std::filesystem::path& path, const Schema& schema, const ImageOptions& options) {
  const ImageSchema& images = *schema.images;
  ImageCheck check;
  check.classes.resize(images.classes.size());
  const auto source = open_images(path, images, options);
  const auto scan = source->scan();
  for (RowBlock block; scan->next(block);) {
    check.rows += static_cast<std::int64_t>(block.rows.rows);
    if (images.classes.empty()) continue;
    for (std::size_t r = 0; r < block.rows.rows; ++r) {
      ++check.classes[static_cast<std::size_t>(block.rows.row(r).back())];
    }
  }
  check.rows_fit = !schema.rows || *schema.rows == check.rows;
  return check;
}

}  // namespace sosia
