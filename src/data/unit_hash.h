// SPDX-License-Identifier: Apache-2.0
// Privacy units as 64-bit ids.
#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <span>

namespace sosia {

class MissingWords;

/// The SipHash-2-4 of each cell's text, under a fixed public key: the same id in every pass, shard and file format.
/// Returns the number of cells without an id; their ids are 0 and must not be used: rows of several people under one id
/// would be bounded as one unit, and one of them leaving would make room for rows of the others.
///
/// The same would happen to two units whose hashes collide: then a change of one moves up to 2 * max_rows rows. Among n
/// units whose ids do not depend on the key this has a probability of at most n^2 / 2^65, 3e-8 for a million units.
std::int64_t hash_units(const arrow::Array& cells, const MissingWords& missing, std::span<std::uint64_t> units);

}  // namespace sosia
