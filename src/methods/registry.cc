// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <sosia/error.h>

#include "base/json_reader.h"
#include "base/number_text.h"
#include "methods/entries.h"

namespace sosia {

namespace {

/// The default one first.
const std::vector<Method>& all_methods() {
  static const std::vector<Method> list = {pairwise_method(), independent_method(), dp_merf_method(),   dp_hp_method(),
                                           dp_mepf_method(),  dp_auto_gan_method(), dp_wgan_method(),   dp_vae_method(),
                                           dp_cgan_method(),  dp_syn_method(),      dp_merf_ae_method()};
  return list;
}

void check_value(const MethodOption& option, double value, const std::string& text, const std::string& method) {
  const bool fits = value >= option.least && value <= option.most && (!option.is_whole || value == std::floor(value));
  if (fits) return;
  throw Error(ErrorKind::usage, fmt::format("{} is no value for the option {}", shown(text), option.name),
              fmt::format("method {}", method),
              fmt::format("pass a {}number from {:g} to {:g}, for example --set {}={:g}",
                          option.is_whole ? "whole " : "", option.least, option.most, option.name, option.standard));
}

}  // namespace

Settings::Settings(const MethodInfo& method, const std::vector<std::pair<std::string, std::string>>& given,
                   bool of_images) {
  std::vector<std::string> names;
  for (const MethodOption& option : method.options) {
    names.push_back(option.name);
    values_.emplace_back(option.name, of_images ? option.of_images.value_or(option.standard) : option.standard);
  }
  for (const auto& [name, text] : given) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      throw Error(
          ErrorKind::usage, fmt::format("method {} has no option {}", method.name, shown(name)), "--set",
          names.empty() ? "leave it out: the method has no options" : fmt::format("choose one of: {}", listed(names)));
    }
    const auto i = static_cast<std::size_t>(found - names.begin());
    const double value = number_from(text).value_or(std::numeric_limits<double>::quiet_NaN());
    check_value(method.options[i], value, text, method.name);
    values_[i].second = value;
  }
}

Settings::Settings(const MethodInfo& method, std::vector<std::pair<std::string, double>> values)
    : values_(std::move(values)) {
  for (const MethodOption& option : method.options) check_value(option, number(option.name), option.name, method.name);
}

double Settings::number(const std::string& name) const {
  for (const auto& [known, value] : values_) {
    if (known == name) return value;
  }
  throw Error(ErrorKind::io, "the model lacks the option " + shown(name), "its settings", "fit again");
}

std::vector<MethodInfo> methods() {
  std::vector<MethodInfo> list;
  for (const Method& method : all_methods()) list.push_back(method.info);
  return list;
}

const Method& find_method(const std::string& name) {
  std::vector<std::string> names;
  for (const Method& method : all_methods()) {
    if (method.info.name == name) return method;
    names.push_back(method.info.name);
  }
  throw Error(ErrorKind::usage, fmt::format("there is no method {}", shown(name)), "--method",
              fmt::format("choose one of: {}", listed(names)));
}

const Method& method_for(const Schema& schema, const std::string& name) {
  const auto takes = [&](const MethodInfo& info) { return schema.images ? info.takes_images : info.takes_tables; };
  std::vector<std::string> names;
  for (const Method& method : all_methods()) {
    if (takes(method.info)) names.push_back(method.info.name);
  }
  const Method& method = find_method(name.empty() ? names.front() : name);
  if (takes(method.info)) return method;
  throw Error(ErrorKind::usage, fmt::format("method {} takes no {}", name, schema.images ? "images" : "tables"),
              "--method", fmt::format("choose one of: {}", listed(names)));
}

}  // namespace sosia
