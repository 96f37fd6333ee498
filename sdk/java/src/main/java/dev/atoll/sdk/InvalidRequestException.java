package dev.atoll.sdk;

/** 400, 413, 415, 422: the request is not right; {@code at} points to the field. */
public class InvalidRequestException extends SandboxException {
  private static final long serialVersionUID = 1;

  /**
   * Makes one.
   *
   * @param details what is known of it
   */
  public InvalidRequestException(Details details) {
    super(details);
  }
}
