// SPDX-License-Identifier: Apache-2.0
// The grammar of a schema file of images, one JSON object:
//
//   schema = {"sosia-images": 1, ("relation", "rows": as for tables), "width": 1 .. 4096, "height": 1 .. 4096,
//             ("channels": 1 | 3, default 1), ("classes": [text, ...]), ("unreviewed", "confirmed": ["size" |
//             "classes", ...])}
//
// All other keys are refused.
#include "data/image_schema.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <sosia/draft.h>
#include <sosia/error.h>

#include "base/json_reader.h"

namespace sosia {

namespace {

using nlohmann::json;

constexpr std::int64_t kMostPixels = 4096;  // to a side

std::size_t read_side(const ObjectReader& reader, const std::string& key) {
  const std::int64_t size = reader.whole(key);
  if (size < 1 || size > kMostPixels) {
    reader.refuse(key, "is out of range", fmt::format("write a number of pixels from 1 to {}", kMostPixels));
  }
  return static_cast<std::size_t>(size);
}

std::string texts_json(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + json(text).dump();
  return "[" + out + "]";
}

}  // namespace

std::vector<std::string> image_keys() {
  return {kImagesKey, "relation", "rows", "width", "height", "channels", "classes", "unreviewed", "confirmed"};
}

ImageSchema read_images(const ObjectReader& reader) {
  ImageSchema images;
  images.shape.width = read_side(reader, "width");
  images.shape.height = read_side(reader, "height");
  if (reader.has("channels")) {
    const std::int64_t channels = reader.whole("channels");
    if (channels != 1 && channels != 3) reader.refuse("channels", "is out of range", "write 1 for grey, 3 for colours");
    images.shape.channels = static_cast<std::size_t>(channels);
  }
  if (!reader.has("classes")) return images;
  for (const json& value : reader.array("classes")) {
    if (!value.is_string()) reader.refuse("classes", "must be a list of texts", "write every one in double quotes");
    images.classes.push_back(value.get<std::string>());
  }
  if (images.classes.empty()) reader.refuse("classes", "is empty", "name the classes, or leave the key out: no labels");
  return images;
}

std::string images_json(const Draft& draft, int version) {
  const Schema& schema = draft.private_facts();
  const ImageSchema& images = *schema.images;
  std::string out =
      fmt::format("{{\"{}\": {},\n \"relation\": \"{}\",\n", kImagesKey, version, name_of(schema.relation));
  if (schema.rows) out += fmt::format(" \"rows\": {},\n", *schema.rows);
  out += fmt::format(" \"width\": {}, \"height\": {}, \"channels\": {}", images.shape.width, images.shape.height,
                     images.shape.channels);
  if (!images.classes.empty()) out += ",\n \"classes\": " + texts_json(images.classes);
  const auto add = [&](const char* key, const std::vector<Fact>& facts) {
    std::vector<std::string> names;
    for (const Fact fact : facts) names.emplace_back(name_of(fact));
    if (!names.empty()) out += fmt::format(",\n \"{}\": {}", key, texts_json(names));
  };
  add("unreviewed", draft.unreviewed_of(""));
  add("confirmed", images.confirmed);
  return out + "}\n";
}

void check_image_facts(const std::vector<Fact>& listed, const std::string& where) {
  std::set<Fact> facts;
  for (const Fact fact : listed) {
    if ((fact == Fact::size || fact == Fact::classes) && facts.insert(fact).second) continue;
    throw Error(ErrorKind::schema, "lists what is no fact about images, or one twice", where,
                "choose size, classes, each once");
  }
}

void validate_images(const Schema& schema, const std::string& where) {
  const std::string front = where.empty() ? "the schema" : where;
  const auto refuse = [&](const char* key, const char* problem, const char* fix) {
    throw Error(ErrorKind::schema, problem, fmt::format("{}, key \"{}\"", front, key), fix);
  };
  if (!schema.columns.empty()) refuse("columns", "a row is an image or has columns, not both", "keep one of the two");
  if (!schema.target.empty()) refuse("target", "the label of an image is its class", "leave the target out");
  if (!schema.unit.column.empty() || schema.unit.max_rows != 1) {
    refuse("unit", "every image is a privacy unit of its own", "leave the unit out");
  }
  std::set<std::string> seen;
  for (const std::string& name : schema.images->classes) {
    check_text(name, front + ", key \"classes\"", true);
    if (name.empty() || !seen.insert(name).second) {
      refuse("classes", "has an empty text, or one twice", "name every class once");
    }
  }
  check_image_facts(schema.images->confirmed, front + ", key \"confirmed\"");
}

}  // namespace sosia
