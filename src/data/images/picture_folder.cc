// SPDX-License-Identifier: Apache-2.0
#include "data/images/picture_folder.h"

#include <arrow/record_batch.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <sosia/error.h>

#include "data/array_reader.h"
#include "data/images/class_list.h"
#include "data/images/picture.h"
#include "data/table_file.h"

namespace sosia {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kLargestFile = std::uintmax_t{1} << 28;

struct Picture {
  fs::path path;
  std::uint32_t label = kNoClass;
};

bool is_picture(const fs::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending == ".png" || ending == ".jpg" || ending == ".jpeg";
}

std::vector<Picture> pictures_below(const fs::path& folder, const ClassList& classes) {
  std::vector<Picture> pictures;
  std::int64_t others = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with('.') || name.starts_with('_')) {
      entry.disable_recursion_pending();
    } else if (std::error_code nowhere; !entry->is_directory(nowhere)) {  // a link may lead nowhere: no image
      others += is_picture(entry->path()) ? 0 : 1;
      pictures.push_back({entry->path(), classes.of_text(entry->path().parent_path().filename().string())});
    }
  }
  if (error) throw Error(ErrorKind::io, "the folder cannot be read", folder.string(), "check that you may read it");
  if (others > 0) {
    throw Error(ErrorKind::data, fmt::format("the folder holds {} files that are no images", others), folder.string(),
                "move them away; images end in .png, .jpg or .jpeg");
  }
  std::ranges::sort(pictures, {}, &Picture::path);
  return pictures;
}

/// Each image is a privacy unit: one that is listed twice would count twice. Rows without a file are no images.
void check_listed_once(const std::vector<Picture>& pictures, const fs::path& folder, const fs::path& table) {
  std::vector<fs::path> paths;
  for (const Picture& picture : pictures) {
    if (picture.path.has_filename() && picture.path != folder) paths.push_back(picture.path.lexically_normal());
  }
  std::ranges::sort(paths);
  const auto again = std::ranges::unique(paths);
  if (again.empty()) return;
  throw Error(ErrorKind::data, fmt::format("{} rows of the list name an image that others name too", again.size()),
              table.string(), "name each image once: the guarantee is for a single image");
}

std::vector<Picture> pictures_listed(const fs::path& folder, const fs::path& table, const ClassList& classes) {
  const auto list = TableFile::open(table, {.columns = {"file", "label"}});
  std::vector<Picture> pictures;
  const auto scan = list->scan();
  for (TableBlock block; scan->next(block);) {
    const TextCells files = read_texts(*block.batch->column(0)), labels = read_texts(*block.batch->column(1));
    for (std::size_t row = 0; row < files.texts.size(); ++row) {
      const bool is_labelled = labels.states[row] == CellState::present;
      // A row without a file leads to the folder itself, which is no image.
      pictures.push_back({files.states[row] == CellState::present ? folder / files.texts[row] : folder,
                          is_labelled ? classes.of_text(labels.texts[row]) : kNoClass});
    }
  }
  check_listed_once(pictures, folder, table);
  return pictures;
}

/// False if the file cannot be read.
bool read_file(const fs::path& path, std::string& bytes) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error || size > kLargestFile) return false;
  bytes.resize(size);
  std::ifstream input(path, std::ios::binary);
  input.read(bytes.data(), static_cast<std::streamsize>(size));
  return input.gcount() == static_cast<std::streamsize>(size);
}

class PictureFolder : public ImageFormat {
 public:
  PictureFolder(std::string name, std::vector<Picture> pictures, const ImageSchema& schema)
      : name_(std::move(name)),
        pictures_(std::move(pictures)),
        shape_(schema.shape),
        labelled_(!schema.classes.empty()) {
    if (pictures_.empty()) {
      throw Error(ErrorKind::io, "the folder holds no image", name_,
                  "give a folder with files that end in .png, .jpg or .jpeg");
    }
  }

  const std::string& name() const override { return name_; }
  std::unique_ptr<ImagePass> start() const override;
  std::optional<std::int64_t> count() const override { return static_cast<std::int64_t>(pictures_.size()); }
  std::size_t size() const { return pictures_.size(); }

  void decode(const ImageChunk& chunk, MatrixView<float> rows, ImageTrouble& trouble) const {
    std::vector<std::uint8_t> pixels(shape_.values());
    std::string bytes;
    for (std::size_t i = 0; i < chunk.count; ++i) {
      const std::int64_t number = chunk.first + static_cast<std::int64_t>(i);
      const Picture& picture = pictures_[static_cast<std::size_t>(number)];
      if (labelled_) {
        if (picture.label == kNoClass) trouble.note(trouble.strange, number);
        rows.row(i).back() = picture.label == kNoClass ? 0.0F : static_cast<float>(picture.label);
      }
      const PictureFault fault =
          read_file(picture.path, bytes) ? decode_picture(bytes, shape_, pixels) : PictureFault::damaged;
      if (fault == PictureFault::damaged) trouble.note(trouble.damaged, number);
      if (fault == PictureFault::misfit) trouble.note(trouble.misfits, number);
      for (std::size_t j = 0; j < pixels.size(); ++j) {
        rows.row(i)[j % shape_.channels * shape_.pixels() + j / shape_.channels] =
            fault == PictureFault::none ? static_cast<float>(pixels[j]) / 255.0F : 0.0F;
      }
    }
  }

 private:
  std::string name_;
  std::vector<Picture> pictures_;
  ImageShape shape_;
  bool labelled_;
};

class PicturePass : public ImagePass {
 public:
  explicit PicturePass(const PictureFolder& folder) : folder_(folder) {}

  bool take(std::size_t most, ImageChunk& chunk) override {
    chunk.first = static_cast<std::int64_t>(next_);
    chunk.count = std::min({most, kMostFiles, folder_.size() - next_});
    next_ += chunk.count;
    return chunk.count > 0;
  }
  void decode(const ImageChunk& chunk, MatrixView<float> rows, ImageTrouble& trouble) const override {
    folder_.decode(chunk, rows, trouble);
  }

 private:
  static constexpr std::size_t kMostFiles = 64;  // opening files is slow: threads have shares of like size
  const PictureFolder& folder_;
  std::size_t next_ = 0;
};

std::unique_ptr<ImagePass> PictureFolder::start() const { return std::make_unique<PicturePass>(*this); }

}  // namespace

std::vector<fs::path> pictures_in_list(const fs::path& folder, const fs::path& labels) {
  std::vector<fs::path> paths;
  for (const Picture& picture : pictures_listed(folder, labels, ClassList({}))) {
    if (picture.path != folder) paths.push_back(picture.path);
  }
  return paths;
}

std::optional<fs::path> first_picture(const fs::path& folder) {
  std::optional<fs::path> first;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (is_picture(entry->path()) && (!first || entry->path() < *first)) first = entry->path();
  }
  return first;
}

std::shared_ptr<const ImageFormat> open_picture_folder(const fs::path& folder, const fs::path& labels,
                                                       const ImageSchema& schema) {
  const ClassList classes(schema.classes);
  return std::make_shared<PictureFolder>(
      folder.string(), labels.empty() ? pictures_below(folder, classes) : pictures_listed(folder, labels, classes),
      schema);
}

}  // namespace sosia
