/// @file
/// References that may own.
#pragma once

#include <concepts>
#include <memory>
#include <utility>

namespace kurbel {

/// An object that its user keeps a reference to. Given as a std::shared_ptr, it lives as long as its user does. Given by
/// its name, it is lent: it must outlive its user, as a member of the same object or a local variable of the same scope
/// does. A temporary does not compile.
template <class T>
class Shared {
 public:
  template <class U>
  requires std::convertible_to<U*, T*> Shared(std::shared_ptr<U> owned)
      : object_(std::move(owned)) {}  // NOLINT: implicit, so that either may be given
  template <class U>
  requires std::convertible_to<U*, T*> Shared(U& lent) : object_(std::shared_ptr<void>(), &lent) {}  // NOLINT
  template <class U>
  requires std::convertible_to<const U*, T*> Shared(const U&&)
  = delete;
  template <class U>
  requires std::convertible_to<U*, T*> Shared(const Shared<U>& other) : object_(other.pointer()) {}  // NOLINT

  T& operator*() const { return *object_; }
  T* operator->() const { return object_.get(); }
  /// It owns nothing if the object is lent.
  const std::shared_ptr<T>& pointer() const { return object_; }

 private:
  std::shared_ptr<T> object_;
};

}  // namespace kurbel
