// SPDX-License-Identifier: Apache-2.0
#include "model/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>

#include <nlohmann/json.hpp>

#include <sosia/error.h>
#include <sosia/model.h>

#include "model/model_file_test_support.h"

namespace sosia {
namespace {

using nlohmann::json;
using Pointer = json::json_pointer;
using testing::HasSubstr;

/// The parts of a file, to be changed and put together again with a fingerprint that fits.
struct Parts {
  json header;
  std::string arrays;

  explicit Parts(const std::string& bytes) {
    std::string_view rest(bytes);
    rest.remove_suffix(kModelHashBytes);
    rest.remove_prefix(kModelMagic.size());
    const std::size_t line = rest.find('\n'), length = std::stoull(std::string(rest.substr(0, line)));
    header = json::parse(rest.substr(line + 1, length));
    arrays = rest.substr(line + 1 + length + 1);
  }
  std::string together() const {
    const std::string text = header.dump();
    return sealed(std::string(kModelMagic) + std::to_string(text.size()) + "\n" + text + "\n" + arrays);
  }
  /// A number of the arrays in the place of another.
  template <class T>
  void set(std::size_t offset, T number) {
    std::memcpy(arrays.data() + offset, &number, sizeof(T));
  }
};

std::string small_bytes() { return model_bytes(small_model()); }

void expect_refused(const std::string& bytes, const std::string& what) {
  EXPECT_THROW(parse_model(bytes, "test"), Error) << what;
}

TEST(ModelFile, ComesBackToTheByte) {
  const std::string bytes = small_bytes();
  const ModelContents back = parse_model(bytes, "test");
  EXPECT_EQ(model_bytes(back), bytes);
  const ModelContents model = small_model();
  EXPECT_EQ(back.method, model.method);
  EXPECT_EQ(back.settings, model.settings);
  EXPECT_EQ(back.seed, model.seed);
  EXPECT_EQ(to_json(back.schema), to_json(model.schema));
  EXPECT_EQ(back.codec.missing_words, model.codec.missing_words);
  EXPECT_EQ(back.statement, model.statement);
  EXPECT_EQ(back.certificate, model.certificate);
  EXPECT_EQ(counts_of(back).rows, counts_of(model).rows);
  ASSERT_EQ(counts_of(back).list.size(), 3U);
  EXPECT_EQ(counts_of(back).list[0].cell_sigma, counts_of(model).list[0].cell_sigma);
  EXPECT_EQ(counts_of(back).list[2].counts, counts_of(model).list[2].counts);
  ASSERT_NE(back.generator, nullptr);
  const auto mixture = [](const ModelContents& m) { return dynamic_cast<const ProductMixture*>(m.generator.get()); };
  EXPECT_EQ(mixture(back)->probabilities(), mixture(model)->probabilities());
  EXPECT_EQ(mixture(back)->kept(), mixture(model)->kept());
}

TEST(ModelFile, ComesBackUntrainedToo) {
  ModelContents model = small_model();
  model.generator = nullptr;
  const std::string bytes = model_bytes(model);
  EXPECT_EQ(parse_model(bytes, "test").generator, nullptr);
  EXPECT_EQ(model_bytes(parse_model(bytes, "test")), bytes);
}

TEST(ModelFile, EveryCutIsRefused) {
  const std::string bytes = small_bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) expect_refused(bytes.substr(0, size), std::to_string(size));
  expect_refused(bytes + '\0', "one byte more");
}

TEST(ModelFile, AFlippedBitOfEveryByteIsRefused) {
  std::string bytes = small_bytes();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const char honest = bytes[i];
    bytes[i] = static_cast<char>(honest ^ (1 << (i % 8)));
    expect_refused(bytes, "byte " + std::to_string(i));
    bytes[i] = honest;
  }
}

