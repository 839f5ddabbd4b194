/**
 * Messages of organizations whose facts cannot be written now. The lane stores them with its commit and continues with
 * the other organizations. Later it runs the stored ones in their order; until then, newer messages of the same
 * organization are stored after them. So each takes effect once and in order.
 */
import { Fault } from '#engine/value/fault.ts'
import { parseJson } from '#engine/value/json.ts'
import { tokenId } from '#engine/actor/subject.ts'
import { noneApart, type Lease, type LogMessage, type ParkedStore } from '#engine/actor/ports.ts'
import { foreign, kindOf, refuseLogMessage, type MessageRefusal } from './message.ts'

export interface ParkingTools {
  store: ParkedStore
  /** Whether the facts of an organization cannot be written now. */
  isAway: (orgId: string) => boolean
}

/** Maximum bytes that a lane stores; beyond them it waits. */
const bytesMax = 256 * 2 ** 20

const away = Fault.transient('unavailable', 'The ClickHouse server of the organization is unavailable.')

export class Parking {
  private readonly tools: ParkingTools | undefined
  private readonly lease: Lease
  /** Bytes by organization, counted from the time of `load`. */
  private bytes = new Map<string, number>()

  constructor(tools: ParkingTools | undefined, lease: Lease) {
    this.tools = tools
    this.lease = lease
  }

  /** Required before the lane reads messages. */
  async load(): Promise<void> {
    if (this.tools) this.bytes = await this.tools.store.parkedBytes(this.lease.lane)
  }

  /**
   * The message as it is to be stored; undefined if it can be run. @throws Fault if the lane has to wait: it has stored
   * too much, or has run the message in part
   */
  park(given: LogMessage): MessageRefusal | undefined {
    if (!this.tools) return undefined
    const log = kindOf(given.subject) === 'actor' ? given : foreign(given)
    const orgId = tokenId(log.subject.split('.')[1]!)
    if (!this.bytes.has(orgId) && !this.tools.isAway(orgId)) return undefined
    const { apart } = this.lease
    if (apart.done > 0 && apart.seq === log.seq) throw away
    // A reminder stays where it is, and is published again within a minute.
    const { reminded, ...item } = { ...refuseLogMessage(log, away), isDropped: true as const }
    if (reminded || isReminder(log)) return item
    if (this.sum() > bytesMax) throw away
    this.bytes.set(orgId, (this.bytes.get(orgId) ?? 0) + log.body.length)
    return { ...item, isToPark: true }
  }

  /** Whether stored messages can be run now. A message that was run in part comes first, even if it has to wait. */
  get isReady(): boolean {
    return this.bytes.size > 0 && (this.partial !== undefined || this.back().length > 0)
  }

  /** The next stored messages in order. The commit in progress must have landed: it may store others. */
  async next(countMax: number): Promise<LogMessage[]> {
    const { store } = this.tools!
    if (this.partial !== undefined) return store.parked(this.lease.lane, { seq: this.partial }, 1)
    const orgIds = this.back()
    const found = await store.parked(this.lease.lane, { orgIds }, countMax)
    if (found.length === 0) for (const orgId of orgIds) this.bytes.delete(orgId)
    return found
  }

  private get partial(): number | undefined {
    const { apart, cursor } = this.lease
    return apart.seq !== noneApart.seq && apart.done > 0 && apart.seq <= cursor ? apart.seq : undefined
  }

  private back(): string[] {
    return [...this.bytes.keys()].filter((orgId) => !this.tools!.isAway(orgId))
  }

  private sum(): number {
    return this.bytes.values().reduce((sum, bytes) => sum + bytes, 0)
  }
}

/** Reminders are sent together, and with nothing else. */
function isReminder({ subject, body }: LogMessage): boolean {
  if (kindOf(subject) !== 'actor') return false
  try {
    const [first] = [parseJson(Buffer.from(body).toString())].flat() as ({ reminder?: unknown } | null)[]
    return first?.reminder !== undefined
  } catch {
    return false
  }
}
