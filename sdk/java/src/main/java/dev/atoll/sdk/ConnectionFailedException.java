package dev.atoll.sdk;

/** {@code connection_failed}: no server answers, or the connection broke and no retry helped. */
public class ConnectionFailedException extends SandboxException {
  private static final long serialVersionUID = 1;

  /**
   * Makes one.
   *
   * @param details what is known of it
   */
  public ConnectionFailedException(Details details) {
    super(details);
  }
}
