// SPDX-License-Identifier: Apache-2.0
#include "data/images/image_writer.h"

#include <arrow/io/file.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sosia/error.h>

#include "base/check.h"
#include "data/images/class_list.h"
#include "data/images/image_kind.h"
#include "data/images/image_records.h"
#include "data/images/npy_header.h"
#include "data/images/picture.h"
#include "data/images/picture_writer.h"
#include "data/images/zip_file.h"
#include "data/output_file.h"

namespace sosia {

namespace {

namespace fs = std::filesystem;

void put(const OutputFile& file, std::string_view bytes) {
  require(file.stream()->Write(bytes.data(), static_cast<std::int64_t>(bytes.size())), file.fault());
}

std::string idx_header(const std::vector<std::int64_t>& sizes) {
  std::string header = {'\0', '\0', '\x08', static_cast<char>(sizes.size())};
  for (const std::int64_t size : sizes) {
    for (int shift = 24; shift >= 0; shift -= 8) header += static_cast<char>(size >> shift);
  }
  return header;
}

/// The bytes of an archive, with its directory at the end.
class Archive {
 public:
  explicit Archive(const OutputFile& file) : file_(file) {}

  void start(const std::string& name) {
    members_.push_back({.name = name, .header_at = at_});
    add(zip_member_start(name));
  }
  void add_to_member(std::string_view bytes) {
    members_.back().checksum = checksum(bytes, members_.back().checksum);
    members_.back().size += static_cast<std::uint32_t>(bytes.size());
    add(bytes);
  }
  void end_member() {
    members_.back().packed_size = members_.back().size;
    add(zip_member_end(members_.back().checksum, members_.back().size));
  }
  void finish() { add(zip_directory(members_, at_)); }

 private:
  void add(std::string_view bytes) {
    put(file_, bytes);
    at_ += static_cast<std::uint32_t>(bytes.size());
  }

  const OutputFile& file_;
  std::vector<ZipMember> members_;
  std::uint32_t at_ = 0;
};

/// IDX, CIFAR and NPY. Labels are kept until the end, a byte each.
class RecordWriter : public ImageWriter {
 public:
  RecordWriter(const fs::path& path, ImageKind kind, const ImageSchema& schema, std::int64_t count)
      : kind_(kind), shape_(schema.shape), classes_(schema.classes), count_(count), images_(path, kind.packing) {
    const bool has_label_file =
        !classes_.empty() && (kind_.kind == ImageFileKind::idx || kind_.kind == ImageFileKind::npy);
    if (has_label_file) {
      const fs::path beside = labels_beside(path);
      if (beside.empty()) {
        throw Error(ErrorKind::usage, "there is no name for the file of labels", path.string(),
                    "let the name say \"images\": that of the labels says \"labels\" there");
      }
      labels_.emplace(beside, kind.packing);
    }
    const std::int64_t height = size(shape_.height), width = size(shape_.width), channels = size(shape_.channels);
    std::vector<std::int64_t> sizes = {count, height, width};
    if (channels > 1) sizes.push_back(channels);
    if (kind_.kind == ImageFileKind::npz) {
      archive_.emplace(images_);
      archive_->start("images.npy");
    }
    if (kind_.kind == ImageFileKind::idx) add(idx_header(sizes));
    if (kind_.kind == ImageFileKind::npy || kind_.kind == ImageFileKind::npz) add(npy_header_text("|u1", sizes));
  }

  void write(MatrixView<const float> rows) override {
    const bool is_planar = kind_.kind == ImageFileKind::cifar;
    std::string bytes;
    std::vector<std::uint8_t> pixels(shape_.values());
    for (std::size_t r = 0; r < rows.rows; ++r) {
      const std::uint32_t code = class_in(rows.row(r), shape_, classes_.size());
      const char label = classes_.empty() ? '\0' : static_cast<char>(classes_.number_of(code));
      if (is_planar) bytes += label;
      if (!classes_.empty() && !is_planar) label_bytes_ += label;
      to_bytes(rows.row(r), shape_, is_planar, pixels);
      bytes.append(pixels.begin(), pixels.end());
    }
    written_ += size(rows.rows);
    add(bytes);
  }

  void close() override {
    SOSIA_CHECK(written_ == count_, "as many images as were promised");
    if (archive_) {
      archive_->end_member();
      if (!classes_.empty()) {
        archive_->start("labels.npy");
        add(npy_header_text("|u1", {count_}) + label_bytes_);
        archive_->end_member();
      }
      archive_->finish();
    } else if (labels_) {
      const bool is_idx = kind_.kind == ImageFileKind::idx;
      put(*labels_, (is_idx ? idx_header({count_}) : npy_header_text("|u1", {count_})) + label_bytes_);
      labels_->commit();
    }
    images_.commit();
  }

 private:
  static std::int64_t size(std::size_t n) { return static_cast<std::int64_t>(n); }
  void add(std::string_view bytes) { archive_ ? archive_->add_to_member(bytes) : put(images_, bytes); }

  ImageKind kind_;
  ImageShape shape_;
  ClassList classes_;
  std::int64_t count_, written_ = 0;
  OutputFile images_;
  std::optional<OutputFile> labels_;
  std::optional<Archive> archive_;
  std::string label_bytes_;
};

/// Labels are bytes, IDX has 32 bits for the count, an archive 32 for its size.
void check_room(const fs::path& path, ImageFileKind kind, const ImageSchema& schema, std::int64_t count) {
  const ClassList classes(schema.classes);
  bool fits = count >= 0 && count <= 0xFFFFFFFFLL;
  for (std::uint32_t code = 0; code < classes.size(); ++code) {
    fits = fits && classes.number_of(code) >= 0 && classes.number_of(code) <= 255;
  }
  const double bytes = static_cast<double>(count) * static_cast<double>(schema.shape.values() + 1);
  if (kind == ImageFileKind::npz) fits = fits && bytes < 4e9;
  if (fits) return;
  throw Error(ErrorKind::usage, "so many images or classes have no place in a file of this kind", path.string(),
              "write a folder, or fewer images");
}

}  // namespace

std::unique_ptr<ImageWriter> ImageWriter::create(const fs::path& path, const ImageSchema& schema, std::int64_t count) {
  const ImageKind kind = image_kind_of(path);
  if (kind.kind == ImageFileKind::folder) return make_picture_writer(path, schema, count);
  check_room(path, kind.kind, schema, count);
  return std::make_unique<RecordWriter>(path, kind, schema, count);
}

}  // namespace sosia