/// Cuts and flips behind which the fingerprint fits: some are files of another content, none may crash, and what is
/// refused is refused by an Error.
TEST(ModelFile, ResealedDamageNeverCrashes) {
  std::string body = small_bytes();
  body.resize(body.size() - kModelHashBytes);
  int refused = 0;
  const auto attempt = [&](const std::string& changed) {
    try {
      const ModelContents model = parse_model(sealed(changed), "test");
      if (!model.generator) return;
      std::vector<float> rows(7 * model.generator->widths().size());
      model.generator->sample(1, 0, {}, {rows.data(), 7, model.generator->widths().size()});
    } catch (const Error&) {
      ++refused;
    }
  };
  for (std::size_t size = 0; size < body.size(); ++size) attempt(body.substr(0, size));
  EXPECT_EQ(refused, static_cast<int>(body.size()));  // nothing that is cut short is a file
  for (std::size_t i = 0; i < body.size(); ++i) {
    for (const int bit : {0, 4, 7}) {
      std::string changed = body;
      changed[i] = static_cast<char>(changed[i] ^ (1 << bit));
      attempt(changed);
    }
  }
  EXPECT_GT(refused, static_cast<int>(2 * body.size()));
}

TEST(ModelFile, ResealedPartsAreTheFile) {
  EXPECT_EQ(model_bytes(parse_model(Parts(small_bytes()).together(), "test")), small_bytes());
}

TEST(ModelFile, HostileHeadersAreRefused) {
  const std::vector<std::pair<std::string, std::string>> lies = {
      // place, and a list of values for it
      {"/method", R"([7, null])"},
      {"/settings", R"([{}, "x", null, [1], [["a", "x"]], [["a", null]], [["a"]], [["a", 1, 2]]])"},
      {"/seed", R"(["", "12a", "-1", "123456789012345678901", 5, null])"},
      {"/schema", R"([{}, [], null, "x"])"},
      {"/codec", R"([[], null])"},
      {"/codec/numbers", R"(["x", 1, null, "scaled"])"},
      {"/codec/bins", R"(["x", 1.5, null])"},
      {"/codec/missing_words", R"([[1], "x", [["a"]]])"},
      {"/statement", R"([3, null])"},
      {"/measured", R"([null, []])"},
      {"/measured/rows", R"([0, -1, 1e300, "x", null])"},
      {"/measured/fields", R"([0, -1, 4, 9223372036854775807, 1.5])"},
      {"/measured/views", R"([[], [1], "x"])"},
      {"/measured/views/0/field", R"([1, -1, 2, 9223372036854775807, 18446744073709551615])"},
      {"/measured/views/0/group",
       R"([[], [-1, 0, 1], [0, 1, 3], [4294967296, 0, 1], [18446744073709551615, 0, 1], [0.5, 0, 1], [0, 1], "x"])"},
      {"/measured/views/2/group", R"([[0, 0, 0], [0, 1, 1, 1, 5], [0, 1, 1, 1, 1, 1], []])"},
      {"/measured/views/2/field", R"([0, -1, 7])"},
      {"/measured/list", R"(["x", [1], [{}], []])"},
      {"/measured/list/0/views", R"([[], [1, 0], [0, 0], [99], [-1], [0.5], [1, 2], "x"])"},
      {"/measured/list/0/cells", R"([0, -1, 4, 9223372036854775807])"},
      {"/measured/list/0/sigma", R"([-1, "x", null])"},
      {"/measured/list/0/by_cell", R"(["yes", 1, null, false])"},
      {"/measured/list/2/by_cell", R"([true])"},
      {"/generator", R"([[], 1, "x", {}, null])"},
      {"/generator/kind", R"(["net", "x", 1, null])"},
      {"/certificate", R"([{}, 1, null, "", "x", "[]", "1"])"},
      {"/generator/components", R"([0, -1, 1, 3, 1000001, 9223372036854775807, 1.5])"},
      {"/generator/kept", R"(["x", [[]], [[0, 0]], [[9]], [[-1]], [[1, 2]], [[2, 0]]])"},
  };
  const Parts honest(small_bytes());
  for (const auto& [place, values] : lies) {
    for (const json& value : json::parse(values)) {
      Parts parts = honest;
      parts.header.at(Pointer(place)) = value;
      expect_refused(parts.together(), place + " = " + value.dump());
    }
  }
}

