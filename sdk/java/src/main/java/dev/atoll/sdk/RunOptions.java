package dev.atoll.sdk;

import java.time.Duration;
import java.util.Base64;
import java.util.Map;

/** How something is run. What is not set is left to the server. */
public final class RunOptions {
  private static final Duration CODE_TIMEOUT = Duration.ofMinutes(5);
  private String language;
  private String context;
  private String cwd;
  private Map<String, String> env;
  private byte[] stdin;
  private Boolean stdinOpen;
  private Duration timeout;
  private Long maxOutputBytes;
  private Boolean trackFiles;
  String idempotencyKey;
  Duration deadline;
  boolean check;

  /** Nothing is set. */
  public RunOptions() {}

  /** The language of code. */
  public RunOptions language(String value) {
    language = value;
    return this;
  }

  /** The id of a context, or {@code default}. */
  public RunOptions context(String value) {
    context = value;
    return this;
  }

  /** The folder that it runs in. */
  public RunOptions cwd(String value) {
    cwd = value;
    return this;
  }

  /** Variables beside those of the sandbox. */
  public RunOptions env(Map<String, String> value) {
    env = value;
    return this;
  }

  /** Its input. */
  public RunOptions stdin(byte[] value) {
    stdin = value == null ? null : value.clone();
    return this;
  }

  /** More input comes by {@link RunningExecution#write}. */
  public RunOptions stdinOpen(boolean value) {
    stdinOpen = value;
    return this;
  }

  /** When the server ends it; zero is the longest there is. Unless set, five minutes for code. */
  public RunOptions timeout(Duration value) {
    timeout = value;
    return this;
  }

  /** How much of each stream is kept. */
  public RunOptions maxOutputBytes(Long value) {
    maxOutputBytes = value;
    return this;
  }

  /** Tell which files of the workspace were made, changed or removed. */
  public RunOptions trackFiles(boolean value) {
    trackFiles = value;
    return this;
  }

  /** A key of your own, for repetitions of yours. */
  public RunOptions idempotencyKey(String value) {
    idempotencyKey = value;
    return this;
  }

  /** How long the caller waits; what runs goes on. */
  public RunOptions deadline(Duration value) {
    deadline = value;
    return this;
  }

  /** Throw {@link SandboxExecutionException} unless it ends with 0. */
  public RunOptions check(boolean value) {
    check = value;
    return this;
  }

  Map<String, Object> body(Work work) {
    Duration limit = timeout == null && work.code != null ? CODE_TIMEOUT : timeout;
    return Json.object("code", work.code, "command", work.command, "language", language, "context", context, "cwd", cwd, "env", env,
        "stdin_b64", stdin == null ? null : Base64.getEncoder().encodeToString(stdin), "stdin_open", stdinOpen,
        "timeout", limit == null ? null : limit.toMillis() / 1000.0, "max_output_bytes", maxOutputBytes, "track_files", trackFiles);
  }
}
