import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Sandbox;
import dev.atoll.sdk.Work;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A folder goes in, is worked on, and comes back. */
public class FilesBothWays {
  public static void main(String[] words) throws IOException {
    Path here = Files.createTempDirectory("atoll-files-");
    for (String name : List.of("a", "b", "c")) {
      Files.writeString(here.resolve(name + ".txt"), name + "\n");
    }
    try (Sandbox sandbox = Atoll.connect().create()) {
      int sent = sandbox.files().uploadFolder(here, "in", null);
      sandbox.run(Work.shell("mkdir out; for f in in/*; do tr a-z A-Z < $f > out/$(basename $f); done")).check();
      Path back = Files.createTempDirectory("atoll-back-");
      int fetched = sandbox.files().downloadFolder("out", back, null);
      System.out.println(sent + " files sent, " + fetched + " fetched");
      var text = new ArrayList<String>();
      for (String name : List.of("a", "b", "c")) {
        text.add(Files.readString(back.resolve(name + ".txt")).strip());
      }
      System.out.println(String.join(" ", text));
    }
  }
}
