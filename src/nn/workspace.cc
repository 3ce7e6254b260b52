// SPDX-License-Identifier: Apache-2.0
#include "nn/workspace.h"

#include "nn/net.h"

namespace sosia::nn {

Workspace::Workspace(const Net& net, std::size_t max_rows, bool with_input_gradient)
    : max_rows_(max_rows),
      inputs_(net.inputs()),
      outputs_(net.outputs()),
      scratch_(net.layers().scratch_count(max_rows)),
      output_(max_rows * outputs_),
      output_gradient_(max_rows * outputs_),
      input_gradient_(with_input_gradient ? max_rows * inputs_ : 0),
      norms_(max_rows),
      row_weights_(max_rows) {}

}  // namespace sosia::nn
