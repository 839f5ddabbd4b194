/**
 * Reads of plain records that many turns of the process have in common. They are of a moment of their own: not before what
 * was committed `maxAgeMs` before the batch, and not behind the commit of the batch before.
 */
import type { Clock, Reads } from '#engine/actor/ports.ts'

interface Held {
  /** Milliseconds since 1970, when it was asked for. */
  at: number
  rows: Promise<readonly object[]>
}

/** Answers held at once; the oldest go first. */
const heldMax = 2000

export class PlainReads {
  private readonly rows: Reads['rows']
  private readonly clock: Clock
  private readonly held = new Map<string, Held>()

  constructor(rows: Reads['rows'], clock: Clock) {
    this.rows = rows
    this.clock = clock
  }

  async read<T extends object>(
    sql: string,
    params: readonly unknown[],
    { maxAgeMs }: { maxAgeMs: number },
  ): Promise<readonly T[]> {
    // Such answers can be as large as a batch, and nobody else would be handed them.
    if (maxAgeMs === 0) return this.rows<T>(sql, params)
    const key = JSON.stringify([sql, params])
    const known = this.held.get(key)
    const at = this.clock.now()
    if (known && Math.abs(at - known.at) <= maxAgeMs) return known.rows as Promise<readonly T[]>
    const rows = this.rows<T>(sql, params)
    this.held.delete(key)
    this.held.set(key, { at, rows })
    if (this.held.size > heldMax) this.held.delete(this.held.keys().next().value!)
    // What failed is not handed out again.
    rows.catch(() => this.held.get(key)?.rows === rows && this.held.delete(key))
    return rows
  }
}
