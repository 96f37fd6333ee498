package dev.atoll.sdk;

import com.fasterxml.jackson.databind.JsonNode;
import dev.atoll.sdk.model.Execution;
import dev.atoll.sdk.model.ExecutionError;

/**
 * One event of an execution.
 *
 * @param type init, stdout, stderr, result, error or complete
 * @param text of stdout and stderr
 * @param bytesBase64 the exact bytes of it, where they are no UTF-8
 * @param result of result
 * @param error of error
 * @param execution of init and complete, without its output
 */
public record ExecutionEvent(
    String type, String text, String bytesBase64, RichResult result, ExecutionError error, Execution execution) {
  /** null for a kind of a newer server. */
  static ExecutionEvent of(SseReader.Event event) {
    JsonNode data = Json.tree(event.data().getBytes(java.nio.charset.StandardCharsets.UTF_8));
    return switch (event.name()) {
      case "init", "complete" -> new ExecutionEvent(event.name(), null, null, null, null, Json.read(data, Execution.class));
      case "stdout", "stderr" ->
          new ExecutionEvent(event.name(), data.path("text").asText(), data.path("b64").asText(null), null, null, null);
      case "result" -> new ExecutionEvent(event.name(), null, null, Json.read(data, RichResultBody.class).result(), null, null);
      case "error" -> new ExecutionEvent(event.name(), null, null, null, Json.read(data, ExecutionError.class), null);
      default -> null;
    };
  }

  record RichResultBody(@com.fasterxml.jackson.annotation.JsonProperty("is_result") boolean isResult, java.util.Map<String, Object> data) {
    RichResult result() {
      return new RichResult(isResult, data);
    }
  }
}
