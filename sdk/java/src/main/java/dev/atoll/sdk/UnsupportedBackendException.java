package dev.atoll.sdk;

/** 422 {@code unsupported_backend}. */
public class UnsupportedBackendException extends InvalidRequestException {
  private static final long serialVersionUID = 1;

  /**
   * Makes one.
   *
   * @param details what is known of it
   */
  public UnsupportedBackendException(Details details) {
    super(details);
  }
}
