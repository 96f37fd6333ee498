package dev.atoll.sdk;

import dev.atoll.sdk.Transport.Call;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** A server inside the sandbox; it is reached through the API, also without network. */
public final class Port {
  /**
   * What lets a browser see a port.
   *
   * @param token the token in the URLs
   * @param urls to open in a browser
   * @param expiresAt until when
   */
  public record Preview(
      String token, List<String> urls, @com.fasterxml.jackson.annotation.JsonProperty("expires_at") Instant expiresAt) {}

  private final Transport transport;
  private final String path;
  private final int number;

  Port(Transport transport, String path, int number) {
    this.transport = transport;
    this.path = path;
    this.number = number;
  }

  /** For programs, with {@link #headers}. */
  public URI uri() {
    return URI.create(transport.url + path + "/proxy/" + number + "/");
  }

  /** What requests to {@link #uri} carry. */
  public Map<String, String> headers() {
    return Map.copyOf(transport.headers);
  }

  /** A request to the port; whatever it answers is the answer, 502 when nobody does. Method, body and headers may be null. */
  public HttpResponse<byte[]> send(String method, String at, byte[] body, Map<String, String> headers) {
    var request = HttpRequest.newBuilder(URI.create(uri() + at.replaceFirst("^/", ""))).timeout(Duration.ofMinutes(1));
    transport.headers.forEach(request::setHeader);
    if (headers != null) {
      headers.forEach(request::setHeader);
    }
    request.method(method == null ? "GET" : method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
    try {
      return transport.http.send(request.build(), BodyHandlers.ofByteArray());
    } catch (IOException error) {
      throw transport.connectionError(error);
    } catch (InterruptedException error) {
      throw Transport.cancelled();
    }
  }

  /** Asks for a path. */
  public HttpResponse<byte[]> get(String at) {
    return send("GET", at, null, null);
  }

  /** Waits until something answers. */
  public Port awaitReady(Duration time) {
    Deadline deadline = new Deadline(time);
    for (int status = get("/").statusCode(); status == 502 || status == 503; status = get("/").statusCode()) {
      Transport.sleep(Duration.ofMillis(50), deadline);
    }
    return this;
  }

  /** URLs that open the port in a browser for a time; null: five minutes. */
  public Preview preview(Duration time) {
    var body = Json.object("ttl", time == null ? null : time.toSeconds());
    return transport.json(new Call("POST", path + "/ports/" + number + "/token").json(body).repeatable(true), Preview.class);
  }
}
