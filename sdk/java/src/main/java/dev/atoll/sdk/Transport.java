package dev.atoll.sdk;

import com.fasterxml.jackson.databind.JsonNode;
import dev.atoll.sdk.SandboxException.Details;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** Requests with deadlines, retries and typed exceptions. */
final class Transport {
  static final Duration NONE = Duration.ZERO;
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(1); // a server that asks for more is told to the caller
  private static final Pattern IN_SANDBOX = Pattern.compile("^/api/v1/sessions/[^/]+/.*");

  /** One request, which may take several attempts. */
  static final class Call {
    final String method;
    final String path;
    final List<String> query = new ArrayList<>();
    final Map<String, String> headers = new LinkedHashMap<>();
    Supplier<BodyPublisher> body = BodyPublishers::noBody;
    Duration timeout;
    Deadline deadline = Deadline.NONE;
    Boolean repeatable;
    boolean once;

    Call(String method, String path) {
      this.method = method;
      this.path = path;
    }

    Call query(String name, Object value) {
      if (value != null) {
        query.add(encode(name) + "=" + encode(value.toString()));
      }
      return this;
    }

    Call header(String name, String value) {
      headers.put(name, value);
      return this;
    }

    Call key(String key) {
      return header("idempotency-key", key == null ? UUID.randomUUID().toString() : key);
    }

    Call json(Object value) {
      byte[] text = Json.write(value);
      return bytes(text, "application/json");
    }

    Call bytes(byte[] data, String type) {
      return body(() -> BodyPublishers.ofByteArray(data), type);
    }

    Call body(Supplier<BodyPublisher> publisher, String type) {
      body = publisher;
      return header("content-type", type);
    }

    Call timeout(Duration value) {
      timeout = value;
      return this;
    }

    Call within(Deadline value) {
      deadline = value;
      return this;
    }

    Call repeatable(boolean value) {
      repeatable = value;
      return this;
    }

    boolean mayRepeat() {
      return !once && (repeatable != null ? repeatable : !method.equals("POST") || headers.containsKey("idempotency-key"));
    }
  }

  /** A body that is read whole. */
  record Answer(int status, byte[] body) {}

  final String url;
  final Map<String, String> headers;
  final HttpClient http;
  final Duration timeout;
  final int retries;

  Transport(String url, Map<String, String> headers, HttpClient http, Duration timeout, int retries) {
    this.url = url;
    this.headers = headers;
    this.http = http;
    this.timeout = timeout;
    this.retries = retries;
  }

  static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** A path for a URL. What leads up would change the URL itself, so it is refused here. */
  static String encodePath(String path) {
    var parts = new ArrayList<String>();
    for (String part : path.split("/", -1)) {
      if (part.equals("..")) {
        throw new InvalidRequestException(
            new Details("invalid_argument", "\"..\" is not allowed in the path " + path, 400, null, null, null, null, null));
      }
      if (!part.equals(".")) {
        parts.add(encode(part));
      }
    }
    return String.join("/", parts);
  }

  /** The head of an answer; whoever asked closes the body. */
  HttpResponse<InputStream> open(Call call) {
    for (int attempt = 0; ; attempt++) {
      Duration wait = backoff(attempt);
      try {
        HttpResponse<InputStream> answer = http.send(request(call), BodyHandlers.ofInputStream());
        if (answer.statusCode() < 400) {
          return answer;
        }
        byte[] text;
        try (InputStream body = answer.body()) {
          text = body.readNBytes(1 << 20);
        }
        SandboxException refusal = errorOf(answer.statusCode(), answer.headers(), text, call.path);
        wait = refusal.retryAfter().orElse(wait);
        if (attempt >= retries || wait.compareTo(LONGEST_WAIT) > 0 || !mayHelp(refusal, call, attempt)) {
          throw refusal;
        }
      } catch (InterruptedException error) {
        throw cancelled();
      } catch (IOException error) {
        call.deadline.check(error);
        boolean isRefused = error instanceof ConnectException;
        if (attempt >= retries || error instanceof HttpTimeoutException && !isRefused || !(call.mayRepeat() || isRefused)) {
          throw connectionError(error);
        }
      }
      sleep(wait, call.deadline);
    }
  }

  private HttpRequest request(Call call) {
    String query = call.query.isEmpty() ? "" : "?" + String.join("&", call.query);
    var request = HttpRequest.newBuilder(URI.create(url + call.path + query)).method(call.method, call.body.get());
    headers.forEach(request::setHeader);
    call.headers.forEach(request::setHeader);
    Duration limit = call.deadline.atMost(call.timeout == null ? timeout : call.timeout);
    if (!limit.isZero()) {
      request.timeout(limit);
    }
    return request.build();
  }

