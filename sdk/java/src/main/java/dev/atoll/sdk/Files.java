package dev.atoll.sdk;

import dev.atoll.sdk.Transport.Call;
import dev.atoll.sdk.model.File;
import dev.atoll.sdk.model.ReplaceText;
import dev.atoll.sdk.model.ReplacedText;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The files of a sandbox. Paths are relative to the workspace, or absolute below /workspace or /tmp. Modes are octal, as
 * {@code 0755}, and may be null.
 */
public final class Files {
  private final Transport transport;
  private final String base;

  Files(Transport transport, String session) {
    this.transport = transport;
    this.base = session + "/files";
  }

  Transport transport() {
    return transport;
  }

  private Call at(String method, String path) {
    return new Call(method, base + "/" + Transport.encodePath(path));
  }

  private File put(String path, String mode, Call call) {
    return transport.json(call.query("mode", mode).timeout(Transport.NONE), File.class);
  }

  /** Writes a file whole; folders on the way are made. */
  public File write(String path, byte[] data, String mode) {
    return put(path, mode, at("PUT", path).bytes(data, "application/octet-stream"));
  }

  /** Writes a file whole. */
  public File write(String path, String text) {
    return write(path, text.getBytes(java.nio.charset.StandardCharsets.UTF_8), null);
  }

  /** Writes what a stream gives; it is made anew for each attempt. */
  public File write(String path, Supplier<? extends InputStream> data, String mode) {
    return put(path, mode, at("PUT", path).body(() -> BodyPublishers.ofInputStream(data), "application/octet-stream"));
  }

  /** Sends a file of this machine. */
  public File upload(Path local, String path, String mode) {
    return put(path, mode, at("PUT", path).body(() -> {
      try {
        return BodyPublishers.ofFile(local);
      } catch (FileNotFoundException error) {
        throw new java.io.UncheckedIOException(error);
      }
    }, "application/octet-stream"));
  }

  private static String range(Long first, Long last) {
    return "bytes=" + (first == null ? 0 : first) + "-" + (last == null ? "" : last);
  }

  private Call get(String path, Long first, Long last) {
    Call call = at("GET", path);
    return first == null && last == null ? call : call.header("range", range(first, last));
  }

  /** The content. */
  public byte[] read(String path) {
    return read(path, null, null);
  }

  /** A part of it: positions of the first and the last byte, both included; either may be null. */
  public byte[] read(String path, Long first, Long last) {
    return transport.read(get(path, first, last).timeout(Transport.NONE)).body();
  }

  /** The content as text. */
  public String readText(String path) {
    return new String(read(path), java.nio.charset.StandardCharsets.UTF_8);
  }

  /** The content as it comes, of a folder as tar. A connection that breaks is made again from there on. */
  public InputStream open(String path) {
    return open(path, null, null);
  }

  /** A part of it as it comes; positions may be null. */
  public InputStream open(String path, Long first, Long last) {
    return new Resumable(path, first == null ? 0 : first, last, transport.open(get(path, first, last)));
  }

  private final class Resumable extends InputStream {
    private final String path;
    private final Long last;
    private final String tag;
    private long position;
    private InputStream body;
    private int failures;

    Resumable(String path, long first, Long last, HttpResponse<InputStream> answer) {
      this.path = path;
      this.position = first;
      this.last = last;
      this.tag = answer.headers().firstValue("etag").orElse(null);
      this.body = answer.body();
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
      for (; ; ) {
        try {
          int got = body.read(buffer, offset, length);
          position += Math.max(got, 0);
          failures = 0;
          return got;
        } catch (IOException error) {
          reopen(error);
        }
      }
    }

    private void reopen(IOException cause) throws IOException {
      body.close();
      if (++failures > transport.retries || tag == null) {
        throw transport.connectionError(cause);
      }
      Transport.sleep(Transport.backoff(failures - 1), Deadline.NONE);
      HttpResponse<InputStream> answer = transport.open(get(path, position, last));
      body = answer.body();
      if (answer.statusCode() != 206 || !tag.equals(answer.headers().firstValue("etag").orElse(null))) {
        throw Transport.interrupted(cause);
      }
    }

    @Override
    public void close() throws IOException {
      body.close();
    }
  }

