#include "images/documents.hpp"

#include <gtest/gtest.h>

namespace atl::images {
namespace {

const std::string kHex(64, 'a');
const UnpackLimits kLimits;

TEST(Documents, DockerManifest) {
  std::string text = R"([{"Config":")" + kHex + R"(.json","RepoTags":["a:1","b:2"],)" +
                     R"("Layers":["x/layer.tar","blobs/sha256/)" + kHex + R"("],"Other":{}}])";
  auto plans = parse_docker_manifest(text, kLimits);
  ASSERT_TRUE(plans);
  ASSERT_EQ(plans->size(), 1u);
  const ImagePlan& plan = plans->front();
  EXPECT_EQ(plan.names, (std::vector<std::string>{"a:1", "b:2"}));
  EXPECT_EQ(plan.config.sha256, kHex);
  EXPECT_EQ(plan.layers[0].path, "x/layer.tar");
  EXPECT_EQ(plan.layers[0].sha256, "");
  EXPECT_EQ(plan.layers[1].sha256, kHex);
}

TEST(Documents, OciIndex) {
  std::string text = R"({"manifests":[
    {"mediaType":"application/vnd.oci.image.index.v1+json","digest":"sha256:)" +
                     kHex + R"("},
    {"mediaType":"application/vnd.oci.image.manifest.v1+json","digest":"sha256:)" +
                     kHex + R"(",
     "platform":{"os":"linux","architecture":"arm64"},
     "annotations":{"org.opencontainers.image.ref.name":"a:1"}},
    {"digest":"sha256:)" +
                     kHex + R"(","annotations":{"vnd.docker.reference.type":"x"}}]})";
  auto entries = parse_oci_index(text, kLimits);
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 3u);
  EXPECT_TRUE((*entries)[0].is_index);
  EXPECT_FALSE((*entries)[1].is_index);
  EXPECT_EQ((*entries)[1].name, "a:1");
  EXPECT_EQ((*entries)[1].architecture, "arm64");
  EXPECT_TRUE((*entries)[2].attestation);
  EXPECT_EQ((*entries)[1].blob.path, "blobs/sha256/" + kHex);
}

TEST(Documents, Configuration) {
  std::string text = R"({"os":"linux","architecture":"amd64","config":{"Env":["A=b"],"Cmd":null,
    "Entrypoint":["sh"],"WorkingDir":"/w","Volumes":{"/x":{}}},
    "rootfs":{"type":"layers","diff_ids":["sha256:)" +
                     kHex + R"("]}})";
  auto config = parse_config(text, kLimits);
  ASSERT_TRUE(config);
  EXPECT_EQ(config->config.env, std::vector<std::string>{"A=b"});
  EXPECT_EQ(config->config.entrypoint, std::vector<std::string>{"sh"});
  EXPECT_TRUE(config->config.cmd.empty());
  EXPECT_EQ(config->config.workdir, "/w");
  EXPECT_EQ(config->diff_ids, std::vector<std::string>{kHex});
}

TEST(Documents, RefuseNonsense) {
  for (const char* text : {"", "null", "1", "{}", "[1]", "[{}]", R"([{"Config":""}])",
                           R"([{"Config":"/etc/passwd"}])", R"([{"Config":"a","Layers":{}}])"}) {
    EXPECT_FALSE(parse_docker_manifest(text, kLimits)) << text;
    EXPECT_FALSE(parse_oci_index(text, kLimits)) << text;
    EXPECT_FALSE(parse_oci_manifest(text, kLimits)) << text;
  }
  EXPECT_FALSE(parse_config(R"({"rootfs":{"diff_ids":["sha256:x"]}})", kLimits));
  EXPECT_FALSE(parse_config(std::string(100, '['), kLimits));
  UnpackLimits small{.document = 10};
  auto large = parse_docker_manifest("[            ]", small);
  ASSERT_FALSE(large);
}

}  // namespace
}  // namespace atl::images
