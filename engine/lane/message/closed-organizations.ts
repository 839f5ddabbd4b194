/**
 * What a process knows about closed organizations. While one can still be restored, producers' messages for it are
 * dropped, and messages between lanes continue, so nothing that had started is lost. For one that is being deleted, all
 * messages are dropped.
 */
import { Fault } from '#engine/value/fault.ts'
import { kindOf, type MessageRefusal } from './message.ts'
import type { Item } from './item.ts'
import type { Clock, StateStore } from '#engine/actor/ports.ts'

/** Maximum age of this knowledge, milliseconds. A deletion does not rely on it: it takes every lane from its owner. */
const freshMs = 1000

export class ClosedOrganizations {
  private readonly store: Pick<StateStore, 'closedOrganizations'>
  private readonly clock: Pick<Clock, 'now'>
  private closed: ReadonlyMap<string, { isDeleted: boolean }> = new Map()
  private readAt = -Infinity
  private reading: Promise<void> | undefined
  /** Increases with each change of this knowledge. */
  version = 0

  constructor(store: Pick<StateStore, 'closedOrganizations'>, clock: Pick<Clock, 'now'>) {
    this.store = store
    this.clock = clock
  }

  /** Loads the current state. Required before a newly taken lane reads messages. */
  async load(): Promise<void> {
    const rows = await this.store.closedOrganizations()
    const before = JSON.stringify([...this.closed])
    this.closed = new Map(rows.map(({ orgId, isDeleted }) => [orgId, { isDeleted }]))
    this.readAt = this.clock.now()
    if (JSON.stringify([...this.closed]) !== before) this.version++
  }

  /** Reloads outdated state, one read at a time; if the store is unavailable, the known state is kept. */
  async refresh(): Promise<void> {
    if (Math.abs(this.clock.now() - this.readAt) < freshMs) return
    this.reading ??= this.load()
      .catch(() => {})
      .finally(() => (this.reading = undefined))
    await this.reading
  }

  /** The messages of a lane, with those for closed organizations replaced by messages without effect. */
  filter(items: Item[], onDropped: () => void): Item[] {
    if (this.closed.size === 0) return items
    return items.map((item) => {
      if (!this.isClosedTo(item)) return item
      onDropped()
      return dropItem(item)
    })
  }

  private isClosedTo({ orgId, log }: Item): boolean {
    const found = this.closed.get(orgId)
    return found !== undefined && (found.isDeleted || kindOf(log.subject) !== 'actor')
  }
}

/** A message that has no effect and is not dead-lettered: the lane moves past it. */
const dropItem = ({ log, index, orgId, place, reminded }: Item): MessageRefusal => ({
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
