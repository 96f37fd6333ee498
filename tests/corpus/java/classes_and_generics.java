// Types: sealed ones, records, enums with methods, interfaces with defaults, generics, inner classes, switch
// forms.
import java.util.*;
import java.util.function.*;

class Main {
  sealed interface Expression permits Num, Sum, Product {}

  record Num(double value) implements Expression {}

  record Sum(Expression left, Expression right) implements Expression {}

  record Product(Expression left, Expression right) implements Expression {}

  static double evaluate(Expression e) {
    if (e instanceof Num n)
      return n.value();
    if (e instanceof Sum s)
      return evaluate(s.left()) + evaluate(s.right());
    if (e instanceof Product p)
      return evaluate(p.left()) * evaluate(p.right());
    throw new AssertionError();
  }

  enum Planet {
    MERCURY(3.303e+23, 2.4397e6),
    EARTH(5.976e+24, 6.37814e6) {
      @Override
      String note() {
        return "home";
      }
    };

    final double mass, radius;

    Planet(double mass, double radius) {
      this.mass = mass;
      this.radius = radius;
    }

    double gravity() {
      return 6.67300E-11 * mass / (radius * radius);
    }

    String note() {
      return "far";
    }
  }

  interface Greeter {
    String name();

    default String greet() {
      return "Hello, " + name() + suffix();
    }

    private String suffix() {
      return "!";
    }

    static Greeter of(String name) {
      return () -> name;
    }
  }

  static class Tree<T extends Comparable<? super T>> implements Iterable<T> {
    private class Node {
      final T key;
      Node left, right;

      Node(T key) {
        this.key = key;
        ++size;
      }
    }

    private Node root;
    int size;

    void add(T key) {
      root = put(root, key);
    }

    private Node put(Node node, T key) {
      if (node == null)
        return new Node(key);
      int order = key.compareTo(node.key);
      if (order < 0)
        node.left = put(node.left, key);
      if (order > 0)
        node.right = put(node.right, key);
      return node;
    }

    @Override
    public Iterator<T> iterator() {
      var keys = new ArrayList<T>();
      new Object() {
        void walk(Node node) {
          if (node == null)
            return;
          walk(node.left);
          keys.add(node.key);
          walk(node.right);
        }
      }.walk(root);
      return keys.iterator();
    }
  }

  static String kind(int day) {
    return switch (day) {
      case 6, 7 -> "weekend";
      case 1 -> {
        String text = "first ";
        yield text + "day";
      }
      default -> "weekday";
    };
  }

  static int order = 0;
  int first = ++order;

  {
    first += 10;
  }

  Main() {
    first *= 2;
  }

  public static void main(String[] args) {
    System.out.println(evaluate(new Sum(new Num(2), new Product(new Num(3), new Num(4)))) + " "
        + new Sum(new Num(1), new Num(2)));
    for (Planet p : Planet.values())
      System.out.printf(Locale.ROOT, "%s %d %.2f %s%n", p, p.ordinal(), p.gravity(), p.note());
    System.out.println(Greeter.of("World").greet());
    var tree = new Tree<String>();
    for (String word : "pear fig apple fig plum".split(" ")) tree.add(word);
    for (String word : tree) System.out.print(word + " ");
    System.out.println(tree.size);
    System.out.println(kind(1) + ", " + kind(3) + ", " + kind(7) + " " + new Main().first);
    Object[] things = {1, 2L, 'c', "s", 1.5f, new int[0], null};
    for (Object thing : things)
      System.out.print((thing == null ? "null" : thing.getClass().getSimpleName()) + " ");
    System.out.println();
    Integer small = 127, same = 127, large = 1000, other = 1000;
    System.out.println((small == same) + " " + large.equals(other) + " " + (char) ('a' + 1) + " " + ('a' + 1)
        + " " + 1 + 2 + " " + (1 + 2));
  }
}
