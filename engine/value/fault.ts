/** What went wrong, by who can act on it. Decides the HTTP status, and whether a turn is tried again. */
export type FaultKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'missing'
  | 'conflict'
  | 'refused'
  | 'transient'
  | 'defect'

/** One offending place of an input: `path` is a JSON pointer, `code` the schema keyword. */
export interface Problem {
  path: string
  code: string
  message: string
  /** What the value may be, where that is a list. */
  allowed?: readonly unknown[]
  /** The regular expression that it does not match. */
  pattern?: string
}

export type Detail = Readonly<Record<string, unknown>> & { readonly problems?: readonly Problem[] }

/**
 * The one error thrown on purpose. `code` is stable and documented, `message` is safe to show to a caller; anything
 * private stays in `cause`.
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

  /** An input of the right shape that cannot be: each problem names its place. */
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

  /** A valid request that the present state or a capability forbids (HTTP 422). */
  static refused(code: string, message: string, detail?: Detail): Fault {
    return new Fault('refused', code, message, detail)
  }

  /** The same input may succeed later. */
  static transient(code: string, message: string, cause?: unknown): Fault {
    return new Fault('transient', code, message, {}, cause)
  }

  /** A bug of ours. The caller learns nothing of `cause`. */
  static defect(cause: unknown): Fault {
    return new Fault('defect', 'internal', 'An internal error occurred.', {}, cause)
  }

  /** `error` itself when it was thrown on purpose, else a defect that hides it. */
  static from(error: unknown): Fault {
    return error instanceof Fault ? error : Fault.defect(error)
  }

  /** True when the same message may succeed on another try; every other kind is final. */
  get retryable(): boolean {
    return this.kind === 'transient' || this.kind === 'defect'
  }
}
