/** Categories of errors, by who can act on them. The category decides the HTTP status and whether a turn is retried. */
export type FaultKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'missing'
  | 'conflict'
  | 'refused'
  | 'transient'
  | 'defect'

/** One invalid part of an input: `path` is a JSON pointer, `code` the schema keyword. */
export interface Problem {
  path: string
  code: string
  message: string
  /** The allowed values, if they are a list. */
  allowed?: readonly unknown[]
  /** The regular expression that the value does not match. */
  pattern?: string
  /** The format of JSON Schema that the value does not have, such as date. */
  format?: string
}

export type Detail = Readonly<Record<string, unknown>> & { readonly problems?: readonly Problem[] }

/**
 * The only error that is thrown on purpose. `code` is stable and documented, `message` is safe to show to a caller;
 * anything private stays in `cause`.
 */
export class Fault extends Error {
  override readonly name = 'Fault'
  readonly kind: FaultKind
  readonly code: string
  readonly detail: Detail

  constructor(kind: FaultKind, code: string, message: string, detail: Detail = {}, cause?: unknown) {
    super(message, { cause })
    this.kind = kind
    this.code = code
    this.detail = detail
  }

  static invalid(code: string, message: string, detail?: Detail): Fault {
    return new Fault('invalid', code, message, detail)
  }

  /** An input with the right shape and an impossible value. Each problem names its path. */
  static invalidAt(...problems: readonly Problem[]): Fault {
    const message = problems.map(({ path, message: said }) => `${path}: ${said}`).join('; ')
    return new Fault('invalid', 'validation_failed', message, { problems })
  }

  static unauthenticated(code: string, message: string): Fault {
    return new Fault('unauthenticated', code, message)
  }

  static forbidden(code: string, message: string): Fault {
    return new Fault('forbidden', code, message)
  }

  static missing(what: string, id: string): Fault {
    return new Fault('missing', 'not_found', `No such ${what}.`, { id })
  }

  static conflict(code: string, message: string, detail?: Detail): Fault {
    return new Fault('conflict', code, message, detail)
  }

  /** A valid request that the current state or a missing capability forbids (HTTP 422). */
  static refused(code: string, message: string, detail?: Detail): Fault {
    return new Fault('refused', code, message, detail)
  }

  /** The same input may succeed later. */
  static transient(code: string, message: string, cause?: unknown): Fault {
    return new Fault('transient', code, message, {}, cause)
  }

  /** A bug in Tidemark. The caller sees nothing of `cause`. */
  static defect(cause: unknown): Fault {
    return new Fault('defect', 'internal', 'An internal error occurred.', {}, cause)
  }

  /** `error` itself if it is a Fault, otherwise a defect that hides it. */
  static from(error: unknown): Fault {
    return error instanceof Fault ? error : Fault.defect(error)
  }

  /** True if the same message may succeed when retried; all other faults are final. */
  get retryable(): boolean {
    return this.kind === 'transient' || this.kind === 'defect'
  }
}
