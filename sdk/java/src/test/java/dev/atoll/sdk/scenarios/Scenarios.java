package dev.atoll.sdk.scenarios;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.SandboxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The runner of the scenarios that all SDKs share (sdk/SCENARIOS.md); started by sdk/harness.py. */
public final class Scenarios {
  private static final int PARALLEL = 3;
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  final JsonNode scenario;
  final ObjectNode saved = JsonNodeFactory.instance.objectNode();
  final Map<String, Object> objects = new HashMap<>();
  final Atoll client;
  private final Deque<Undo> undo = new ArrayDeque<>();

  /** What is done at the end. */
  interface Undo {
    void run() throws Exception;
  }

  private Scenarios(JsonNode scenario) {
    this.scenario = scenario;
    StringBuilder unique = new StringBuilder();
    for (int i = 0; i < 12; i++) {
      unique.append("abcdefghijklmnopqrstuvwxyz0123456789".charAt((int) (Math.random() * 36)));
    }
    saved.put("unique", unique.toString());
    client = Calls.newClient(scenario, scenario);
    objects.put("client", client);
  }

  void atEnd(Undo what) {
    undo.push(what);
  }

  private void end() {
    for (Undo one : undo) {
      try {
        one.run();
      } catch (Exception error) {
        // Gone already, or its server is.
      }
    }
  }

  private static boolean isA(Throwable error, String wanted) {
    for (Class<?> kind = error.getClass(); kind != Object.class; kind = kind.getSuperclass()) {
      if (kind.getSimpleName().equals(wanted.replaceFirst("Error$", "Exception"))) {
        return true;
      }
    }
    return false;
  }

  private static String wrongError(Exception error, JsonNode wanted) {
    if (!(error instanceof SandboxException told)) {
      return "not an exception of the SDK: " + error;
    }
    if (!told.code().equals(wanted.path("code").asText())) {
      return "code is " + told.code() + ": " + told.getMessage();
    }
    if (wanted.has("status") && told.status() != wanted.path("status").asInt()) {
      return "status is " + told.status();
    }
    if (wanted.has("at") && !told.at().orElse("").equals(wanted.path("at").asText())) {
      return "at is " + told.at() + ": " + told.getMessage();
    }
    if (wanted.has("class") && !isA(told, wanted.path("class").asText())) {
      return "it is a " + told.getClass().getSimpleName();
    }
    return wanted.path("retry_after").asBoolean() && told.retryAfter().isEmpty() ? "it does not say when to come again" : null;
  }

  private String attempt(JsonNode step) {
    Object target = objects.get(step.path("on").asText("client"));
    if (target == null) {
      return "nothing is saved as " + step.path("on");
    }
    JsonNode given = step.has("with") ? Conditions.filled(step.get("with"), saved) : JsonNodeFactory.instance.objectNode();
    Calls.Done done;
    try {
      done = new Calls(this, given).call(target, step.path("call").asText());
    } catch (Exception error) {
      return step.has("error") ? wrongError(error, step.get("error")) : error.toString();
    }
    if (step.has("error")) {
      return "it should have failed with " + step.get("error");
    }
    String problem;
    try {
      problem = Conditions.broken(done.value(), Conditions.filled(step.path("expect"), saved));
    } catch (IllegalArgumentException error) {
      return error.getMessage();
    }
    if (problem == null && step.has("save")) {
      saved.set(step.path("save").asText(), done.value());
      if (done.thing() != null) {
        objects.put(step.path("save").asText(), done.thing());
      }
    }
    return problem;
  }

  private String runStep(JsonNode step) throws InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    String problem = attempt(step);
    while (problem != null && step.path("until").asBoolean() && System.nanoTime() < end) {
      Thread.sleep(50);
      problem = attempt(step);
    }
    return problem;
  }

  private static void tell(JsonNode scenario) throws InterruptedException {
    ObjectNode verdict = JsonNodeFactory.instance.objectNode().put("scenario", scenario.path("name").asText()).put("ok", true);
    var world = new Scenarios(scenario);
    try {
      int number = 0;
      for (JsonNode step : scenario.path("steps")) {
        number++;
        String problem = world.runStep(step);
        if (problem != null) {
          verdict.put("ok", false).put("detail", "step " + number + " (" + step.path("call").asText() + "): " + problem);
          break;
        }
      }
    } finally {
      world.end();
    }
    synchronized (Scenarios.class) {
      System.out.println(verdict);
    }
  }

  /** Runs them all. */
  public static void main(String[] words) throws Exception {
    JsonNode document = Calls.MAPPER.readTree(Files.readAllBytes(Path.of(System.getenv("ATOLL_SCENARIOS"))));
    var waiting = new ConcurrentLinkedQueue<JsonNode>();
    var serial = new ArrayList<JsonNode>();
    document.path("scenarios").forEach(one -> (one.has("server") ? serial : waiting).add(one));
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < PARALLEL; i++) {
      var thread = new Thread(() -> {
        try {
          for (JsonNode one = waiting.poll(); one != null; one = waiting.poll()) {
            tell(one);
          }
        } catch (InterruptedException error) {
          Thread.currentThread().interrupt();
        }
      });
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    for (JsonNode one : serial) {
      tell(one);
    }
  }
}
