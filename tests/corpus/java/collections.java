// Collections: maps, sets, queues, iteration order, sorting, sublists, equality, iterators.
import java.util.*;

class Main {
  record Person(String name, int age) {}

  static <T extends Comparable<T>> void quick(List<T> list) {
    if (list.size() < 2)
      return;
    T pivot = list.get(0);
    List<T> low = new ArrayList<>(), high = new ArrayList<>();
    for (T x : list.subList(1, list.size())) (x.compareTo(pivot) < 0 ? low : high).add(x);
    quick(low);
    quick(high);
    low.add(pivot);
    low.addAll(high);
    Collections.copy(list, low);
  }

  public static void main(String[] args) {
    Map<Character, Integer> counts = new TreeMap<>(Comparator.reverseOrder());
    for (char c : "mississippi".toCharArray()) counts.merge(c, 1, Integer::sum);
    System.out.println(counts + " " + counts.getOrDefault('x', 0));
    var people =
        new ArrayList<>(List.of(new Person("Eve", 30), new Person("Bob", 25), new Person("Ann", 30)));
    people.sort(Comparator.comparingInt(Person::age).thenComparing(Person::name));
    System.out.println(people + " " + people.contains(new Person("Bob", 25)));
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < 20; ++i) numbers.add(i * 7919 % 101);
    List<Integer> sorted = new ArrayList<>(numbers);
    Collections.sort(sorted);
    quick(numbers);
    System.out.println(
        numbers.equals(sorted) + " " + Collections.binarySearch(sorted, 50) + " " + sorted.subList(0, 5));
    var linked = new LinkedHashMap<String, Integer>(16, 0.75f, true) {
      @Override
      protected boolean removeEldestEntry(Map.Entry<String, Integer> eldest) {
        return size() > 2;
      }
    };
    linked.put("a", 1);
    linked.put("b", 2);
    linked.get("a");
    linked.put("c", 3);
    System.out.println(linked.keySet());
    Deque<Integer> deque = new ArrayDeque<>(List.of(1, 2, 3));
    deque.addFirst(0);
    deque.removeLast();
    var heap = new PriorityQueue<>(List.of(5, 1, 4));
    System.out.println(
        deque + " " + heap.poll() + " " + heap.peek() + " " + new TreeSet<>(List.of(9, 2, 7)).ceiling(3));
    try {
      numbers.removeIf(n -> n % 2 == 0);
      for (Integer n : numbers) numbers.add(n);
    } catch (ConcurrentModificationException error) {
      System.out.println("modified while iterating");
    }
    System.out.println(Arrays.deepToString(new int[][] {{1, 2}, {3}}) + " " + Arrays.asList(1, 2).hashCode()
        + " " + List.of(1, 2).equals(Arrays.asList(1, 2)));
    System.out.println(new BitSet().toString() + EnumSet.range(Thread.State.NEW, Thread.State.BLOCKED));
  }
}
