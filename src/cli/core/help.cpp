#include "cli/core/help.hpp"

namespace atl::cli {
namespace {

class Page {
 public:
  Page(std::size_t width, bool color) : width_(width), color_(color) {}

  void heading(std::string_view title) {
    if (!text_.empty()) text_ += '\n';
    text_ += bold(title);
    text_ += '\n';
  }

  void paragraph(std::string_view text, std::size_t indent = 2) {
    text_.append(indent, ' ');
    text_ += wrap(text, width_, indent);
    text_ += '\n';
  }

  // A term and its explanation: on one line when the term is short enough.
  void entry(std::string_view term, std::string_view explanation, std::size_t indent,
             std::size_t column) {
    text_.append(indent, ' ');
    text_ += bold(term);
    std::size_t at = indent + columns(term);
    if (at + 2 > column) {
      text_ += '\n';
      at = 0;
    }
    text_.append(column - at, ' ');
    text_ += wrap(explanation, width_, column);
    text_ += '\n';
  }

  std::string take() { return std::move(text_); }

 private:
  std::string bold(std::string_view text) const {
    return color_ ? "\x1b[1m" + std::string(text) + "\x1b[0m" : std::string(text);
  }

  std::size_t width_;
  bool color_;
  std::string text_;
};

std::string option_term(const Option& option) {
  std::string term = option.short_name != 0 ? std::string{'-', option.short_name} + ", " : "    ";
  term += "--" + std::string(option.name);
  if (!option.argument.empty()) term += ' ' + std::string(option.argument);
  return term;
}

void options_part(Page& page, const Command& command) {
  bool grouped = !command.options.empty() && !command.options.front().group.empty();
  if (!grouped) page.heading("Options");
  for (const Option& option : command.options) {
    if (!option.group.empty()) page.heading(option.group);
    page.entry(option_term(option), option.help, 2, 28);
  }
}

}  // namespace

std::string help_text(const Command& command, std::size_t width, bool color) {
  Page page(width, color);
  std::string title = command.name.empty() ? "atoll" : "atoll " + std::string(command.name);
  page.heading(title + " – " + std::string(command.summary));
  page.heading("Usage");
  for (std::string_view forms = command.synopsis; !forms.empty();) {
    std::string_view form = forms.substr(0, forms.find('\n'));
    forms.remove_prefix(std::min(forms.size(), form.size() + 1));
    page.paragraph(form);
  }
  page.heading("Description");
  page.paragraph(command.description);
  if (command.name.empty()) {
    page.heading("Commands");
    for (const Command& one : commands()) page.entry(one.name, one.summary, 2, 16);
  }
  options_part(page, command);
  for (const Section& section : command.sections) {
    page.heading(section.title);
    page.paragraph(section.text);
  }
  if (!command.examples.empty()) page.heading("Examples");
  for (const Example& example : command.examples) {
    page.paragraph(example.says);
    page.paragraph(std::string("    ") + std::string(example.command));
  }
  if (command.name.empty()) {
    page.heading("More");
    page.paragraph("atoll help COMMAND explains a command. Documentation: docs/cli.md.");
  }
  return page.take();
}

}  // namespace atl::cli
