package dev.atoll.sdk;

/** 404. */
public class NotFoundException extends SandboxException {
  private static final long serialVersionUID = 1;

  /**
   * Makes one.
   *
   * @param details what is known of it
   */
  public NotFoundException(Details details) {
    super(details);
  }
}
