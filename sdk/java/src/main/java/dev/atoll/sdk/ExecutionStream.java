package dev.atoll.sdk;

import dev.atoll.sdk.Transport.Call;
import java.io.IOException;
import java.time.Duration;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.Flow;
import java.util.function.Supplier;

/**
 * The events of an execution. A connection that breaks is made again behind the last event that came, so nothing is lost
 * or told twice; where that fails, {@link StreamInterruptedException} says so. Closing it leaves what runs alone.
 */
public final class ExecutionStream implements Iterable<ExecutionEvent>, AutoCloseable {
  private final Transport transport;
  private final Supplier<Call> begin;
  private final Deadline deadline;
  private String id;
  private String last = "";
  private int failures;
  private SseReader reader;
  private volatile boolean closed;
  private boolean complete;

  ExecutionStream(Transport transport, Supplier<Call> begin, String id, Duration deadline) {
    this.transport = transport;
    this.begin = begin;
    this.id = id;
    this.deadline = new Deadline(deadline);
  }

  /** The next event; null at the end. */
  public ExecutionEvent next() {
    while (!complete && !closed) {
      Exception cause = null;
      try {
        if (reader == null) {
          connect();
        }
        SseReader.Event raw = reader.next();
        if (raw != null) {
          ExecutionEvent event = take(raw);
          if (event != null) {
            return event;
          }
          continue;
        }
      } catch (IOException error) {
        cause = error;
      } catch (ConnectionFailedException error) {
        if (last.isEmpty()) {
          throw error;
        }
        cause = error;
      }
      again(cause);
    }
    return null;
  }

  private ExecutionEvent take(SseReader.Event raw) {
    failures = 0;
    last = raw.id().isEmpty() ? last : raw.id();
    ExecutionEvent event = ExecutionEvent.of(raw);
    if (event != null && event.type().equals("init")) {
      id = event.execution().executionId();
    }
    if (event != null && event.type().equals("complete")) {
      complete = true;
      reader.close();
    }
    return event;
  }

  private void again(Exception cause) {
    if (reader != null) {
      reader.close();
      reader = null;
    }
    if (Thread.currentThread().isInterrupted()) {
      throw Transport.cancelled();
    }
    deadline.check(cause);
    if (closed) {
      return;
    }
    if (++failures > transport.retries) {
      throw Transport.interrupted(cause);
    }
    Transport.sleep(Transport.backoff(failures - 1), deadline);
  }

  private void connect() {
    Call call = begin == null || id != null ? new Call("GET", "/api/v1/executions/" + id + "/stream") : begin.get();
    if (!last.isEmpty()) {
      call.header("last-event-id", last);
    }
    try {
      reader = new SseReader(transport.open(call.header("accept", "text/event-stream").within(deadline)).body(), deadline);
    } catch (SandboxException refusal) {
      boolean isFinal = refusal.status() >= 400 && refusal.status() < 500 && refusal.status() != 429;
      throw isFinal && !last.isEmpty() ? Transport.interrupted(refusal) : refusal;
    }
  }

  /** Reads to the end. */
  void drain() {
    ExecutionEvent event = next();
    while (event != null) {
      event = next();
    }
  }

  /** The id of the execution; null before its first event. */
  public String executionId() {
    return id;
  }

  @Override
  public Iterator<ExecutionEvent> iterator() {
    return new Iterator<>() {
      private ExecutionEvent ahead;

      @Override
      public boolean hasNext() {
        ahead = ahead == null ? ExecutionStream.this.next() : ahead;
        return ahead != null;
      }

      @Override
      public ExecutionEvent next() {
        if (!hasNext()) {
          throw new NoSuchElementException();
        }
        ExecutionEvent event = ahead;
        ahead = null;
        return event;
      }
    };
  }

  /** The events for one subscriber, who says how many it wants; cancelling closes the connection. */
  public Flow.Publisher<ExecutionEvent> publisher() {
    return Async.publisher(this::next, this);
  }

  @Override
  public void close() {
    closed = true;
    SseReader open = reader;
    if (open != null) {
      open.close();
    }
  }
}
