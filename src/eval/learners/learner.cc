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
  list.push_back({"decision tree", decision_tree()});
  list.push_back({"bagging", bagging(seed)});
  list.push_back({"random forest", random_forest(seed)});
  list.push_back({"adaboost", ada_boost()});
  list.push_back({"gradient boosting", gradient_boosting()});
  list.push_back({"xgboost", xgboost()});
  return list;
}

}  // namespace sosia::eval
