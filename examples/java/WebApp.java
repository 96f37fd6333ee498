import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.Port;
import dev.atoll.sdk.RunOptions;
import dev.atoll.sdk.Sandbox;
import dev.atoll.sdk.Work;
import java.time.Duration;

/** A web server in a sandbox without network, asked by this program and shown to a browser. */
public class WebApp {
  public static void main(String[] words) {
    try (Sandbox sandbox = Atoll.connect().create()) {
      sandbox.files().write("index.html", "<h1>Hello from a sandbox</h1>\n");
      sandbox.start(Work.command("python3", "-m", "http.server", "8000"), new RunOptions().timeout(Duration.ZERO));

      Port port = sandbox.port(8000).awaitReady(Duration.ofMinutes(1));
      var page = port.get("/index.html");
      System.out.println(page.statusCode() + " " + new String(page.body()).strip());
      if (!port.preview(Duration.ofMinutes(1)).urls().isEmpty()) {
        System.out.println("a browser can open it");
      }
    }
  }
}
