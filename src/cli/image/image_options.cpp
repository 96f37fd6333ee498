#include "cli/image/image_options.hpp"

#include <array>

#include "cli/core/units.hpp"

namespace atl::cli {
namespace {

ImageOptions& options_of(void* target) { return *static_cast<ImageOptions*>(target); }

Result<void> set_name(void* target, std::string_view value) {
  options_of(target).name = value;
  return {};
}

Result<void> set_backend(void* target, std::string_view value) {
  options_of(target).backend = value;
  return {};
}

Result<void> set_max_size(void* target, std::string_view value) {
  ATOLL_TRY(options_of(target).max_size, parse_size(value));
  return {};
}

Result<void> set_quiet(void* target, std::string_view) {
  options_of(target).quiet = true;
  return {};
}

Result<void> set_output(void* target, std::string_view value) {
  ATOLL_TRY(options_of(target).output, parse_output_format(value));
  return {};
}

Result<void> set_color(void* target, std::string_view value) {
  ATOLL_TRY(options_of(target).color, parse_color_mode(value));
  return {};
}

Result<void> set_help(void* target, std::string_view) {
  options_of(target).help = true;
  return {};
}

constexpr std::array kTable{
    Option{.name = "name",
           .argument = "NAME",
           .help = "import: call the image so, whatever the archive says. For an archive with one "
                   "image.",
           .set = set_name},
    Option{.name = "backend",
           .argument = "NAME",
           .help = "import: docker takes what `docker save` wrote into the engine that DOCKER_HOST "
                   "names. Default: native, the store of this host.",
           .set = set_backend,
           .complete = Complete::kWords,
           .words = "native docker"},
    Option{.name = "max-size",
           .argument = "SIZE",
           .help = "import: refuse an archive that unpacks to more than this. Default: 20g.",
           .set = set_max_size},
    Option{.name = "quiet",
           .short_name = 'q',
           .help = "import: no progress bar and no remarks.",
           .set = set_quiet},
    Option{.name = "output",
           .short_name = 'o',
           .argument = "FORMAT",
           .help = "text or json. Default: text; inspect is always json.",
           .set = set_output,
           .complete = Complete::kWords,
           .words = "text json"},
    Option{.name = "color",
           .argument = "WHEN",
           .help = "auto, always or never. Default: auto, on a terminal and without NO_COLOR.",
           .set = set_color,
           .complete = Complete::kWords,
           .words = "auto always never"},
    Option{.name = "help", .short_name = 'h', .help = "Show this text.", .set = set_help},
};

}  // namespace

std::span<const Option> image_option_table() { return kTable; }

Result<void> parse_image_options(std::span<const std::string_view> arguments,
                                 ImageOptions& options) {
  for (std::span rest = arguments; !rest.empty();) {
    ATOLL_TRY(ParseResult parsed, parse_options(rest, kTable, &options));
    rest = rest.subspan(parsed.rest);
    std::size_t count = parsed.separated ? rest.size() : std::min<std::size_t>(rest.size(), 1);
    options.words.insert(options.words.end(), rest.begin(),
                         rest.begin() + static_cast<std::ptrdiff_t>(count));
    rest = rest.subspan(count);
  }
  return {};
}

}  // namespace atl::cli
