package dev.atoll.sdk;

import com.fasterxml.jackson.databind.JsonNode;
import dev.atoll.sdk.Transport.Call;
import dev.atoll.sdk.model.AuditRow;
import dev.atoll.sdk.model.Execution;
import dev.atoll.sdk.model.Judgement;
import dev.atoll.sdk.model.Key;
import dev.atoll.sdk.model.PolicyCheck;
import dev.atoll.sdk.model.Role;
import dev.atoll.sdk.model.Runtime;
import dev.atoll.sdk.model.Secret;
import dev.atoll.sdk.model.Session;
import dev.atoll.sdk.model.SessionState;
import dev.atoll.sdk.model.Snapshot;
import dev.atoll.sdk.model.Template;
import dev.atoll.sdk.model.TemplateBody;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A server, and everything that can be asked of it. */
public final class Atoll {
  private final Transport transport;

  /** How a client is made. What is not set comes from ATOLL_URL and ATOLL_API_KEY. */
  public static final class Builder {
    private String url = System.getenv().getOrDefault("ATOLL_URL", "http://127.0.0.1:8080");
    private String apiKey = System.getenv("ATOLL_API_KEY");
    private String tenant;
    private Duration timeout = Duration.ofMinutes(1);
    private int retries = 3;
    private HttpClient http;

    private Builder() {}

    /** The address of the server. */
    public Builder url(String value) {
      url = value;
      return this;
    }

    /** The key. */
    public Builder apiKey(String value) {
      apiKey = value;
      return this;
    }

    /** For owners: act for this tenant. */
    public Builder tenant(String value) {
      tenant = value;
      return this;
    }

    /** Until an answer begins; a minute unless set. */
    public Builder timeout(Duration value) {
      timeout = value;
      return this;
    }

    /** How often a request is repeated that may be repeated; 3 unless set. */
    public Builder retries(int value) {
      retries = value;
      return this;
    }

    /** The client beneath. */
    public Builder httpClient(HttpClient value) {
      http = value;
      return this;
    }

