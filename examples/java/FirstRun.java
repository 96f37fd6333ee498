import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Result;
import dev.atoll.sdk.Sandbox;
import dev.atoll.sdk.Work;

/** A sandbox, code in it, and its end. Needs a server: ATOLL_URL and ATOLL_API_KEY name it. */
public class FirstRun {
  public static void main(String[] words) {
    try (Sandbox sandbox = Atoll.connect().create()) {
      Result done = sandbox.run(Work.code("print(6 * 7)"));
      System.out.print(done.stdout());
      System.out.println("exit code " + done.exitCode());
    }
  }
}
