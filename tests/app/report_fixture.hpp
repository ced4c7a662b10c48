/// @file
/// The folder of a run, and what it tells.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/files.hpp"
#include "output/line_plot.hpp"
#include "run_program.hpp"
#include "tests/temporary_folder.hpp"

namespace kurbel::test {

class Report : public ::testing::Test {
 protected:
  std::filesystem::path at(const std::string& name) const { return folder_ / name; }
  Outcome run(const std::string& arguments) const {
    return test::run(arguments + " --output " + at("run").string() + " --json " + at("run.json").string());
  }
  nlohmann::json numbers() const { return nlohmann::json::parse(read_text_file(at("run.json"))); }
  std::string log() const { return read_text_file(at("run/run.log")); }
  int n_panels(const std::string& picture) const {
    const std::string png = read_text_file(at(picture));
    const auto byte = [&](std::size_t i) { return static_cast<int>(static_cast<unsigned char>(png[i])); };
    const int height = (byte(22) << 8) + byte(23);  // of the header
    return (height - plot_time_axis_height) / plot_panel_height;
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace kurbel::test