    /** The client; nothing is sent yet. */
    public Atoll build() {
      Map<String, String> headers = new LinkedHashMap<>();
      if (apiKey != null && !apiKey.isEmpty()) {
        headers.put("authorization", "Bearer " + apiKey);
      }
      if (tenant != null) {
        headers.put("atoll-tenant", tenant);
      }
      HttpClient client = http != null ? http : HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1).connectTimeout(Duration.ofSeconds(30)).executor(Async.THREADS).build();
      return new Atoll(new Transport(url.replaceFirst("/+$", ""), headers, client, timeout, retries));
    }
  }

  private Atoll(Transport transport) {
    this.transport = transport;
  }

  /** The client of the environment. */
  public static Atoll connect() {
    return builder().build();
  }

  /** A client of your own making. */
  public static Builder builder() {
    return new Builder();
  }

  /** A sandbox with the server's defaults, ready. */
  public Sandbox create() {
    return create(new CreateOptions());
  }

  /** A sandbox. */
  public Sandbox create(CreateOptions options) {
    Call call = new Call("POST", "/api/v1/sessions").json(options.body()).key(options.idempotencyKey).timeout(Duration.ofMinutes(2));
    if (options.wait) {
      call.header("prefer", "wait=60");
    }
    var sandbox = new Sandbox(transport, transport.json(call, Session.class));
    while (options.wait && sandbox.info().status() == SessionState.CREATING) {
      Transport.sleep(Duration.ofMillis(100), Deadline.NONE);
      sandbox.refresh();
    }
    return sandbox;
  }

  /** A sandbox that exists. */
  public Sandbox sandbox(String id) {
    return new Sandbox(transport, transport.json(new Call("GET", "/api/v1/sessions/" + Transport.encode(id)), Session.class));
  }

  /** All sandboxes, newest first. */
  public Iterable<Sandbox> list() {
    return list(null, null, null, null, null);
  }

  /** Sandboxes with these labels and states, of this template or key. Everything may be null. */
  public Iterable<Sandbox> list(
      Map<String, String> labels, List<SessionState> states, String template, String sessionKey, Integer pageSize) {
    String status = states == null ? null : states.stream().map(SessionState::word).collect(Collectors.joining(","));
    return Pages.of(transport, () -> {
      Call call = new Call("GET", "/api/v1/sessions").query("status", status).query("template", template)
          .query("session_key", sessionKey).query("limit", pageSize);
      if (labels != null) {
        labels.forEach((name, value) -> call.query("label", name + "=" + value));
      }
      return call;
    }, "sessions", one -> new Sandbox(transport, Json.read(one, Session.class)));
  }

  /** Ends the live sandbox of a key, if there is one. Its files stay. */
  public void endByKey(String sessionKey) {
    transport.read(new Call("DELETE", "/api/v1/sessions").query("session_key", sessionKey));
  }

  /** Runs something in a sandbox of its own, which ends with it. The template may be null. */
  public Result runOnce(Work work, String template, RunOptions options) {
    var body = new LinkedHashMap<>(options.body(work));
    if (template != null) {
      body.put("template_id", template);
    }
    Call call = new Call("POST", "/api/v1/run").json(body).key(options.idempotencyKey).timeout(Transport.NONE);
    var done = new Result(transport.json(call.within(new Deadline(options.deadline)), Execution.class));
    return options.check ? done.check() : done;
  }

  /** What {@link #map} does with one item. */
  @FunctionalInterface
  public interface Mapping<T, R> {
    /** The result of an item, made in a sandbox of its own. */
    R apply(Sandbox sandbox, T item) throws Exception;
  }

  /**
   * Does something for every item in a sandbox of its own, so many at a time; the results are in the order of the items. The
   * first failure ends the rest and is thrown; no sandbox is left behind.
   */
  public <T, R> List<R> map(List<T> items, int parallel, CreateOptions options, Mapping<? super T, ? extends R> work) {
    var results = new ArrayList<R>(java.util.Collections.nCopies(items.size(), null));
    var next = new AtomicInteger();
    var failure = new AtomicReference<Throwable>();
    Runnable worker = () -> {
      for (int at = next.getAndIncrement(); at < items.size() && failure.get() == null; at = next.getAndIncrement()) {
        try (Sandbox sandbox = create(options)) {
          R result = work.apply(sandbox, items.get(at));
          synchronized (results) {
            results.set(at, result);
          }
        } catch (Exception error) {
          failure.compareAndSet(null, error);
        }
      }
    };
    var workers = IntStream.range(0, Math.min(parallel, items.size()))
        .mapToObj(any -> CompletableFuture.runAsync(worker, Async.THREADS)).toArray(CompletableFuture[]::new);
    CompletableFuture.allOf(workers).join();
    if (failure.get() instanceof RuntimeException error) {
      throw error;
    }
    if (failure.get() != null) {
      throw new CompletionException(failure.get());
    }
    return results;
  }

  /** A future of {@link #create(CreateOptions)}. */
  public CompletableFuture<Sandbox> createAsync(CreateOptions options) {
    return Async.future(() -> {
      Sandbox sandbox = create(options);
      if (Thread.currentThread().isInterrupted()) {
        Thread.interrupted();
        sandbox.end();
        throw new CancellationException("the caller has given up");
      }
      return sandbox;
    });
  }

  private JsonNode tree(String path) {
    return transport.tree(new Call("GET", path));
  }

  /** Whether the server lives. */
  public JsonNode health() {
    return tree("/api/v1/health");
  }

  /** Whether it takes requests. */
  public JsonNode ready() {
    return tree("/api/v1/ready");
  }

  /** The kinds of walls, and which of them work. */
  public JsonNode backends() {
    return tree("/api/v1/backends");
  }

  /** How risky code looks; nothing is run. */
  public Judgement checkPolicy(String code, String language) {
    var body = new PolicyCheck(code, language);
    return transport.json(new Call("POST", "/api/v1/policy/check").json(body).repeatable(true), Judgement.class);
  }

  /** The nodes. */
  public List<Runtime> runtimes() {
    return transport.list("/api/v1/runtimes", "runtimes", Runtime.class);
  }

  /** What sandboxes are made from. */
  public List<Template> templates() {
    return transport.list("/api/v1/templates", "templates", Template.class);
  }

  /** One template. */
  public Template template(String id) {
    return transport.json(new Call("GET", "/api/v1/templates/" + Transport.encode(id)), Template.class);
  }

  /** Adds a template (admin). */
  public Template createTemplate(TemplateBody body) {
    return transport.json(new Call("POST", "/api/v1/templates").json(body).key(null), Template.class);
  }

  /** Replaces a template (admin); sandboxes that exist keep what they have. */
  public Template replaceTemplate(String id, TemplateBody body) {
    return transport.json(new Call("PUT", "/api/v1/templates/" + Transport.encode(id)).json(body), Template.class);
  }

  /** Removes a template (admin). */
  public void deleteTemplate(String id) {
    transport.read(new Call("DELETE", "/api/v1/templates/" + Transport.encode(id)));
  }

  /** File systems that were kept. */
  public List<Snapshot> snapshots() {
    return transport.list("/api/v1/snapshots", "snapshots", Snapshot.class);
  }

  /** One snapshot. */
  public Snapshot snapshot(String id) {
    return transport.json(new Call("GET", "/api/v1/snapshots/" + Transport.encode(id)), Snapshot.class);
  }

  /** Removes a snapshot. */
  public void deleteSnapshot(String id) {
    transport.read(new Call("DELETE", "/api/v1/snapshots/" + Transport.encode(id)));
  }

  /** The tenant's secrets, without their values. */
  public List<Secret> secrets() {
    return transport.list("/api/v1/secrets", "secrets", Secret.class);
  }

  /** One secret, without its value. */
  public Secret secret(String name) {
    return transport.json(new Call("GET", "/api/v1/secrets/" + Transport.encode(name)), Secret.class);
  }

  /** Makes a secret, or replaces its value (admin). Nobody reads it back. */
  public Secret putSecret(String name, String value) {
    return transport.json(new Call("PUT", "/api/v1/secrets/" + Transport.encode(name)).json(Json.object("value", value)), Secret.class);
  }

  /** Removes a secret (admin). */
  public void deleteSecret(String name) {
    transport.read(new Call("DELETE", "/api/v1/secrets/" + Transport.encode(name)));
  }

  /** API keys of the tenant (admin), or all (owner). */
  public List<Key> keys() {
    return transport.list("/api/v1/keys", "keys", Key.class);
  }

  /** Makes an API key; this answer alone holds its secret. Everything may be null. */
  public Key createKey(String tenant, Role role, String name) {
    var body = Json.object("tenant", tenant, "role", role, "name", name);
    return transport.json(new Call("POST", "/api/v1/keys").json(body).key(null), Key.class);
  }

  /** Ends a key. */
  public void revokeKey(String id) {
    transport.read(new Call("DELETE", "/api/v1/keys/" + Transport.encode(id)));
  }

  /** Who did what, newest first (admin). An action and a sandbox narrow it; both may be null. */
  public Iterable<AuditRow> audit(String action, String sandboxId) {
    return Pages.of(transport, () -> new Call("GET", "/api/v1/audit").query("action", action).query("session_id", sandboxId), "audit",
        one -> Json.read(one, AuditRow.class));
  }

  /** Sessions and executions as they begin, change and end, from now on. */
  public EventStream events() {
    return new EventStream(transport, () -> new Call("GET", "/api/v1/events"), null);
  }
}
