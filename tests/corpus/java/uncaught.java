// An exception nobody catches: its trace on stderr, hooks run, status 1.
class Main {
  public static void main(String[] args) {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook runs")));
    System.out.println("before");
    throw new IllegalStateException("nobody catches this");
  }
}
