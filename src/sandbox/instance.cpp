#include "sandbox/instance.hpp"

#include <filesystem>
#include <fstream>
#include <utility>

#include "base/ids.hpp"

namespace atl::sandbox {

Result<std::string> instance_of(const std::string& folder, std::string first) {
  namespace fs = std::filesystem;
  if (folder.empty()) return first;
  fs::path file = folder + ".instance";
  std::string id;
  if (std::ifstream(file) >> id && !id.empty()) return id;
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  fs::path draft = file.string() + "." + make_sortable_id();
  std::ofstream(draft) << first << '\n';
  fs::create_hard_link(draft, file, ignored);  // whoever was first stays
  fs::remove(draft, ignored);
  if (std::ifstream(file) >> id && !id.empty()) return id;
  return fail(Code::kIo, "the id of this instance cannot be kept in the data folder");
}

}  // namespace atl::sandbox
