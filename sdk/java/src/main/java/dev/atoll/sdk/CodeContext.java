package dev.atoll.sdk;

import dev.atoll.sdk.model.Context;

/** An interpreter that keeps its variables. */
public final class CodeContext implements AutoCloseable {
  private final Sandbox sandbox;
  private final Context raw;

  CodeContext(Sandbox sandbox, Context raw) {
    this.sandbox = sandbox;
    this.raw = raw;
  }

  /** As the server told it. */
  public Context raw() {
    return raw;
  }

  /** Runs code; the value of the result is that of its last expression. */
  public Result run(String code) {
    return run(code, new RunOptions());
  }

  /** Runs code. */
  public Result run(String code, RunOptions options) {
    return sandbox.run(Work.code(code), options.context(raw.id()));
  }

  /** Ends it; what it holds is gone. */
  @Override
  public void close() {
    sandbox.closeContext(raw.id());
  }
}
