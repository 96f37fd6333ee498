// System.exit: the status, hooks run, finally blocks do not.
class Main {
  public static void main(String[] args) throws Exception {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook runs")));
    System.err.println("to stderr");
    try {
      Thread worker = new Thread(() -> System.exit(42));
      worker.start();
      Thread.sleep(60000);
    } finally {
      System.out.println("never printed");
    }
  }
}
