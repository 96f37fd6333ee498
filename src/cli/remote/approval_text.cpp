#include "cli/remote/approval_text.hpp"

#include <algorithm>

#include <boost/json/array.hpp>

#include "cli/core/console.hpp"
#include "cli/core/table.hpp"
#include "codec/names.hpp"

namespace atl::cli {
namespace {

constexpr std::string_view kEnd = "\x1b[0m";
constexpr std::size_t kShown = 60;

std::string_view color_of(std::string_view level) {
  if (level == "critical" || level == "high") return kRed;
  return level == "medium" ? kYellow : kFaint;
}

std::string colored(std::string text, std::string_view escape, bool color) {
  return color ? std::string(escape) + text + std::string(kEnd) : text;
}

std::string quoted(std::string_view word) {
  bool plain = !word.empty() && std::ranges::none_of(word, [](char c) {
    return std::string_view(" \t\n\"'\\$`;&|<>()*?[]{}~#!").find(c) != std::string_view::npos;
  });
  if (plain) return std::string(word);
  std::string text = "'";
  for (char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

// What would run: code, or a command as one would type it.
std::string content_of(const bodies::ApprovalBody& approval) {
  if (approval.code) return *approval.code;
  if (const auto* text = approval.command.if_string()) return {text->data(), text->size()};
  std::string line;
  if (const auto* words = approval.command.if_array()) {
    for (const boost::json::value& word : *words) {
      if (!line.empty()) line += ' ';
      if (const auto* text = word.if_string()) line += quoted({text->data(), text->size()});
    }
  }
  return line;
}

std::string left(const bodies::ApprovalBody& approval, WallTime now) {
  std::optional<WallTime> end = parse_time(approval.expires_at);
  if (approval.state != model::ApprovalState::kWaiting || !end || *end <= now) return "-";
  return short_time(std::chrono::ceil<std::chrono::seconds>(*end - now));
}

void add_findings(const std::vector<bodies::FindingBody>& findings, std::uint32_t line,
                  std::size_t margin, bool color, std::string& text) {
  for (const bodies::FindingBody& one : findings) {
    if (one.line != line) continue;
    std::size_t column = std::min<std::size_t>(one.column == 0 ? 0 : one.column - 1, 200);
    std::string note = "^ " + one.level + " " + one.rule + ": " + one.message;
    text +=
        std::string(margin + column, ' ') + colored(printable(note), color_of(one.level), color);
    text += '\n';
  }
}

void add_content(const bodies::ApprovalBody& approval, bool color, std::string& text) {
  std::string content = content_of(approval);
  // Findings in a list of words have no line of their own.
  bool has_lines = !approval.command.is_array();
  std::uint32_t number = 1;
  std::string_view rest = content;
  for (bool more = true; more; ++number) {
    std::size_t end = rest.find('\n');
    more = end != std::string_view::npos && end + 1 < rest.size();
    std::string line = std::to_string(number);
    std::string margin(line.size() < 4 ? 4 - line.size() : 0, ' ');
    text += colored(margin + line + "  ", kFaint, color);
    text += printable(std::string(rest.substr(0, end))) + "\n";
    std::size_t width = std::max<std::size_t>(4, line.size()) + 2;
    if (has_lines) add_findings(approval.findings, number, width, color, text);
    if (more) rest.remove_prefix(end + 1);
  }
  if (has_lines) return;
  for (const bodies::FindingBody& one : approval.findings) {
    text += "      " +
            colored(printable(one.level + " " + one.rule + ": " + one.message), color_of(one.level),
                    color) +
            "\n";
  }
}

void add_row(std::string_view name, std::string value, std::string& text) {
  std::string start(name);
  start.resize(12, ' ');
  text += start + printable(std::move(value)) + "\n";
}

}  // namespace

std::string approval_table(const bodies::ApprovalListBody& list, WallTime now, bool color) {
  Table table({"ID", "LEVEL", "SESSION", "ASKED BY", "STATE", "LEFT", "WHAT"});
  for (const bodies::ApprovalBody& one : list.approvals) {
    std::string what = content_of(one);
    bool cut = what.find('\n') != std::string::npos || what.size() > kShown;
    what = what.substr(0, std::min(what.find('\n'), kShown)) + (cut ? "…" : "");
    table.add({{one.id},
               {one.level, color_of(one.level)},
               {one.session_id},
               {one.asked_by.value_or("-")},
               {codec::enum_name(one.state)},
               {left(one, now)},
               {std::move(what)}});
  }
  return table.text(color);
}

std::string approval_text(const bodies::ApprovalBody& approval, WallTime now, bool color) {
  std::string text;
  add_row("execution", approval.id, text);
  add_row("session", approval.session_id, text);
  add_row("asked by", approval.asked_by ? "key " + *approval.asked_by : "nobody with a key", text);
  text +=
      "level       " + colored(printable(approval.level), color_of(approval.level), color) + "\n";
  bool waits = approval.state == model::ApprovalState::kWaiting;
  add_row("state",
          codec::enum_name(approval.state) + (waits ? ", " + left(approval, now) + " left" : ""),
          text);
  if (approval.decided_by) add_row("decided by", "key " + *approval.decided_by, text);
  if (approval.reason) add_row("reason", *approval.reason, text);
  if (approval.cwd) add_row("folder", *approval.cwd, text);
  if (approval.context) add_row("context", *approval.context, text);
  for (const auto& [name, value] : approval.env) add_row("variable", name + "=" + value, text);
  if (approval.stdin_) {
    std::size_t bytes = approval.stdin_->size();
    add_row("stdin", std::to_string(bytes) + " bytes: " + approval.stdin_->substr(0, 200), text);
  }
  text += "\n";
  text += approval.code ? approval.language.value_or("code") : std::string("command");
  text += waits && !approval.whole ? " (the rest is cut off)\n" : "\n";
  add_content(approval, color, text);
  return text;
}

}  // namespace atl::cli
