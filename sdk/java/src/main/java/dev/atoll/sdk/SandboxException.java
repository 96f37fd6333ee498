package dev.atoll.sdk;

import java.time.Duration;
import java.util.Optional;

/** The root of all exceptions of this package. The code is stable; the message is for people. */
public class SandboxException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** What an exception knows. Everything but code and message may be null, and the status 0. */
  public record Details(
      String code, String message, int status, String requestId, String at, String quota, Duration retryAfter, Throwable cause) {
    static Details of(String code, String message, Throwable cause) {
      return new Details(code, message, 0, null, null, null, null, cause);
    }
  }

  private final transient Details details;

  /** Makes one. */
  public SandboxException(Details details) {
    super(details.message(), details.cause());
    this.details = details;
  }

  /** The stable word for what went wrong. */
  public String code() {
    return details.code();
  }

  /** The status of the answer; 0 where there was none. */
  public int status() {
    return details.status();
  }

  /** The id of the request, for who runs the server. */
  public Optional<String> requestId() {
    return Optional.ofNullable(details.requestId());
  }

  /** A JSON pointer to the field that is wrong. */
  public Optional<String> at() {
    return Optional.ofNullable(details.at());
  }

  /** With {@code quota_exceeded}: of what there is too much. */
  public Optional<String> quota() {
    return Optional.ofNullable(details.quota());
  }

  /** When to come again. */
  public Optional<Duration> retryAfter() {
    return Optional.ofNullable(details.retryAfter());
  }
}
