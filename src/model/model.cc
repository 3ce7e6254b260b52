// SPDX-License-Identifier: Apache-2.0
#include <sosia/model.h>

#include <utility>

#include <sosia/error.h>

#include "base/durable_file.h"
#include "model/contents.h"
#include "model/model_file.h"
#include "model/sampling.h"

namespace sosia {

Model::Model(std::shared_ptr<const ModelContents> contents) : contents_(std::move(contents)) {}

Model Model::load(const std::filesystem::path& path) {
  return Model(std::make_shared<const ModelContents>(parse_model(read_text_file(path), path.string())));
}

void Model::save(const std::filesystem::path& path, bool replace) const {
  const std::string bytes = model_bytes(*contents_);
  if (replace && std::filesystem::exists(path)) {
    FileLock(path, 0.0).replace(bytes);
  } else {
    create_durable_file(path, bytes);
  }
}

const Schema& Model::schema() const { return contents_->schema; }
const std::string& Model::method() const { return contents_->method; }
bool Model::is_trained() const { return contents_->generator != nullptr; }
const std::string& Model::statement() const { return contents_->statement; }
const std::string& Model::certificate() const { return contents_->certificate; }

namespace {

void check_trained(const Model& model) {
  if (model.is_trained()) return;
  throw Error(ErrorKind::usage, "the model has its releases, but has not been trained", "sample",
              "train it: sosia fit --resume MODEL");
}

}  // namespace

std::int64_t Model::sample(const std::filesystem::path& file, const SampleOptions& options) const {
  check_trained(*this);
  return schema().images ? write_image_samples(*contents_, file, options) : write_samples(*contents_, file, options);
}

void Model::sample_grid(const std::filesystem::path& file, std::int64_t columns, const SampleOptions& options) const {
  check_trained(*this);
  if (!schema().images) {
    throw Error(ErrorKind::usage, "the model makes rows of a table, and a grid is one of images", "sample",
                "leave out the grid");
  }
  write_image_grid(*contents_, file, columns, options);
}

}  // namespace sosia
