package dev.atoll.sdk;

/** 503. */
public class ServerUnavailableException extends ServerException {
  private static final long serialVersionUID = 1;

  /**
   * Makes one.
   *
   * @param details what is known of it
   */
  public ServerUnavailableException(Details details) {
    super(details);
  }
}
