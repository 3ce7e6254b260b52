// SPDX-License-Identifier: Apache-2.0
// The part of a schema file that is about images. Inside the library only: parse_schema and to_json are what to call.
#pragma once

#include <string>
#include <vector>

#include <sosia/schema.h>

namespace sosia {

class ObjectReader;

/// The key, with the version, by which such a file is known.
inline constexpr char kImagesKey[] = "sosia-images";
std::vector<std::string> image_keys();

/// All but the facts that wait for review.
ImageSchema read_images(const ObjectReader& reader);
std::string images_json(const Schema& schema, int version);
void validate_images(const Schema& schema, const std::string& where);

}  // namespace sosia