TEST(ModelFile, KeysThatLackOrAreUnknownAreRefused) {
  const Parts honest(small_bytes());
  for (const std::string place : {"", "/codec", "/measured", "/measured/views/0", "/measured/list/0", "/generator"}) {
    for (const auto& item : honest.header.at(Pointer(place)).items()) {
      Parts parts = honest;
      parts.header.at(Pointer(place)).erase(item.key());
      expect_refused(parts.together(), place + " without " + item.key());
    }
    Parts parts = honest;
    parts.header.at(Pointer(place))["more"] = 1;
    expect_refused(parts.together(), place + " with more");
  }
}

TEST(ModelFile, HostileNumbersAreRefused) {
  const Parts honest(small_bytes());
  const std::size_t spread = 8 * sizeof(float);  // three states of x, five of y
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const auto refused = [&](const std::string& what, const std::function<void(Parts&)>& change) {
    Parts parts = honest;
    change(parts);
    expect_refused(parts.together(), what);
  };
  refused("a share that is none", [&](Parts& p) { p.set(0, kNan); });
  refused("a share below 0", [&](Parts& p) { p.set(4, -0.5F); });
  refused("an infinite count", [&](Parts& p) { p.set(spread, kInfinite); });
  refused("noise below 0", [&](Parts& p) { p.set(spread + 3 * sizeof(double), -1.0); });
  refused("a probability above 1", [&](Parts& p) { p.set(p.arrays.size() - 4, 1.5F); });
  refused("a probability below 0", [&](Parts& p) { p.set(p.arrays.size() - 4, -0.5F); });
  refused("a probability that is none", [&](Parts& p) { p.set(p.arrays.size() - 4, kNan); });
  refused("a number too many", [](Parts& p) { p.arrays += std::string(4, '\0'); });
  refused("half a number", [](Parts& p) { p.arrays.resize(p.arrays.size() - 2); });
}

TEST(ModelFile, HostileLengthsAreRefused) {
  const Parts honest(small_bytes());
  const std::string text = honest.header.dump();
  for (const std::string& length :
       {std::to_string(text.size() - 1), std::to_string(text.size() + 1), std::string("0"), std::string("-1"),
        std::string("1e3"), std::string(""), std::string("99999999999999999999"), std::string("9223372036854775807"),
        std::string("67108865"), std::to_string(text.size()) + " "}) {
    expect_refused(sealed(std::string(kModelMagic) + length + "\n" + text + "\n" + honest.arrays), length);
  }
  expect_refused(sealed(std::string(kModelMagic) + std::to_string(text.size()) + "\n" + text + " " + honest.arrays),
                 "no end of line");
  expect_refused(sealed(std::string(kModelMagic)), "no length");
  expect_refused(sealed(std::string(kModelMagic) + "12"), "no line");
  expect_refused(sealed(std::string(kModelMagic) + "2\n{}"), "no end of the header");
  const std::string deep(100000, '[');
  expect_refused(sealed(std::string(kModelMagic) + "100000\n" + deep + "\n"), "deep");
}

/// Cells that nobody could count must not be allocated for: 8 fields of 16 groups have 2^32.
TEST(ModelFile, MarginalsOfTooManyCellsAreRefused) {
  ModelContents model = small_model();
  model.released = Measurements{};
  counts_of(model).fields = 8;
  counts_of(model).rows = 5.0;
  model.generator = nullptr;
  for (int f = 0; f < 8; ++f) {
    counts_of(model).views.push_back(View::finest(f, 16));
    counts_of(model).spread.emplace_back(16, 1.0F);
  }
  Parts parts(model_bytes(model));
  parts.header["measured"]["list"] =
      json::parse(R"([{"views": [0, 1, 2, 3, 4, 5, 6, 7], "cells": 4294967296, "sigma": 1, "by_cell": false}])");
  expect_refused(parts.together(), "2^32 cells");
}

