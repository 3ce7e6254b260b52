// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <sosia/model.h>

namespace sosia::report {

/// What may be published, as JSON. It is made from a model, and there is no other way to make one: no score, no table
/// and no file can get in.
class PublicPart {
 public:
  explicit PublicPart(const Model& model);
  const std::string& json() const { return json_; }

 private:
  std::string json_;
};

}  // namespace sosia::report
