#include "cli/image/image_command.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "cli/core/console.hpp"
#include "cli/core/exit_status.hpp"
#include "cli/core/progress.hpp"
#include "cli/core/suggest.hpp"
#include "cli/image/image_options.hpp"
#include "cli/image/image_text.hpp"
#include "images/import.hpp"

namespace atl::cli {
namespace {

using images::ImportReport;
using images::Store;

bool pretty() { return ::isatty(STDOUT_FILENO) == 1; }

Result<Store> open_store() {
  ATOLL_TRY(std::string folder, images::data_folder());
  return Store::open(folder);
}

Result<void> expect_words(const ImageOptions& options, std::size_t least, std::size_t most,
                          const char* what) {
  std::size_t count = options.words.size() - 1;
  if (count >= least && count <= most) return {};
  return fail(Code::kInvalidArgument, "image " + options.words[0] + ": " + what);
}

Result<UniqueFd> open_archive(const std::string& path) {
  UniqueFd file(path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                            : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (file) return file;
  int error = errno;
  return fail(
      Error(code_from_errno(error), "cannot open " + path + ": " + std::strerror(error), error));
}

// Signals as something to wait for, so that an interrupted import can clean up.
UniqueFd catch_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (int number : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&set, number);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  return UniqueFd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

int caught_signal(const UniqueFd& signals) {
  signalfd_siginfo info{};
  bool any = ::read(signals.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info);
  return any ? static_cast<int>(info.ssi_signo) : 0;
}

Result<int> import_elsewhere(const ImageOptions& options, const ImportElsewhere& elsewhere) {
  if (options.max_size) {
    return fail(Code::kInvalidArgument,
                "--max-size is for native: " + options.backend + " unpacks the archive itself");
  }
  ATOLL_TRY(UniqueFd archive, open_archive(options.words[1]));
  SystemClock clock;
  Progress progress("sending", !options.quiet && options.output == OutputFormat::kText, clock);
  Result<std::vector<std::string>> names = elsewhere(
      options.backend, std::move(archive), options.name,
      [&progress](std::uint64_t done, std::uint64_t total) { progress.show(done, total); });
  progress.clear();
  if (!names) return fail(names.error());
  if (options.output == OutputFormat::kJson) return show(names_json("imported", *names, pretty()));
  for (const std::string& name : *names) show(name + "\n");
  return 0;
}

Result<int> import_image(const ImageOptions& options, const std::string& programs,
                         const ImportElsewhere& elsewhere) {
  ATOLL_CHECK(expect_words(options, 1, 1, "name one archive, or - for stdin"));
  if (options.words[1] == "-" && ::isatty(STDIN_FILENO) == 1) {
    return fail(Code::kInvalidArgument, "image import: stdin is a terminal, not an archive");
  }
  if (options.backend != model::kDefaultBackend) return import_elsewhere(options, elsewhere);
  images::ImportJob job{.name = options.name, .unpack = programs + "/atoll-unpack"};
  ATOLL_TRY(job.archive, open_archive(options.words[1]));
  if (options.max_size) job.limits.bytes = *options.max_size;
  ATOLL_TRY(Store store, open_store());
  UniqueFd signals = catch_signals();
  job.interrupt = signals.get();
  SystemClock clock;
  Progress progress("importing", !options.quiet && options.output == OutputFormat::kText, clock);
  job.on_progress = [&progress](const images::UnpackProgress& now) {
    progress.show(now.done, now.total);
  };
  Result<ImportReport> report = images::import_archive(store, std::move(job));
  progress.clear();
  if (!report && report.error().code() == Code::kCancelled) {
    print_error(report.error(), options.color);
    return 128 + caught_signal(signals);
  }
  if (!report) return fail(report.error());
  if (options.output == OutputFormat::kJson) return show(import_json(*report, pretty()));
  if (!options.quiet) {
    for (const std::string& remark : import_remarks(*report)) {
      print_warning(remark, options.color);
    }
  }
  return show(import_text(*report));
}

Result<int> list_images(const ImageOptions& options) {
  ATOLL_CHECK(expect_words(options, 0, 0, "takes no words"));
  ATOLL_TRY(Store store, open_store());
  ATOLL_TRY(std::vector<images::Image> list, store.list());
  return show(options.output == OutputFormat::kJson
                  ? images_json(list, pretty())
                  : images_text(list, use_color(options.color, STDOUT_FILENO)));
}

Result<int> remove_images(const ImageOptions& options) {
  ATOLL_CHECK(expect_words(options, 1, 1000, "name the images to remove"));
  ATOLL_TRY(Store store, open_store());
  std::vector<std::string> removed;
  for (const std::string& name : std::span(options.words).subspan(1)) {
    ATOLL_TRY(images::Image image, store.remove(name));
    removed.push_back(image.name);
    if (options.output == OutputFormat::kText) show("removed " + image.name + "\n");
  }
  return options.output == OutputFormat::kJson ? show(names_json("removed", removed, pretty())) : 0;
}

Result<int> inspect_image(const ImageOptions& options) {
  ATOLL_CHECK(expect_words(options, 1, 1, "name one image"));
  ATOLL_TRY(Store store, open_store());
  ATOLL_TRY(images::Image image, store.find(options.words[1]));
  return show(image_json(image, pretty()));
}

Result<int> dispatch(const ImageOptions& options, const std::string& programs,
                     const ImportElsewhere& elsewhere) {
  constexpr std::array<std::string_view, 4> kNames{"import", "ls", "rm", "inspect"};
  if (options.words.empty()) {
    return fail(Code::kInvalidArgument, "image: say import, ls, rm or inspect");
  }
  const std::string& name = options.words[0];
  if (name != "import" && options.backend != model::kDefaultBackend) {
    return fail(Code::kInvalidArgument, "--backend is for import: what " + options.backend +
                                            " has, its own tools list and remove");
  }
  if (name == "import") return import_image(options, programs, elsewhere);
  if (name == "ls") return list_images(options);
  if (name == "rm") return remove_images(options);
  if (name == "inspect") return inspect_image(options);
  std::string message = "there is no \"image " + name.substr(0, 80) + "\"";
  Suggestion best(name);
  for (std::string_view known : kNames) best.offer(known);
  message += best.empty() ? "; say import, ls, rm or inspect"
                          : "; did you mean image " + std::string(best.word()) + "?";
  return fail(Code::kInvalidArgument, std::move(message));
}

int failure(const Error& error, const ImageOptions& options) {
  if (options.output == OutputFormat::kJson) show(error_json(error, pretty()));
  print_error(error, options.color);
  return exit_status_of(error.code());
}

}  // namespace

int image_command(Arguments arguments, const std::string& programs,
                  const ImportElsewhere& elsewhere) {
  ImageOptions options;
  Result<void> parsed = parse_image_options(arguments, options);
  if (!parsed) return failure(parsed.error(), options);
  if (options.help) return show_help(*find_command("image"));
  Result<int> status = dispatch(options, programs, elsewhere);
  return status ? *status : failure(status.error(), options);
}

}  // namespace atl::cli
