/** Events that wait to be sent. Events with the same meaning are merged, and the number is limited. */
import type { SentSignal } from '#engine/actor/turn.ts'
import {
  costsChanged,
  inventoryChanged,
  recommendationsChanged,
  refreshMoved,
  resync,
  workflowMoved,
} from './messages.ts'

/** Maximum distinct days, accounts, and unmerged events. If one is exceeded, everything is replaced by one `resync`. */
export const waitingMax = { days: 400, accounts: 500, others: 200 } as const

export const resyncEvent: SentSignal = { event: resync.name, data: {} }

/** Events that contain only account ids. */
export const ofAccounts: ReadonlySet<string> = new Set([inventoryChanged.name, recommendationsChanged.name])

/** Key of progress events, of which only the newest counts. */
function nameOf({ event, data }: SentSignal): string | undefined {
  if (event === refreshMoved.name) return `${event}/${(data as { refreshID: string }).refreshID}`
  return event === workflowMoved.name ? `${event}/${(data as { jobID: string }).jobID}` : undefined
}

export class EventBatch {
  /** Days with changed costs by account. */
  private readonly costs = new Map<string, Set<string>>()
  private readonly days = new Set<string>()
  /** Accounts by event, for events with only account ids. */
  private readonly accounts = new Map<string, Set<string>>()
  /** The newest event of each refresh and workflow. */
  private readonly newest = new Map<string, SentSignal>()
  private others: SentSignal[] = []
  private isMissed = false

  /** Returns the number of events that were merged with waiting ones, or dropped because of a `resync`. */
  add(told: readonly SentSignal[]): number {
    return told.filter((one) => !this.isNew(one)).length
  }

  get isEmpty(): boolean {
    const { costs, accounts, newest, others } = this
    return !this.isMissed && costs.size + accounts.size + newest.size + others.length === 0
  }

  /** Returns all waiting events and empties the batch. */
  take(): SentSignal[] {
    const { costs, accounts, newest, others, isMissed } = this
    const all = [
      ...others,
      ...newest.values(),
      ...Array.from(costs, ([id, days]) => costsTold(id, [...days])),
      ...Array.from(accounts, ([event, own]) => Array.from(own, (id) => accountTold(event, id))).flat(),
    ]
    this.clear()
    return isMissed ? [resyncEvent] : all
  }

  private isNew(one: SentSignal): boolean {
    if (this.isMissed) return false
    const isNew = this.put(one)
    const isOver =
      this.days.size > waitingMax.days ||
      this.costs.size + this.accountsTold > waitingMax.accounts ||
      this.others.length + this.newest.size > waitingMax.others
    if (!isOver && one.event !== resync.name) return isNew
    this.clear()
    this.isMissed = true
    return true
  }

  private put(one: SentSignal): boolean {
    const { event, data } = one
    if (event === costsChanged.name) return this.putCosts(data as { days: string[]; cloudAccountIDs: string[] })
    if (ofAccounts.has(event)) return this.putAccount(event, data as { cloudAccountIDs: string[] })
    const name = nameOf(one)
    if (name !== undefined) {
      const isNew = !this.newest.has(name)
      this.newest.set(name, one)
      return isNew
    }
    this.others.push(one)
    return true
  }

  private get accountsTold(): number {
    return this.accounts.values().reduce((sum, own) => sum + own.size, 0)
  }

  private putAccount(event: string, { cloudAccountIDs: [id = ''] }: { cloudAccountIDs: string[] }): boolean {
    const isNew = !this.accounts.has(event)
    this.accounts.set(event, (this.accounts.get(event) ?? new Set()).add(id))
    return isNew
  }

  private putCosts({ days, cloudAccountIDs: [id = ''] }: { days: string[]; cloudAccountIDs: string[] }): boolean {
    const isNew = this.costs.size === 0
    const own = this.costs.get(id) ?? new Set()
    this.costs.set(id, own)
    for (const day of days) {
      own.add(day)
      this.days.add(day)
    }
    return isNew
  }

  private clear(): void {
    this.costs.clear()
    this.days.clear()
    this.accounts.clear()
    this.newest.clear()
    this.others = []
    this.isMissed = false
  }
}

/** An event for one account, so that people who may not see the account do not get its days either. */
export const costsTold = (cloudAccountID: string, days: readonly string[]): SentSignal => ({
  event: costsChanged.name,
  data: { days, cloudAccountIDs: [cloudAccountID] },
  about: { cloudAccountID },
})

const accountTold = (event: string, cloudAccountID: string): SentSignal => ({
  event,
  data: { cloudAccountIDs: [cloudAccountID] },
  about: { cloudAccountID },
})
