// A server and a client on the loopback device, then four megabytes on stdout.
import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;

class Main {
  public static void main(String[] args) throws Exception {
    try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getByName("127.0.0.1"))) {
      Thread thread = new Thread(() -> {
        try {
          for (int i = 0; i < 2; ++i) {
            try (Socket link = server.accept()) {
              byte[] data = link.getInputStream().readAllBytes();
              link.getOutputStream().write(
                  (data.length + ":" + new String(data, data.length - 5, 5)).getBytes());
            }
          }
        } catch (IOException error) {
          System.out.println(error);
        }
      });
      thread.start();
      for (String text : new String[] {"hello", "x".repeat(300000) + "after"}) {
        try (Socket link = new Socket("127.0.0.1", server.getLocalPort())) {
          link.getOutputStream().write(text.getBytes());
          link.shutdownOutput();
          System.out.println(new String(link.getInputStream().readAllBytes()));
        }
      }
      thread.join();
    }
    PrintStream out =
        new PrintStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16), false,
            StandardCharsets.UTF_8);
    for (int i = 0; i < 40000; ++i)
      out.println(i + " " + String.valueOf((char) ('a' + i % 26)).repeat(i * 7919 % 200));
    out.flush();
  }
}
