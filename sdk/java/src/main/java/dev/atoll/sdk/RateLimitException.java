package dev.atoll.sdk;

/** 429: too much at one time; {@code retryAfter} says when to come again. */
public class RateLimitException extends SandboxException {
  private static final long serialVersionUID = 1;

  /**
   * Makes one.
   *
   * @param details what is known of it
   */
  public RateLimitException(Details details) {
    super(details);
  }
}
