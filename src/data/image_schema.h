// SPDX-License-Identifier: Apache-2.0
// The part of a schema file that is about images. Inside the library only: parse_schema and to_json are what to call.
#pragma once

#include <string>
#include <vector>

#include <sosia/schema.h>

namespace sosia {

class Draft;
class ObjectReader;

/// The key, with the version, by which such a file is known.
inline constexpr char kImagesKey[] = "sosia-images";
std::vector<std::string> image_keys();

/// All but the facts that wait for review.
ImageSchema read_images(const ObjectReader& reader);
std::string images_json(const Draft& draft, int version);
/// Throws unless these are facts about images, each once.
void check_image_facts(const std::vector<Fact>& facts, const std::string& where);
void validate_images(const Schema& schema, const std::string& where);

}  // namespace sosia
