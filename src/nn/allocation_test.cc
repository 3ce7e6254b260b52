// SPDX-License-Identifier: Apache-2.0
// A program of its own, since it counts what operator new does for everybody.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "nn/image_generator.h"
#include "nn/loss.h"
#include "nn/optimizer.h"
#include "nn/test_support.h"
#include "simd/normals.h"

namespace {
std::atomic<int> allocations = 0;
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace sosia::nn {
namespace {

TEST(Allocation, AStepOfTrainingAllocatesNothing) {
  constexpr std::size_t kRows = 400;
  ThreadPool pool(2);
  Net net(layers(dense(16, 200), batch_norm(200, {.activation = kRelu}),
                 residual(layers(dense(200, 200, {.activation = kTanh}))), dense(200, 300),
                 head({{HeadKind::softmax, 100}, {HeadKind::sigmoid, 50}, {HeadKind::softmax, 150}})),
          1, pool);
  Workspace workspace(net, kRows, true);
  Optimizer optimizer(Adam{}, net.parameters().size());
  std::vector<float> x(kRows * 16), target = normal_floats(kRows * 300, 3), gradient(net.parameters().size());
  std::vector<double> losses(kRows);
  const int before = allocations;
  for (std::uint64_t step = 0; step < 3; ++step) {
    simd::fill_normals(1, step, x, pool);
    net.forward({x.data(), kRows, 16}, workspace, pool);
    squared_error(workspace.output(), {target.data(), kRows, 300}, 1.0 / kRows, {workspace.output_gradient(), losses},
                  pool);
    net.backward(workspace, gradient, pool);
    optimizer.step(1e-3, gradient, net.parameters(), pool);
  }
  EXPECT_EQ(allocations, before);
  const std::vector<float> one(1);
  EXPECT_EQ(allocations, before + 1) << "the counter does not count";
}

TEST(Allocation, AStepOfDpSgdAllocatesNothing) {
  constexpr std::size_t kRows = 64;
  ThreadPool pool(2);
  Net net(net_without_batch_norm(), 1, pool);
  Workspace workspace(net, kRows);
  const std::vector<float> x = normal_floats(kRows * 7, 1);
  std::vector<float> gradient(net.parameters().size());
  const int before = allocations;
  net.forward({x.data(), kRows, 7}, workspace, pool);
  std::fill_n(workspace.output_gradient().data, kRows * 6, 1.0F);
  net.backward(workspace, {}, pool);
  net.clipped_gradient_sum(workspace, 0.1, 2, gradient, pool);
  EXPECT_EQ(allocations, before);
}

TEST(Allocation, AStepOnImagesAllocatesNothing) {
  constexpr std::size_t kRows = 20, kPixels = 64;
  ThreadPool pool(2);
  for (const bool is_residual : {false, true}) {
    const ImageShape shape{8, 8, 1};
    Net net(is_residual ? residual_generator(3, shape, {.planes = {6, 4}}) : convolutional_generator(3, shape), 1,
            pool);
    Workspace workspace(net, kRows, true);
    const std::vector<float> x = normal_floats(kRows * 3, 1);
    std::vector<float> gradient(net.parameters().size());
    const int before = allocations;
    for (int step = 0; step < 2; ++step) {
      net.forward({x.data(), kRows, 3}, workspace, pool);
      std::fill_n(workspace.output_gradient().data, kRows * kPixels, 1.0F);
      net.backward(workspace, gradient, pool);
    }
    EXPECT_EQ(allocations, before);
  }
}

}  // namespace
}  // namespace sosia::nn
