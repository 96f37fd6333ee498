import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.CreateOptions;
import dev.atoll.sdk.Work;
import java.util.stream.IntStream;

/** The same work for 100 inputs, each in a sandbox of its own, ten at a time. */
public class ParallelMap {
  public static void main(String[] words) {
    var numbers = IntStream.range(0, 100).boxed().toList();
    var squares = Atoll.connect().map(numbers, 10, new CreateOptions().template("shell-default"), (sandbox, number) -> {
      String command = "echo $((%d * %d))".formatted(number, number);
      return Integer.valueOf(sandbox.run(Work.shell(command)).check().stdout().strip());
    });
    int sum = squares.stream().mapToInt(Integer::intValue).sum();
    System.out.println(squares.size() + " results, sum " + sum);
  }
}
