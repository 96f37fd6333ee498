package dev.atoll.sdk;

import java.util.Base64;
import java.util.Map;
import java.util.Optional;

/** One display of a context: MIME type to content. */
public record RichResult(boolean isResult, Map<String, Object> data) {
  private Optional<String> string(String mime) {
    return data.get(mime) instanceof String text ? Optional.of(text) : Optional.empty();
  }

  /** The {@code text/plain} of it. */
  public Optional<String> text() {
    return string("text/plain");
  }

  /** The {@code text/html} of it. */
  public Optional<String> html() {
    return string("text/html");
  }

  /** The bytes of its picture. */
  public Optional<byte[]> png() {
    return string("image/png").map(text -> Base64.getMimeDecoder().decode(text));
  }

  /** The data of a figure, where the server could tell it. */
  public Optional<Object> chart() {
    return Optional.ofNullable(data.get("application/vnd.atoll.chart+json"));
  }
}
