#include "cli/config/config_command.hpp"

#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include <boost/json/value.hpp>
#include <gtest/gtest.h>

#include "cli/config/config_options.hpp"
#include "cli/config/config_text.hpp"
#include "cli/core/exit_status.hpp"
#include "codec/json.hpp"

namespace atl::cli {
namespace {

using config::Listed;
using config::Origin;

struct Ran {
  int status = -1;
  std::string out;
  std::string err;
};

class ConfigCommand : public ::testing::Test {
 protected:
  ConfigCommand() : folder_(::testing::TempDir() + "/atoll_config_command_XXXXXX") {
    EXPECT_NE(::mkdtemp(folder_.data()), nullptr);
  }
  ~ConfigCommand() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  std::string file(const std::string& name, const std::string& text) {
    std::string path = folder_ + "/" + name;
    std::ofstream(path) << text;
    return path;
  }

  Ran run(std::vector<std::string_view> arguments, std::vector<const char*> environment = {}) {
    environment.push_back(nullptr);
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    Ran ran;
    ran.status = config_command(
        arguments, {.environment = environment.data(),
                    .data = folder_,
                    .system_file = "",
                    .check_backend = [](const std::string& name) -> Result<void> {
                      if (name == "native" || name == "srt") return {};
                      return fail(Code::kUnsupportedBackend, "there are native and srt");
                    }});
    ran.out = ::testing::internal::GetCapturedStdout();
    ran.err = ::testing::internal::GetCapturedStderr();
    return ran;
  }

