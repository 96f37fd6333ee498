package dev.atoll.sdk;

/** 409. */
public class ConflictException extends SandboxException {
  private static final long serialVersionUID = 1;

  /**
   * Makes one.
   *
   * @param details what is known of it
   */
  public ConflictException(Details details) {
    super(details);
  }
}
