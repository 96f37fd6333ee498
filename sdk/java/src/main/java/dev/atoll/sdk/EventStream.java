package dev.atoll.sdk;

import dev.atoll.sdk.Transport.Call;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Flow;
import java.util.function.Supplier;

/**
 * Events that go on until they are closed, or what they tell of is gone. A connection that breaks is made again: behind the
 * last event where events have ids; else an event {@code overflow} says that some may be missing.
 */
public final class EventStream implements AutoCloseable {
  /**
   * One event.
   *
   * @param type its kind, such as {@code created} or {@code session_created}
   * @param data its members, as the API has them
   */
  public record Event(String type, Map<String, Object> data) {}

  private final Transport transport;
  private final Supplier<Call> call;
  private final Event lost;
  private volatile SseReader reader;
  private volatile boolean closed;
  private String last = "";
  private int failures;

  EventStream(Transport transport, Supplier<Call> call, Event lost) {
    this.transport = transport;
    this.call = call;
    this.lost = lost;
    connect();
  }

  private void connect() {
    Call made = call.get().header("accept", "text/event-stream");
    if (!last.isEmpty()) {
      made.header("last-event-id", last);
    }
    reader = new SseReader(transport.open(made).body(), Deadline.NONE);
    if (closed) {
      reader.close();
    }
  }

  /** Waits for the next event; null at the end. */
  public Event next() {
    while (!closed) {
      Exception cause = null;
      try {
        SseReader.Event raw = reader.next();
        if (raw != null) {
          failures = 0;
          last = raw.id().isEmpty() ? last : raw.id();
          Map<String, Object> data = Json.read(
              Json.tree(raw.data().getBytes(java.nio.charset.StandardCharsets.UTF_8)), new com.fasterxml.jackson.core.type.TypeReference<>() {});
          return new Event(raw.name(), data);
        }
        if (lost != null) {
          return null; // the server's own end: the folder or the sandbox is gone
        }
      } catch (IOException error) {
        cause = error;
      }
      reader.close();
      if (closed) {
        break;
      }
      if (++failures > transport.retries) {
        throw Transport.interrupted(cause);
      }
      Transport.sleep(Transport.backoff(failures - 1), Deadline.NONE);
      connect();
      if (lost != null) {
        return lost;
      }
    }
    return null;
  }

  /** The events for one subscriber. */
  public Flow.Publisher<Event> publisher() {
    return Async.publisher(this::next, this);
  }

  @Override
  public void close() {
    closed = true;
    reader.close();
  }
}
