package dev.atoll.sdk.scenarios;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.atoll.sdk.Atoll;
import dev.atoll.sdk.CodeContext;
import dev.atoll.sdk.CreateOptions;
import dev.atoll.sdk.EventStream;
import dev.atoll.sdk.ExecutionEvent;
import dev.atoll.sdk.ExecutionStream;
import dev.atoll.sdk.Result;
import dev.atoll.sdk.RunOptions;
import dev.atoll.sdk.RunningExecution;
import dev.atoll.sdk.Sandbox;
import dev.atoll.sdk.Terminal;
import dev.atoll.sdk.Work;
import dev.atoll.sdk.model.ChangeSession;
import dev.atoll.sdk.model.NetworkPolicy;
import dev.atoll.sdk.model.Resources;
import dev.atoll.sdk.model.Role;
import dev.atoll.sdk.model.SessionState;
import dev.atoll.sdk.model.TemplateBody;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** What the steps of scenarios do with this SDK. */
final class Calls {
  static final JsonMapper MAPPER = JsonMapper.builder().addModule(new JavaTimeModule())
      .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS).disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES).build();
  private static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** A result, and the object of the SDK that later steps work on. */
  record Done(JsonNode value, Object thing) {}

  private final Scenarios world;
  private final JsonNode given;

  Calls(Scenarios world, JsonNode given) {
    this.world = world;
    this.given = given;
  }

  private static Done of(Object value) {
    return of(value, null);
  }

  private static Done of(Object value, Object thing) {
    return new Done(MAPPER.valueToTree(value), thing);
  }

  private static Done nothing() {
    return of(Map.of());
  }

  private String text(String name) {
    return given.path(name).asText(null);
  }

  private Integer number(String name) {
    return given.has(name) ? Integer.valueOf(given.get(name).asInt()) : null;
  }

  private Long position(String name) {
    return given.has(name) ? Long.valueOf(given.get(name).asLong()) : null;
  }

  private boolean flag(String name) {
    return given.path(name).asBoolean();
  }

  private Duration duration(String name) {
    return given.has(name) ? Duration.ofMillis(Math.round(given.get(name).asDouble() * 1000)) : null;
  }

  private <T> T as(String name, Class<T> type) {
    return given.has(name) ? MAPPER.convertValue(given.get(name), type) : null;
  }

  @SuppressWarnings("unchecked")
  private Map<String, String> strings(String name) {
    return as(name, Map.class);
  }

  @SuppressWarnings("unchecked")
  private Map<String, Object> members(String name) {
    return as(name, Map.class);
  }

  static Atoll newClient(JsonNode scenario, JsonNode given) {
    String server = given.path("server").asText(scenario.path("server").asText("main"));
    String key = given.path("key").asText(scenario.path("key").asText(server.equals("spare") ? "spare" : "owner"));
    String url = System.getenv(server.equals("main") ? "ATOLL_URL" : "ATOLL_" + server.toUpperCase(java.util.Locale.ROOT) + "_URL");
    try {
      var builder = Atoll.builder().url(url).apiKey(MAPPER.readTree(System.getenv("ATOLL_KEYS")).path(key).asText());
      if (given.has("retries")) {
        builder.retries(given.get("retries").asInt());
      }
      if (given.has("timeout")) {
        builder.timeout(Duration.ofMillis(Math.round(given.get("timeout").asDouble() * 1000)));
      }
      return builder.build();
    } catch (IOException error) {
      throw new IllegalStateException(error);
    }
  }

  Done call(Object target, String name) throws Exception {
    Done done = null;
    if (target instanceof Atoll client) {
      done = onClient(client, name);
    } else if (target instanceof Sandbox sandbox) {
      done = onSandbox(sandbox, name);
      done = done == null ? onFiles(sandbox, name) : done;
    } else if (target instanceof RunningExecution running) {
      done = onExecution(running, name);
    } else if (target instanceof CodeContext context) {
      done = onContext(context, name);
    } else if (target instanceof EventStream stream) {
      done = onStream(stream, name);
    } else if (target instanceof Terminal terminal) {
      done = onTerminal(terminal, name);
    }
    if (done == null) {
      throw new IllegalArgumentException("the runner has no step " + name + " on " + target.getClass().getSimpleName());
    }
    return done;
  }

  private Work work() {
    JsonNode command = given.path("command");
    if (command.isTextual()) {
      return Work.shell(command.asText());
    }
    return command.isArray() ? Work.command(MAPPER.convertValue(command, String[].class)) : Work.code(text("code"));
  }

  private RunOptions options() {
    byte[] stdin = given.has("stdin_b64") ? Base64.getDecoder().decode(text("stdin_b64"))
        : given.has("stdin") ? text("stdin").getBytes(StandardCharsets.UTF_8) : null;
    return new RunOptions().language(text("language")).context(text("context")).cwd(text("cwd")).env(strings("env")).stdin(stdin)
        .stdinOpen(flag("stdin_open")).timeout(duration("timeout")).maxOutputBytes(position("max_output_bytes"))
        .trackFiles(flag("track_files")).idempotencyKey(text("idempotency_key")).deadline(duration("deadline")).check(flag("check"));
  }

  private Done followed(ExecutionStream stream) {
    var events = new ArrayList<Map<String, Object>>();
    var stdout = new StringBuilder();
    var stderr = new StringBuilder();
    var results = new ArrayList<Object>();
    Object execution = Map.of();
    boolean left = false;
    try (stream) {
      for (ExecutionEvent event : stream) {
        var told = new LinkedHashMap<String, Object>(Map.of("type", event.type()));
        if (event.text() != null) {
          told.put("text", event.text());
          (event.type().equals("stdout") ? stdout : stderr).append(event.text());
        }
        if (event.result() != null) {
          results.add(Map.of("is_result", event.result().isResult(), "data", event.result().data()));
        }
        execution = event.execution() == null ? execution : event.execution();
        events.add(told);
        if (event.type().equals("stdout") && given.has("leave_on") && stdout.indexOf(text("leave_on")) >= 0) {
          left = true;
          break;
        }
      }
    }
    return of(Map.of("events", events, "stdout", stdout.toString(), "stderr", stderr.toString(), "results", results,
        "execution", execution, "left", left));
  }

  private CreateOptions createOptions() {
    return new CreateOptions().template(text("template")).sessionKey(text("session_key")).timeout(duration("timeout"))
        .idleTimeout(duration("idle_timeout")).env(strings("env")).labels(strings("labels")).metadata(members("metadata"))
        .allowNetwork(as("allow_network", Boolean.class)).network(as("network", NetworkPolicy.class))
        .resources(as("resources", Resources.class)).snapshot(text("snapshot")).idempotencyKey(text("idempotency_key"))
        .waitUntilReady(given.path("wait").asBoolean(true));
  }

  private static <T> List<T> all(Iterable<T> source) {
    var out = new ArrayList<T>();
    source.forEach(out::add);
    return out;
  }

  private Done onClient(Atoll client, String name) throws Exception {
    String id = text("id");
    switch (name) {
      case "client":
        return of(Map.of(), newClient(world.scenario, given));
      case "health":
        return of(client.health());
      case "ready":
        return of(client.ready());
      case "backends":
        return of(client.backends());
      case "check_policy":
        return of(client.checkPolicy(text("code"), given.has("language") ? text("language") : "python"));
      case "runtimes":
        return of(Map.of("runtimes", client.runtimes()));
      case "create":
        Sandbox made = client.create(createOptions());
        world.atEnd(made::end);
        return of(made.info(), made);
      case "connect":
        Sandbox found = client.sandbox(id);
        return of(found.info(), found);
      case "list":
        List<SessionState> states = given.has("status") ? List.of(as("status", SessionState[].class)) : null;
        var sessions = new ArrayList<Object>();
        client.list(strings("labels"), states, text("template"), text("session_key"), number("page_size")).forEach(one -> sessions.add(one.info()));
        return of(Map.of("sessions", sessions));
      case "end_by_key":
        client.endByKey(text("session_key"));
        return nothing();
      case "run_once":
        return of(client.runOnce(work(), text("template"), options()).raw());
      case "map":
        List<String> codes = List.of(as("codes", String[].class));
        var results = client.map(codes, given.path("parallel").asInt(10), new CreateOptions(), (sandbox, code) -> sandbox.run(Work.code(code)));
        return of(Map.of("results", results.stream().map(Result::raw).toList()));
      case "create_template":
        var template = client.createTemplate(as("body", TemplateBody.class));
        world.atEnd(() -> client.deleteTemplate(template.id()));
        return of(template);
      case "get_template":
        return of(client.template(id));
      case "list_templates":
        return of(Map.of("templates", client.templates()));
      case "replace_template":
        return of(client.replaceTemplate(id, as("body", TemplateBody.class)));
      case "delete_template":
        client.deleteTemplate(id);
        return nothing();
      case "snapshots":
        return of(Map.of("snapshots", client.snapshots()));
      case "get_snapshot":
        return of(client.snapshot(id));
      case "delete_snapshot":
        client.deleteSnapshot(id);
        return nothing();
      case "put_secret":
        return of(client.putSecret(text("name"), text("value")));
      case "get_secret":
        return of(client.secret(text("name")));
      case "list_secrets":
        return of(Map.of("secrets", client.secrets()));
      case "delete_secret":
        client.deleteSecret(text("name"));
        return nothing();
      case "create_key":
        return of(client.createKey(text("tenant"), as("role", Role.class), text("name")));
      case "list_keys":
        return of(Map.of("keys", client.keys()));
      case "revoke_key":
        client.revokeKey(id);
        return nothing();
      case "audit":
        return of(Map.of("audit", all(client.audit(text("action"), text("session_id")))));
      case "events":
        EventStream stream = client.events();
        world.atEnd(stream::close);
        return of(Map.of(), stream);
      case "assert":
        return new Done(given.path("value"), null);
      default:
        return onHarness(name);
    }
  }

  private static JsonNode control(String method, String path, JsonNode body) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(System.getenv("ATOLL_CONTROL") + path))
        .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body.toString())).build();
    var answer = HTTP.send(request, BodyHandlers.ofByteArray());
    if (answer.statusCode() != 200) {
      throw new IllegalStateException("harness: " + new String(answer.body(), StandardCharsets.UTF_8));
    }
    return MAPPER.readTree(answer.body());
  }

  private Done onHarness(String name) throws Exception {
    switch (name) {
      case "faults":
        world.atEnd(() -> control("POST", "/faults", MAPPER.readTree("{\"rules\": []}")));
        return new Done(control("POST", "/faults", given), null);
      case "server":
        return new Done(control("POST", "/server", given), null);
      case "requests":
        var found = new ArrayList<JsonNode>();
        for (JsonNode one : control("GET", "/requests", null).path("requests")) {
          boolean isMethod = !given.has("method") || one.path("method").asText().equals(text("method"));
          boolean isPath = !given.has("path") || java.util.regex.Pattern.compile(text("path")).matcher(one.path("path").asText()).find();
          if (isMethod && isPath) {
            found.add(one);
          }
        }
        return of(Map.of("requests", found));
      default:
        return null;
    }
  }

  private Done onSandbox(Sandbox sandbox, String name) {
    switch (name) {
      case "get":
        return of(sandbox.refresh());
      case "end":
        sandbox.end();
        return nothing();
      case "pause":
        return of(sandbox.pause());
      case "resume":
        return of(sandbox.resume());
      case "renew":
        return of(sandbox.renew(duration("seconds")));
      case "change":
        ObjectNode change = MAPPER.createObjectNode();
        given.properties().forEach(one -> {
          if (one.getKey().endsWith("timeout")) {
            change.withObject("/config").set(one.getKey() + "_seconds", one.getValue());
          } else {
            change.set(one.getKey(), one.getValue());
          }
        });
        return of(sandbox.change(MAPPER.convertValue(change, ChangeSession.class)));
      case "status":
        return of(sandbox.status());
      case "diagnostics":
        return of(sandbox.diagnostics());
      case "usage":
        return of(sandbox.usage());
      case "processes":
        return of(Map.of("processes", sandbox.processes()));
      case "results":
        return of(Map.of("results", all(sandbox.results()).stream().map(Result::raw).toList()));
      case "run":
        return of(sandbox.run(work(), options()).raw());
      case "run_text":
        return of(Map.of("text", sandbox.runText(work(), options())));
      case "start":
        RunningExecution running = sandbox.start(work(), options());
        return of(running.raw(), running);
      case "stream":
        return followed(sandbox.stream(work(), options()));
      case "open_context":
        CodeContext context = sandbox.openContext(text("language"), text("cwd"), strings("env"));
        return of(context.raw(), context);
      case "contexts":
        return of(Map.of("contexts", sandbox.contexts()));
      case "network":
        return of(sandbox.network());
      case "set_network":
        return of(sandbox.network(as("policy", NetworkPolicy.class)));
      case "snapshot":
        var snapshot = sandbox.snapshot(text("name"), text("idempotency_key"));
        world.atEnd(() -> world.client.deleteSnapshot(snapshot.id()));
        return of(snapshot);
      case "terminal":
        Terminal terminal = sandbox.terminal(number("rows"), number("cols"), text("command"), text("cwd"));
        world.atEnd(terminal::close);
        return of(Map.of(), terminal);
      case "http":
        byte[] body = given.has("body") ? text("body").getBytes(StandardCharsets.UTF_8) : null;
        var answer = sandbox.port(number("port")).send(text("method"), given.path("path").asText("/"), body, strings("headers"));
        return of(Map.of("status", answer.statusCode(), "body", new String(answer.body(), StandardCharsets.UTF_8)));
      case "port_url":
        return of(Map.of("url", sandbox.port(number("port")).uri().toString()));
      case "preview":
        return of(sandbox.port(number("port")).preview(duration("ttl")));
      default:
        return null;
    }
  }

  private byte[] content() {
    if (given.has("b64")) {
      return Base64.getDecoder().decode(text("b64"));
    }
    if (!given.has("size")) {
      return given.path("text").asText("").getBytes(StandardCharsets.UTF_8);
    }
    byte[] data = new byte[number("size")];
    for (int i = 0; i < data.length; i++) {
      data[i] = (byte) (i * 131 + (i >> 8) * 17);
    }
    return data;
  }

  private static Done hashed(InputStream source) throws Exception {
    var digest = MessageDigest.getInstance("SHA-256");
    var kept = new ByteArrayOutputStream();
    long size = 0;
    byte[] buffer = new byte[64 << 10];
    try (source) {
      for (int got = source.read(buffer); got >= 0; got = source.read(buffer)) {
        digest.update(buffer, 0, got);
        size += got;
        if (size <= 1 << 20) {
          kept.write(buffer, 0, got);
        }
      }
    }
    var out = new LinkedHashMap<String, Object>(Map.of("size", size, "sha256", HexFormat.of().formatHex(digest.digest())));
    try {
      out.put("text", size > 1 << 20 ? null : StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(kept.toByteArray())).toString());
    } catch (CharacterCodingException noText) {
      out.put("text", null);
    }
    return of(out);
  }

  private static Path temporary() throws IOException {
    return Files.createTempDirectory(Path.of(System.getenv("ATOLL_FOLDER")), "java-");
  }

  private Done onFiles(Sandbox sandbox, String name) throws Exception {
    var files = sandbox.files();
    String path = text("path");
    switch (name) {
      case "write":
        byte[] data = content();
        switch (given.path("from").asText("bytes")) {
          case "file":
            return of(files.write(path, () -> new ByteArrayInputStream(data), text("mode")));
          case "path":
            return of(files.upload(Files.write(temporary().resolve("source"), data), path, text("mode")));
          default:
            return of(files.write(path, data, text("mode")));
        }
      case "read":
        switch (given.path("to").asText("bytes")) {
          case "stream":
            return hashed(files.open(path, position("first"), position("last")));
          case "path":
            Path local = temporary().resolve("content");
            files.download(path, local);
            return hashed(Files.newInputStream(local));
          default:
            return hashed(new ByteArrayInputStream(files.read(path, position("first"), position("last"))));
        }
      case "list_files":
        return of(Map.of("files", all(files.list(path, number("depth"), text("glob"), text("contains"), number("page_size")))));
      case "remove":
        files.remove(path, flag("recursive"));
        return nothing();
      case "mkdir":
        return of(files.mkdir(path, text("mode"), given.path("parents").asBoolean(true)));
      case "move":
        return of(files.move(text("from"), text("to"), flag("overwrite")));
      case "chmod":
        return of(files.chmod(path, text("mode")));
      case "replace":
        return of(Map.of("count", files.replace(path, text("old"), text("new"))));
      case "links":
        var links = new LinkedHashMap<String, String>();
        given.path("links").forEach(one -> links.put(one.path("name").asText(), one.path("target").asText()));
        return of(files.links(path, links));
      case "upload_folder":
        return uploadFolder(sandbox);
      case "download_folder":
        return downloadFolder(sandbox);
      case "watch":
        EventStream stream = files.watch(path, given.path("recursive").asBoolean(true));
        world.atEnd(stream::close);
        return of(Map.of(), stream);
      default:
        return null;
    }
  }

  private Done uploadFolder(Sandbox sandbox) throws IOException {
    Path folder = temporary();
    var contents = new LinkedHashMap<String, String>();
    if (given.has("files")) {
      contents.putAll(strings("files"));
    }
    for (int i = 0; i < given.path("count").asInt(); i++) {
      contents.put(String.format("f%05d.txt", i), Integer.toString(i));
    }
    for (var one : contents.entrySet()) {
      Files.createDirectories(folder.resolve(one.getKey()).getParent());
      Files.writeString(folder.resolve(one.getKey()), one.getValue());
    }
    long[] reported = {0};
    int count = sandbox.files().uploadFolder(folder, text("to"), (files, bytes) -> reported[0] = bytes);
    return of(flag("progress") ? Map.of("files", count, "reported", reported[0]) : Map.of("files", count));
  }

  private Done downloadFolder(Sandbox sandbox) throws IOException {
    Path folder = temporary();
    int count = sandbox.files().downloadFolder(text("path"), folder, null);
    if (flag("count")) {
      return of(Map.of("count", count));
    }
    var files = new LinkedHashMap<String, String>();
    try (var walk = Files.walk(folder)) {
      for (Path one : walk.filter(Files::isRegularFile).toList()) {
        files.put(folder.relativize(one).toString(), Files.readString(one));
      }
    }
    return of(Map.of("files", files));
  }

  private Done onExecution(RunningExecution running, String name) {
    switch (name) {
      case "get":
        return of(running.get().raw());
      case "wait":
        return of(running.await(duration("deadline")).raw());
      case "cancel":
        running.cancel();
        return nothing();
      case "signal":
        running.signal(text("signal"));
        return nothing();
      case "stdin":
        running.write(content(), flag("close"));
        return nothing();
      case "follow":
        return followed(running.follow());
      default:
        return null;
    }
  }

  private Done onContext(CodeContext context, String name) {
    if (name.equals("close")) {
      context.close();
      return nothing();
    }
    if (!name.equals("run")) {
      return null;
    }
    Result done = context.run(text("code"), options());
    ObjectNode value = MAPPER.valueToTree(done.raw());
    if (flag("display")) {
      var shown = done.value();
      value.put("html", shown.flatMap(one -> one.html()).orElse(null));
      value.put("text", shown.flatMap(one -> one.text()).orElse(null));
      value.put("png_bytes", shown.flatMap(one -> one.png()).map(one -> one.length).orElse(0));
      value.set("chart", MAPPER.valueToTree(shown.flatMap(one -> one.chart()).orElse(null)));
    }
    return new Done(value, null);
  }

  private Done onStream(EventStream stream, String name) {
    if (name.equals("close")) {
      stream.close();
      return nothing();
    }
    if (!name.equals("next_event")) {
      return null;
    }
    var clock = Executors.newSingleThreadScheduledExecutor();
    clock.schedule(stream::close, PATIENCE.toSeconds(), TimeUnit.SECONDS);
    try {
      for (EventStream.Event event = stream.next(); event != null; event = stream.next()) {
        ObjectNode value = MAPPER.valueToTree(event.data());
        value.put("type", event.type());
        if (Conditions.holdsMembers(value, given.path("match"))) {
          return new Done(value, null);
        }
      }
      throw new IllegalStateException("no such event: " + given.path("match"));
    } finally {
      clock.shutdownNow();
    }
  }

  private Done onTerminal(Terminal terminal, String name) {
    switch (name) {
      case "send":
        terminal.write(text("text"));
        return nothing();
      case "resize":
        terminal.resize(number("rows"), number("cols"));
        return nothing();
      case "read_until":
        return of(Map.of("text", terminal.readUntil(text("text"), PATIENCE)));
      case "wait_exit":
        var out = new LinkedHashMap<String, Object>();
        out.put("exit_code", terminal.awaitExit());
        return of(out);
      case "close":
        terminal.close();
        return nothing();
      default:
        return null;
    }
  }
}
