package dev.atoll.sdk;

import com.fasterxml.jackson.databind.JsonNode;
import dev.atoll.sdk.Transport.Call;
import dev.atoll.sdk.model.ChangeSession;
import dev.atoll.sdk.model.Context;
import dev.atoll.sdk.model.Diagnostics;
import dev.atoll.sdk.model.Execution;
import dev.atoll.sdk.model.NetworkPolicy;
import dev.atoll.sdk.model.Process;
import dev.atoll.sdk.model.Session;
import dev.atoll.sdk.model.SessionNetwork;
import dev.atoll.sdk.model.Snapshot;
import dev.atoll.sdk.model.Usage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** A sandbox: files, processes and interpreters that live until it ends. */
public final class Sandbox implements AutoCloseable {
  private final Transport transport;
  private final Files files;
  private volatile Session info;

  Sandbox(Transport transport, Session info) {
    this.transport = transport;
    this.info = info;
    this.files = new Files(transport, path(""));
  }

  /** Its id. */
  public String id() {
    return info.id();
  }

  /** The session as the server last told it. */
  public Session info() {
    return info;
  }

  /** Its files. */
  public Files files() {
    return files;
  }

  private String path(String rest) {
    return "/api/v1/sessions/" + Transport.encode(info.id()) + rest;
  }

  private Call execute(Work work, RunOptions options) {
    return new Call("POST", path("/execute")).json(options.body(work));
  }

  /** Runs code or a command to its end. */
  public Result run(Work work) {
    return run(work, new RunOptions());
  }

  /** Runs code or a command to its end. */
  public Result run(Work work, RunOptions options) {
    return RunningExecution.runToEnd(transport, execute(work, options), options);
  }

  /** Runs code or a command; cancelling the future ends the wait, and what runs goes on. */
  public CompletableFuture<Result> runAsync(Work work, RunOptions options) {
    return Async.future(() -> run(work, options));
  }

  /** The text that an agent's tool hands on: output, errors and exit code, cut at 10,000 characters. */
  public String runText(Work work, RunOptions options) {
    Call call = execute(work, options).key(options.idempotencyKey).header("prefer", "wait").header("accept", "text/plain");
    return new String(transport.read(call.timeout(Transport.NONE).within(new Deadline(options.deadline))).body(), StandardCharsets.UTF_8);
  }

  /** Begins something and comes back at once. */
  public RunningExecution start(Work work, RunOptions options) {
    Call call = execute(work, options).key(options.idempotencyKey).within(new Deadline(options.deadline));
    return new RunningExecution(transport, transport.json(call, Execution.class));
  }

  /** Begins something when it is first read, and tells its events as they come. */
  public ExecutionStream stream(Work work, RunOptions options) {
    String key = options.idempotencyKey == null ? UUID.randomUUID().toString() : options.idempotencyKey;
    return new ExecutionStream(transport, () -> execute(work, options).key(key), null, options.deadline);
  }

  /** What ran here, newest first. */
  public Iterable<Result> results() {
    return Pages.of(transport, () -> new Call("GET", path("/results")), "results", one -> new Result(Json.read(one, Execution.class)));
  }

  /** Begins an interpreter. The arguments may be null. */
  public CodeContext openContext(String language, String cwd, Map<String, String> env) {
    Call call = new Call("POST", path("/contexts")).json(Json.object("language", language, "cwd", cwd, "env", env)).key(null);
    return new CodeContext(this, transport.json(call, Context.class));
  }

  /** Begins an interpreter. */
  public CodeContext openContext(String language) {
    return openContext(language, null, null);
  }

  /** The interpreters there are. */
  public List<Context> contexts() {
    return transport.list(path("/contexts"), "contexts", Context.class);
  }

  void closeContext(String id) {
    transport.read(new Call("DELETE", path("/contexts/" + Transport.encode(id))));
  }

  /** A terminal of 24 rows and 80 columns with a shell. */
  public Terminal terminal() {
    return terminal(24, 80, null, null);
  }

  /** A terminal. Command and folder may be null. */
  public Terminal terminal(Integer rows, Integer cols, String command, String cwd) {
    Call call = new Call("GET", path("/pty")).query("rows", rows).query("cols", cols).query("command", command).query("cwd", cwd);
    return Terminal.open(transport, call.path + "?" + String.join("&", call.query));
  }

  /** A server inside. */
  public Port port(int number) {
    return new Port(transport, path(""), number);
  }

  private Session take(Call call) {
    info = transport.json(call, Session.class);
    return info;
  }

  /** Asks the server anew. */
  public Session refresh() {
    return take(new Call("GET", path("")));
  }

  /** Changes labels, metadata or times. */
  public Session change(ChangeSession change) {
    return take(new Call("PATCH", path("")).json(change));
  }

  /** Stops everything where it is. */
  public Session pause() {
    return take(new Call("POST", path("/pause")));
  }

  /** Lets it go on. */
  public Session resume() {
    return take(new Call("POST", path("/resume")));
  }

  /** Its end is so long from now; null: the lifetime that it was made with. */
  public Session renew(Duration lifetime) {
    var body = Json.object("seconds", lifetime == null ? null : lifetime.toSeconds());
    return take(new Call("POST", path("/renew")).json(body).repeatable(true));
  }

  /** What runs in it, as the API tells it. */
  public JsonNode status() {
    return transport.tree(new Call("GET", path("/status")));
  }

  /** How it ended, what was done in it, and the end of what its programs printed. Also after its end. */
  public Diagnostics diagnostics() {
    return transport.json(new Call("GET", path("/diagnostics")), Diagnostics.class);
  }

  /** What it uses. */
  public Usage usage() {
    return transport.json(new Call("GET", path("/usage")), Usage.class);
  }

  /** Its processes. */
  public List<Process> processes() {
    return transport.list(path("/processes"), "processes", Process.class);
  }

  /** What it may reach. */
  public SessionNetwork network() {
    return transport.json(new Call("GET", path("/network")), SessionNetwork.class);
  }

  /** Replaces what it may reach. */
  public SessionNetwork network(NetworkPolicy policy) {
    return transport.json(new Call("PUT", path("/network")).json(policy), SessionNetwork.class);
  }

  /** Keeps the workspace and /tmp for new sandboxes. The name and the idempotency key may be null. */
  public Snapshot snapshot(String name, String idempotencyKey) {
    Call call = new Call("POST", path("/snapshots")).json(Json.object("name", name)).key(idempotencyKey).timeout(Duration.ofMinutes(5));
    return transport.json(call, Snapshot.class);
  }

  /** Ends it; everything of it is gone when this comes back. Once more does no harm. */
  public void end() {
    transport.read(new Call("DELETE", path("")));
  }

  @Override
  public void close() {
    end();
  }
}
