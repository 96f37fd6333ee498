#include "cli/image/image_options.hpp"

#include <array>

#include "cli/core/units.hpp"

namespace atl::cli {
namespace {

constexpr std::array kTable{
    Option{.name = "name",
           .argument = "NAME",
           .help = "import: call the image so, whatever the archive says. For an archive with one "
                   "image.",
           .set = set_text<&ImageOptions::name>},
    Option{.name = "backend",
           .argument = "NAME",
           .help = "import: docker takes what `docker save` wrote into the engine that DOCKER_HOST "
                   "names. Default: native, the store of this host.",
           .set = set_text<&ImageOptions::backend>,
           .complete = Complete::kWords,
           .words = ATOLL_IMAGE_BACKEND_NAMES},
    Option{.name = "max-size",
           .argument = "SIZE",
           .help = "import: refuse an archive that unpacks to more than this. Default: 20g.",
           .set = set_parsed<&ImageOptions::max_size, parse_size>},
    Option{.name = "quiet",
           .short_name = 'q',
           .help = "import: no progress bar and no remarks.",
           .set = set_flag<&ImageOptions::quiet>},
    Option{.name = "output",
           .short_name = 'o',
           .argument = "FORMAT",
           .help = "text or json. Default: text; inspect is always json.",
           .set = set_parsed<&ImageOptions::output, parse_output_format, ImageOptions>,
           .complete = Complete::kWords,
           .words = "text json"},
    Option{.name = "color",
           .argument = "WHEN",
           .help = "auto, always or never. Default: auto, on a terminal and without NO_COLOR.",
           .set = set_parsed<&ImageOptions::color, parse_color_mode, ImageOptions>,
           .complete = Complete::kWords,
           .words = "auto always never"},
    Option{.name = "help",
           .short_name = 'h',
           .help = "Show this text.",
           .set = set_flag<&ImageOptions::help, ImageOptions>},
};

}  // namespace

std::span<const Option> image_option_table() { return kTable; }

Result<void> parse_image_options(std::span<const std::string_view> arguments,
                                 ImageOptions& options) {
  return parse_with_words(arguments, kTable, &options, options.words);
}

}  // namespace atl::cli
