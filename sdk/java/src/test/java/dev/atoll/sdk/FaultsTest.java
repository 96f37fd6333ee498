package dev.atoll.sdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers that misbehave, callers that give up, archives that are not to be trusted. */
class FaultsTest {
  private static final String SESSION = "{\"id\":\"s1\",\"status\":\"ready\"}";
  private static final String DONE = "{\"execution_id\":\"e1\",\"state\":\"completed\",\"success\":true,\"timed_out\":false}";

  interface Reply {
    void to(HttpExchange exchange, int number) throws IOException;
  }

  private final List<String> seen = new ArrayList<>();
  private final AtomicInteger count = new AtomicInteger();
  private final CountDownLatch ended = new CountDownLatch(1);
  private HttpServer server;
  private Reply reply;
  private Atoll atoll;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newCachedThreadPool());
    server.createContext("/", exchange -> {
      synchronized (seen) {
        seen.add(exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath() + " "
            + exchange.getRequestHeaders().getFirst("Idempotency-Key"));
      }
      exchange.getRequestBody().readAllBytes();
      if (exchange.getRequestURI().getPath().endsWith("/s1")) {
        answer(exchange, 200, SESSION);
      } else {
        reply.to(exchange, count.incrementAndGet());
      }
    });
    server.start();
    atoll = Atoll.builder().url("http://127.0.0.1:" + server.getAddress().getPort()).apiKey("k").retries(2).build();
  }

  @AfterEach
  void stop() {
    ended.countDown();
    server.stop(0);
  }

  private static void answer(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private static String problem(int status, String code) {
    return "{\"type\":\"about:blank\",\"title\":\"\",\"status\":" + status + ",\"code\":\"" + code + "\",\"detail\":\"said the test\"}";
  }

  @Test
  void noServerSaysHowToStartOne() throws IOException {
    int port;
    try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    Atoll nobody = Atoll.builder().url("http://127.0.0.1:" + port).retries(0).build();
    var error = assertThrows(ConnectionFailedException.class, nobody::health);
    assertEquals("connection_failed", error.code());
    assertTrue(error.getMessage().contains("atoll serve"));
  }

  @Test
  void wrongKeyIsNotTriedAgain() {
    reply = (exchange, number) -> answer(exchange, 401, problem(401, "unauthenticated"));
    assertEquals("unauthenticated", assertThrows(AuthenticationException.class, atoll::create).code());
    assertEquals(1, seen.size());
  }

  @Test
  void retryAfterIsKeptAndTheKeyStays() {
    reply = (exchange, number) -> {
      exchange.getResponseHeaders().set("Retry-After", "0");
      answer(exchange, number < 3 ? 429 : 201, number < 3 ? problem(429, "resource_exhausted") : SESSION);
    };
    assertEquals("s1", atoll.create().id());
    assertEquals(3, seen.size());
    assertEquals(1, seen.stream().distinct().count());
    assertFalse(seen.get(0).endsWith("null"));
  }

  @Test
  void longRetryAfterIsTold() {
    reply = (exchange, number) -> {
      exchange.getResponseHeaders().set("Retry-After", "3600");
      answer(exchange, 429, problem(429, "resource_exhausted"));
    };
    assertEquals(Duration.ofHours(1), assertThrows(RateLimitException.class, atoll::health).retryAfter().orElseThrow());
    assertEquals(1, seen.size());
  }

  @Test
  void unavailableIsTriedAgainThenTold() {
    reply = (exchange, number) -> {
      exchange.getResponseHeaders().set("Retry-After", "0");
      answer(exchange, 503, "");
    };
    assertEquals("unexpected_answer", assertThrows(ServerUnavailableException.class, atoll::health).code());
    assertEquals(3, seen.size());
  }

  @Test
  void whatMayNotBeRepeatedIsNot() {
    reply = (exchange, number) -> exchange.close();
    Sandbox sandbox = atoll.sandbox("s1");
    assertThrows(ConnectionFailedException.class, () -> sandbox.files().move("a", "b", false));
    assertEquals(1, count.get());
  }

  @Test
  void deadlineAndCancellation() throws Exception {
    var begun = new CountDownLatch(2);
    reply = (exchange, number) -> {
      begun.countDown();
      try {
        ended.await();
      } catch (InterruptedException error) {
        Thread.currentThread().interrupt();
      }
      exchange.close();
    };
    Sandbox sandbox = atoll.sandbox("s1");
    var options = new RunOptions().deadline(Duration.ofMillis(100));
    assertEquals("deadline_exceeded", assertThrows(DeadlineExceededException.class, () -> sandbox.run(Work.code("1"), options)).code());
    var future = sandbox.runAsync(Work.code("1"), new RunOptions());
    assertTrue(begun.await(60, TimeUnit.SECONDS));
    future.cancel(true);
    assertThrows(CancellationException.class, future::join);
  }

  private static String event(String name, String id, String data) {
    return "event: " + name + "\nid: " + id + "\ndata: " + data + "\n\n";
  }

  @Test
  void cutStreamGoesOnBehindTheLastEventForASubscriber() throws Exception {
    var last = new ArrayList<String>();
    reply = (exchange, number) -> {
      last.add(exchange.getRequestHeaders().getFirst("Last-Event-ID"));
      exchange.sendResponseHeaders(200, 0);
      String text = number == 1
          ? event("init", "1", "{\"execution_id\":\"e1\",\"state\":\"running\"}") + event("stdout", "2", "{\"text\":\"a\"}") + "event: stdout\nid: 3\nda"
          : event("stdout", "3", "{\"text\":\"b\"}") + event("complete", "4", DONE);
      exchange.getResponseBody().write(text.getBytes(StandardCharsets.UTF_8));
      exchange.close();
    };
    var text = new StringBuilder();
    var done = new CountDownLatch(1);
    atoll.sandbox("s1").stream(Work.code("1"), new RunOptions()).publisher().subscribe(new Flow.Subscriber<>() {
      private Flow.Subscription subscription;

      @Override
      public void onSubscribe(Flow.Subscription given) {
        subscription = given;
        given.request(1);
      }

      @Override
      public void onNext(ExecutionEvent one) {
        text.append(one.text() == null ? "" : one.text());
        subscription.request(1);
      }

      @Override
      public void onError(Throwable error) {
        text.append(error);
        done.countDown();
      }

      @Override
      public void onComplete() {
        done.countDown();
      }
    });
    assertTrue(done.await(60, TimeUnit.SECONDS));
    assertEquals("ab", text.toString());
    assertEquals("2", last.get(1));
  }

  private static byte[] entry(String name, char type, String content, String target) {
    byte[] head = new byte[512];
    byte[] data = content.getBytes(StandardCharsets.UTF_8);
    put(head, 0, name);
    put(head, 100, "0000644");
    put(head, 124, String.format("%011o", data.length));
    head[156] = (byte) type;
    put(head, 157, target);
    put(head, 257, "ustar");
    var out = new ByteArrayOutputStream();
    out.writeBytes(head);
    out.writeBytes(data);
    out.writeBytes(new byte[(512 - data.length % 512) % 512]);
    return out.toByteArray();
  }

  private static void put(byte[] into, int at, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    System.arraycopy(bytes, 0, into, at, bytes.length);
  }

  private void serve(byte[]... entries) {
    reply = (exchange, number) -> {
      exchange.sendResponseHeaders(200, 0);
      for (byte[] one : entries) {
        exchange.getResponseBody().write(one);
      }
      exchange.getResponseBody().write(new byte[1024]);
      exchange.close();
    };
  }

  @Test
  void archivesCannotLeadOut(@TempDir Path folder) throws IOException {
    Path into = folder.resolve("into");
    for (String name : List.of("../hit", "/tmp/atoll-hit", "a/../../hit")) {
      serve(entry(name, '0', "x", ""));
      assertEquals("unsafe_path", assertThrows(SandboxException.class, () -> atoll.sandbox("s1").files().downloadFolder("x", into, null)).code());
    }
    serve(entry("up", '2', "", "../.."), entry("up/hit", '0', "x", ""), entry("in", '2', "", "file"), entry("file", '0', "text", ""));
    assertEquals(2, atoll.sandbox("s1").files().downloadFolder("x", into, null));
    assertFalse(Files.exists(folder.resolve("hit")));
    assertEquals(Path.of("file"), Files.readSymbolicLink(into.resolve("in")));
    Files.createSymbolicLink(into.resolve("there"), folder);
    serve(entry("there/hit", '0', "x", ""));
    assertThrows(SandboxException.class, () -> atoll.sandbox("s1").files().downloadFolder("x", into, null));
    assertFalse(Files.exists(folder.resolve("hit")));
  }

  @Test
  void pathsCannotLeadUp() {
    Sandbox sandbox = atoll.sandbox("s1");
    assertThrows(InvalidRequestException.class, () -> sandbox.files().read("a/../../b"));
    assertEquals(0, count.get());
  }
}
