package dev.atoll.sdk.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Paths, conditions and references of scenarios (sdk/SCENARIOS.md). */
final class Conditions {
  private static final Pattern REFERENCE = Pattern.compile("\\$\\$\\{|\\$\\{([^}]+)}");

  private Conditions() {}

  static JsonNode at(JsonNode value, String path) {
    return path.isEmpty() ? value : along(value, Arrays.asList(path.split("\\.")));
  }

  private static JsonNode along(JsonNode value, List<String> names) {
    if (names.isEmpty()) {
      return value;
    }
    String name = names.get(0);
    List<String> rest = names.subList(1, names.size());
    if (name.equals("*")) {
      ArrayNode all = JsonNodeFactory.instance.arrayNode();
      value.forEach(one -> all.add(along(one, rest)));
      return all;
    }
    if (value.isArray() && name.matches("-?\\d+")) {
      int index = Integer.parseInt(name);
      return along(value.path(index < 0 ? value.size() + index : index), rest);
    }
    return along(value.path(name), rest);
  }

  static boolean same(JsonNode a, JsonNode b) {
    if (a.isNumber() && b.isNumber()) {
      return a.decimalValue().compareTo(b.decimalValue()) == 0;
    }
    if (a.isArray() && b.isArray() && a.size() == b.size()) {
      for (int i = 0; i < a.size(); i++) {
        if (!same(a.get(i), b.get(i))) {
          return false;
        }
      }
      return true;
    }
    if (a.isObject() && b.isObject()) {
      return a.size() == b.size() && holdsMembers(a, b);
    }
    return a.equals(b);
  }

  static boolean holdsMembers(JsonNode value, JsonNode members) {
    for (Map.Entry<String, JsonNode> one : members.properties()) {
      if (!same(value.path(one.getKey()), one.getValue())) {
        return false;
      }
    }
    return value.isObject();
  }

  private static boolean contains(JsonNode value, JsonNode wanted) {
    if (value.isTextual()) {
      return value.asText().contains(wanted.asText());
    }
    if (value.isArray()) {
      for (JsonNode one : value) {
        if (same(one, wanted)) {
          return true;
        }
      }
      return false;
    }
    return holdsMembers(value, wanted);
  }

  private static boolean isPresent(JsonNode value) {
    return !value.isMissingNode() && !value.isNull();
  }

  private static boolean holds(String name, JsonNode value, JsonNode wanted) {
    return switch (name) {
      case "equals" -> same(value, wanted);
      case "not_equals" -> !same(value, wanted);
      case "contains" -> contains(value, wanted);
      case "lacks" -> !contains(value, wanted);
      case "matches" -> value.isTextual() && Pattern.compile(wanted.asText()).matcher(value.asText()).find();
      case "length" -> isPresent(value)
          && (value.isTextual() ? value.asText().codePointCount(0, value.asText().length()) : value.size()) == wanted.asInt();
      case "at_least" -> value.isNumber() && value.asDouble() >= wanted.asDouble();
      case "at_most" -> value.isNumber() && value.asDouble() <= wanted.asDouble();
      case "one_of" -> contains(wanted, value);
      case "present" -> isPresent(value) == wanted.asBoolean();
      default -> throw new IllegalArgumentException("no such condition: " + name);
    };
  }

  /** The first condition that does not hold; null where all do. */
  static String broken(JsonNode value, JsonNode conditions) {
    for (JsonNode condition : conditions) {
      JsonNode found = at(value, condition.path("path").asText(""));
      for (Map.Entry<String, JsonNode> one : condition.properties()) {
        if (!one.getKey().equals("path") && !holds(one.getKey(), found, one.getValue())) {
          String text = condition.path("path").asText("it") + " " + one.getKey() + " " + one.getValue() + ", but is " + found;
          return text.substring(0, Math.min(text.length(), 500));
        }
      }
    }
    return null;
  }

  /** A value with its references replaced. */
  static JsonNode filled(JsonNode value, ObjectNode saved) {
    if (value.isArray()) {
      ArrayNode out = JsonNodeFactory.instance.arrayNode();
      value.forEach(one -> out.add(filled(one, saved)));
      return out;
    }
    if (value.isObject()) {
      ObjectNode out = JsonNodeFactory.instance.objectNode();
      value.properties().forEach(one -> out.set(one.getKey(), filled(one.getValue(), saved)));
      return out;
    }
    if (!value.isTextual()) {
      return value.isMissingNode() ? MissingNode.getInstance() : value;
    }
    Matcher matcher = REFERENCE.matcher(value.asText());
    if (matcher.matches() && matcher.group(1) != null) {
      return at(saved, matcher.group(1));
    }
    return JsonNodeFactory.instance.textNode(matcher.replaceAll(
        found -> Matcher.quoteReplacement(found.group(1) == null ? "${" : at(saved, found.group(1)).asText())));
  }
}