  private static boolean mayHelp(SandboxException refusal, Call call, int attempt) {
    if (call.once && refusal.status() != 429 && refusal.status() != 503) {
      return false;
    }
    return switch (refusal.status()) {
      case 429 -> !refusal.code().equals("quota_exceeded");
      case 503 -> true;
      case 502, 504 -> call.mayRepeat();
      case 409 -> attempt > 0 && call.headers.containsKey("idempotency-key"); // the first one still runs
      default -> false;
    };
  }

  /** The whole body; a connection that breaks in the middle is tried again like one that broke before. */
  Answer read(Call call) {
    for (int attempt = 0; ; attempt++) {
      HttpResponse<InputStream> answer = open(call);
      try (InputStream body = answer.body(); var guard = call.deadline.closing(body)) {
        guard.touch();
        return new Answer(answer.statusCode(), body.readAllBytes());
      } catch (IOException error) {
        if (Thread.currentThread().isInterrupted()) {
          throw cancelled();
        }
        call.deadline.check(error);
        if (attempt >= retries || !call.mayRepeat()) {
          throw connectionError(error);
        }
      }
      sleep(backoff(attempt), call.deadline);
    }
  }

  <T> T json(Call call, Class<T> type) {
    return Json.read(read(call).body(), type);
  }

  JsonNode tree(Call call) {
    return Json.tree(read(call).body());
  }

  <T> List<T> list(String path, String name, Class<T> type) {
    var out = new ArrayList<T>();
    for (JsonNode one : tree(new Call("GET", path)).path(name)) {
      out.add(Json.read(one, type));
    }
    return out;
  }

  static Duration backoff(int attempt) {
    long most = Math.min(8000, 250L << Math.min(attempt, 10));
    return Duration.ofMillis(most / 2 + ThreadLocalRandom.current().nextLong(most / 2));
  }

  static void sleep(Duration wait, Deadline deadline) {
    try {
      Duration limit = wait.isZero() ? wait : deadline.atMost(wait);
      Thread.sleep(limit.toMillis());
    } catch (InterruptedException error) {
      throw cancelled();
    }
    deadline.check(null);
  }

  static CancellationException cancelled() {
    Thread.currentThread().interrupt();
    return new CancellationException("the caller has given up");
  }

  ConnectionFailedException connectionError(Exception cause) {
    String hint = cause instanceof ConnectException
        ? "no server answers; start one with `atoll serve`, or name it by ATOLL_URL"
        : "is it an Atoll server? Start one with `atoll serve`, or name it by ATOLL_URL";
    return new ConnectionFailedException(Details.of("connection_failed", url + ": " + hint + " (" + cause + ")", cause));
  }

  static StreamInterruptedException interrupted(Exception cause) {
    return new StreamInterruptedException(
        Details.of("stream_interrupted", "the stream broke and could not be resumed; what was kept can still be asked for", cause));
  }

  private static Duration retryAfter(HttpHeaders headers) {
    String text = headers.firstValue("retry-after").orElse("");
    try {
      return Duration.ofMillis((long) (Math.min(Math.max(Double.parseDouble(text), 0), 1e6) * 1000));
    } catch (NumberFormatException notANumber) {
      try {
        Duration wait = Duration.between(Instant.now(), ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME));
        return wait.isNegative() ? Duration.ZERO : wait;
      } catch (DateTimeParseException notADate) {
        return null;
      }
    }
  }

  static SandboxException errorOf(int status, HttpHeaders headers, byte[] text, String path) {
    String code = "unexpected_answer";
    String detail = "the server answered with status " + status;
    JsonNode problem = Json.MAPPER.createObjectNode();
    try {
      JsonNode parsed = Json.MAPPER.readTree(text);
      if (parsed.path("code").isTextual()) {
        problem = parsed;
        code = problem.path("code").asText();
        detail = problem.path("detail").asText(problem.path("title").asText(detail));
      }
    } catch (IOException notAProblem) {
      // Something between this program and the server answered in its own way.
    }
    String id = problem.path("request_id").asText(headers.firstValue("x-request-id").orElse(null));
    return exceptionOf(new Details(code, detail, status, id, problem.path("at").asText(null), problem.path("quota").asText(null),
        retryAfter(headers), null), path);
  }

  private static SandboxException exceptionOf(Details details, String path) {
    String code = details.code();
    return switch (details.status()) {
      case 400, 413, 415, 422 ->
          code.equals("unsupported_backend") ? new UnsupportedBackendException(details) : new InvalidRequestException(details);
      case 401 -> new AuthenticationException(details);
      case 403 -> code.equals("sandbox_disabled") ? new SandboxDisabledException(details) : new PermissionDeniedException(details);
      case 404 -> new NotFoundException(details);
      case 409 -> code.equals("conflict") && IN_SANDBOX.matcher(path).matches()
          ? new SandboxNotStartedException(details) : new ConflictException(details);
      case 429 -> code.equals("quota_exceeded") ? new QuotaExceededException(details) : new RateLimitException(details);
      case 503 -> new ServerUnavailableException(details);
      default -> details.status() >= 500 ? new ServerException(details) : new SandboxException(details);
    };
  }
}
