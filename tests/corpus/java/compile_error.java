// Code that does not compile: nothing runs, the status is not 0.
class Main {
  public static void main(String[] args) {
    System.out.println("never printed");
    int number = "text";
  }
}
