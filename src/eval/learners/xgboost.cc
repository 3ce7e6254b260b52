// SPDX-License-Identifier: Apache-2.0
// The library of that name through its C interface.
#include <xgboost/c_api.h>

#include <limits>
#include <string>
#include <type_traits>

#include <sosia/error.h>

#include "eval/learners/learner.h"

namespace sosia::eval {

namespace {

constexpr int kRounds = 100;

/// What the library has to say is not passed on: it may quote the data.
void expect_success(int status) {
  if (status == 0) return;
  throw Error(ErrorKind::internal, "XGBoost failed", "the classifier xgboost", "please report it");
}

struct FreeMatrix {
  void operator()(DMatrixHandle handle) const { XGDMatrixFree(handle); }
};
struct FreeBooster {
  void operator()(BoosterHandle handle) const { XGBoosterFree(handle); }
};
using Matrix = std::unique_ptr<std::remove_pointer_t<DMatrixHandle>, FreeMatrix>;
using Booster = std::unique_ptr<std::remove_pointer_t<BoosterHandle>, FreeBooster>;

Matrix matrix_of(MatrixView<const float> x) {
  std::vector<float> values;
  values.reserve(x.rows * x.cols);
  for (std::size_t i = 0; i < x.rows; ++i) values.insert(values.end(), x.row(i).begin(), x.row(i).end());
  DMatrixHandle handle = nullptr;
  expect_success(
      XGDMatrixCreateFromMat(values.data(), x.rows, x.cols, std::numeric_limits<float>::quiet_NaN(), &handle));
  return Matrix(handle);
}

void set_numbers(const Matrix& matrix, const char* field, const std::vector<float>& numbers) {
  expect_success(XGDMatrixSetFloatInfo(matrix.get(), field, numbers.data(), numbers.size()));
}

class XgBoost : public Learner {
 public:
  void fit(const Examples& examples, ThreadPool& /*pool*/) override {
    const Matrix matrix = matrix_of(examples.x);
    is_seen_.assign(examples.classes, false);
    std::vector<float> labels, weights;
    for (std::size_t i = 0; i < examples.x.rows; ++i) {
      labels.push_back(static_cast<float>(examples.labels[i]));
      weights.push_back(static_cast<float>(examples.weight(i)));
      if (examples.weight(i) > 0.0) is_seen_[examples.labels[i]] = true;
    }
    set_numbers(matrix, "label", labels);
    set_numbers(matrix, "weight", weights);
    DMatrixHandle handle = matrix.get();
    BoosterHandle made = nullptr;
    expect_success(XGBoosterCreate(&handle, 1, &made));
    booster_.reset(made);
    set("verbosity", "0");
    set("tree_method", "hist");
    // Its sums depend on the number of its threads.
    set("nthread", "1");
    set("objective", examples.classes == 2 ? "binary:logistic" : "multi:softprob");
    if (examples.classes > 2) set("num_class", std::to_string(examples.classes));
    for (int round = 0; round < kRounds; ++round) {
      expect_success(XGBoosterUpdateOneIter(booster_.get(), round, handle));
    }
  }

  std::vector<double> scores(MatrixView<const float> x, ThreadPool& /*pool*/) const override {
    constexpr int kMargins = 1;
    const Matrix matrix = matrix_of(x);
    bst_ulong count = 0;
    const float* margins = nullptr;
    expect_success(XGBoosterPredict(booster_.get(), matrix.get(), kMargins, 0, 0, &count, &margins));
    const std::size_t classes = is_seen_.size(), columns = count / x.rows;
    std::vector<double> scores(x.rows * classes, 0.0);
    for (std::size_t i = 0; i < x.rows; ++i) {
      // Of two classes there is a margin for the second alone.
      for (std::size_t k = classes - columns; k < classes; ++k) {
        scores[i * classes + k] = margins[i * columns + k - (classes - columns)];
      }
      for (std::size_t k = 0; k < classes; ++k) {
        if (!is_seen_[k]) scores[i * classes + k] = kNeverSeen;
      }
    }
    return scores;
  }

 private:
  void set(const char* name, const std::string& value) {
    expect_success(XGBoosterSetParam(booster_.get(), name, value.c_str()));
  }

  std::vector<bool> is_seen_;
  Booster booster_;
};

}  // namespace

std::unique_ptr<Learner> xgboost() { return std::make_unique<XgBoost>(); }

}  // namespace sosia::eval
