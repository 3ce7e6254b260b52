// SPDX-License-Identifier: Apache-2.0
#include "data/images/image_rows.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include <sosia/error.h>

namespace sosia {

void ImageTrouble::add(const ImageTrouble& other) {
  damaged += other.damaged;
  misfits += other.misfits;
  outside += other.outside;
  strange += other.strange;
  unscaled += other.unscaled;
  if (other.any() && (!any() || other.first < first)) first = other.first;
}

namespace {

// Numbers in a block: small enough for the second-level cache.
constexpr std::size_t kBlockSize = std::size_t{1} << 18;

[[noreturn]] void raise(const ImageTrouble& trouble, const std::string& name, const ImageShape& shape) {
  std::string what;
  const auto say = [&](std::int64_t count, const char* words) {
    if (count > 0)
      what += fmt::format("{}{} {} {}", what.empty() ? "" : ", ", count, count == 1 ? "image" : "images", words);
  };
  say(trouble.damaged, "that cannot be read");
  say(trouble.misfits, "of another size or with other colours than declared");
  say(trouble.outside, "with pixels that are no numbers from 0 to 1");
  say(trouble.strange, "with a label that is no declared class");
  const bool is_about_images = !what.empty();
  say(trouble.unscaled, "with features that are no numbers from 0 to 1");
  throw Error(trouble.damaged > 0 ? ErrorKind::io : ErrorKind::data, what,
              fmt::format("{}, the first is image {}", name, trouble.first + 1),
              is_about_images
                  ? fmt::format("mend or remove them, or declare what they are: all images have {} x {} pixels in {}",
                                shape.width, shape.height, shape.channels == 1 ? "grey" : "colour")
                  : "compute the features again: they are not negative, and scaled to a norm of 1 at most");
}

class ImageRows : public RowSource {
 public:
  ImageRows(std::shared_ptr<const ImageFormat> format, ImageSchema schema, std::size_t numbers)
      : format_(std::move(format)), schema_(std::move(schema)), numbers_(numbers) {}

  int columns() const override { return static_cast<int>(numbers_ + (schema_.classes.empty() ? 0 : 1)); }
  bool has_units() const override { return false; }
  std::unique_ptr<RowScan> scan() const override;

  std::size_t block_rows() const { return std::max<std::size_t>(1, kBlockSize / static_cast<std::size_t>(columns())); }
  std::unique_ptr<ImagePass> start() const { return format_->start(); }

  void decode(const ImagePass& pass, const ImageChunk& chunk, RowBlock& block, ImageTrouble& trouble) const {
    const auto width = static_cast<std::size_t>(columns());
    block.row_buffer.resize(chunk.count * width);
    const MatrixView<float> rows(block.row_buffer.data(), chunk.count, width);
    pass.decode(chunk, rows, trouble);
    block.first_row = chunk.first;
    block.rows = rows;
    block.units = {};
  }

  /// One more pass, at most one for all threads and scans, so that the owner hears of all that is wrong at once.
  [[noreturn]] void refuse() const {
    const std::lock_guard lock(mutex_);
    try {
      if (!refusal_) count_trouble();
    } catch (...) {
      refusal_ = std::current_exception();
    }
    std::rethrow_exception(refusal_);
  }

 private:
  [[noreturn]] void count_trouble() const {
    ImageTrouble trouble;
    RowBlock scratch;
    const auto pass = start();
    for (ImageChunk chunk; pass->take(block_rows(), chunk);) decode(*pass, chunk, scratch, trouble);
    if (trouble.any()) raise(trouble, format_->name(), schema_.shape);
    throw Error(ErrorKind::io, "the images changed while they were read", format_->name(),
                "run it again when nobody writes");
  }

  std::shared_ptr<const ImageFormat> format_;
  ImageSchema schema_;
  std::size_t numbers_;
  mutable std::mutex mutex_;
  mutable std::exception_ptr refusal_;
};

class ImageScan : public RowScan {
 public:
  explicit ImageScan(const ImageRows& source) : source_(source), pass_(source.start()) {}

  bool next(RowBlock& block) override {
    ImageChunk chunk;
    if (!take(chunk)) return false;
    ImageTrouble trouble;
    source_.decode(*pass_, chunk, block, trouble);
    if (!trouble.any()) return true;
    try {
      source_.refuse();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      std::rethrow_exception(error_);
    }
  }

 private:
  /// After an error every call throws it: nobody may take the rest for complete.
  bool take(ImageChunk& chunk) {
    const std::lock_guard lock(mutex_);
    if (error_) std::rethrow_exception(error_);
    try {
      return pass_->take(source_.block_rows(), chunk);
    } catch (...) {
      error_ = std::current_exception();
      throw;
    }
  }

  const ImageRows& source_;
  std::unique_ptr<ImagePass> pass_;
  std::mutex mutex_;
  std::exception_ptr error_;
};

std::unique_ptr<RowScan> ImageRows::scan() const { return std::make_unique<ImageScan>(*this); }

}  // namespace

std::unique_ptr<RowSource> image_rows(std::shared_ptr<const ImageFormat> format, const ImageSchema& schema,
                                      std::optional<std::size_t> numbers) {
  return std::make_unique<ImageRows>(std::move(format), schema, numbers.value_or(schema.shape.values()));
}

}  // namespace sosia
