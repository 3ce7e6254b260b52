// SPDX-License-Identifier: Apache-2.0
#include "eval/learners/learner.h"

namespace sosia::eval {

std::vector<NamedLearner> all_learners(std::uint64_t seed) {
  std::vector<NamedLearner> list;
  list.push_back({"logistic regression", logistic_regression()});
  list.push_back({"linear svm", linear_svm()});
  list.push_back({"gaussian naive bayes", gaussian_naive_bayes()});
  list.push_back({"bernoulli naive bayes", bernoulli_naive_bayes()});
  list.push_back({"linear discriminant", linear_discriminant()});
  list.push_back({"small net", small_net(seed)});
  return list;
}

}  // namespace sosia::eval
