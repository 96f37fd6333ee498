#include "config/layer.hpp"

#include "base/utf8.hpp"
#include "config/values.hpp"

namespace atl::config {
namespace {

Origin at(const Origin& source, Place place) {
  Origin origin = source;
  if (source.kind == Origin::Kind::kFile) {
    origin.line = place.line;
    origin.column = place.column;
  }
  return origin;
}

Element text_element(const std::string& text) {
  return Element{.scalar = boost::json::string(text.data(), text.size())};
}

}  // namespace

std::string pointer_of(const Node& node) {
  std::string pointer = node.path.empty() ? "" : "/" + node.path;
  for (char& letter : pointer) {
    if (letter == '.') letter = '/';
  }
  return pointer;
}

void Layer::complain(Origin origin, std::string pointer, std::string detail) {
  if (problems_.size() >= kMaxProblems) return;
  problems_.push_back(
      {.origin = std::move(origin), .pointer = std::move(pointer), .detail = std::move(detail)});
}

void Layer::add(const Node& node, const Element& element, const Origin& source,
                const std::string& pointer) {
  if (!node.is_leaf()) return add_members(node, element, source, pointer);
  Origin here = at(source, element.place);
  if (auto other = settings_.find(node.path); other != settings_.end()) {
    return complain(here, pointer, "is set already, at " + other->second.origin.place());
  }
  auto refuse = [&](const Element& part, const std::string& below, std::string detail) {
    complain(at(source, part.place), pointer + below, std::move(detail));
  };
  std::optional<boost::json::value> value = accept(node, element, refuse);
  if (value) settings_.emplace(node.path, Setting{.value = std::move(*value), .origin = here});
}

void Layer::add_members(const Node& node, const Element& element, const Origin& source,
                        const std::string& pointer) {
  if (element.kind != Element::Kind::kObject) {
    return complain(at(source, element.place), pointer, "must be an object");
  }
  for (const Member& member : element.members) {
    if (problems_.size() >= kMaxProblems) return;
    std::string below = pointer_to(pointer, member.key);
    if (const Node* child = child_of(node, member.key)) {
      add(*child, member.value, source, below);
    } else {
      complain(at(source, member.place), below, "is unknown" + suggestion(node, member.key));
    }
  }
}

void Layer::add_text(const Node& node, const std::string& text, const Origin& source) {
  std::string pointer = pointer_of(node);
  if (!is_utf8(text)) return complain(source, pointer, "must be UTF-8");
  if (node.kind == Node::Kind::kText || node.kind == Node::Kind::kChoice) {
    return add(node, text_element(text), source, pointer);
  }
  std::expected<Element, Problem> parsed = read_document(text, source);
  // What is no JSON is certainly not what was expected, and that says more than a syntax error.
  add(node, parsed ? *parsed : text_element(""), source, pointer);
}

}  // namespace atl::config
