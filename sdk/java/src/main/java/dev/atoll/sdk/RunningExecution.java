package dev.atoll.sdk;

import com.fasterxml.jackson.databind.JsonNode;
import dev.atoll.sdk.Transport.Call;
import dev.atoll.sdk.model.Execution;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Something that runs, or has run. */
public final class RunningExecution {
  private final Transport transport;
  private final Execution raw;

  RunningExecution(Transport transport, Execution raw) {
    this.transport = transport;
    this.raw = raw;
  }

  /** Its id. */
  public String id() {
    return raw.executionId();
  }

  /** As it was when it began. */
  public Execution raw() {
    return raw;
  }

  private String path() {
    return "/api/v1/executions/" + id();
  }

  /** As it is now, with its output so far. */
  public Result get() {
    return new Result(transport.json(new Call("GET", path()), Execution.class));
  }

  /** Its events from the beginning. */
  public ExecutionStream follow() {
    return new ExecutionStream(transport, null, id(), null);
  }

  /** Waits for its end. */
  public Result await() {
    return await(null);
  }

  /** Waits for its end, no longer than a time, which may be null. */
  public Result await(Duration deadline) {
    try (var stream = new ExecutionStream(transport, null, id(), deadline)) {
      stream.drain();
    }
    return get();
  }

  /** A future of its end; cancelling it leaves what runs alone. */
  public CompletableFuture<Result> future() {
    return Async.future(this::await);
  }

  /** Interrupts it, and kills it when that does not help. */
  public void cancel() {
    transport.read(new Call("DELETE", path()));
  }

  /** Sends a signal, such as {@code TERM}. */
  public void signal(String signal) {
    transport.read(new Call("POST", path() + "/signal").json(Json.object("signal", signal)));
  }

  /** Writes to its input, which ends where {@code last} is true; needs {@link RunOptions#stdinOpen}. */
  public void write(byte[] data, boolean last) {
    Call call = new Call("POST", path() + "/stdin").query("close", last ? true : null).bytes(data, "application/octet-stream");
    call.once = true;
    transport.read(call);
  }

  /** Runs to the end: one request where it is short, else its stream is followed. */
  static Result runToEnd(Transport transport, Call call, RunOptions options) {
    Deadline deadline = new Deadline(options.deadline);
    long begun = System.nanoTime();
    Transport.Answer answer = transport.read(
        call.key(options.idempotencyKey).header("prefer", "wait=60").timeout(Duration.ofSeconds(75)).within(deadline));
    JsonNode body = Json.tree(answer.body());
    Result done = new Result(Json.read(body, Execution.class));
    if (answer.status() == 202) {
      Duration left = options.deadline == null ? null : options.deadline.minusNanos(System.nanoTime() - begun);
      done = new RunningExecution(transport, done.raw()).await(left);
    }
    return options.check ? done.check() : done;
  }
}
