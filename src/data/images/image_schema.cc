// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sosia/images.h>

#include "base/durable_file.h"
#include "base/json_reader.h"

namespace sosia {

namespace {

using nlohmann::json;

constexpr int kVersion = 1;
constexpr std::int64_t kMostPixels = 4096;  // to a side

std::size_t read_side(const ObjectReader& reader, const std::string& key) {
  const std::int64_t size = reader.whole(key);
  if (size < 1 || size > kMostPixels) {
    reader.refuse(key, "is out of range", fmt::format("write a number of pixels from 1 to {}", kMostPixels));
  }
  return static_cast<std::size_t>(size);
}

std::vector<std::string> read_classes(const ObjectReader& reader) {
  std::vector<std::string> classes;
  std::set<std::string> seen;
  for (const json& value : reader.array("classes")) {
    if (!value.is_string()) reader.refuse("classes", "must be a list of texts", "write every one in double quotes");
    classes.push_back(value.get<std::string>());
    check_text(classes.back(), reader.where() + ", key \"classes\"", true);
    if (classes.back().empty() || !seen.insert(classes.back()).second) {
      reader.refuse("classes", "has an empty text, or one twice", "name every class once");
    }
  }
  if (classes.empty()) reader.refuse("classes", "is empty", "name the classes, or leave the key out: no labels");
  return classes;
}

}  // namespace

ImageSchema parse_image_schema(std::string_view text, const std::string& where) {
  const json document = parse_json(text, where);
  const ObjectReader reader(document, where, "a schema of images",
                            {"sosia-images", "width", "height", "channels", "classes"});
  if (reader.whole("sosia-images") != kVersion) {
    reader.refuse("sosia-images", "is of a version that this program does not know", "write 1, or update sosia");
  }
  ImageSchema schema;
  schema.shape.width = read_side(reader, "width");
  schema.shape.height = read_side(reader, "height");
  if (reader.has("channels")) {
    const std::int64_t channels = reader.whole("channels");
    if (channels != 1 && channels != 3) reader.refuse("channels", "is out of range", "write 1 for grey, 3 for colours");
    schema.shape.channels = static_cast<std::size_t>(channels);
  }
  if (reader.has("classes")) schema.classes = read_classes(reader);
  return schema;
}

ImageSchema read_image_schema(const std::filesystem::path& path) {
  return parse_image_schema(read_text_file(path), path.string());
}

std::string to_json(const ImageSchema& schema) {
  std::string out = fmt::format("{{\"sosia-images\": {}, \"width\": {}, \"height\": {}, \"channels\": {}", kVersion,
                                schema.shape.width, schema.shape.height, schema.shape.channels);
  for (std::size_t i = 0; i < schema.classes.size(); ++i) {
    out += (i == 0 ? ",\n \"classes\": [" : ", ") + json(schema.classes[i]).dump();
  }
  return out + (schema.classes.empty() ? "}\n" : "]}\n");
}

}  // namespace sosia
