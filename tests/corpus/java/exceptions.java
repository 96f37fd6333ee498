// Exceptions: causes, suppressed ones, finally, closing of resources, kinds, own classes, stack depth.
class Main {
  static class AppException extends Exception {
    final int code;

    AppException(int code, String message, Throwable cause) {
      super(message, cause);
      this.code = code;
    }
  }

  record Resource(String name) implements AutoCloseable {
    Resource {
      System.out.print("+" + name + " ");
    }

    @Override
    public void close() {
      System.out.print("-" + name + " ");
      throw new IllegalStateException("closing " + name);
    }
  }

  static int depth = 0;

  static void endless() {
    ++depth;
    endless();
  }

  @SuppressWarnings("finally")
  static String surprising() {
    try {
      return "from try";
    } finally {
      return "from finally";
    }
  }

  public static void main(String[] args) {
    try {
      try {
        Integer.parseInt("oops");
      } catch (NumberFormatException error) {
        throw new AppException(4, "wrapped", error);
      } finally {
        System.out.println("finally");
      }
    } catch (AppException error) {
      System.out.println(error.getMessage() + " " + error.code + " " + error.getCause().getMessage());
    }
    try (Resource a = new Resource("a"); Resource b = new Resource("b")) {
      throw new RuntimeException("body");
    } catch (RuntimeException error) {
      System.out.println(error.getMessage() + " " + error.getSuppressed().length + " "
          + error.getSuppressed()[0].getMessage());
    }
    Runnable[] bad = {()
                          -> System.out.println(new int[2][3][1].length / (args.length)),
        ()
            -> System.out.println(new int[3][7 - 8]),
        ()
            -> ((Object) "text").equals(((Integer) (Object) "text")),
        ()
            -> System.out.println(((String) null).length()),
        ()
            -> java.util.List.of(1).add(2),
        ()
            -> new java.util.ArrayDeque<Integer>().pop(),
        () -> Object.class.cast(Enum.valueOf(Thread.State.class, "X"))};
    for (Runnable act : bad) {
      try {
        act.run();
      } catch (RuntimeException error) {
        System.out.println(error.getClass().getSimpleName());
      }
    }
    try {
      endless();
    } catch (StackOverflowError error) {
      System.out.println("overflow " + (depth > 1000));
    }
    System.out.println(surprising());
  }
}