  /** Fetches a file. What is cut off leaves nothing behind. */
  public void download(String path, Path local) throws IOException {
    Path partial = java.nio.file.Files.createTempFile(local.toAbsolutePath().getParent(), ".atoll-", "");
    try (InputStream body = open(path)) {
      java.nio.file.Files.copy(body, partial, StandardCopyOption.REPLACE_EXISTING);
      java.nio.file.Files.move(partial, local, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      java.nio.file.Files.deleteIfExists(partial);
    }
  }

  /** All files of a folder; of the workspace, where it is empty. */
  public Iterable<File> list(String path) {
    return list(path, null, null, null, null);
  }

  /** All files of a folder, so many folders deep, or of a search for names or for a text. Everything but the path may be null. */
  public Iterable<File> list(String path, Integer depth, String glob, String contains, Integer pageSize) {
    String folder = path == null || path.isEmpty() ? null : path;
    return Pages.of(transport, () -> new Call("GET", base).query("path", folder).query("depth", depth).query("glob", glob)
        .query("contains", contains).query("limit", pageSize), "files", one -> Json.read(one, File.class));
  }

  private File post(String what, Object body, boolean repeatable) {
    return transport.json(new Call("POST", base + "/" + what).json(body).repeatable(repeatable), File.class);
  }

  /** Makes a folder; with {@code parents} also those on the way, and one that is there is no error. */
  public File mkdir(String path, String mode, boolean parents) {
    return post("mkdir", Json.object("path", path, "mode", mode, "parents", parents), parents);
  }

  /** Makes a folder and those on the way. */
  public File mkdir(String path) {
    return mkdir(path, null, true);
  }

  /** Moves or renames a file or a folder. */
  public File move(String from, String to, boolean overwrite) {
    return post("move", Json.object("from", from, "to", to, "overwrite", overwrite), false);
  }

  /** Changes permissions. */
  public File chmod(String path, String mode) {
    return post("chmod", Json.object("path", path, "mode", mode), true);
  }

  /** Replaces every occurrence of a text in a file of up to 16 MiB; how many there were. */
  public long replace(String path, String old, String text) {
    return transport.json(new Call("POST", base + "/replace").json(new ReplaceText(path, old, text)), ReplacedText.class).count();
  }

  /** Makes symbolic links below a folder: name to target. */
  public File links(String path, Map<String, String> links) {
    var list = links.entrySet().stream().map(one -> Json.object("name", one.getKey(), "target", one.getValue())).toList();
    return post("links", Json.object("path", path, "links", list), true);
  }

  /** Removes a file, or a folder; {@code recursive}: also one that holds something. */
  public void remove(String path, boolean recursive) {
    transport.read(at("DELETE", path).query("recursive", recursive ? true : null));
  }

  /** Changes below a folder from now on; of the workspace, where it is empty. */
  public EventStream watch(String path, boolean recursive) {
    String folder = path == null || path.isEmpty() ? null : path;
    var lost = new EventStream.Event("overflow", Map.of("event", "overflow", "path", folder == null ? "" : folder));
    return new EventStream(transport,
        () -> new Call("GET", base + "/watch").query("path", folder).query("recursive", recursive ? null : false), lost);
  }

  /** Writes many small files by one request; names are relative to the folder, which may be empty. */
  public void writeMany(String folder, Map<String, byte[]> files, String mode) {
    String boundary = "atoll-" + java.util.UUID.randomUUID();
    var body = new java.io.ByteArrayOutputStream();
    new LinkedHashMap<>(files).forEach((name, data) -> {
      String head = "--" + boundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename*=UTF-8''"
          + Transport.encode(name).replace("*", "%2A") + "\r\n\r\n";
      body.writeBytes(head.getBytes(java.nio.charset.StandardCharsets.UTF_8));
      body.writeBytes(data);
      body.writeBytes(new byte[] {'\r', '\n'});
    });
    body.writeBytes(("--" + boundary + "--\r\n").getBytes(java.nio.charset.StandardCharsets.UTF_8));
    transport.read(new Call("POST", base + "/upload").query("path", folder == null || folder.isEmpty() ? null : folder).query("mode", mode)
        .bytes(body.toByteArray(), "multipart/form-data; boundary=" + boundary).repeatable(true).timeout(Transport.NONE));
  }

  /** How far a folder is. */
  @FunctionalInterface
  public interface Progress {
    /** So many files and bytes so far. */
    void told(int files, long bytes);
  }

  /** Sends a folder of this machine; the number of files. */
  public int uploadFolder(Path local, String to, Progress progress) throws IOException {
    return new Folders(this, progress).upload(local, to == null ? "" : to);
  }

  /**
   * Fetches a folder; the number of files. The archive comes from a sandbox, so it is not trusted: names that lead out are
   * refused, links that lead out are left out.
   */
  public int downloadFolder(String path, Path local, Progress progress) throws IOException {
    return new Folders(this, progress).download(path, local);
  }
}
