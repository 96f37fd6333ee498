#include "config/values.hpp"

#include <algorithm>
#include <cmath>

#include "config/network_presets.hpp"

namespace atl::config {
namespace {

std::optional<std::uint64_t> whole_number(const boost::json::value& value) {
  if (const std::uint64_t* large = value.if_uint64()) return *large;
  if (const std::int64_t* small = value.if_int64()) {
    return *small >= 0 ? std::optional(static_cast<std::uint64_t>(*small)) : std::nullopt;
  }
  const double* real = value.if_double();
  // 3.0 is three; beyond 2^53 a double no longer says which number was meant.
  bool exact =
      real != nullptr && *real >= 0 && *real < 9007199254740992.0 && std::trunc(*real) == *real;
  return exact ? std::optional(static_cast<std::uint64_t>(*real)) : std::nullopt;
}

// What is wrong with a text of this field; empty: nothing.
std::string fault_of_text(const Rule& rule, std::string_view text) {
  if (text.size() > rule.most)
    return "must not be longer than " + std::to_string(rule.most) + " bytes";
  return rule.check == nullptr ? "" : std::string(rule.check(text));
}

const boost::json::string* text_of(const Element& element) {
  return element.kind == Element::Kind::kScalar ? element.scalar.if_string() : nullptr;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

class Acceptor {
 public:
  Acceptor(const Node& node, const Complain& complain)
      : node_(node), rule_(*node.rule), complain_(complain) {}

  std::optional<boost::json::value> run(const Element& element) {
    switch (node_.kind) {
      case Node::Kind::kBoolean:
        if (element.scalar.is_bool()) return element.scalar;
        break;
      case Node::Kind::kInteger: {
        std::optional<std::uint64_t> number = whole_number(element.scalar);
        if (number && *number >= rule_.least && *number <= rule_.most) return *number;
        break;
      }
      case Node::Kind::kText: return text(element);
      case Node::Kind::kChoice: return choice(element);
      case Node::Kind::kTexts: return list(element);
      case Node::Kind::kTextMap: return map(element);
      case Node::Kind::kPresets:
        if (element.kind == Element::Kind::kObject)
          return accept_presets(rule_, element, complain_);
        break;
      case Node::Kind::kObject: break;
    }
    return refuse(element);
  }

 private:
  std::nullopt_t refuse(const Element& element) {
    complain_(element, "", "must be " + expectation(node_));
    return std::nullopt;
  }

  bool check(const Element& element, const std::string& below, std::string_view text) {
    std::string fault = fault_of_text(rule_, text);
    if (fault.empty()) return true;
    complain_(element, below, std::move(fault));
    return false;
  }

  std::optional<boost::json::value> text(const Element& element) {
    const boost::json::string* text = text_of(element);
    if (text == nullptr) return refuse(element);
    std::string value(text->data(), text->size());
    bool known =
        node_.choices.empty() || std::ranges::find(node_.choices, value) != node_.choices.end();
    if (!known) return refuse(element);
    return check(element, "", value) ? std::optional(element.scalar) : std::nullopt;
  }

  // codec writes enumerators with underscores.
  std::optional<boost::json::value> choice(const Element& element) {
    const boost::json::string* text = text_of(element);
    if (text == nullptr) return refuse(element);
    std::string value(text->data(), text->size());
    if (std::ranges::find(node_.choices, value) == node_.choices.end()) return refuse(element);
    std::ranges::replace(value, '-', '_');
    return boost::json::value(boost::json::string(value.data(), value.size()));
  }

  std::optional<boost::json::value> list(const Element& element) {
    if (element.kind != Element::Kind::kList) return refuse(element);
    if (!fits(element, element.items.size())) return std::nullopt;
    bool good = true;
    for (std::size_t i = 0; i < element.items.size(); ++i) {
      good &= entry(element.items[i], "/" + std::to_string(i));
    }
    return good ? std::optional(to_value(element)) : std::nullopt;
  }

  std::optional<boost::json::value> map(const Element& element) {
    if (element.kind != Element::Kind::kObject) return refuse(element);
    if (!fits(element, element.members.size())) return std::nullopt;
    bool good = true;
    for (const Member& member : element.members) {
      std::string below = pointer_to("", member.key);
      good &= check(member.value, below, member.key) && entry(member.value, below);
    }
    return good ? std::optional(to_value(element)) : std::nullopt;
  }

  bool fits(const Element& element, std::size_t count) {
    if (count <= rule_.items) return true;
    complain_(element, "", "must not have more than " + std::to_string(rule_.items) + " entries");
    return false;
  }

  bool entry(const Element& element, const std::string& below) {
    const boost::json::string* text = text_of(element);
    if (text != nullptr) return check(element, below, {text->data(), text->size()});
    complain_(element, below, "must be a string");
    return false;
  }

  const Node& node_;
  const Rule& rule_;
  const Complain& complain_;
};

}  // namespace

std::optional<boost::json::value> accept(const Node& node, const Element& element,
                                         const Complain& complain) {
  return Acceptor(node, complain).run(element);
}

std::string expectation(const Node& node) {
  switch (node.kind) {
    case Node::Kind::kBoolean: return "true or false";
    case Node::Kind::kInteger:
      return "a whole number from " + std::to_string(node.rule->least) + " to " +
             std::to_string(node.rule->most);
    case Node::Kind::kText:
      return node.choices.empty() ? "a string" : "one of " + joined(node.choices);
    case Node::Kind::kChoice: return "one of " + joined(node.choices);
    case Node::Kind::kTexts: return "a list of strings, such as [\"a\", \"b\"]";
    case Node::Kind::kTextMap: return "an object of strings, such as {\"a\": \"b\"}";
    case Node::Kind::kPresets:
      return "an object of presets, such as {\"pypi\": {\"rules\": [{\"target\": "
             "\"packages.example.org\"}]}}";
    case Node::Kind::kObject: return "an object";
  }
  return "";
}

}  // namespace atl::config
