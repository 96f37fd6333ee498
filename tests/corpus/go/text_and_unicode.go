// Text: runes and bytes, invalid UTF-8, builders, fields, formatting verbs.
package main

import (
	"fmt"
	"os"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

func main() {
	for _, word := range []string{"naïve", "nai\u0308ve", "日本語", "🙂", "a\xff\xc3(z"} {
		count, valid := utf8.RuneCountInString(word), utf8.ValidString(word)
		fmt.Printf("%q %d %d %v %s\n", word, len(word), count, valid, strings.ToUpper(word))
	}
	for i, r := range "é€𝄞" {
		fmt.Printf("%d %U %c %x|", i, r, r, string(r))
	}
	fmt.Println()
	runes := []rune("añ𝄞b")
	for i, j := 0, len(runes)-1; i < j; i, j = i+1, j-1 {
		runes[i], runes[j] = runes[j], runes[i]
	}
	fmt.Println(string(runes), unicode.IsLetter('日'), unicode.IsUpper('Ω'))
	fmt.Println(strings.EqualFold("Straße", "STRAßE"))
	os.Stdout.Write([]byte{'r', 'a', 'w', ' ', 0xff, 0, 0xfe, '\n'})
	counts := map[string]int{}
	for _, word := range strings.Fields("the tide the sand  the island") {
		counts[word]++
	}
	var words []string
	for word := range counts {
		words = append(words, word)
	}
	sort.Slice(words, func(i, j int) bool {
		return counts[words[i]] > counts[words[j]] || counts[words[i]] == counts[words[j]] && words[i] < words[j]
	})
	fmt.Println(words, counts)
	fmt.Printf("%5d|%-5d|%05d|%x|%o|%b|%t\n", 42, 42, 42, 255, 8, 5, true)
	fmt.Printf("%8.3f|%e|%g|%v|%6s|%-6s|%%\n", 3.14159, 12345.678, 1e21, []string{"a"}, "r", "l")
	fmt.Println(strings.Split("a,b,,c", ","), strings.Repeat("ab", 3), strings.Replace("aaa", "a", "b", 2))
	fmt.Println(strings.TrimFunc("123abc45", unicode.IsDigit))
	var b strings.Builder
	for i := 3; i > 0; i-- {
		fmt.Fprintf(&b, "%d...", i)
	}
	fmt.Println(b.String(), b.Len(), strings.Map(func(r rune) rune { return r + 1 }, "HAL"))
}
