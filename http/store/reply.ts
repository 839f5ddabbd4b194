/** Parts of a response other than its payload. */
interface ReplyOptions {
  headers?: Readonly<Record<string, string>>
  status?: number
  /**
   * The payload is text, bytes or a stream of this media type and is sent unchanged, whatever the route's other
   * responses are.
   */
  media?: string
  /** Returned as `meta` next to `data`; the route declares it. */
  meta?: unknown
}

/** A payload with a status, headers or a media type of its own. Created by `reply`. */
export class Reply<T> {
  readonly payload: T
  readonly headers: Readonly<Record<string, string>>
  readonly status: number | undefined
  readonly media: string | undefined
  readonly meta: unknown
  /** On request, some of its values are of other types than declared. */
  readonly isUndeclared: boolean = false

  constructor(payload: T, options: ReplyOptions) {
    this.payload = payload
    this.headers = options.headers ?? {}
    this.status = options.status
    this.media = options.media
    this.meta = options.meta
  }

  /** The same response with values of other types. */
  shownAs(payload: unknown, meta: unknown): Reply<unknown> {
    return Object.assign(new Reply<unknown>(payload, {}), this, { payload, meta, isUndeclared: true })
  }
}

/** For handlers that return more than the payload: `Location`, `Link`, another status. */
export const reply = <T>(payload: T, options: ReplyOptions) => new Reply(payload, options)
