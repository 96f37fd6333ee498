// UTF-8 by hand and by the library: code points, wide characters, bytes that are not valid.
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

static int decode(const unsigned char** at) {
  int lead = *(*at)++;
  if (lead < 0x80) return lead;
  int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc2 ? 1 : -1;
  if (more < 0) return -1;
  int value = lead & (0x3f >> more);
  for (; more > 0; --more) {
    if ((**at & 0xc0) != 0x80) return -1;
    value = value << 6 | (*(*at)++ & 0x3f);
  }
  return value;
}

int main(void) {
  if (setlocale(LC_ALL, "") == NULL) return 2;
  const char* words[] = {"naïve", "日本語", "🙂", "a\xff\xc3(z", "e\xcc\x81"};
  for (int i = 0; i < 5; ++i) {
    const unsigned char* at = (const unsigned char*)words[i];
    printf("%zu bytes:", strlen(words[i]));
    while (*at != '\0') {
      int point = decode(&at);
      if (point < 0) {
        printf(" bad");
      } else {
        printf(" U+%04X", point);
      }
    }
    wchar_t wide[32];
    size_t count = mbstowcs(wide, words[i], 32);
    if (count == (size_t)-1) {
      printf(" (not text)\n");
    } else {
      printf(" (%zu wide, upper %lc)\n", count, (wint_t)towupper((wint_t)wide[0]));
    }
  }
  fwrite("raw \xff\x00\xfe\n", 1, 8, stdout);
  printf("%s|%6s|%ls\n", "größe", "é", L"wide Ω");
  return 0;
}
