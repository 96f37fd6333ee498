#include <unistd.h>

#include <array>

#include "cli/core/document.hpp"
#include "cli/core/files.hpp"
#include "cli/core/small_commands.hpp"
#include "cli/core/suggest.hpp"
#include "cli/core/table.hpp"
#include "cli/remote/remote.hpp"
#include "codec/json.hpp"

namespace atl::cli {
namespace {

constexpr std::uint64_t kMaxDocument = 1u << 20;

struct NamedBody {
  std::optional<std::string> id;
};
BOOST_DESCRIBE_STRUCT(NamedBody, (), (id))

std::string templates_text(const bodies::TemplateListBody& body, bool color) {
  Table table({"ID", "LANGUAGE", "IMAGE", "CPU", "MEMORY", "DISK", "POOL", "BUILT-IN"});
  for (const bodies::TemplateBody& one : body.templates) {
    table.add({{one.id},
               {one.language},
               {one.image},
               {scalar_text(codec::to_json(one.resources.cpu))},
               {std::to_string(one.resources.memory) + "m"},
               {std::to_string(one.resources.disk) + "m"},
               {std::to_string(one.pool)},
               {one.built_in ? "yes" : "", kFaint}});
  }
  return table.text(color);
}

RemoteTask list(Remote* remote) {
  ATOLL_CO_TRY(bodies::TemplateListBody body, co_await remote->api.list_templates());
  if (wants_document(*remote)) co_return show_document(*remote, body);
  co_return show(templates_text(body, use_color(remote->options.color, STDOUT_FILENO)));
}

// A template has too much in it for a table.
int show_one(const Remote& remote, const bodies::TemplateBody& body) {
  return wants_document(remote) ? show_document(remote, body)
                                : show(yaml_text(codec::to_json(body)));
}

RemoteTask show_template(Remote* remote) {
  ATOLL_CO_TRY(bodies::TemplateBody body,
               co_await remote->api.get_template(remote->options.words[1]));
  co_return show_one(*remote, body);
}

RemoteTask create(Remote* remote) {
  const std::string& file = remote->options.words[1];
  ATOLL_CO_TRY(std::string text, file == "-" ? read_stdin(kMaxDocument, "the template")
                                             : read_file(file, kMaxDocument, file));
  // Only its id is needed here; the server judges the rest.
  auto document = codec::decode<NamedBody>(text, {.ignore_unknown = true});
  if (!document) co_return fail(document.error().to_error());
  std::string id = document->id.value_or("");
  Result<bodies::TemplateBody> made = co_await remote->api.create_template(text);
  bool exists = !made && made.error().code() == Code::kAlreadyExists;
  if (exists && remote->options.replace) {
    made = co_await remote->api.replace_template(id, std::move(text));
  }
  if (!made) co_return fail(made.error());
  if (wants_document(*remote)) co_return show_document(*remote, *made);
  co_return show(id + "\n");
}

RemoteTask remove(Remote* remote) {
  const std::vector<std::string>& words = remote->options.words;
  for (std::size_t i = 1; i < words.size(); ++i) {
    ATOLL_CO_CHECK(co_await remote->api.delete_template(words[i]));
    show(words[i] + "\n");
  }
  co_return 0;
}

struct SubCommand {
  std::string_view name;
  RemoteTask (*run)(Remote*);
  std::size_t least, most;  // words behind it
  const char* usage;
};

constexpr std::array kSubCommands{
    SubCommand{"ls", list, 0, 0, "template ls: takes options and no words"},
    SubCommand{"show", show_template, 1, 1, "template show: name one template"},
    SubCommand{"create", create, 1, 1, "template create: name one JSON document, or - for stdin"},
    SubCommand{"rm", remove, 1, 1000, "template rm: name the templates to remove"},
};

}  // namespace

RemoteTask manage_templates(Remote* remote) {
  const std::vector<std::string>& words = remote->options.words;
  if (words.empty()) {
    co_return fail(Code::kInvalidArgument, "template: say ls, show, create or rm");
  }
  Suggestion best(words[0]);
  for (const SubCommand& one : kSubCommands) {
    best.offer(one.name);
    if (one.name != words[0]) continue;
    bool fits = words.size() > one.least && words.size() <= one.most + 1;
    if (!fits) co_return fail(Code::kInvalidArgument, one.usage);
    co_return co_await one.run(remote);
  }
  std::string message = "template: there is no \"" + words[0].substr(0, 80) + "\"";
  message += best.empty() ? "; say ls, show, create or rm"
                          : "; did you mean " + std::string(best.word()) + "?";
  co_return fail(Code::kInvalidArgument, std::move(message));
}

}  // namespace atl::cli
