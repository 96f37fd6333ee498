// An image as the store knows it: plain data, written as JSON (codec).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <boost/describe/class.hpp>

namespace atl::images {

// How the image's maker meant it to be run.
struct ImageConfig {
  std::vector<std::string> env;  // K=V
  std::vector<std::string> entrypoint;
  std::vector<std::string> cmd;
  std::string workdir;
  std::string user;
  bool operator==(const ImageConfig&) const = default;
};
BOOST_DESCRIBE_STRUCT(ImageConfig, (), (env, entrypoint, cmd, workdir, user))

struct LayerRecord {
  std::string diff_id;      // sha256 of the uncompressed tar, 64 hexadecimal digits
  std::uint64_t size = 0;   // bytes of its files
  std::uint64_t files = 0;  // entries
  bool operator==(const LayerRecord&) const = default;
};
BOOST_DESCRIBE_STRUCT(LayerRecord, (), (diff_id, size, files))

struct Image {
  std::string name;                 // with its tag (reference.hpp)
  std::string digest;               // sha256:… of its configuration, which names everything in it
  std::string architecture;         // "amd64"
  std::string created;              // as its maker says; may be empty
  std::string imported;             // RFC 3339, UTC
  std::uint64_t size = 0;           // of all layers
  std::vector<LayerRecord> layers;  // the lowest first, none twice
  ImageConfig config;
  bool operator==(const Image&) const = default;
};
BOOST_DESCRIBE_STRUCT(Image, (),
                      (name, digest, architecture, created, imported, size, layers, config))

}  // namespace atl::images
