/**
 * What a process knows of organizations that are closed. While one may still be restored, producers' messages for it are dropped, and
 * what the lanes send each other goes on: nothing is lost that had begun. Of one that is being deleted everything is dropped.
 */
import { Fault } from '#engine/value/fault.ts'
import { kindOf, type Refusal } from './message.ts'
import type { Item } from './item.ts'
import type { Clock, StateStore } from '#engine/actor/ports.ts'

/** How old what is known may be, milliseconds. A deletion does not wait for it: it takes every lane from its owner. */
const freshMs = 1000

export class ClosedOrganizations {
  private readonly store: Pick<StateStore, 'closedOrganizations'>
  private readonly clock: Pick<Clock, 'now'>
  private closed: ReadonlyMap<string, { isDeleted: boolean }> = new Map()
  private readAt = -Infinity
  private reading: Promise<void> | undefined
  /** Grows with each change of what is known. */
  version = 0

  constructor(store: Pick<StateStore, 'closedOrganizations'>, clock: Pick<Clock, 'now'>) {
    this.store = store
    this.clock = clock
  }

  /** Reads what holds from now on. To be done before a lane that was taken reads on. */
  async load(): Promise<void> {
    const rows = await this.store.closedOrganizations()
    const before = JSON.stringify([...this.closed])
    this.closed = new Map(rows.map(({ orgId, isDeleted }) => [orgId, { isDeleted }]))
    this.readAt = this.clock.now()
    if (JSON.stringify([...this.closed]) !== before) this.version++
  }

  /** Reads again what is old, one read at a time; a store that is away leaves what is known. */
  async refresh(): Promise<void> {
    if (Math.abs(this.clock.now() - this.readAt) < freshMs) return
    this.reading ??= this.load()
      .catch(() => {})
      .finally(() => (this.reading = undefined))
    await this.reading
  }

  /** The messages of a lane, those for closed organizations as messages without an effect. */
  filter(items: Item[], onDropped: () => void): Item[] {
    if (this.closed.size === 0) return items
    return items.map((item) => {
      if (!this.isClosedTo(item)) return item
      onDropped()
      return dropped(item)
    })
  }

  private isClosedTo({ orgId, log }: Item): boolean {
    const found = this.closed.get(orgId)
    return found !== undefined && (found.isDeleted || kindOf(log.subject) !== 'actor')
  }
}

/** A message that has no effect and becomes no dead letter: the lane goes past it. */
const dropped = ({ log, index, orgId, place, reminded }: Item): Refusal => ({
  log,
  index,
  orgId,
  place,
  ...(reminded && { reminded }),
  fault: Fault.forbidden('organization_closed', 'The organization is closed.'),
  isDropped: true,
  type: '',
  messageId: '',
  body: new Uint8Array(),
})
