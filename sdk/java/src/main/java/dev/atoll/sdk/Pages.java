package dev.atoll.sdk;

import com.fasterxml.jackson.databind.JsonNode;
import dev.atoll.sdk.Transport.Call;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.function.Function;
import java.util.function.Supplier;

/** Lists that come in pages; the next page is asked for when it is needed. */
final class Pages {
  private Pages() {}

  static <T> Iterable<T> of(Transport transport, Supplier<Call> call, String name, Function<JsonNode, T> convert) {
    return () -> new Iterator<>() {
      private String cursor;
      private Iterator<JsonNode> page = fetch();

      private Iterator<JsonNode> fetch() {
        JsonNode body = transport.tree(call.get().query("cursor", cursor));
        cursor = body.path("next_cursor").asText(null);
        cursor = "null".equals(cursor) ? null : cursor;
        return body.path(name).iterator();
      }

      @Override
      public boolean hasNext() {
        while (!page.hasNext() && cursor != null) {
          page = fetch();
        }
        return page.hasNext();
      }

      @Override
      public T next() {
        if (!hasNext()) {
          throw new NoSuchElementException();
        }
        return convert.apply(page.next());
      }
    };
  }
}
