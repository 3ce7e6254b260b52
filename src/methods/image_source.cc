// SPDX-License-Identifier: Apache-2.0
// Images on their way into a fit. Their rows need no release to be coded: pixels are numbers from 0 to 1 by
// declaration, and classes are listed.
#include <utility>

#include <sosia/error.h>

#include "base/durable_file.h"
#include "data/images/computed_rows.h"
#include "data/images/image_rows.h"
#include "methods/fit_source.h"
#include "perceptual/feature_file.h"

namespace sosia {

namespace {

class ImageSource : public FitSource {
 public:
  explicit ImageSource(const FitRequest& request) : request_(request) {
    if (request.options.discovery > 0.0) {
      throw Error(ErrorKind::usage, "nothing about images is discovered privately", "fit; nothing was spent",
                  "leave out the share for discovery, and declare the classes");
    }
    if (request.method.info.needs_features) read_net(request.options.features);
    open();  // headers that do not fit are refused here
  }

  Outline outline() const override {
    Outline outline = outline_of_images(request_.schema, net_);
    outline.is_computed = is_computed();
    return outline;
  }
  std::unique_ptr<RowSource> rows(const Ledger& /*ledger*/) const override { return open(); }
  void describe(ModelContents& contents) const override {
    contents.schema = request_.schema;
    contents.features = net_bytes_;
  }
  std::string known() const override {
    std::string known = "the size of the images, and the classes";
    if (net_) known += "; " + net_->provenance();
    if (is_computed()) {
      known += "; that the features, which were computed elsewhere, are what it makes of each image by itself";
    }
    return known;
  }

 private:
  std::unique_ptr<RowSource> open() const {
    const ImageSchema& schema = *request_.schema.images;
    if (!is_computed()) return open_images(request_.data, schema, request_.options.images);
    const std::filesystem::path& path = request_.options.computed;
    return computed_rows(open_image_files(request_.data, schema, request_.options.images),
                         ByteSource(path, packing_of_features(path)), width(), schema);
  }
  bool is_computed() const { return !request_.options.computed.empty(); }
  /// Numbers that the net makes of an image.
  std::size_t width() const {
    return feature_count(net_->net, net_->name) * static_cast<std::size_t>(request_.settings.whole("moments"));
  }
  void read_net(const std::filesystem::path& path) {
    if (path.empty()) {
      throw Error(ErrorKind::usage, "the method describes images by a net of public ones, and none is given",
                  "fit; nothing was spent", "pass --features FILE; `sosia features train` makes one");
    }
    net_bytes_ = read_text_file(path);
    net_ = std::make_shared<const FeatureFile>(parse_features(net_bytes_, path.string()));
  }

  FitRequest request_;
  std::string net_bytes_;  ///< the file of features, as it is
  std::shared_ptr<const FeatureFile> net_;
};

}  // namespace

Outline outline_of_images(const Schema& schema, std::shared_ptr<const FeatureFile> features) {
  const ImageSchema& images = *schema.images;
  Outline outline;
  outline.widths = row_widths(images);
  outline.ordered.resize(outline.widths.size());
  outline.far_ends.resize(outline.widths.size());
  outline.spare.resize(outline.widths.size());
  if (!images.classes.empty()) outline.target = static_cast<int>(images.shape.values());
  if (schema.rows) outline.rows = static_cast<double>(*schema.rows);
  outline.image = images.shape;
  outline.features = std::move(features);
  return outline;
}

std::unique_ptr<FitSource> open_image_source(const FitRequest& request) {
  return std::make_unique<ImageSource>(request);
}

}  // namespace sosia
