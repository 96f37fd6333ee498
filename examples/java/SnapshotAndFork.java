import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.CreateOptions;
import dev.atoll.sdk.Sandbox;
import dev.atoll.sdk.Work;
import java.util.List;

/** The files of one sandbox become those of two others, which then go their own ways. */
public class SnapshotAndFork {
  private static String state(Sandbox sandbox) {
    return sandbox.files().readText("state.txt").strip().replace("\n", ", ");
  }

  public static void main(String[] words) {
    Atoll atoll = Atoll.connect();
    try (Sandbox base = atoll.create()) {
      base.run(Work.shell("echo prepared > state.txt")).check();
      var snapshot = base.snapshot("prepared", null);
      for (String name : List.of("left", "right")) {
        try (Sandbox fork = atoll.create(new CreateOptions().snapshot(snapshot.id()))) {
          fork.run(Work.shell("echo " + name + " >> state.txt")).check();
          System.out.println(state(fork));
        }
      }
      System.out.println("the first still has " + state(base));
      atoll.deleteSnapshot(snapshot.id());
    }
  }
}
