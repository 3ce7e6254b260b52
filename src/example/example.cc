// SPDX-License-Identifier: Apache-2.0
#include <arrow/record_batch.h>

#include <algorithm>

#include <fmt/format.h>

#include <sosia/error.h>
#include <sosia/table.h>

#include "data/images/image_writer.h"
#include "data/table_file.h"
#include "example/clinic_table.h"
#include "example/shapes.h"

namespace sosia {

namespace {

constexpr std::size_t kBlock = 1 << 15;

void check_name(const std::string& name) {
  const std::vector<std::string> names = example_names();
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  throw Error(ErrorKind::usage, fmt::format("there is no example \"{}\"", name), "sosia example",
              fmt::format("choose one of: {}", fmt::join(names, ", ")));
}

}  // namespace

std::vector<std::string> example_names() { return {"clinic", "shapes"}; }

namespace {

void write_shapes(const std::filesystem::path& path, const ExampleOptions& options) {
  const ImageSchema images = *shapes_schema().images;
  const std::size_t width = images.shape.values() + 1;
  const auto writer = ImageWriter::create(path, images, options.rows);
  std::vector<float> row(width);
  for (std::int64_t number = 0; number < options.rows; ++number) {
    draw_shape(options.seed, number, row);
    writer->write({row.data(), 1, width});
  }
  writer->close();
}

void write_clinic(const std::filesystem::path& file, const ExampleOptions& options) {
  const auto writer = TableWriter::create(file, clinic_fields());
  std::vector<Visit> block;
  std::int64_t written = 0;
  for (std::int64_t patient = 1; written < options.rows; ++patient) {
    for (const Visit& visit : clinic_visits(options.seed, patient)) {
      if (written == options.rows) break;
      block.push_back(visit);
      ++written;
    }
    if (block.size() < kBlock && written < options.rows) continue;
    writer->write(*clinic_batch(block));
    block.clear();
  }
  writer->close();
}

}  // namespace

void write_example(const std::string& name, const std::filesystem::path& file, const ExampleOptions& options) {
  check_name(name);
  if (name == "shapes") {
    write_shapes(file, options);
  } else {
    write_clinic(file, options);
  }
}

Schema example_schema(const std::string& name) {
  check_name(name);
  return name == "shapes" ? shapes_schema() : clinic_schema();
}

}  // namespace sosia
