package dev.atoll.sdk;

/** {@code deadline_exceeded}: the caller's time was up. What runs in the sandbox goes on. */
public class DeadlineExceededException extends SandboxException {
  private static final long serialVersionUID = 1;

  /**
   * Makes one.
   *
   * @param details what is known of it
   */
  public DeadlineExceededException(Details details) {
    super(details);
  }
}
