#include "cli/image/image_text.hpp"

#include <array>

#include "cli/core/help.hpp"
#include "cli/core/json.hpp"
#include "cli/core/table.hpp"
#include "cli/core/units.hpp"

namespace atl::cli {
namespace {

using images::Image;

std::string short_digest(const Image& image) { return image.digest.substr(0, 7 + 12); }

void write_image(JsonWriter& json, const Image& image, bool whole) {
  json.begin_object();
  json.key("name").text(image.name);
  json.key("digest").text(image.digest);
  json.key("architecture").text(image.architecture);
  json.key("size").unsigned_number(image.size);
  json.key("created").text(image.created);
  json.key("imported").text(image.imported);
  json.key("layers").begin_array();
  for (const images::LayerRecord& layer : image.layers) {
    json.begin_object();
    json.key("diff_id").text("sha256:" + layer.diff_id);
    json.key("size").unsigned_number(layer.size);
    json.key("files").unsigned_number(layer.files);
    json.end_object();
  }
  json.end_array();
  if (whole) {
    json.key("config").begin_object();
    json.key("env").strings(image.config.env);
    json.key("entrypoint").strings(image.config.entrypoint);
    json.key("cmd").strings(image.config.cmd);
    json.key("workdir").text(image.config.workdir);
    json.key("user").text(image.config.user);
    json.end_object();
  }
  json.end_object();
}

void write_list(JsonWriter& json, std::span<const Image> images) {
  json.key("images").begin_array();
  for (const Image& image : images) write_image(json, image, false);
  json.end_array();
}

std::string count_of(std::size_t count, const char* thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

}  // namespace

std::string images_text(std::span<const Image> images, bool color) {
  Table table({"NAME", "DIGEST", "LAYERS", "SIZE", "IMPORTED"});
  for (const Image& image : images) {
    table.add({{image.name},
               {short_digest(image)},
               {std::to_string(image.layers.size())},
               {format_size(image.size)},
               {image.imported}});
  }
  return table.text(color);
}

std::string images_json(std::span<const Image> images, bool pretty) {
  JsonWriter json(pretty);
  json.begin_object();
  write_list(json, images);
  json.end_object();
  return std::move(json).finish();
}

std::string image_json(const Image& image, bool pretty) {
  JsonWriter json(pretty);
  write_image(json, image, true);
  return std::move(json).finish();
}

std::string import_text(const images::ImportReport& report) {
  std::string out;
  for (const Image& image : report.images) {
    out += "imported " + image.name + ": " + short_digest(image) + ", " +
           count_of(image.layers.size(), "layer") + ", " + format_size(image.size) + "\n";
  }
  return out;
}

std::string import_json(const images::ImportReport& report, bool pretty) {
  JsonWriter json(pretty);
  json.begin_object();
  write_list(json, report.images);
  json.key("new_layers").unsigned_number(report.new_layers);
  json.key("skipped_nodes").unsigned_number(report.skipped_nodes);
  json.key("dropped_xattrs").unsigned_number(report.dropped_xattrs);
  json.end_object();
  return std::move(json).finish();
}

std::vector<std::string> import_remarks(const images::ImportReport& report) {
  std::vector<std::string> remarks;
  if (report.skipped_nodes != 0) {
    remarks.push_back(count_of(report.skipped_nodes, "device node or pipe") +
                      " left out; a sandbox has its own /dev");
  }
  if (report.dropped_xattrs != 0) {
    remarks.push_back(count_of(report.dropped_xattrs, "extended attribute") +
                      " left out; only user.* is kept");
  }
  return remarks;
}

std::string names_json(std::string_view key, std::span<const std::string> names, bool pretty) {
  JsonWriter json(pretty);
  json.begin_object().key(key).strings(names).end_object();
  return std::move(json).finish();
}

std::string error_json(const Error& error, bool pretty) {
  JsonWriter json(pretty);
  json.begin_object().key("error").begin_object();
  json.key("code").text(code_name(error.code()));
  json.key("message").text(error.message());
  json.end_object().end_object();
  return std::move(json).finish();
}

}  // namespace atl::cli
