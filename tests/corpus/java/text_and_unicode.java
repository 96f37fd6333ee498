// Text: code points, normal forms, bytes, invalid bytes, builders, formatting, regular expressions.
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.*;
import java.util.regex.*;

class Main {
  public static void main(String[] args) throws Exception {
    var out = new PrintStream(new java.io.FileOutputStream(java.io.FileDescriptor.out), true, "UTF-8");
    for (String word :
        new String[] {"na\u00efve", "nai\u0308ve", "\u65e5\u672c\u8a9e", "\ud83d\ude42", "Stra\u00dfe"}) {
      out.println(word + " " + word.length() + " " + word.codePointCount(0, word.length()) + " "
          + word.getBytes(StandardCharsets.UTF_8).length + " "
          + Normalizer.normalize(word, Normalizer.Form.NFD).length() + " " + word.toUpperCase(Locale.ROOT));
    }
    byte[] raw = {'r', 'a', 'w', ' ', (byte) 0xff, 0, (byte) 0xfe, '\n'};
    out.write(raw);
    String lenient = new String(raw, StandardCharsets.UTF_8);
    out.println(lenient.length() + " " + (lenient.charAt(4) == '\ufffd') + " "
        + new StringBuilder("a\u00f1\ud834\udd1eb").reverse());
    out.println(String.format(Locale.ROOT, "%5d|%-5d|%05d|%x|%o|%,d|%8.3f|%e|%s|%10s|%-6s|%%|%b|%c", 42, 42,
        42, 255, 8, 1234567, 3.14159, 12345.678, List.of(1), "r", "l", true, 'x'));
    Matcher line = Pattern.compile("(?<day>[\\d-]+) (?<level>[A-Z]+) (.*?)(?: \\((\\w+)\\))?")
                       .matcher("2024-05-01 ERROR 93% full (sda1)");
    out.println(line.matches() + " " + line.group("day") + " " + line.group(3) + " " + line.group(4));
    out.println("a1b22c333".replaceAll("\\d+", "<$0>") + " " + Arrays.toString("a, b;c".split("[,;]\\s*"))
        + " "
        + Pattern.compile("\\d+").matcher("1 22").replaceAll(m -> "" + 2 * Integer.parseInt(m.group())));
    out.println("  trim ".strip() + "|"
        + "ab".repeat(3) + "|" + String.join("-", "a", "b") + "|"
        + "a,b,,".split(",").length + "|"
        + "Text".chars().sum() + "|"
        + "b".compareTo("a"));
    out.println("""
        a text block
          keeps its "indent"\
         and joins""");
    String word = "hello";
    out.println((word == "hel" + "lo") + " " + (word == new String("hello")) + " "
        + word.equals(new String("hello")) + " " + "hello".hashCode());
  }
}