  std::string folder_;
};

TEST_F(ConfigCommand, ShowsValuesAndOrigins) {
  file("config.json", "{\n  \"pool\": {\"size\": 3}\n}");
  Ran ran = run({"show", "-o", "json"}, {"ATOLL_LOG__LEVEL=warn"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  boost::json::value shown = codec::parse(ran.out).value();
  EXPECT_EQ(shown.at("file"), boost::json::value(folder_ + "/config.json"));
  EXPECT_EQ(shown.at("config").at("pool").at("size"), boost::json::value(3));
  EXPECT_EQ(shown.at("config").at("sandbox").at("mode"), boost::json::value("per-session"));
  EXPECT_EQ(shown.at("origins").at("pool.size"), boost::json::value(folder_ + "/config.json:2"));
  EXPECT_EQ(shown.at("origins").at("log.level"), boost::json::value("ATOLL_LOG__LEVEL"));
  EXPECT_EQ(shown.at("origins").at("sandbox.mode"), boost::json::value("default"));
}

TEST_F(ConfigCommand, ShowsABlock) {
  EXPECT_EQ(run({"show", "Log", "-o", "yaml", "--set", "log.level=error"}).out,
            "log:\n  level: \"error\"  # --set\n");
  EXPECT_EQ(run({"show", "auth.enabled"}).out,
            "FIELD         VALUE  ORIGIN\n"
            "auth.enabled  true   default\n");
  Ran none = run({"show", "lgo"});
  EXPECT_EQ(none.status, kExitAtoll);
  EXPECT_NE(none.err.find("did you mean \"log\"?"), std::string::npos) << none.err;
}

TEST_F(ConfigCommand, ShowRefusesWhatIsWrong) {
  Ran ran = run({"show"}, {"ATOLL_POOL__SIZE=x"});
  EXPECT_EQ(ran.status, kExitAtoll);
  EXPECT_EQ(ran.out, "");
  EXPECT_NE(ran.err.find("ATOLL_POOL__SIZE: /pool/size must be"), std::string::npos) << ran.err;
  EXPECT_EQ(run({"show", "--config", folder_ + "/none"}).status, kExitAtoll);
}

TEST_F(ConfigCommand, ChecksAndTellsEverything) {
  EXPECT_EQ(run({"check"}).out, "ok: no file, only defaults and the environment\n");
  std::string good = file("good.json", "{/* nothing */}");
  EXPECT_EQ(run({"check", good}).status, 0);
  EXPECT_EQ(run({"check", good}).out, "ok: " + good + "\n");
  std::string bad = file("bad.json", "{\"pool\": {\"size\": -1},\n \"sandbx\": {}}");
  Ran ran = run({"check", bad}, {"ATOLL_AUTH__ENABLED=maybe"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.out, bad + ":1:19: /pool/size must be a whole number from 0 to 1000\n" + bad +
                         ":2:2: /sandbx is unknown; did you mean \"sandbox\"?\n"
                         "ATOLL_AUTH__ENABLED: /auth/enabled must be true or false\n");
  Ran missing = run({"check", folder_ + "/none.json"});
  EXPECT_EQ(missing.status, 1);
  EXPECT_NE(missing.out.find("there is no file"), std::string::npos) << missing.out;
}

TEST_F(ConfigCommand, ChecksForOtherPrograms) {
  std::string bad = file("bad.json", "{\"pool\": {\"size\": -1}}");
  Ran ran = run({"check", "-o", "json", bad});
  EXPECT_EQ(ran.status, 1);
  boost::json::value shown = codec::parse(ran.out).value();
  EXPECT_EQ(shown.at("ok"), boost::json::value(false));
  const boost::json::value& problem = shown.at("problems").at(0);
  EXPECT_EQ(problem.at("line"), boost::json::value(1));
  EXPECT_EQ(problem.at("column"), boost::json::value(19));
  EXPECT_EQ(problem.at("pointer"), boost::json::value("/pool/size"));
  EXPECT_EQ(codec::parse(run({"check", "-o", "json"}).out)->at("ok"), boost::json::value(true));
}

TEST_F(ConfigCommand, ChecksThatTheBackendExists) {
  std::string text = "{\"sandbox\": {\"enabled\": true, \"mode\": \"shared\",\n";
  std::string good = file("good.json", text + "\"backend\": \"srt\"}}");
  EXPECT_EQ(run({"check", good}).out, "ok: " + good + "\n");
  std::string bad = file("bad.json", text + "\"backend\": \"nonsense\"}}");
  Ran ran = run({"check", bad});
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.out, bad + ":2:12: /sandbox/backend is wrong: there are native and srt\n");
  EXPECT_EQ(run({"check"}, {"ATOLL_SANDBOX__BACKEND=nonsense"}).status, 1);
  EXPECT_EQ(run({"check", "--set", "sandbox.backend=nonsense"}).status, 1);
  std::string off = file("off.json", "{\"sandbox\": {\"backend\": \"nonsense\"}}");
  EXPECT_EQ(run({"check", off}).status, 0);
}

TEST_F(ConfigCommand, Words) {
  EXPECT_EQ(run({}).status, kExitAtoll);
  EXPECT_EQ(run({"show", "a", "b"}).status, kExitAtoll);
  EXPECT_EQ(run({"check", "a", "b"}).status, kExitAtoll);
  EXPECT_EQ(run({"show", "-o", "xml"}).status, kExitAtoll);
  EXPECT_EQ(run({"show", "--set", "x"}).status, kExitAtoll);
  Ran slip = run({"shwo"});
  EXPECT_NE(slip.err.find("did you mean config show?"), std::string::npos) << slip.err;
  EXPECT_NE(run({"reference"}).out.find("| `server.listen` | `\"127.0.0.1:8080\"` |"),
            std::string::npos);
  EXPECT_NE(run({"--help"}).out.find("atoll config check"), std::string::npos);
}

TEST(ConfigText, YamlNestsBlocks) {
  std::vector<Listed> values{{"a", 1, "default"},
                             {"b.c.d", "x: #", "f:1"},
                             {"b.c.e", boost::json::array{"y"}, "f\n:2"},
                             {"b.f", nullptr, "default"},
                             {"g.c.d", true, "V"}};
  EXPECT_EQ(values_yaml(values),
            "a: 1  # default\n"
            "b:\n"
            "  c:\n"
            "    d: \"x: #\"  # f:1\n"
            "    e: [\"y\"]  # f?:2\n"
            "  f: null  # default\n"
            "g:\n"
            "  c:\n"
            "    d: true  # V\n");
}

TEST(ConfigText, WideValuesDoNotWidenTheTable) {
  std::vector<Listed> values{{"a", 1, "x"}, {"b", boost::json::string(90, 'v'), "y"}};
  std::string text = values_text(values, false);
  EXPECT_NE(text.find("a      1" + std::string(51, ' ') + "x\n"), std::string::npos) << text;
  EXPECT_NE(text.find("v\"  y\n"), std::string::npos) << text;
  EXPECT_NE(values_text(values, true).find("\x1b[32mx\x1b[0m"), std::string::npos);
}

TEST(ConfigText, ProblemsCannotWriteToTheTerminal) {
  std::string text = problems_text(
      {{.origin = {.kind = Origin::Kind::kFile, .name = "\x1b]0;x", .line = 1}, .detail = "d"}});
  EXPECT_EQ(text, "?]0;x:1: d\n");
}

}  // namespace
}  // namespace atl::cli
