// iostream: formatting, parsing, string streams, UTF-8 bytes, invalid bytes, stderr.
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>

int main() {
  std::ios::sync_with_stdio(false);
  std::cout << std::setw(8) << std::setfill('*') << 42 << '|' << std::left << std::setw(6) << "ab"
            << '|' << std::hex << std::showbase << 255 << std::dec << '|' << std::boolalpha << true
            << '\n';
  std::cout << std::fixed << std::setprecision(3) << 3.14159 << ' ' << std::scientific << 12345.678
            << ' ' << std::defaultfloat << 0.1 + 0.2 << ' ' << std::setprecision(17) << 0.1 << '\n';
  std::istringstream input("12 0x1f 3.5 word rest of it");
  int a = 0, b = 0;
  double c = 0;
  std::string word, rest;
  input >> a >> std::hex >> b >> c >> word;
  std::getline(input >> std::ws, rest);
  std::cout << a << ' ' << b << ' ' << c << ' ' << word << " [" << rest << "] " << input.eof()
            << '\n';
  std::istringstream bad("x");
  std::cout << !(bad >> a) << ' ' << a << ' ' << bad.fail() << '\n';
  std::string text = "größe 日本 🙂";
  std::size_t points = 0;
  for (unsigned char byte : text) points += (byte & 0xc0) != 0x80;
  std::cout << text << ' ' << text.size() << ' ' << points << ' ' << std::quoted("a \"b\" \\c")
            << '\n';
  std::cout.write("raw \xff\0\xfe\n", 8);
  std::string_view view = "key=value=more";
  std::size_t at = view.find('=');
  std::cout << view.substr(0, at) << '/' << view.substr(at + 1) << ' '
            << (view.rfind("key", 0) == 0) << '\n';
  std::string s = "hello world";
  s.replace(s.find("world"), 5, "there").insert(0, ">> ").append(3, '!');
  std::cout << s << ' ' << s.find_last_of('e') << ' ' << std::string("abc").compare("abd") << '\n';
  std::cerr << "to stderr " << std::hex << 255 << '\n';
  std::clog << "and more";
  return 0;
}
