/// @file
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/files.hpp"

/// The action throws a WriteError whose message, of one line, contains each of the parts.
template <class Action>
void expect_write_error(const Action& action, const std::vector<std::string>& parts) {
  try {
    action();
    ADD_FAILURE() << "no WriteError; expected one about: " << ::testing::PrintToString(parts);
  } catch (const kurbel::WriteError& error) {
    const std::string message = error.what();
    for (const std::string& part : parts) EXPECT_THAT(message, ::testing::HasSubstr(part));
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}
