// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "discovery/search.h"

namespace sosia {

/// The second step: values that nobody has declared, among all texts of their columns.
class KeyValues {
 public:
  /// A usage error if there are some and the promise sets no delta aside for them.
  explicit KeyValues(Search& search);

  bool is_needed() const { return !search_.open.keys.empty(); }
  DiscoveryStep step(double noise) const;
  void run(const Source& source, double noise);

 private:
  Search& search_;
};

}  // namespace sosia
