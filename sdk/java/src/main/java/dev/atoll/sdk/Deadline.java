package dev.atoll.sdk;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** How long a caller waits, and bodies that are closed when it is over or nothing comes. */
final class Deadline {
  static final Deadline NONE = new Deadline(null);
  private static final Duration IDLE = Duration.ofMinutes(1); // of a server that says something every 15 seconds
  private static final ScheduledExecutorService CLOCK = Executors.newSingleThreadScheduledExecutor(task -> {
    Thread thread = new Thread(task, "atoll-clock");
    thread.setDaemon(true);
    return thread;
  });

  private final Long end;

  Deadline(Duration time) {
    end = time == null ? null : System.nanoTime() + time.toNanos();
  }

  /** The shorter of what is left and a limit; a limit of zero is none. Never zero unless there is no limit at all. */
  Duration atMost(Duration limit) {
    if (end == null) {
      return limit;
    }
    Duration left = Duration.ofNanos(Math.max(end - System.nanoTime(), 1_000_000));
    return limit.isZero() || left.compareTo(limit) < 0 ? left : limit;
  }

  void check(Throwable cause) {
    if (end != null && System.nanoTime() >= end - 1_000_000) {
      throw new DeadlineExceededException(
          SandboxException.Details.of("deadline_exceeded", "the caller's time was up; what runs goes on", cause));
    }
  }

  /** Closes a body at the deadline. */
  Guard closing(Closeable body) {
    return new Guard(body, end == null ? null : atMost(Duration.ZERO));
  }

  /** Closes a body at the deadline, or when nothing came for a minute. */
  Guard watching(Closeable body) {
    return new Guard(body, atMost(IDLE));
  }

  /** A body's time. */
  final class Guard implements AutoCloseable {
    private final Closeable body;
    private final boolean isWatched;
    private ScheduledFuture<?> task;

    private Guard(Closeable body, Duration first) {
      this.body = body;
      isWatched = first != null;
      schedule(first);
    }

    private void schedule(Duration after) {
      if (after != null) {
        task = CLOCK.schedule(this::end, after.toMillis(), TimeUnit.MILLISECONDS);
      }
    }

    private void end() {
      try {
        body.close();
      } catch (IOException error) {
        // It is gone already.
      }
    }

    /** Something came. */
    void touch() {
      if (isWatched && end == null) {
        task.cancel(false);
        schedule(IDLE);
      }
    }

    @Override
    public void close() {
      if (task != null) {
        task.cancel(false);
      }
    }
  }
}
