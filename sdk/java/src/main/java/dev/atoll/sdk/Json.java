package dev.atoll.sdk;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.util.LinkedHashMap;
import java.util.Map;

/** JSON as the API has it. */
final class Json {
  static final JsonMapper MAPPER = JsonMapper.builder()
      .addModule(new JavaTimeModule())
      .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
      .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
      .enable(DeserializationFeature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
      .build();

  private Json() {}

  /** An object of the members that are not null; names and values in turn. */
  static Map<String, Object> object(Object... pairs) {
    var out = new LinkedHashMap<String, Object>();
    for (int i = 0; i < pairs.length; i += 2) {
      if (pairs[i + 1] != null) {
        out.put((String) pairs[i], pairs[i + 1]);
      }
    }
    return out;
  }

  static byte[] write(Object value) {
    try {
      return MAPPER.writeValueAsBytes(value);
    } catch (JsonProcessingException error) {
      throw new IllegalArgumentException("cannot be written as JSON", error);
    }
  }

  static JsonNode tree(byte[] text) {
    try {
      return MAPPER.readTree(text);
    } catch (java.io.IOException error) {
      throw unexpected(error);
    }
  }

  static <T> T read(byte[] text, Class<T> type) {
    try {
      return MAPPER.readValue(text, type);
    } catch (java.io.IOException error) {
      throw unexpected(error);
    }
  }

  static <T> T read(JsonNode tree, TypeReference<T> type) {
    return MAPPER.convertValue(tree, type);
  }

  static <T> T read(JsonNode tree, Class<T> type) {
    return MAPPER.convertValue(tree, type);
  }

  private static ServerException unexpected(Exception error) {
    return new ServerException(SandboxException.Details.of("unexpected_answer", "the answer is not what the API promises", error));
  }
}
