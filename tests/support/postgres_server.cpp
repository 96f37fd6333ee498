#include "support/postgres_server.hpp"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace atl::test {
namespace {

std::string find_programs() {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/usr/lib/postgresql", ignored)) {
    std::filesystem::path bin = entry.path() / "bin";
    if (std::filesystem::exists(bin / "initdb") && std::filesystem::exists(bin / "postgres")) {
      return bin;
    }
  }
  throw std::runtime_error("no PostgreSQL server on this host: apt-get install postgresql-15");
}

std::string contents(const std::string& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

PostgresServer::PostgresServer() : bin_(find_programs()), uid_(::getuid()), gid_(::getgid()) {
  folder_ = (std::filesystem::temp_directory_path() / "atoll-pg-XXXXXX").string();
  if (::mkdtemp(folder_.data()) == nullptr) throw std::runtime_error("mkdtemp");
  if (uid_ == 0) {
    const passwd* user = ::getpwnam("postgres");
    if (user == nullptr) user = ::getpwnam("nobody");
    if (user == nullptr) throw std::runtime_error("no user for PostgreSQL");
    uid_ = user->pw_uid;
    gid_ = user->pw_gid;
    if (::chown(folder_.c_str(), uid_, gid_) != 0) throw std::runtime_error("chown");
  }
  run({"initdb", "-D", folder_ + "/data", "-U", "atoll", "-A", "trust", "-E", "UTF8", "--locale",
       "C.UTF-8", "--no-sync"});
  start();
}

PostgresServer::~PostgresServer() {
  stop();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void PostgresServer::start() {
  // Without fsync: no test cuts the power, and it is several times faster.
  pid_ =
      spawn({"postgres", "-D", folder_ + "/data", "-k", folder_, "-c", "listen_addresses=", "-F"},
            folder_ + "/log");
  std::string state = folder_ + "/data/postmaster.pid";
  auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  for (;;) {
    // Its last line says so; the first is the process, so that an older file is not taken for ours.
    std::string text = contents(state);
    if (text.starts_with(std::to_string(pid_) + "\n") && text.find("ready") != std::string::npos) {
      return;
    }
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) == pid_ || std::chrono::steady_clock::now() > until) {
      throw std::runtime_error("PostgreSQL does not start: " + contents(folder_ + "/log"));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void PostgresServer::stop() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGQUIT);
  wait_for(pid_);
  pid_ = -1;
}

std::string PostgresServer::new_database() {
  std::string name = "test" + std::to_string(++databases_);
  run({"createdb", "-h", folder_, "-U", "atoll", name});
  return url(name, folder_);
}

std::string PostgresServer::url(const std::string& database, const std::string& socket_folder) {
  return "postgres://atoll@/" + database + "?host=" + socket_folder;
}

pid_t PostgresServer::spawn(std::vector<std::string> arguments, const std::string& log) const {
  std::string program = bin_ + "/" + arguments[0];
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_t pid = ::fork();
  if (pid < 0) throw std::runtime_error("fork");
  if (pid > 0) return pid;
  // Only system calls from here: other threads may have held locks.
  if (::geteuid() == 0 &&
      (::setgroups(0, nullptr) != 0 || ::setgid(gid_) != 0 || ::setuid(uid_) != 0)) {
    ::_exit(126);
  }
  ::prctl(PR_SET_PDEATHSIG, SIGQUIT);  // also when the test crashes
  int fd = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  ::dup2(fd, STDOUT_FILENO);
  ::dup2(fd, STDERR_FILENO);
  if (::chdir("/") == 0) ::execv(program.c_str(), argv.data());
  ::_exit(127);
}

void PostgresServer::run(std::vector<std::string> arguments) const {
  std::string name = arguments[0];
  pid_t pid = spawn(std::move(arguments), folder_ + "/log");
  int status = wait_for(pid);
  if (status != 0) throw std::runtime_error(name + " failed: " + contents(folder_ + "/log"));
}

}  // namespace atl::test
