package dev.atoll.sdk;

/** 403: not with this key. */
public class PermissionDeniedException extends SandboxException {
  private static final long serialVersionUID = 1;

  /**
   * Makes one.
   *
   * @param details what is known of it
   */
  public PermissionDeniedException(Details details) {
    super(details);
  }
}
