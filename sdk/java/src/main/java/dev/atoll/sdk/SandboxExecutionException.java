package dev.atoll.sdk;

/** {@code execution_failed} or {@code exec_timeout}: a checked run ended otherwise than with 0. */
public class SandboxExecutionException extends SandboxException {
  private static final long serialVersionUID = 1;
  private final transient Result result;

  SandboxExecutionException(Result result) {
    super(Details.of(result.timedOut() ? "exec_timeout" : "execution_failed", sentence(result), null));
    this.result = result;
  }

  private static String sentence(Result result) {
    var error = result.raw().error();
    if (error != null && error.message() != null) {
      return error.message();
    }
    return "it ended with " + (result.exitCode() == null ? result.raw().state() : result.exitCode()) + ": " + result.stderr().strip();
  }

  /** What ended so. */
  public Result result() {
    return result;
  }
}
