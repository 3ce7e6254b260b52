// SPDX-License-Identifier: Apache-2.0
#include "data/arrow_guard.h"

#include <new>

namespace sosia {

namespace {

[[noreturn]] void raise_no_memory(const Fault& fault) {
  throw Error(ErrorKind::io, "not enough memory to go on with the table", fault.where,
              "free some memory, or check that the file is not damaged: its header may ask for too much");
}

}  // namespace

void raise(const Fault& fault) { throw Error(fault.kind, fault.problem, fault.where, fault.fix); }

void require(const arrow::Status& status, const Fault& fault) {
  if (status.ok()) return;
  if (status.IsOutOfMemory()) raise_no_memory(fault);
  raise(fault);
}

void raise_for(const std::exception& error, const Fault& fault) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) raise_no_memory(fault);
  raise(fault);
}

}  // namespace sosia
