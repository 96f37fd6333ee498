package dev.atoll.sdk;

/** 401: no key, or one that is not valid. */
public class AuthenticationException extends SandboxException {
  private static final long serialVersionUID = 1;

  /**
   * Makes one.
   *
   * @param details what is known of it
   */
  public AuthenticationException(Details details) {
    super(details);
  }
}
