// Lambdas, closures, streams, collectors, method references, optional values.
import java.util.*;
import java.util.function.*;
import java.util.stream.*;

class Main {
  static Supplier<Integer> counter(int start, int step) {
    int[] value = {start};
    return () -> value[0] += step;
  }

  public static void main(String[] args) {
    var a = counter(0, 1);
    var b = counter(100, -10);
    System.out.println(a.get() + " " + a.get() + " " + b.get() + " " + a.get());
    Function<Integer, Integer> twice = x -> x * 2;
    System.out.println(twice.andThen(String::valueOf).andThen(s -> s + "!").apply(21));
    BinaryOperator<Integer> add = Integer::sum;
    System.out.println(Stream.of(1, 2, 3, 4).reduce(0, add) + " "
        + IntStream.rangeClosed(1, 20).mapToObj(Long::valueOf).reduce(1L, (x, y) -> x * y));
    List<String> words = List.of("pear", "apple", "fig", "avocado", "plum");
    Map<Character, String> groups = words.stream().collect(
        Collectors.groupingBy(w -> w.charAt(0), TreeMap::new, Collectors.joining("+")));
    System.out.println(groups);
    System.out.println(words.stream()
            .sorted(Comparator.comparing(String::length).thenComparing(Comparator.reverseOrder()))
            .collect(Collectors.toList()));
    System.out.println(IntStream.range(0, 40)
            .map(i -> i * 7919 % 101)
            .filter(n -> n % 3 == 0)
            .sorted()
            .boxed()
            .map(String::valueOf)
            .collect(Collectors.joining(" ")));
    System.out.println(Stream.iterate(new long[] {0, 1}, f -> new long[] {f[1], f[0] + f[1]})
            .limit(15)
            .map(f -> f[0])
            .toList());
    System.out.println(
        words.stream().filter(w -> w.length() > 9).findFirst().map(String::toUpperCase).orElse("none"));
    System.out.println(IntStream.of(3, 1, 2).summaryStatistics());
    System.out.println(words.parallelStream().mapToInt(String::length).sum());
  }
}
