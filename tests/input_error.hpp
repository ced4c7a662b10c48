/// @file
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/errors.hpp"

/// The message of the InputError that the action throws; "no InputError" if it throws none.
template <class Action>
std::string input_error_message(const Action& action) {
  try {
    action();
  } catch (const kurbel::InputError& error) {
    return error.what();
  }
  return "no InputError";
}

/// The action throws an InputError whose message, of one line, contains each of the parts.
template <class Action>
void expect_input_error(const Action& action, const std::vector<std::string>& parts) {
  try {
    action();
    ADD_FAILURE() << "no InputError; expected one about: " << ::testing::PrintToString(parts);
  } catch (const kurbel::InputError& error) {
    const std::string message = error.what();
    for (const std::string& part : parts) EXPECT_THAT(message, ::testing::HasSubstr(part));
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}
