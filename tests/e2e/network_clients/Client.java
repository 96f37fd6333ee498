import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Java's own client against one host. usage: Client HOST SIZE */
public class Client {
  static HttpClient client = HttpClient.newHttpClient();
  static String host, token = "Bearer " + System.getenv("TOKEN");

  static HttpRequest.Builder ask(String path) {
    return HttpRequest.newBuilder(URI.create("https://" + host + path)).header("Authorization", token);
  }

  static void check(boolean condition, String what) {
    if (!condition) throw new IllegalStateException(what + " is wrong");
    System.out.println(what);
  }

  public static void main(String[] words) throws Exception {
    host = words[0];
    int size = Integer.parseInt(words[1]);
    check(client.send(ask("/").build(), BodyHandlers.ofString()).body().contains("GET /"), "fetch");
    check(client.send(ask("/big?" + size).build(), BodyHandlers.ofByteArray()).body().length == size, "download");
    var upload = ask("/up").POST(HttpRequest.BodyPublishers.ofByteArray(new byte[size])).build();
    check(client.send(upload, BodyHandlers.ofString()).body().contains("\"size\": " + size), "upload");
    var said = new CompletableFuture<String>();
    var listener = new WebSocket.Listener() {
      @Override
      public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
        said.complete(data.toString());
        return null;
      }
    };
    // On a connection of its own: the relay lets the first request of one be an upgrade, and no later one.
    var socket = HttpClient.newHttpClient().newWebSocketBuilder().header("Authorization", token)
        .buildAsync(URI.create("wss://" + host + "/chat"), listener).get();
    socket.sendText("hello", true).get();
    check(said.get().equals("hello"), "websocket");
    System.exit(0);
  }
}
