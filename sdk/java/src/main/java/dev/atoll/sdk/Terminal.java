package dev.atoll.sdk;

import com.fasterxml.jackson.databind.JsonNode;
import dev.atoll.sdk.SandboxException.Details;
import java.net.URI;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A terminal inside. One thread reads, others may write; closing it hangs up the program. */
public final class Terminal implements AutoCloseable {
  private static final byte[] END = {};
  private static final int MOST = 64; // messages that wait to be read; the server waits with further ones

  private final BlockingQueue<byte[]> waiting = new LinkedBlockingQueue<>();
  private final StringBuilder text = new StringBuilder();
  private volatile JsonNode exit;
  private volatile String failure;
  private boolean ended;
  private WebSocket socket;

  private Terminal() {}

  static Terminal open(Transport transport, String path) {
    var terminal = new Terminal();
    var builder = transport.http.newWebSocketBuilder().connectTimeout(Duration.ofMinutes(1));
    transport.headers.forEach(builder::header);
    try {
      URI uri = URI.create(transport.url.replaceFirst("^http", "ws") + path);
      terminal.socket = builder.buildAsync(uri, terminal.new Listener()).join();
    } catch (CompletionException error) {
      if (error.getCause() instanceof WebSocketHandshakeException refusal) {
        SandboxException told =
            Transport.errorOf(refusal.getResponse().statusCode(), refusal.getResponse().headers(), new byte[0], path);
        try {
          transport.read(new Transport.Call("GET", path)); // the handshake has no body; the same request does
        } catch (SandboxException more) {
          told = more.status() == told.status() ? more : told;
        }
        throw told;
      }
      throw transport.connectionError((Exception) error.getCause());
    }
    return terminal;
  }

  private final class Listener implements WebSocket.Listener {
    private final StringBuilder said = new StringBuilder();

    @Override
    public CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean last) {
      byte[] bytes = new byte[data.remaining()];
      data.get(bytes);
      waiting.add(bytes);
      if (waiting.size() < MOST) {
        from.request(1);
      }
      return null;
    }

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
      said.append(data);
      if (last) {
        JsonNode message = Json.tree(said.toString().getBytes(StandardCharsets.UTF_8)).path("exit");
        exit = message.isMissingNode() ? exit : message;
        said.setLength(0);
      }
      from.request(1);
      return null;
    }

    @Override
    public CompletionStage<?> onClose(WebSocket from, int code, String reason) {
      failure = exit == null && code != 1000 ? "the terminal was cut off: " + reason : null;
      waiting.add(END);
      return null;
    }

    @Override
    public void onError(WebSocket from, Throwable error) {
      failure = exit == null ? "the terminal was cut off: " + error : null;
      waiting.add(END);
    }
  }

  /** What it shows next; null at the end of the program. */
  public byte[] read() {
    return read(Duration.ofDays(365));
  }

  private byte[] read(Duration time) {
    if (ended) {
      return null;
    }
    try {
      byte[] bytes = waiting.poll(time.toMillis(), TimeUnit.MILLISECONDS);
      if (bytes == null) {
        throw new DeadlineExceededException(Details.of("deadline_exceeded", "the terminal did not say that in time", null));
      }
      if (bytes != END) {
        if (waiting.size() < MOST) {
          socket.request(1);
        }
        return bytes;
      }
    } catch (InterruptedException error) {
      throw Transport.cancelled();
    }
    ended = true;
    if (failure != null) {
      throw new ConnectionFailedException(Details.of("connection_failed", failure, null));
    }
    return null;
  }

  /** Reads up to and with a text; what follows stays. Not together with {@link #read}. */
  public String readUntil(String wanted, Duration time) {
    long end = System.nanoTime() + time.toNanos();
    for (int at = text.indexOf(wanted); ; at = text.indexOf(wanted)) {
      if (at >= 0) {
        String found = text.substring(0, at + wanted.length());
        text.delete(0, at + wanted.length());
        return found;
      }
      byte[] bytes = read(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
      if (bytes == null) {
        throw new ConnectionFailedException(Details.of("connection_failed", "the terminal ended without that", null));
      }
      text.append(new String(bytes, StandardCharsets.UTF_8));
    }
  }

  /** Types. */
  public void write(byte[] data) {
    socket.sendBinary(ByteBuffer.wrap(data), true).join();
  }

  /** Types. */
  public void write(String data) {
    write(data.getBytes(StandardCharsets.UTF_8));
  }

  /** Changes its size. */
  public void resize(int rows, int cols) {
    var message = Json.object("resize", Json.object("rows", rows, "cols", cols));
    socket.sendText(new String(Json.write(message), StandardCharsets.UTF_8), true).join();
  }

  /** The exit code, at the end of the program; null where a signal ended it. What it shows meanwhile is dropped. */
  public Integer awaitExit() {
    byte[] bytes = read();
    while (bytes != null) {
      bytes = read();
    }
    return exit == null || !exit.path("exit_code").isInt() ? null : Integer.valueOf(exit.path("exit_code").asInt());
  }

  @Override
  public void close() {
    socket.sendClose(WebSocket.NORMAL_CLOSURE, "").handle((done, error) -> {
      socket.abort();
      return null;
    });
    waiting.add(END);
  }
}
