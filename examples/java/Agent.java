import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.RunOptions;
import dev.atoll.sdk.Sandbox;
import dev.atoll.sdk.Work;
import java.util.List;

/** An agent with two tools. The model is a script, so that this runs offline; a real one returns the same kind of calls. */
public class Agent {
  record Step(String tool, String path, String text) {}

  private static final List<Step> MODEL = List.of(
      new Step("write_file", "numbers.txt", "3\n1\n2\n"),
      new Step("run_code", null, "print(sorted(open('numbers.txt').read()))[0]"),
      new Step("run_code", null, "print(sorted(map(int, open('numbers.txt'))))"));

  private static String use(Sandbox sandbox, Step step) {
    if (step.tool().equals("run_code")) {
      return sandbox.runText(Work.code(step.text()), new RunOptions());
    }
    return "wrote " + sandbox.files().write(step.path(), step.text()).size() + " bytes";
  }

  public static void main(String[] words) {
    try (Sandbox sandbox = Atoll.connect().create()) {
      String seen = "";
      for (Step step : MODEL) {
        String[] lines = use(sandbox, step).strip().split("\n");
        seen = lines[lines.length - 1];
        System.out.println(step.tool() + ": " + seen);
      }
      System.out.println("sorted: " + seen);
    }
  }
}
