/** When a resource ran, as far as it was observed. Times are milliseconds since 1970. */

export interface StatusChange {
  at: number
  was: string
  became: string
}

export interface TimeSpan {
  from: number
  to: number
}

export class Timeline {
  /** The start of the time in which the status is known. */
  readonly since: number
  private readonly spans: readonly (TimeSpan & { status: string })[]

  /** `changes`: oldest first, within the requested time and possibly before; `status`: the one at `until`. */
  constructor(
    changes: readonly StatusChange[],
    about: { status: string; firstSeen: number; from: number; until: number },
  ) {
    const { from, until, status, firstSeen } = about
    this.since = Math.max(from, firstSeen)
    const spans: (TimeSpan & { status: string })[] = []
    let at = this.since
    let now = changes[0]?.was ?? status
    for (const change of changes) {
      if (change.at > at) spans.push({ from: at, to: Math.min(change.at, until), status: now })
      at = Math.max(at, change.at)
      now = change.became
    }
    if (at < until) spans.push({ from: at, to: until, status: now })
    this.spans = spans
  }

  /** Milliseconds of running within the span. */
  runningMs({ from, to }: TimeSpan): number {
    return this.spans.reduce((sum, span) => {
      if (span.status !== 'running') return sum
      return sum + Math.max(0, Math.min(span.to, to) - Math.max(span.from, from))
    }, 0)
  }
}
