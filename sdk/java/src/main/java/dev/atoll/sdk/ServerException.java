package dev.atoll.sdk;

/** 5xx. */
public class ServerException extends SandboxException {
  private static final long serialVersionUID = 1;

  /**
   * Makes one.
   *
   * @param details what is known of it
   */
  public ServerException(Details details) {
    super(details);
  }
}
