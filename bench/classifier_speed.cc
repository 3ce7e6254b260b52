// SPDX-License-Identifier: Apache-2.0
// How long each classifier of `sosia evaluate` takes to learn, and how good it is: the area under its ROC curve for two
// classes, accuracy for more. Needs a file of rows, which classifiers.py writes: counts of training rows, test rows,
// features and classes (64 bits), all features row by row (floats), all labels (32 bits).
//     classifier_speed FILE [THREADS [images]]
#include <fmt/format.h>
#include <sys/resource.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <span>

#include "eval/learners/learner.h"
#include "eval/learners/success.h"

namespace {

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

template <class T>
void read_numbers(std::istream& file, std::span<T> numbers) {
  file.read(reinterpret_cast<char*>(numbers.data()), static_cast<std::streamsize>(numbers.size_bytes()));
}

}  // namespace

int main(int argc, char** argv) {
  using namespace sosia;
  if (argc < 2) return fmt::print("usage: classifier_speed FILE [THREADS [images]]\n"), 2;
  std::ifstream file(argv[1], std::ios::binary);
  std::array<std::uint64_t, 4> counts{};
  read_numbers<std::uint64_t>(file, counts);
  const auto [train, test, width, classes] = counts;
  std::vector<float> x((train + test) * width);
  std::vector<std::uint32_t> labels(train + test);
  read_numbers<float>(file, x);
  read_numbers<std::uint32_t>(file, labels);
  if (!file) return fmt::print("the file is too short\n"), 1;
  ThreadPool pool(argc > 2 ? std::stoi(argv[2]) : 0);
  const MatrixView<const float> train_x(x.data(), train, width), test_x(x.data() + train * width, test, width);
  std::vector<eval::NamedLearner> learners = eval::all_learners(1);
  if (const auto side = static_cast<std::size_t>(std::sqrt(width)); argc > 3 && side * side == width) {
    learners.push_back({"convolutional net", eval::convolutional_net({side, side, 1}, 1)});
  }
  for (const auto& [name, learner] : learners) {
    const auto start = std::chrono::steady_clock::now();
    const double cpu_start = cpu_seconds();
    learner->fit({train_x, std::span(labels).first(train), classes}, pool);
    const std::vector<double> scores = learner->scores(test_x, pool);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    const auto truth = std::span(labels).subspan(train);
    const double success =
        classes == 2 ? eval::ranking_of(scores, truth).area : eval::accuracy(eval::guesses_of(scores, classes), truth);
    fmt::print("{}\t{:.4f}\t{:.2f}\t{:.2f}\n", name, success, seconds.count(), cpu_seconds() - cpu_start);
    std::fflush(stdout);
  }
  return 0;
}
