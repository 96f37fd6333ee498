package dev.atoll.sdk;

/** 403 {@code sandbox_disabled}: the server has no sandboxes. */
public class SandboxDisabledException extends PermissionDeniedException {
  private static final long serialVersionUID = 1;

  /**
   * Makes one.
   *
   * @param details what is known of it
   */
  public SandboxDisabledException(Details details) {
    super(details);
  }
}
