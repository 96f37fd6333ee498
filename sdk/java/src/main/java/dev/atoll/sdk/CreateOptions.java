package dev.atoll.sdk;

import dev.atoll.sdk.model.NetworkPolicy;
import dev.atoll.sdk.model.Resources;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a sandbox is made of. What is not set is left to the server. */
public final class CreateOptions {
  private final Map<String, Object> body = new LinkedHashMap<>();
  private final Map<String, Object> config = new LinkedHashMap<>();
  String idempotencyKey;
  boolean wait = true;

  /** Nothing is set. */
  public CreateOptions() {}

  private CreateOptions set(Map<String, Object> into, String name, Object value) {
    if (value != null) {
      into.put(name, value);
    }
    return this;
  }

  /** The id of a template. */
  public CreateOptions template(String value) {
    return set(body, "template_id", value);
  }

  /** The same key gives the same live sandbox. */
  public CreateOptions sessionKey(String value) {
    return set(body, "session_key", value);
  }

  /** Its lifetime. */
  public CreateOptions timeout(Duration value) {
    return set(config, "timeout_seconds", value == null ? null : value.toSeconds());
  }

  /** The longest time without work. */
  public CreateOptions idleTimeout(Duration value) {
    return set(config, "idle_timeout_seconds", value == null ? null : value.toSeconds());
  }

  /** Variables of all that runs in it. */
  public CreateOptions env(Map<String, String> value) {
    return set(config, "environment", value);
  }

  /** Words to find it by. */
  public CreateOptions labels(Map<String, String> value) {
    return set(body, "labels", value);
  }

  /** What you want to remember with it. */
  public CreateOptions metadata(Map<String, Object> value) {
    return set(body, "metadata", value);
  }

  /** Everything that the template allows. */
  public CreateOptions allowNetwork(Boolean value) {
    return set(config, "allow_network", value);
  }

  /** What it may reach. */
  public CreateOptions network(NetworkPolicy value) {
    return set(config, "network", value);
  }

  /** Its limits. */
  public CreateOptions resources(Resources value) {
    return set(config, "resources", value);
  }

  /** The id of a snapshot to begin with. */
  public CreateOptions snapshot(String value) {
    return set(body, "snapshot_id", value);
  }

  /** A key of your own, for repetitions of yours. */
  public CreateOptions idempotencyKey(String value) {
    idempotencyKey = value;
    return this;
  }

  /** false: do not wait until it is ready. */
  public CreateOptions waitUntilReady(boolean value) {
    wait = value;
    return this;
  }

  Map<String, Object> body() {
    var out = new LinkedHashMap<>(body);
    out.put("config", config);
    return out;
  }
}
