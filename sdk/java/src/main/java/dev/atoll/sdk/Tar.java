package dev.atoll.sdk;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** The entries of a tar archive, with the long names of GNU and POSIX. */
final class Tar {
  record Entry(String name, char type, int mode, long size, String target) {}

  private static final int BLOCK = 512;
  private static final int MOST_HEADER = 1 << 20; // of the long names of one entry
  private final InputStream source;
  private long left;
  private long padding;

  Tar(InputStream source) {
    this.source = source;
  }

  /** The next entry, whose content {@link #read} gives; null at the end. */
  Entry next() throws IOException {
    source.skipNBytes(left + padding);
    left = 0;
    padding = 0;
    Map<String, String> more = new HashMap<>();
    for (; ; ) {
      byte[] head = exactly(BLOCK);
      if (head[0] == 0) {
        return null;
      }
      char type = (char) head[156];
      long size = number(head, 124, 12);
      if (type == 'x' || type == 'g' || type == 'L' || type == 'K') {
        if (size > MOST_HEADER) {
          throw new IOException("the archive has a name that is too long");
        }
        byte[] content = exactly((int) size);
        exactly((int) rest(size));
        switch (type) {
          case 'x' -> pax(content, more);
          case 'L' -> more.put("path", text(content, 0, content.length));
          case 'K' -> more.put("linkpath", text(content, 0, content.length));
          default -> { }
        }
        continue;
      }
      left = Long.parseLong(more.getOrDefault("size", Long.toString(size)));
      padding = rest(left);
      String prefix = text(head, 257, 5).equals("ustar") ? text(head, 345, 155) : "";
      String name = more.getOrDefault("path", (prefix.isEmpty() ? "" : prefix + "/") + text(head, 0, 100));
      return new Entry(name, type == 0 ? '0' : type, (int) number(head, 100, 8) & 0777, left,
          more.getOrDefault("linkpath", text(head, 157, 100)));
    }
  }

  /** Content of the entry; -1 at its end. */
  int read(byte[] buffer) throws IOException {
    if (left == 0) {
      return -1;
    }
    int got = source.read(buffer, 0, (int) Math.min(buffer.length, left));
    if (got < 0) {
      throw new EOFException("the archive ends in the middle");
    }
    left -= got;
    return got;
  }

  private byte[] exactly(int size) throws IOException {
    byte[] out = source.readNBytes(size);
    if (out.length < size) {
      throw new EOFException("the archive ends in the middle");
    }
    return out;
  }

  private static long rest(long size) {
    return (BLOCK - size % BLOCK) % BLOCK;
  }

  private static String text(byte[] bytes, int from, int size) {
    int end = from;
    while (end < from + size && bytes[end] != 0) {
      end++;
    }
    return new String(bytes, from, end - from, StandardCharsets.UTF_8);
  }

  private static long number(byte[] bytes, int from, int size) throws IOException {
    if ((bytes[from] & 0x80) != 0) { // large numbers are binary
      long value = 0;
      for (int i = from + size - 7; i < from + size; i++) {
        value = value * 256 + (bytes[i] & 0xFF);
      }
      return value;
    }
    String digits = text(bytes, from, size).strip();
    try {
      return digits.isEmpty() ? 0 : Long.parseLong(digits, 8);
    } catch (NumberFormatException error) {
      throw new IOException("this is no tar archive", error);
    }
  }

  private static void pax(byte[] bytes, Map<String, String> into) throws IOException {
    for (int at = 0; at < bytes.length; ) {
      int space = at;
      while (space < bytes.length && bytes[space] != ' ') {
        space++;
      }
      int size;
      try {
        size = Integer.parseInt(new String(bytes, at, space - at, StandardCharsets.UTF_8));
      } catch (NumberFormatException error) {
        throw new IOException("the archive has a record that is wrong", error);
      }
      if (size <= space - at + 1 || at + size > bytes.length) {
        throw new IOException("the archive has a record that is wrong");
      }
      String[] pair = new String(bytes, space + 1, at + size - space - 2, StandardCharsets.UTF_8).split("=", 2);
      into.put(pair[0], pair.length > 1 ? pair[1] : "");
      at += size;
    }
  }
}
