/**
 * Reads of plain records that many turns of the process share. They are from a moment of their own: not older than
 * `maxAgeMs` before the batch, and not necessarily after the commit of the previous batch.
 */
import type { Clock, Reads } from '#engine/actor/ports.ts'

interface CachedRead {
  /** When it was queried, milliseconds since 1970. */
  at: number
  rows: Promise<readonly object[]>
}

/** Maximum results kept; the oldest are dropped first. */
const heldMax = 2000

export class PlainReads {
  private readonly rows: Reads['rows']
  private readonly clock: Clock
  private readonly held = new Map<string, CachedRead>()

  constructor(rows: Reads['rows'], clock: Clock) {
    this.rows = rows
    this.clock = clock
  }

  async read<T extends object>(
    sql: string,
    params: readonly unknown[],
    { maxAgeMs }: { maxAgeMs: number },
  ): Promise<readonly T[]> {
    // Such results may be as large as a batch, and no other turn would use them.
    if (maxAgeMs === 0) return this.rows<T>(sql, params)
    const key = JSON.stringify([sql, params])
    const known = this.held.get(key)
    const at = this.clock.now()
    if (known && Math.abs(at - known.at) <= maxAgeMs) return known.rows as Promise<readonly T[]>
    const rows = this.rows<T>(sql, params)
    this.held.delete(key)
    this.held.set(key, { at, rows })
    if (this.held.size > heldMax) this.held.delete(this.held.keys().next().value!)
    // A failed read is not returned again.
    rows.catch(() => this.held.get(key)?.rows === rows && this.held.delete(key))
    return rows
  }
}
