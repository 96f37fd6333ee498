// A PostgreSQL server of a test's own: in a temporary folder, on a Unix socket, without a password,
// gone with the test. Needs Debian's postgresql-15 (initdb and postgres). As root it runs as
// another user, because it refuses root.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace atl::test {

class PostgresServer {
 public:
  // Throws std::runtime_error when there is none to start.
  PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;
  ~PostgresServer();

  // The URL of a new, empty database.
  std::string new_database();
  // At once, as in a crash; what was committed comes back with start().
  void stop();
  void start();

  // Where its socket is: ".s.PGSQL.5432" in this folder.
  const std::string& socket_folder() const { return folder_; }
  // The same database by another way.
  static std::string url(const std::string& database, const std::string& socket_folder);

 private:
  pid_t spawn(std::vector<std::string> arguments, const std::string& log) const;
  void run(std::vector<std::string> arguments) const;

  std::string bin_;
  std::string folder_;
  uid_t uid_ = 0;
  gid_t gid_ = 0;
  pid_t pid_ = -1;
  int databases_ = 0;
};

}  // namespace atl::test
