/** Publishes the committed outbox of a lane, at least once and in order, and then deletes the rows. */
import type { Log, OutboxRow, Publication, StateStore } from '#engine/actor/ports.ts'
import { engineRetries, pauseBefore } from '#engine/actor/retry.ts'
import type { LaneTools } from '#engine/lane/tools.ts'
import { forwardPrefix } from './draft.ts'
import { Pack, packId } from '#engine/value/pack.ts'
import { manyPlaces } from '#engine/actor/subject.ts'

/** Maximum rows in flight to the broker, and messages for them. */
const rowsMax = 2000
const windowMax = 64
/** Maximum rows in memory; above it the lane waits. */
const heldMax = 20_000

/** One message to the broker, with the rows it contains. */
interface Parcel extends Publication {
  rows: readonly string[]
}

export class Relay {
  private readonly tools: LaneTools
  private readonly lane: number
  private readonly stop: AbortSignal
  private readonly log: Log
  private readonly store: StateStore
  /** Types that run alone in their batch: packed with others they would have to be forwarded individually. */
  private readonly alone: ReadonlySet<string>
  /** Types whose data names their place. */
  private readonly placed: ReadonlySet<string>
  private queue: OutboxRow[] = []
  private running: Promise<void> | undefined

  constructor(tools: LaneTools, lane: number, stop: AbortSignal) {
    this.tools = tools
    this.lane = lane
    this.stop = stop
    this.log = tools.log
    this.store = tools.store
    const subjects = [...tools.registry.subjects.values()]
    const barriers = subjects.filter(({ receivers }) => receivers.some(({ reaction }) => reaction.barrier === true))
    this.alone = new Set(barriers.map(({ subject }) => subject.name))
    this.placed = new Set(
      subjects.filter(({ subject }) => subject.place !== undefined).map(({ subject }) => subject.name),
    )
  }

  /** Loads rows that an earlier owner has committed and may not have published. */
  async recover(): Promise<void> {
    while (!this.stop.aborted) {
      const rows = await this.store.outbox(this.lane, 1000)
      if (rows.length === 0) return
      await this.send(rows)
    }
  }

  /** Adds committed rows. Resolves immediately unless too many wait. */
  async push(rows: readonly OutboxRow[]): Promise<void> {
    if (rows.length === 0) return
    this.queue.push(...rows)
    this.running ??= this.drain()
    if (this.queue.length > heldMax) await this.running
  }

  /** Resolves once all added rows are published, or the lane was told to stop. */
  async settle(): Promise<void> {
    await this.running
  }

  /** Ends when nothing is left; rows added after that start it again. */
  private async drain(): Promise<void> {
    try {
      while (this.queue.length > 0 && !this.stop.aborted) {
        const rows = this.queue.slice(0, rowsMax)
        await this.send(rows)
        this.queue = this.queue.slice(rows.length)
      }
    } finally {
      this.running = undefined
    }
  }

  /** Retries until the broker has acknowledged every row. */
  private async send(rows: readonly OutboxRow[]): Promise<void> {
    const parcels = this.parcels(rows)
    for (let first = 0; first < parcels.length && !this.stop.aborted; first += windowMax)
      await this.deliver(parcels.slice(first, first + windowMax))
  }

  private async deliver(parcels: readonly Parcel[]): Promise<void> {
    let left = parcels
    for (let attempt = 1; left.length > 0; attempt++) {
      if (this.stop.aborted) return
      const sent = await Promise.allSettled(left.map((parcel) => this.log.publish(parcel)))
      this.tools.point('relay-published')
      const done = left.filter((_, i) => sent[i]!.status === 'fulfilled').flatMap((parcel) => parcel.rows)
      left = left.filter((_, i) => sent[i]!.status === 'rejected')
      await this.forget(done)
      if (left.length > 0) {
        this.tools.meter.retries.inc({ store: 'log' })
        await this.tools.clock.sleep(pauseBefore(engineRetries.relay, attempt + 1)!, this.stop)
      }
    }
  }

  /**
   * The destination: its lane, or its place if lanes are not known; and its subject, the one for many places if it may
   * be packed.
   */
  private route({ id, subject, body }: OutboxRow): { way: string; subject: string; isPackable: boolean } {
    const [root, kind, org = '', place = ''] = subject.split('.')
    if (root !== 'ingest') return { way: '', subject, isPackable: false }
    const lane = this.log.laneOf(org, place)
    const way = lane === undefined ? `${org}.${place}` : `${lane}.${org}`
    const type = typeOf(body)
    // A forwarded message was taken out of a packed one, so it is sent on its own, like types that must run alone.
    const isPackable = type !== undefined && !id.startsWith(forwardPrefix) && !this.alone.has(type)
    const isOfMany = isPackable && lane !== undefined && kind === 'actor' && this.placed.has(type)
    return { way, subject: isOfMany ? `lane.${lane}.actor.${org}.${manyPlaces}` : subject, isPackable }
  }

  /** Packs rows with the same destination, never past a row that is sent on its own. */
  private parcels(rows: readonly OutboxRow[]): Parcel[] {
    const list: { subject: string; pack: Pack<string>; headers: OutboxRow['headers'] }[] = []
    const open = new Map<string, { subject: string; pack: Pack<string> }>()
    for (const row of rows) {
      const { way, subject, isPackable } = this.route(row)
      const { id, headers, body } = row
      const at = isPackable ? open.get(way) : undefined
      if (at?.subject === subject && at.pack.hasRoom(body)) {
        at.pack.add(id, body)
        continue
      }
      const made = { subject, pack: new Pack<string>(), headers }
      made.pack.add(id, body)
      list.push(made)
      if (isPackable) open.set(way, made)
      else open.delete(way)
    }
    return list.map(({ subject, pack, headers }) => ({
      subject,
      id: packId(pack.items),
      headers,
      body: pack.body,
      rows: pack.items,
    }))
  }

  /**
   * Retries until the rows are deleted: a remaining row would be published again by a later owner, perhaps when its
   * receivers no longer remember its id.
   */
  private async forget(ids: string[]): Promise<void> {
    this.tools.meter.relayed.inc(ids.length)
    for (let attempt = 1; ids.length > 0 && !this.stop.aborted; attempt++) {
      try {
        return await this.store.sent(ids)
      } catch (error) {
        this.tools.report.warn({ lane: this.lane, err: error }, 'outbox rows could not be deleted')
        await this.tools.clock.sleep(pauseBefore(engineRetries.relayed, attempt + 1)!, this.stop)
      }
    }
  }
}

/** The type in an envelope as turns write it. */
const typeOf = (body: string): string | undefined => /^\{"id":"[^"\\]*","type":"([^"\\]+)"/.exec(body)?.[1]
