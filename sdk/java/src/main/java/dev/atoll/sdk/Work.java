package dev.atoll.sdk;

import java.util.List;

/** What to run: code, or a command. */
public final class Work {
  final String code;
  final Object command;

  private Work(String code, Object command) {
    this.code = code;
    this.command = command;
  }

  /** A program in the language of the options, or of the template. */
  public static Work code(String text) {
    return new Work(text, null);
  }

  /** A command for a shell. */
  public static Work shell(String command) {
    return new Work(null, command);
  }

  /** A program and its arguments. */
  public static Work command(String... words) {
    return new Work(null, List.of(words));
  }
}
