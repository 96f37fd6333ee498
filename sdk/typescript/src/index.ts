export * from "./client.js";
export * from "./errors.js";
export { EventStream, type FileEvent, type LifeEvent } from "./events.js";
export {
  Execution, ExecutionStream, RichResult, RunningExecution,
  type ExecutionEvent, type RunOptions, type StartOptions, type Work,
} from "./execution.js";
export { Files, type ReadOptions, type Source, type WriteOptions } from "./files.js";
export type { FolderOptions, Progress } from "./folders.js";
export type { MapOptions } from "./map.js";
export type * as models from "./models.js";
export { Port, type Preview } from "./ports.js";
export { Context, Sandbox, type ChangeOptions } from "./sandbox.js";
export { Terminal, type TerminalExit, type TerminalOptions } from "./terminal.js";
