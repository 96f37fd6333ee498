package dev.atoll.sdk;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Folders both ways. */
final class Folders {
  private static final int BATCH_FILES = 500; // the server takes 1000 parts
  private static final long BATCH_BYTES = 8 << 20;

  private static final class Batch {
    final Map<String, byte[]> files = new LinkedHashMap<>();
    long size;
  }

  private final dev.atoll.sdk.Files remote;
  private final dev.atoll.sdk.Files.Progress progress;
  private final Map<String, Batch> batches = new HashMap<>(); // by mode
  private final Map<String, String> links = new LinkedHashMap<>();
  private int count;
  private long bytes;

  Folders(dev.atoll.sdk.Files remote, dev.atoll.sdk.Files.Progress progress) {
    this.remote = remote;
    this.progress = progress == null ? (files, size) -> { } : progress;
  }

  private static String below(String folder, String name) {
    return folder.isEmpty() || folder.equals(".") ? name : folder.replaceFirst("/$", "") + "/" + name;
  }

  int upload(Path local, String to) throws IOException {
    try (Stream<Path> walk = Files.walk(local)) {
      for (Path path : (Iterable<Path>) walk::iterator) {
        if (!path.equals(local)) {
          add(path, local.relativize(path).toString(), to);
        }
      }
    }
    for (var one : batches.entrySet()) {
      send(one.getKey(), one.getValue(), to);
    }
    var part = new LinkedHashMap<String, String>();
    for (var link : links.entrySet()) {
      part.put(link.getKey(), link.getValue());
      if (part.size() == 1000) {
        remote.links(to.isEmpty() ? "." : to, part);
        part.clear();
      }
    }
    if (!part.isEmpty()) {
      remote.links(to.isEmpty() ? "." : to, part);
    }
    return count;
  }

  private void add(Path path, String name, String to) throws IOException {
    if (Files.isSymbolicLink(path)) {
      links.put(name, Files.readSymbolicLink(path).toString());
      return;
    }
    if (Files.isDirectory(path)) {
      try (Stream<Path> inside = Files.list(path)) {
        if (inside.findAny().isEmpty()) {
          remote.mkdir(below(to, name));
        }
      }
      return;
    }
    if (!Files.isRegularFile(path)) {
      return;
    }
    String mode = Files.isExecutable(path) && Files.getPosixFilePermissions(path).contains(PosixFilePermission.OWNER_EXECUTE)
        ? "0755" : "0644";
    long size = Files.size(path);
    if (size > BATCH_BYTES) {
      remote.upload(path, below(to, name), mode);
      told(1, size);
      return;
    }
    Batch batch = batches.computeIfAbsent(mode, any -> new Batch());
    batch.files.put(name, Files.readAllBytes(path));
    batch.size += size;
    if (batch.files.size() >= BATCH_FILES || batch.size >= BATCH_BYTES) {
      send(mode, batch, to);
    }
  }

  private void send(String mode, Batch batch, String to) {
    if (batch.files.isEmpty()) {
      return;
    }
    remote.writeMany(to, batch.files, mode);
    told(batch.files.size(), batch.size);
    batch.files.clear();
    batch.size = 0;
  }

  private void told(int files, long size) {
    count += files;
    bytes += size;
    progress.told(count, bytes);
  }

  int download(String from, Path local) throws IOException {
    Files.createDirectories(local);
    Path root = local.toRealPath();
    var later = new LinkedHashMap<Path, Path>();
    try (InputStream body = remote.open(from)) {
      var tar = new Tar(body);
      for (Tar.Entry entry = tar.next(); entry != null; entry = tar.next()) {
        Path at = place(root, entry.name());
        if (at.equals(root)) {
          continue;
        }
        switch (entry.type()) {
          case '5' -> Files.createDirectories(at);
          case '2' -> {
            Path target = Path.of(entry.target());
            if (!target.isAbsolute() && at.resolveSibling(target).normalize().startsWith(root)) {
              later.put(at, target);
            }
          }
          case '0' -> store(tar, at, entry);
          default -> { }
        }
      }
    }
    for (var link : later.entrySet()) { // last, so that nothing is written through them
      Files.createSymbolicLink(link.getKey(), link.getValue());
    }
    return count;
  }

  private void store(Tar tar, Path at, Tar.Entry entry) throws IOException {
    byte[] buffer = new byte[64 << 10];
    try (OutputStream out = Files.newOutputStream(at, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      for (int got = tar.read(buffer); got >= 0; got = tar.read(buffer)) {
        out.write(buffer, 0, got);
      }
    }
    var permissions = EnumSet.noneOf(PosixFilePermission.class);
    var bits = List.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_EXECUTE,
        PosixFilePermission.GROUP_READ, PosixFilePermission.GROUP_WRITE, PosixFilePermission.GROUP_EXECUTE,
        PosixFilePermission.OTHERS_READ, PosixFilePermission.OTHERS_WRITE, PosixFilePermission.OTHERS_EXECUTE);
    for (int i = 0; i < bits.size(); i++) {
      if ((entry.mode() >> (8 - i) & 1) != 0) {
        permissions.add(bits.get(i));
      }
    }
    Files.setPosixFilePermissions(at, permissions);
    told(1, entry.size());
  }

  /** Where an entry goes, with the folders above it. */
  private static Path place(Path root, String name) throws IOException {
    boolean leadsOut = name.startsWith("/") || name.indexOf('\0') >= 0 || List.of(name.split("/")).contains("..");
    Path at = leadsOut ? root : root.resolve(name).normalize();
    if (!leadsOut && !at.equals(root)) {
      Files.createDirectories(at.getParent());
      leadsOut = !at.getParent().toRealPath().equals(at.getParent());
    }
    if (leadsOut) {
      throw new SandboxException(SandboxException.Details.of("unsafe_path", "the archive holds a name that leads out: " + name, null));
    }
    if (Files.exists(at, LinkOption.NOFOLLOW_LINKS) && !Files.isDirectory(at, LinkOption.NOFOLLOW_LINKS)) {
      Files.delete(at);
    }
    return at;
  }
}
