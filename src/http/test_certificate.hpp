// For tests: a certificate for localhost and 127.0.0.1 that signs itself, made anew.
#pragma once

#include <string>

namespace atl::http::test {

class TestCertificate {
 public:
  TestCertificate();
  TestCertificate(const TestCertificate&) = delete;
  TestCertificate& operator=(const TestCertificate&) = delete;
  ~TestCertificate();  // removes the files

  std::string certificate, key;  // paths

 private:
  std::string folder_;
};

}  // namespace atl::http::test
