// A small regular expression matcher by hand (literals, ., *, ^, $) and a glob matcher.
#include <cstdio>

static bool match_here(const char* pattern, const char* text);

static bool match_star(char c, const char* pattern, const char* text) {
  do {
    if (match_here(pattern, text)) return true;
  } while (*text != '\0' && (*text++ == c || c == '.'));
  return false;
}

static bool match_here(const char* pattern, const char* text) {
  if (pattern[0] == '\0') return true;
  if (pattern[1] == '*') return match_star(pattern[0], pattern + 2, text);
  if (pattern[0] == '$' && pattern[1] == '\0') return *text == '\0';
  return *text != '\0' && (pattern[0] == '.' || pattern[0] == *text) &&
         match_here(pattern + 1, text + 1);
}

static bool match(const char* pattern, const char* text) {
  if (pattern[0] == '^') return match_here(pattern + 1, text);
  do {
    if (match_here(pattern, text)) return true;
  } while (*text++ != '\0');
  return false;
}

static bool glob(const char* pattern, const char* text) {
  for (; *pattern != '\0'; ++pattern, ++text) {
    if (*pattern == '*') {
      do {
        if (glob(pattern + 1, text)) return true;
      } while (*text++ != '\0');
      return false;
    }
    if (*text == '\0' || (*pattern != '?' && *pattern != *text)) return false;
  }
  return *text == '\0';
}

int main() {
  const char* cases[][2] = {{"ab*c", "ac"}, {"ab*c", "abbbc"}, {"^a.c$", "abc"}, {"^a.c$", "abcd"},
                            {"b*$", "aaa"}, {"x.*y", "axbyc"}, {"^$", ""},       {"a.b", "ab"}};
  for (auto& [pattern, text] : cases)
    std::printf("%-6s %-6s %d\n", pattern, text, match(pattern, text));
  std::printf("%d%d%d%d\n", glob("*.txt", "notes.txt"), glob("n?t*", "note"),
              glob("*a*b*", "xxbxa"), glob("", ""));
  return 0;
}
