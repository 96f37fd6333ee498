import type { Execution } from "./execution.js";
import type { Problem } from "./models.js";

/** What an error knows beside its sentence. */
export interface ErrorDetails {
  code: string;
  status?: number | undefined;
  requestId?: string | undefined;
  /** JSON pointer to the field that is wrong. */
  at?: string | undefined;
  /** With `quota_exceeded`: of what there is too much. */
  quota?: string | undefined;
  /** Seconds after which the request may be repeated. */
  retryAfter?: number | undefined;
  cause?: unknown;
}

/** The root of all errors of this package. `code` is stable; the message is for people. */
export class SandboxError extends Error {
  readonly code: string;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  readonly at: string | undefined;
  readonly quota: string | undefined;
  readonly retryAfter: number | undefined;

  constructor(message: string, details: ErrorDetails) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    this.code = details.code;
    this.status = details.status;
    this.requestId = details.requestId;
    this.at = details.at;
    this.quota = details.quota;
    this.retryAfter = details.retryAfter;
  }
}

/** 400, 413, 415, 422: the request is not right; `at` points to the field. */
export class InvalidRequestError extends SandboxError {}
/** 422 `unsupported_backend`. */
export class UnsupportedBackendError extends InvalidRequestError {}
/** 401: no key, or one that is not valid. */
export class AuthenticationError extends SandboxError {}
/** 403: not with this key. */
export class PermissionDeniedError extends SandboxError {}
/** 403 `sandbox_disabled`: the server's configuration has no sandboxes. */
export class SandboxDisabledError extends PermissionDeniedError {}
/** 404. */
export class NotFoundError extends SandboxError {}
/** 409. */
export class ConflictError extends SandboxError {}
/** 409 because the sandbox is paused or has ended. */
export class SandboxNotStartedError extends ConflictError {}
/** 429: too much at one time; `retryAfter` says when to come again. */
export class RateLimitError extends SandboxError {}
/** 429 `quota_exceeded`: `quota` says of what. */
export class QuotaExceededError extends RateLimitError {}
/** 5xx. */
export class ServerError extends SandboxError {}
/** 503. */
export class ServerUnavailableError extends ServerError {}
/** `connection_failed`: no server answers, or the connection broke and no retry helped. */
export class ConnectionFailedError extends SandboxError {}
/** `deadline_exceeded`: the time that the caller gave was up. What runs in the sandbox goes on. */
export class DeadlineExceededError extends SandboxError {}
/** `stream_interrupted`: a stream was cut and could not be resumed; something may be missing. */
export class StreamInterruptedError extends SandboxError {}

/** `execution_failed` or `exec_timeout`: a run with `check` ended otherwise than with 0. */
export class SandboxExecutionError extends SandboxError {
  readonly execution: Execution;

  constructor(message: string, execution: Execution) {
    super(message, { code: execution.timedOut ? "exec_timeout" : "execution_failed" });
    this.execution = execution;
  }
}

// Requests to something in a sandbox; their conflict is with its state.
const IN_SANDBOX = /^\/api\/v1\/sessions\/[^/]+\//;

type Made = new (message: string, details: ErrorDetails) => SandboxError;

function classOf(problem: Problem, path: string): Made {
  switch (problem.code) {
    case "sandbox_disabled":
      return SandboxDisabledError;
    case "unsupported_backend":
      return UnsupportedBackendError;
    case "quota_exceeded":
      return QuotaExceededError;
  }
  switch (problem.status) {
    case 400:
    case 413:
    case 415:
    case 422:
      return InvalidRequestError;
    case 401:
      return AuthenticationError;
    case 403:
      return PermissionDeniedError;
    case 404:
      return NotFoundError;
    case 409:
      return problem.code === "conflict" && IN_SANDBOX.test(path) ? SandboxNotStartedError : ConflictError;
    case 429:
      return RateLimitError;
    case 503:
      return ServerUnavailableError;
  }
  return problem.status >= 500 ? ServerError : SandboxError;
}

/** Seconds of a Retry-After, which is a number or a date. */
export function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get("retry-after");
  if (text === null || text === "") return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, (at - Date.now()) / 1000);
}

/** The error that an answer tells; anything that is no problem document is one of its status. */
export function errorOf(status: number, headers: Headers, text: string, path: string): SandboxError {
  let problem: Problem = { type: "about:blank", title: "", status, code: "unexpected_answer", detail: "" };
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null && "code" in parsed) problem = { ...problem, ...(parsed as Problem), status };
  } catch {
    // Something between this program and the server answered in its own way.
  }
  const sentence = problem.detail || problem.title || `the server answered with status ${status}`;
  return new (classOf(problem, path))(sentence, {
    code: problem.code,
    status,
    requestId: problem.request_id ?? headers.get("x-request-id") ?? undefined,
    at: problem.at,
    quota: problem.quota,
    retryAfter: retryAfterOf(headers),
  });
}
