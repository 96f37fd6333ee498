// Lives of sandboxes over HTTP: created, used once and deleted, in three calls or in one, alone or
// many at a time on one thread.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "figures.hpp"
#include "http.hpp"

namespace atl::bench {

// A template and what its sandboxes are asked to do.
struct Deed {
  std::string template_id;
  std::string body;    // of an execution, without the braces
  std::string output;  // as JSON writes what must come of it
};

inline const Deed kPython{"python-default", R"-("language":"python","code":"print(1)")-", R"(1\n)"};
inline const Deed kShell{"shell-default", R"("command":"echo 1")", R"(1\n)"};

class Life {
 public:
  Life(const Target& target, const Deed& deed, bool in_one_call);

  void begin();
  // Takes what came and sends what follows; true when it is over.
  bool go_on(bool wait);
  // Alone, from its begin to its end.
  void run();

  int fd() const { return connection_.fd(); }
  // Until it was ready, until its result was there, and until it was gone, in ms.
  double create_time() const { return create_time_; }
  double result_time() const { return result_time_; }
  double whole_time() const { return whole_time_; }
  // Empty when all went well.
  const std::string& failure() const { return failure_; }

 private:
  enum class Step { kCreate, kExecute, kDelete, kRun, kOver };
  bool take(const Reply& reply);
  bool end();
  bool fail(const Reply& reply);
  void take_result(const Reply& reply);

  const Target& target_;
  const Deed& deed_;
  Connection connection_;
  std::string first_;  // request
  std::string id_;
  Step step_ = Step::kOver;
  bool in_one_call_;
  Clock::time_point begun_;
  double create_time_ = 0, result_time_ = 0, whole_time_ = 0;
  std::string failure_;
};

// Begins them one after the other, `apart` from each other, and goes on until all are over;
// one that is over begins again when `again` says so.
void run_together(std::vector<Life>& lives, std::chrono::microseconds apart,
                  const std::function<bool(Life&)>& again);

}  // namespace atl::bench
