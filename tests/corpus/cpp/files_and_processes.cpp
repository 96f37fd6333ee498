// Files with streams and the filesystem library; a child process; argv-free environment.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

namespace fs = std::filesystem;

int main() {
  fs::create_directories("tree/a/b");
  for (const char* name : {"tree/one.txt", "tree/a/two.txt", "tree/a/b/drei größe.txt"})
    std::ofstream(name) << name << '\n';
  fs::create_symlink("one.txt", "tree/link");
  std::set<std::string> found;
  std::uintmax_t size = 0;
  for (const auto& entry : fs::recursive_directory_iterator("tree")) {
    found.insert(entry.path().lexically_relative("tree").string() +
                 (entry.is_directory() ? "/" : ""));
    if (entry.is_regular_file() && !entry.is_symlink()) size += entry.file_size();
  }
  for (const std::string& name : found) std::printf("%s\n", name.c_str());
  std::printf("%ju bytes, %s, %d\n", size, fs::read_symlink("tree/link").c_str(),
              fs::equivalent("tree/link", "tree/one.txt"));
  fs::copy("tree/a", "copy", fs::copy_options::recursive);
  std::uintmax_t removed = fs::remove_all("tree");
  std::printf("%ju removed, %d\n", removed, fs::exists("tree"));
  std::error_code error;
  (void)fs::file_size("missing", error);
  std::printf("%s\n", error.message().c_str());
  try {
    fs::rename("missing", "other");
  } catch (const fs::filesystem_error& problem) {
    std::printf("%d %s\n", problem.code().value(), problem.path1().c_str());
  }
  std::fstream both("data.bin", std::ios::in | std::ios::out | std::ios::trunc | std::ios::binary);
  for (int i = 0; i < 1000; ++i) both.write(reinterpret_cast<const char*>(&i), sizeof i);
  both.seekg(500 * sizeof(int));
  int value = 0;
  both.read(reinterpret_cast<char*>(&value), sizeof value);
  std::printf("%d at %ld\n", value, static_cast<long>(both.tellg()));
  std::string line;
  std::ifstream in("copy/two.txt");
  while (std::getline(in, line)) std::printf("[%s]\n", line.c_str());
  std::fflush(stdout);
  int status = std::system("ls copy | sort; exit 6");
  std::printf("%d\n", status >> 8);
  return 0;
}
