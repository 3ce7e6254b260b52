// SPDX-License-Identifier: Apache-2.0
// A partial sum in a file:
//   file     := title "\n" header "\n" cells checksum
//   title    := the text of kTitle
//   header   := one line of JSON: "map" (hex), "size", "rows", "shards" (random ids of what was merged), "bits",
//   "step",
//               "norm" (the grid) and "noise", "norm_bound", "count_weight", "nonnegative", "relation", "row_limit"
//               (what it was chosen from)
//   cells    := "size" signed 64-bit integers, little endian
//   checksum := BLAKE2b-256 of all bytes before it. It finds damage; it does not keep out a forger, who would have to
//   be
//               somebody who can read the private rows anyway.
#include "privacy/partial_sum.h"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include <sosia/error.h>

#include "base/check.h"
#include "base/durable_file.h"
#include "base/json_reader.h"
#include "base/wide_int.h"

namespace sosia {

namespace {

constexpr std::string_view kTitle =
    "sosia partial sum 1: PRIVATE, exact sums of private rows without noise, do not publish";
constexpr std::size_t kChecksum = crypto_generichash_BYTES;

static_assert(std::endian::native == std::endian::little, "partial sums are written as they lie in memory");

std::string checksum_of(std::string_view bytes) {
  std::string sum(kChecksum, '\0');
  crypto_generichash(reinterpret_cast<unsigned char*>(sum.data()), sum.size(),
                     reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), nullptr, 0);
  return sum;
}

std::string random_id() {
  SOSIA_CHECK(sodium_init() >= 0, "libsodium could not be initialised");
  unsigned char bytes[16];
  randombytes_buf(bytes, sizeof bytes);
  std::string id;
  for (const unsigned char byte : bytes) id += fmt::format("{:02x}", byte);
  return id;
}

[[noreturn]] void refuse_file(const std::string& what, const std::filesystem::path& path) {
  throw Error(ErrorKind::schema, what, path.string(), "make the partial sum again from its rows");
}

[[noreturn]] void refuse_merge(const std::string& what, const std::string& fix) {
  throw Error(ErrorKind::usage, what, "merging partial sums", fix);
}

std::string_view take_line(std::string_view& bytes, const std::filesystem::path& path) {
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos) refuse_file("this file is no partial sum, or was cut short", path);
  const std::string_view line = bytes.substr(0, end);
  bytes.remove_prefix(end + 1);
  return line;
}

}  // namespace

PartialSum::PartialSum(const GridRequest& request, const Lattice& lattice, std::string map, std::size_t size)
    : request_(request), lattice_(lattice), map_(std::move(map)), shards_{random_id()}, cells_(size) {}

void PartialSum::save(const std::filesystem::path& path) const {
  const nlohmann::ordered_json header = {
      {"map", map_},
      {"size", cells_.size()},
      {"rows", rows_},
      {"shards", shards_},
      {"bits", lattice_.bits},
      {"step", lattice_.step},
      {"norm", lattice_.norm},
      {"noise", request_.noise},
      {"norm_bound", request_.norm_bound},
      {"count_weight", request_.count_weight},
      {"nonnegative", request_.nonnegative},
      {"relation", name_of(request_.relation)},
      {"row_limit", request_.row_limit},
  };
  std::string bytes = fmt::format("{}\n{}\n", kTitle, header.dump());
  bytes.append(reinterpret_cast<const char*>(cells_.data()), cells_.size() * sizeof(std::int64_t));
  bytes += checksum_of(bytes);
  if (bytes.size() > kMaxTextFile) {
    throw Error(ErrorKind::usage, fmt::format("a sum of {} numbers is too long for a file", cells_.size()),
                path.string(), "release fewer numbers at once");
  }
  create_durable_file(path, bytes);
}

PartialSum PartialSum::load(const std::filesystem::path& path) {
  const std::string file = read_text_file(path);
  std::string_view bytes = file;
  if (take_line(bytes, path) != kTitle) refuse_file("this file is no partial sum of this version", path);
  if (bytes.size() < kChecksum ||
      checksum_of(std::string_view(file).substr(0, file.size() - kChecksum)) != file.substr(file.size() - kChecksum)) {
    refuse_file("this partial sum was cut short or changed: its checksum is wrong", path);
  }
  bytes.remove_suffix(kChecksum);
  const nlohmann::json json = parse_json(take_line(bytes, path), path.string());
  const ObjectReader header(json, path.string(), "the header of a partial sum",
                            {"map", "size", "rows", "shards", "bits", "step", "norm", "noise", "norm_bound",
                             "count_weight", "nonnegative", "relation", "row_limit"});
  GridRequest request{.noise = header.number("noise"),
                      .norm_bound = header.number("norm_bound"),
                      .count_weight = header.number("count_weight"),
                      .nonnegative = header.at("nonnegative") == true,
                      .relation = neighbors_from(header.text("relation")),
                      .row_limit = header.whole("row_limit")};
  const Lattice lattice = make_lattice(request);
  const std::int64_t size = header.whole("size"), rows = header.whole("rows");
  // The grid is not believed but chosen again: it is what the sensitivity rests on.
  if (lattice.bits != header.whole("bits") || lattice.step != header.number("step") ||
      lattice.norm != header.whole("norm") || rows < 0 || rows > request.row_limit || size < 1 ||
      bytes.size() / sizeof(std::int64_t) != static_cast<std::size_t>(size) ||
      bytes.size() % sizeof(std::int64_t) != 0) {
    refuse_file("the header of this partial sum contradicts itself or its contents", path);
  }
  PartialSum sum(request, lattice, header.text("map"), static_cast<std::size_t>(size));
  sum.rows_ = rows;
  sum.shards_.clear();
  for (const nlohmann::json& shard : header.array("shards")) {
    if (!shard.is_string()) refuse_file("the header of this partial sum names no shards", path);
    sum.shards_.push_back(shard.get<std::string>());
  }
  std::memcpy(sum.cells_.data(), bytes.data(), bytes.size());
  for (const std::int64_t cell : sum.cells_) {
    if (square(cell) > square(rows * std::max(lattice.norm, lattice.count)))
      refuse_file("a sum is larger than its rows allow", path);
  }
  return sum;
}

void PartialSum::merge(const PartialSum& other) {
  if (map_ != other.map_ || cells_.size() != other.cells_.size()) {
    refuse_merge("the shards were summed with different maps", "sum all shards with the same map");
  }
  if (request_ != other.request_ || lattice_ != other.lattice_) {
    refuse_merge("the shards were summed on different grids",
                 "use the same noise, norm bound, neighbouring relation and row limit for all shards");
  }
  for (const std::string& shard : other.shards_) {
    if (std::find(shards_.begin(), shards_.end(), shard) == shards_.end()) continue;
    refuse_merge("this shard is in the sum already: its rows would count twice", "merge every shard once");
  }
  if (other.rows_ > request_.row_limit - rows_) {
    throw Error(ErrorKind::data,
                "the shards have more rows together than the row limit allows (count withheld: private)",
                "merging partial sums", "declare a row limit that covers all shards, then sum them again");
  }
  rows_ += other.rows_;
  shards_.insert(shards_.end(), other.shards_.begin(), other.shards_.end());
  for (std::size_t i = 0; i < cells_.size(); ++i) cells_[i] += other.cells_[i];
}

}  // namespace sosia
