// Files, folders, a child process, environment, arguments, stdin, UTC dates.
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.time.*;
import java.util.*;
import java.util.stream.*;

class Main {
  public static void main(String[] args) throws Exception {
    System.out.println(Arrays.toString(args) + " " + System.getenv("LANG") + " " + System.getenv("MISSING"));
    Path tree = Files.createDirectories(Path.of("tree", "a"));
    Files.writeString(Path.of("tree/one.txt"), "first\nsecond\n");
    Files.write(tree.resolve("two.bin"), new byte[] {1, 2, (byte) 255});
    Files.createSymbolicLink(Path.of("tree/link"), Path.of("one.txt"));
    try (Stream<Path> walk = Files.walk(Path.of("tree"))) {
      walk.map(Path::toString).sorted().forEach(System.out::println);
    }
    System.out.println(Files.readAllLines(Path.of("tree/link")) + " " + Files.size(tree.resolve("two.bin")));
    try (RandomAccessFile file = new RandomAccessFile("tree/a/two.bin", "rw")) {
      file.seek(1);
      file.write(77);
      file.setLength(1000);
      file.seek(0);
      System.out.println(file.read() + " " + file.read() + " " + file.length());
    }
    try {
      Files.delete(Path.of("tree"));
    } catch (DirectoryNotEmptyException error) {
      System.out.println("not empty " + error.getMessage());
    }
    try {
      Files.readString(Path.of("missing"));
    } catch (NoSuchFileException error) {
      System.out.println("missing " + error.getMessage());
    }
    Path temporary = Files.createTempFile("corpus", ".txt");
    System.out.println(
        Files.exists(temporary) + " " + Files.deleteIfExists(temporary) + " " + Files.exists(temporary));
    Process child = new ProcessBuilder("sh", "-c", "tr a-z A-Z; exit 9").redirectErrorStream(true).start();
    try (Writer in = new OutputStreamWriter(child.getOutputStream(), StandardCharsets.UTF_8)) {
      in.write("through a pipe");
    }
    System.out.println(
        new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8) + " " + child.waitFor());
    try {
      new ProcessBuilder("no-such-program-anywhere").start();
    } catch (IOException error) {
      System.out.println("cannot start");
    }
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    int total = 0;
    for (String line; (line = in.readLine()) != null;) total += line.chars().filter(c -> c == 'i').count();
    System.out.println("letters " + total);
    ZonedDateTime moment = ZonedDateTime.of(2024, 2, 28, 23, 59, 30, 0, ZoneOffset.UTC);
    System.out.println(moment.plusMinutes(1) + " " + moment.toEpochSecond() + " " + moment.getDayOfWeek()
        + " " + Duration.ofSeconds(3725) + " "
        + Period.between(LocalDate.of(1999, 12, 31), LocalDate.of(2024, 2, 29)) + " "
        + Instant.ofEpochSecond(1_000_000_000));
  }
}
