package dev.atoll.sdk;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;

/** Server-sent events out of a body. */
final class SseReader implements Closeable {
  record Event(String name, String id, String data) {}

  private static final int MOST = 64 << 20; // of one line
  private final InputStream body;
  private final InputStream bytes;
  private final Deadline.Guard guard;
  private String lastId = "";

  SseReader(InputStream body, Deadline deadline) {
    this.body = body;
    bytes = new BufferedInputStream(body, 64 << 10);
    guard = deadline.watching(body);
  }

  /** null at the end, also where that is in the middle of an event. */
  Event next() throws IOException {
    String name = "message";
    var data = new ArrayList<String>();
    for (String line = line(); line != null; line = line()) {
      if (line.isEmpty()) {
        if (!data.isEmpty()) {
          guard.touch();
          return new Event(name, lastId, String.join("\n", data));
        }
        guard.touch();
        continue;
      }
      int colon = line.indexOf(':');
      String field = colon < 0 ? line : line.substring(0, colon);
      String value = colon < 0 ? "" : line.substring(line.startsWith(" ", colon + 1) ? colon + 2 : colon + 1);
      switch (field) {
        case "data" -> data.add(value);
        case "event" -> name = value;
        case "id" -> lastId = value;
        default -> { }
      }
    }
    return null;
  }

  private String line() throws IOException {
    var out = new ByteArrayOutputStream();
    for (int one = bytes.read(); one >= 0; one = bytes.read()) {
      if (one == '\n') {
        String line = out.toString(StandardCharsets.UTF_8);
        return line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
      }
      out.write(one);
      if (out.size() > MOST) {
        throw new IOException("an event of the server is larger than 64 MiB");
      }
    }
    return null;
  }

  @Override
  public void close() {
    guard.close();
    try {
      body.close();
    } catch (IOException error) {
      // It is gone already.
    }
  }
}
