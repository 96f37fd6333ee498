import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.CodeContext;
import dev.atoll.sdk.CreateOptions;
import dev.atoll.sdk.RichResult;
import dev.atoll.sdk.Sandbox;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/** A table goes in; figures and a chart come out, as a picture and as data. */
public class DataAnalysis {
  private static final String DRAW = """
      import matplotlib.pyplot as plt
      plt.bar(table.month, table.sales)
      plt.title("Sales")
      plt.show()
      """;

  public static void main(String[] words) throws IOException {
    try (Sandbox sandbox = Atoll.connect().create(new CreateOptions().timeout(Duration.ofMinutes(10)))) {
      sandbox.files().write("sales.csv", "month,sales\nJan,100\nFeb,200\nMar,300\n");
      CodeContext python = sandbox.openContext("python");
      python.run("import pandas; table = pandas.read_csv('sales.csv')").check();
      var total = python.run("int(table.sales.sum())").check().value();
      System.out.println("total " + total.flatMap(RichResult::text).orElse("?"));

      for (RichResult shown : python.run(DRAW).check().results()) {
        if (shown.png().isPresent()) {
          Path picture = Files.createTempFile("atoll-sales", ".png");
          Files.write(picture, shown.png().get());
          Object title = shown.chart().map(chart -> ((Map<?, ?>) chart).get("title")).orElse(null);
          System.out.println("picture saved, chart \"" + title + "\"");
          Files.delete(picture);
        }
      }
    }
  }
}