/// A number in a list must not make a table of its size, and views of one field have the same states.
TEST(ModelFile, GroupsThatDoNotFitTheStatesAreRefused) {
  ModelContents model = small_model();
  model.generator = nullptr;
  counts_of(model).list.clear();
  Parts parts(model_bytes(model));
  EXPECT_NO_THROW(parse_model(parts.together(), "test"));
  Parts longer = parts;
  longer.header["measured"]["views"][2]["group"].push_back(1);
  expect_refused(longer.together(), "a coarser view of more states");
  parts.header["measured"]["views"][0]["group"] = json::parse("[0, 1, 16777215]");
  expect_refused(parts.together(), "16777216 groups of 3 states");
}

TEST(Model, SaysWhatIsWrongWithAFile) {
  try {
    parse_model("PAR1 something else", "clinic.sosia");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::io);
    EXPECT_THAT(error.what(), HasSubstr("clinic.sosia"));
  }
}

class ModelOnDisk : public testing::Test {
 protected:
  ModelOnDisk() : folder_(std::filesystem::temp_directory_path() / ("sosia_model_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~ModelOnDisk() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(ModelOnDisk, SavesOnceUnlessToldToReplace) {
  const Model model(std::make_shared<const ModelContents>(small_model()));
  const std::filesystem::path path = folder_ / "m.sosia";
  model.save(path);
  EXPECT_THROW(model.save(path), Error);
  ModelContents other = small_model();
  other.seed = 5;
  Model(std::make_shared<const ModelContents>(other)).save(path, true);
  EXPECT_EQ(Model::load(path).contents().seed, 5U);
  model.save(folder_ / "new.sosia", true);
  EXPECT_EQ(model_bytes(Model::load(folder_ / "new.sosia").contents()), small_bytes());
  EXPECT_THROW(Model::load(folder_ / "none.sosia"), Error);
}

TEST_F(ModelOnDisk, SamplesDependOnTheSeedAlone) {
  const Model model(std::make_shared<const ModelContents>(small_model()));
  const auto sampled = [&](const std::string& name, const SampleOptions& how) {
    EXPECT_EQ(model.sample(folder_ / name, how), how.rows > 0 ? how.rows : 123);
    std::ifstream in(folder_ / name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const std::string rows = sampled("a.csv", {.rows = 200, .threads = 1});
  EXPECT_EQ(sampled("b.csv", {.rows = 200, .threads = 2}), rows);
  EXPECT_NE(sampled("c.csv", {.rows = 200, .seed = 2}), rows);
  sampled("d.csv", {});
  sampled("d.parquet", {.rows = 10});
  EXPECT_THROW(model.sample(folder_ / "e.csv", {.rows = 5, .where = {{"z", "1"}}}), Error);
  EXPECT_THROW(model.sample(folder_ / "e.csv", {.rows = 5, .where = {{"x", "q"}}}), Error);
  EXPECT_THROW(model.sample(folder_ / "e.csv", {.rows = 5, .where = {{"y", "99"}}}), Error);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "e.csv"));
}

/// A schema with more values than the generator has states: whoever asks for one of them reads no memory beside it.
TEST_F(ModelOnDisk, ASchemaThatSaysMoreThanTheGeneratorIsRefused) {
  ModelContents model = small_model();
  model.schema.columns[0].values->resize(300);
  for (std::size_t i = 3; i < 300; ++i) (*model.schema.columns[0].values)[i] = std::to_string(i);
  const std::string bytes = model_bytes(model);
  EXPECT_THROW(Model(std::make_shared<const ModelContents>(parse_model(bytes, "test")))
                   .sample(folder_ / "s.csv", {.rows = 5, .where = {{"x", "299"}}}),
               Error);
}

}  // namespace
}  // namespace sosia
