#include "parts/vtk_xml_elements.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/errors.hpp"

namespace kurbel {

namespace {

constexpr std::string_view xml_blanks = " \t\r\n";

class XmlParser {
 public:
  XmlParser(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  VtkXml parse() {
    XmlElement document;
    open_.push_back(std::move(document));
    while (!is_complete()) {
      const std::size_t tag = text_.find('<', at_);
      if (tag == text_.npos)
        fail(open_.size() == 1
                 ? "it is no VTK file of an unstructured grid"
                 : fmt::format("it is damaged or cut off: the element {} does not end", open_.back().name));
      open_.back().text += text_.substr(at_, tag - at_);
      go_to(tag);
      read_tag();
    }
    result_.root = std::move(open_.front().children.front());
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}:{}: {}", file_, line_, what));
  }
  bool is_complete() const { return open_.size() == 1 && !open_.front().children.empty(); }

  void go_to(std::size_t place) {
    line_ += static_cast<std::size_t>(
        std::ranges::count(text_.substr(at_, std::min(place, text_.size()) - at_), '\n'));
    at_ = place;
  }
  void skip_behind(std::string_view end) {
    const std::size_t found = text_.find(end, at_);
    if (found == text_.npos) fail(fmt::format("it is damaged or cut off: there is no {}", end));
    go_to(found + end.size());
  }

  void read_tag() {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("<!--")) return skip_behind("-->");
    if (rest.starts_with("<?")) return skip_behind("?>");
    if (rest.starts_with("<!DOCTYPE")) return skip_document_type();
    if (rest.starts_with("</")) return close(rest.substr(2));
    open(rest.substr(1));
  }

  /// Between brackets there may be declarations, which are tags of their own.
  void skip_document_type() {
    const std::size_t end = text_.find_first_of("[>", at_);
    if (end != text_.npos && text_[end] == '[') skip_behind("]");
    skip_behind(">");
  }

  std::string_view name_in(std::string_view rest) const {
    const auto end = std::ranges::find_if_not(rest, [](unsigned char c) {
      return c < 128 && (std::isalnum(c) || c == '_' || c == '-' || c == ':' || c == '.');
    });
    const std::string_view name = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
    if (name.empty()) fail("it is damaged: there is a tag or an attribute without a name");
    return name;
  }

  void close(std::string_view rest) {
    const std::string_view name = name_in(rest);
    if (open_.size() == 1 || name != open_.back().name)
      fail(fmt::format("it is damaged: </{}> ends what has not begun", name));
    close_last();
    skip_behind(">");
  }
  void close_last() {
    XmlElement last = std::move(open_.back());
    open_.pop_back();
    open_.back().children.push_back(std::move(last));
  }

  void open(std::string_view rest) {
    constexpr std::size_t deepest = 32;
    if (open_.size() > deepest) fail("it is damaged: its elements are nested too deeply");
    XmlElement element{.name = std::string(name_in(rest)), .line = line_};
    go_to(at_ + 1 + element.name.size());
    while (read_attribute(element)) {
    }
    const bool is_empty = text_.substr(at_).starts_with("/>");
    const bool is_appended = element.name == "AppendedData" && open_.size() == 2;
    open_.push_back(std::move(element));
    if (is_empty) close_last();
    go_to(at_ + (is_empty ? 2 : 1));
    if (is_appended && !is_empty) read_appended();
  }

  /// Reads `name = "value"`; false where the tag ends.
  bool read_attribute(XmlElement& element) {
    go_to(std::min(text_.find_first_not_of(xml_blanks, at_), text_.size()));
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with(">") || rest.starts_with("/>")) return false;
    const auto fail_tag = [&] {
      fail(fmt::format("it is damaged or cut off: the tag <{}> is not whole", element.name));
    };
    if (rest.empty() || rest.front() == '/') fail_tag();
    const std::string_view name = name_in(rest);
    const std::size_t equals = rest.find_first_not_of(xml_blanks, name.size());
    if (equals == rest.npos || rest[equals] != '=') fail_tag();
    const std::size_t quote = rest.find_first_not_of(xml_blanks, equals + 1);
    if (quote == rest.npos || (rest[quote] != '"' && rest[quote] != '\'')) fail_tag();
    const std::size_t end = rest.find(rest[quote], quote + 1);
    if (end == rest.npos) fail_tag();
    element.attributes.emplace(name, rest.substr(quote + 1, end - quote - 1));
    go_to(at_ + end + 1);
    return true;
  }

  /// Takes all up to the end of AppendedData, the last element of a file, as it is.
  void read_appended() {
    const std::size_t begin = text_.find('_', at_), end = text_.rfind("</AppendedData");
    if (begin == text_.npos || end == text_.npos || end < begin ||
        text_.substr(at_, begin - at_).find_first_not_of(xml_blanks) != std::string_view::npos)
      fail("it is damaged or cut off: AppendedData does not begin with _ or does not end");
    result_.appended = text_.substr(begin + 1, end - begin - 1);
    result_.is_appended_base64 = open_.back().attribute("encoding", "base64") != "raw";
    at_ = end;  // lines are counted no more: the bytes are none of text
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0, line_ = 1;
  std::vector<XmlElement> open_;  ///< the document, and in it the elements that have not ended
  VtkXml result_;
};

}  // namespace

const XmlElement* XmlElement::child(std::string_view of_name) const {
  const auto found = std::ranges::find(children, of_name, &XmlElement::name);
  return found == children.end() ? nullptr : &*found;
}

std::string_view XmlElement::attribute(std::string_view of_name, std::string_view otherwise) const {
  const auto found = attributes.find(of_name);
  return found == attributes.end() ? otherwise : std::string_view(found->second);
}

VtkXml parse_vtk_xml(std::string_view text, const std::string& file) {
  return XmlParser(text, file).parse();
}

}  // namespace kurbel
