/** What waits to be told: what says the same becomes one, and it never grows beyond its bounds. */
import type { Told } from '#engine/turn.ts'
import { costsChanged, inventoryChanged, refreshMoved, resync } from '#streams/live.ts'

/** Of different days, of accounts, and of events that are not merged. Beyond one of them all of it is one `resync`. */
export const waitingMax = { days: 400, accounts: 500, others: 200 } as const

export const missed: Told = { event: resync.name, data: {} }

export class Gathered {
  /** The days that are told of each account. */
  private readonly costs = new Map<string, Set<string>>()
  private readonly days = new Set<string>()
  private readonly inventory = new Set<string>()
  /** The newest by refresh. */
  private readonly refreshes = new Map<string, Told>()
  private others: Told[] = []
  private isMissed = false

  /** How many of them became one with what waits already, or were dropped for a `resync`. */
  add(told: readonly Told[]): number {
    return told.filter((one) => !this.isNew(one)).length
  }

  get isEmpty(): boolean {
    const { costs, inventory, refreshes, others } = this
    return !this.isMissed && costs.size + inventory.size + refreshes.size + others.length === 0
  }

  /** All of it, and nothing waits any more. */
  take(): Told[] {
    const { costs, inventory, refreshes, others, isMissed } = this
    const all = [
      ...others,
      ...refreshes.values(),
      ...Array.from(costs, ([id, days]) => costsTold(id, [...days])),
      ...Array.from(inventory, inventoryTold),
    ]
    this.clear()
    return isMissed ? [missed] : all
  }

  private isNew(one: Told): boolean {
    if (this.isMissed) return false
    const isNew = this.put(one)
    const isOver =
      this.days.size > waitingMax.days ||
      this.costs.size + this.inventory.size > waitingMax.accounts ||
      this.others.length + this.refreshes.size > waitingMax.others
    if (!isOver && one.event !== resync.name) return isNew
    this.clear()
    this.isMissed = true
    return true
  }

  private put(one: Told): boolean {
    const { event, data } = one
    if (event === costsChanged.name) return this.putCosts(data as { days: string[]; cloudAccountIDs: string[] })
    if (event === inventoryChanged.name) {
      const [id = ''] = (data as { cloudAccountIDs: string[] }).cloudAccountIDs
      const isNew = this.inventory.size === 0
      this.inventory.add(id)
      return isNew
    }
    if (event === refreshMoved.name) {
      const { refreshID } = data as { refreshID: string }
      const isNew = !this.refreshes.has(refreshID)
      this.refreshes.set(refreshID, one)
      return isNew
    }
    this.others.push(one)
    return true
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
    this.inventory.clear()
    this.refreshes.clear()
    this.others = []
    this.isMissed = false
  }
}

/** Of one account: who may not see it is not told of its days either. */
export const costsTold = (cloudAccountID: string, days: readonly string[]): Told => ({
  event: costsChanged.name,
  data: { days, cloudAccountIDs: [cloudAccountID] },
  about: { cloudAccountID },
})

const inventoryTold = (cloudAccountID: string): Told => ({
  event: inventoryChanged.name,
  data: { cloudAccountIDs: [cloudAccountID] },
  about: { cloudAccountID },
})
