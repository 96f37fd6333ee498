package dev.atoll.sdk;

/** {@code stream_interrupted}: a stream was cut and could not be resumed. */
public class StreamInterruptedException extends SandboxException {
  private static final long serialVersionUID = 1;

  /**
   * Makes one.
   *
   * @param details what is known of it
   */
  public StreamInterruptedException(Details details) {
    super(details);
  }
}
