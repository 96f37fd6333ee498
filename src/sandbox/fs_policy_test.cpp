#include "sandbox/fs_policy.hpp"

#include <map>

#include <gtest/gtest.h>

namespace atl::sandbox {
namespace {

using Paths = std::vector<std::string>;

// A file system of nothing but names.
std::vector<std::string> names_in(const std::string& folder, bool follow) {
  static const std::map<std::string, std::vector<std::string>> kTree{
      {"/", {"etc", "home", "workspace"}},        {"/etc", {"passwd", "ssl"}},
      {"/etc/ssl", {"a.key", "b.key", "ca.pem"}}, {"/workspace", {".env", "app", "secret.key"}},
      {"/workspace/app", {"deep", "main.py"}},    {"/workspace/app/deep", {"inner.key", ".env"}},
  };
  if (folder == "/home") return follow ? names_in("/etc/ssl", false) : std::vector<std::string>();
  auto found = kTree.find(folder);
  return found == kTree.end() ? std::vector<std::string>() : found->second;
}

Paths denied(std::vector<std::string> patterns) {
  Result<FilesystemPolicy> policy = expand_policy({.deny_read = std::move(patterns)}, &names_in);
  EXPECT_TRUE(policy.has_value()) << (policy ? "" : policy.error().to_string());
  return policy ? policy->deny_read : Paths();
}

Code refused(std::vector<std::string> patterns) {
  Result<FilesystemPolicy> policy = expand_policy({.deny_write = std::move(patterns)}, &names_in);
  return policy ? Code::kOk : policy.error().code();
}

TEST(FsPolicy, LiteralPathsStayEvenWhenTheyDoNotExist) {
  EXPECT_EQ(denied({"/etc/shadow", "/root"}), (Paths{"/etc/shadow", "/root"}));
  EXPECT_EQ(denied({"/etc//./ssl/"}), Paths{"/etc/ssl"});
}

TEST(FsPolicy, HomeAndRelativePatternsStartAtTheWorkspace) {
  EXPECT_EQ(denied({"~"}), Paths{"/workspace"});
  EXPECT_EQ(denied({"~/.ssh", "node_modules"}),
            (Paths{"/workspace/.ssh", "/workspace/node_modules"}));
}

TEST(FsPolicy, GlobsStandForWhatExists) {
  EXPECT_EQ(denied({"/etc/ssl/*.key"}), (Paths{"/etc/ssl/a.key", "/etc/ssl/b.key"}));
  EXPECT_EQ(denied({"/etc/ssl/[b-z]*.key"}), Paths{"/etc/ssl/b.key"});
  EXPECT_EQ(denied({"/*/passwd"}), Paths{"/etc/passwd"});
  EXPECT_EQ(denied({"/etc/ssl/*.none"}), Paths{});
}

TEST(FsPolicy, DoubleStarsCrossFolders) {
  EXPECT_EQ(denied({"**/*.key"}),
            (Paths{"/workspace/app/deep/inner.key", "/workspace/secret.key"}));
  EXPECT_EQ(denied({"~/**/.env"}), (Paths{"/workspace/.env", "/workspace/app/deep/.env"}));
  EXPECT_EQ(denied({"/etc/**"}), Paths{"/etc"});
  EXPECT_EQ(denied({"/**"}), Paths{"/"});
}

TEST(FsPolicy, LinkedFoldersAreEnteredByName) {
  EXPECT_EQ(denied({"/home/*.pem"}), Paths{"/home/ca.pem"});
  EXPECT_EQ(denied({"/h*/ca.pem"}), Paths{"/home/ca.pem"});
  EXPECT_EQ(denied({"/**/*.pem"}), Paths{"/etc/ssl/ca.pem"});
}

TEST(FsPolicy, WhatIsCoveredAlreadyIsLeftOut) {
  EXPECT_EQ(denied({"/etc", "/etc/ssl/*.key", "/etcetera"}), (Paths{"/etc", "/etcetera"}));
}

TEST(FsPolicy, RefusesWhatItCannotMean) {
  EXPECT_EQ(refused({""}), Code::kInvalidArgument);
  EXPECT_EQ(refused({"../up"}), Code::kInvalidArgument);
  EXPECT_EQ(refused({"/a/../b"}), Code::kInvalidArgument);
  EXPECT_EQ(refused({"~root/x"}), Code::kInvalidArgument);
  EXPECT_EQ(refused({std::string("a\0b", 3)}), Code::kInvalidArgument);
}

TEST(FsPolicy, TooManyRulesAreAnError) {
  std::vector<std::string> many;
  for (int i = 0; i < 64; ++i) many.push_back("/d" + std::to_string(i));
  EXPECT_EQ(refused(many), Code::kOk);
  many.emplace_back("/one-more");
  EXPECT_EQ(refused(many), Code::kTooLarge);
}

TEST(FsPolicy, EndlessTreesAreAnError) {
  Result<FilesystemPolicy> policy =
      expand_policy({.deny_read = {"/**/none"}}, [](const std::string& folder, bool) {
        return folder.size() < 100 ? std::vector<std::string>{"a", "b"}
                                   : std::vector<std::string>();
      });
  ASSERT_FALSE(policy.has_value());
  EXPECT_EQ(policy.error().code(), Code::kTooLarge);
}

}  // namespace
}  // namespace atl::sandbox
