package dev.atoll.sdk;

/** 429 {@code quota_exceeded}: {@code quota} says of what. */
public class QuotaExceededException extends RateLimitException {
  private static final long serialVersionUID = 1;

  /**
   * Makes one.
   *
   * @param details what is known of it
   */
  public QuotaExceededException(Details details) {
    super(details);
  }
}
