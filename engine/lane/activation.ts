import type { Address } from '#engine/actor/address.ts'
import type { StateStore } from '#engine/actor/ports.ts'
import { fromRow, rowKey, type RowShape } from '#engine/actor/row.ts'
import { orgWide } from '#engine/actor/subject.ts'

/** The state of an actor in memory; undefined while it has no row. */
type State = Record<string, unknown> | undefined

/** An actor in memory. */
export interface Live {
  state: State
}

/** An actor to bring into memory; `live` is set once it is. */
export interface ActivationRequest {
  readonly id: string
  readonly address: Address
  live: Live | undefined
}

export const actorId = (kind: string, { orgId, place, key }: Address): string => `${kind}\0${orgId}\0${place}\0${key}`

/**
 * The rows of a lane's actors that are in memory now. Only the lane's owner writes them, so they are correct until the
 * lane is lost; then the whole cache is dropped. Its size is limited by two generations: rows used since the last
 * switch, and rows used before it. At the next switch the older generation is passivated as a whole, so an actor that
 * stays in use costs nothing.
 */
export class Activations {
  private young = new Map<string, Live>()
  private old = new Map<string, Live>()
  /** When the generations last switched, milliseconds since 1970. */
  private turnedAt = 0
  /** Counts how often the cache was cleared. */
  private era = 0
  private readonly store: StateStore
  private readonly countMax: number

  constructor(store: StateStore, countMax: number) {
    this.store = store
    this.countMax = countMax
  }

  get size(): number {
    return this.young.size + this.old.size
  }

  /**
   * Finds each of `called`, and loads those that are not in memory with one query. @throws if the cache was cleared
   * meanwhile: the caller has given up, and the rows read may be out of date.
   */
  async activate(kind: string, shape: RowShape, called: readonly ActivationRequest[]): Promise<void> {
    const missing = new Map<string, ActivationRequest>()
    for (const one of called) {
      one.live = this.young.get(one.id) ?? this.renewed(one.id)
      if (!one.live) missing.set(one.id, one)
    }
    if (missing.size === 0) return
    const { era } = this
    // Only after the rows are loaded: if loading fails, an actor must not be taken for one without a row.
    const rows = await this.store.load(
      shape,
      Array.from(missing.values(), ({ address }) => address),
    )
    if (era !== this.era) throw new Error('the loaded rows are no longer needed')
    for (const [id, one] of missing) this.young.set(id, (one.live = { state: undefined }))
    for (const row of rows) {
      const { live } = missing.get(actorId(kind, rowKey(shape, row, orgWide)))!
      live!.state = fromRow(shape, row)
    }
  }

  private renewed(id: string): Live | undefined {
    const live = this.old.get(id)
    if (live) {
      this.old.delete(id)
      this.young.set(id, live)
    }
    return live
  }

  /** Undefined for an actor without a row, as well as for one that is not in memory. */
  peek(id: string): State {
    return (this.young.get(id) ?? this.old.get(id))?.state
  }

  /** Stores the states that the turns of a batch produced; dropped by `clear` if the batch does not commit. */
  set(id: string, state: State): void {
    const live = this.young.get(id) ?? this.renewed(id)
    if (live) live.state = state
    else this.young.set(id, { state })
  }

  clear(): void {
    this.era++
    this.young.clear()
    this.old.clear()
  }

  /**
   * Drops the older generation when the younger one has half the room, or is older than `idleMs`; except `held`: states
   * that are not in the store yet. Called between batches.
   */
  passivate(now: number, idleMs: number, held: { has(id: string): boolean } = new Set()): void {
    if (this.young.size < this.countMax / 2 && now - this.turnedAt < idleMs) return
    for (const [id, live] of this.old) if (held.has(id)) this.young.set(id, live)
    this.old = this.young
    this.young = new Map()
    this.turnedAt = now
  }
}
