// Is this value one that the field may have?
#pragma once

#include <functional>
#include <optional>
#include <string>

#include <boost/json/value.hpp>

#include "config/document.hpp"
#include "config/schema.hpp"

namespace atl::config {

// Called with the element that is wrong, where it is below the field ("", "/0") and what is wrong.
using Complain =
    std::function<void(const Element& element, const std::string& below, std::string detail)>;

// The value in the form that codec decodes; nothing after a complaint. `node` is a leaf.
std::optional<boost::json::value> accept(const Node& node, const Element& element,
                                         const Complain& complain);

// "true or false", "a whole number from 1 to 3600": for complaints and for the reference.
std::string expectation(const Node& node);

}  // namespace atl::config
