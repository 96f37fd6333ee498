package dev.atoll.sdk;

/** 409 because the sandbox is paused or has ended. */
public class SandboxNotStartedException extends ConflictException {
  private static final long serialVersionUID = 1;

  /**
   * Makes one.
   *
   * @param details what is known of it
   */
  public SandboxNotStartedException(Details details) {
    super(details);
  }
}
