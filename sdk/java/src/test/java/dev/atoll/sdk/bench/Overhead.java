package dev.atoll.sdk.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.atoll.sdk.Atoll;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/** What a request costs beyond bare java.net.http, for bench/sdks.py: rows as JSON. */
public final class Overhead {
  private interface Call {
    void run() throws IOException, InterruptedException;
  }

  public static void main(String[] words) throws Exception {
    int rounds = words.length > 0 ? 600 : 3000;
    Atoll client = Atoll.connect();
    HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    HttpRequest request = HttpRequest.newBuilder(URI.create(System.getenv("ATOLL_URL") + "/api/v1/health"))
        .header("authorization", "Bearer " + System.getenv("ATOLL_API_KEY")).build();
    ObjectMapper json = new ObjectMapper();
    List<Call> calls = List.of(client::health, () -> json.readTree(http.send(request, HttpResponse.BodyHandlers.ofByteArray()).body()));
    List<List<Double>> samples = List.of(new ArrayList<>(), new ArrayList<>());
    for (int i = 0; i < 4 * rounds; i++) {
      int at = (i + i / 2) % 2;
      long begun = System.nanoTime();
      calls.get(at).run();
      if (i >= 2 * rounds) { // the first half is for the compiler
        samples.get(at).add((System.nanoTime() - begun) / 1e6);
      }
    }
    samples.forEach(Collections::sort);
    double ours = samples.get(0).get(samples.get(0).size() / 2);
    double bare = samples.get(1).get(samples.get(1).size() / 2);
    String row = "{\"case\": \"%s\", \"contender\": \"Java\", \"mode\": \"\", \"unit\": \"ms\", \"value\": %f}";
    System.out.println("[" + String.format(Locale.ROOT, row, "a request beyond the bare HTTP library", ours - bare) + ", "
        + String.format(Locale.ROOT, row, "a request with the bare HTTP library", bare) + "]");
    System.exit(0);
  }
}
