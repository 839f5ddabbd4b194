import type { ActorKey, StateStore } from '#engine/ports.ts'
import { fromRow, rowKey, type RowShape } from '#engine/row.ts'
import { orgWide } from '#engine/subject.ts'
import type { Address } from '#engine/turn.ts'

/** The state of an actor in memory; undefined while it has no row. */
type State = Record<string, unknown> | undefined

interface Live {
  state: State
  /** Milliseconds since 1970 of the last batch that needed it. */
  usedAt: number
}

export const actorId = (kind: string, { orgId, place, key }: ActorKey): string => `${kind}\0${orgId}\0${place}\0${key}`

/**
 * The rows of a lane's actors that are in memory now. Only the lane's owner writes them, so they stay right until the
 * lane is lost; then the whole cache goes with it. Bounded: the least recently used are passivated first.
 */
export class Activations {
  private readonly live = new Map<string, Live>()
  private readonly store: StateStore
  private readonly countMax: number

  constructor(store: StateStore, countMax: number) {
    this.store = store
    this.countMax = countMax
  }

  get size(): number {
    return this.live.size
  }

  /** Loads what of `addresses` is not in memory, in one query. */
  async activate(kind: string, shape: RowShape, addresses: readonly Address[], now: number): Promise<void> {
    const missing: Address[] = []
    for (const address of addresses) {
      const id = actorId(kind, address)
      const live = this.live.get(id)
      if (live) {
        this.live.delete(id)
        this.live.set(id, { ...live, usedAt: now })
      } else missing.push(address)
    }
    if (missing.length === 0) return
    // Not before the rows are here: after a load that fails, an actor must not pass for one without a row.
    const rows = await this.store.load(shape, missing)
    for (const address of missing) this.live.set(actorId(kind, address), { state: undefined, usedAt: now })
    for (const row of rows) {
      this.live.set(actorId(kind, rowKey(shape, row, orgWide)), { state: fromRow(shape, row), usedAt: now })
    }
  }

  state(id: string): State {
    return this.live.get(id)?.state
  }

  /** Takes over what the turns of a batch have come to; forgotten with `clear` should it not commit. */
  set(id: string, state: State, now: number): void {
    this.live.set(id, { state, usedAt: now })
  }

  clear(): void {
    this.live.clear()
  }

  /**
   * Drops what has been idle for `idleMs`, and the least recently used beyond the bound, but for what is `held`: states
   * that are not in the store yet. Called between batches.
   */
  passivate(now: number, idleMs: number, held: { has(id: string): boolean } = new Set()): void {
    let surplus = this.live.size - this.countMax
    for (const [id, { usedAt }] of this.live) {
      if (surplus <= 0 && now - usedAt < idleMs) return
      if (held.has(id)) continue
      this.live.delete(id)
      surplus--
    }
  }
}
