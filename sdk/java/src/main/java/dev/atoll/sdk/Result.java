package dev.atoll.sdk;

import dev.atoll.sdk.model.Execution;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/** How something ended, and what it wrote. */
public record Result(Execution raw) {
  /** Its id. */
  public String id() {
    return raw.executionId();
  }

  /** The exit code; null where a program was killed. */
  public Long exitCode() {
    return raw.exitCode();
  }

  /** What it wrote, with U+FFFD for bytes that are no UTF-8. */
  public String stdout() {
    return raw.stdout() == null ? "" : raw.stdout();
  }

  /** What it wrote to stderr. */
  public String stderr() {
    return raw.stderr() == null ? "" : raw.stderr();
  }

  /** The exact bytes. */
  public byte[] stdoutBytes() {
    return raw.stdoutB64() == null ? stdout().getBytes(StandardCharsets.UTF_8) : Base64.getDecoder().decode(raw.stdoutB64());
  }

  /** Whether it ended with 0. */
  public boolean success() {
    return raw.success();
  }

  /** Whether its time was up. */
  public boolean timedOut() {
    return raw.timedOut();
  }

  /** What a context displayed, the value of the last expression last. */
  public List<RichResult> results() {
    if (raw.result() == null || raw.result().results() == null) {
      return List.of();
    }
    return raw.result().results().stream().map(one -> new RichResult(one.isResult(), one.data())).toList();
  }

  /** The last of {@link #results}. */
  public Optional<RichResult> value() {
    List<RichResult> all = results();
    return all.isEmpty() ? Optional.empty() : Optional.of(all.get(all.size() - 1));
  }

  /** Itself, or an exception unless it ended with 0. */
  public Result check() {
    if (!success()) {
      throw new SandboxExecutionException(this);
    }
    return this;
  }
}
