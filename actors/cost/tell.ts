/** Notifies organizations whose sums have changed: at once, then at most every few seconds. */
import type { Publisher } from '#engine/run/publisher.ts'
import type { Clock } from '#engine/actor/ports.ts'
import type { CostDay } from '#analytics/rollup/day-batch.ts'
import { costChanged } from '#streams/cost.ts'
import { costsTold } from '#streams/live/event-batch.ts'
import type { Teller } from '#streams/live/teller.ts'

/** Milliseconds after a notification during which further changes of an organization are collected. */
const pauseMs = 5_000

/** Notifies live subscribers, who then find the new sums. */
export function tellListeners(live: Pick<Teller, 'tell'>, days: readonly CostDay[]): void {
  for (const [orgId, own] of Map.groupBy(days, (one) => one.orgId)) {
    const accounts = Map.groupBy(own, ({ cloudAccountId }) => cloudAccountId)
    const told = Array.from(accounts, ([id, list]) =>
      costsTold(
        id,
        list.map(({ day }) => day),
      ),
    )
    live.tell(orgId, told)
  }
}

/** Which sums changed: today's, this month's. */
interface What {
  today: boolean
  month: boolean
}

interface Pending extends What {
  /** Something has changed since the last notification. */
  isDue: boolean
}

export class CostChanges {
  private readonly publisher: Publisher
  private readonly clock: Clock
  private readonly pending = new Map<string, Pending>()

  constructor(publisher: Publisher, clock: Clock) {
    this.publisher = publisher
    this.clock = clock
  }

  /**
   * Resolves once what must be published now is durable. If the process dies during the pause, at most an evaluation is
   * lost that the hourly ones repeat.
   */
  async changed(days: readonly CostDay[]): Promise<void> {
    const today = new Date(this.clock.now()).toISOString().slice(0, 10)
    const first = `${today.slice(0, 7)}-01`
    await Promise.all(
      [...Map.groupBy(days, ({ orgId }) => orgId)].map(([orgId, own]) =>
        this.one(orgId, { today: own.some(({ day }) => day === today), month: own.some(({ day }) => day >= first) }),
      ),
    )
  }

  private async one(orgId: string, what: What): Promise<void> {
    const pending = this.pending.get(orgId)
    if (pending) {
      pending.today ||= what.today
      pending.month ||= what.month
      pending.isDue = true
      return
    }
    this.pending.set(orgId, { today: false, month: false, isDue: false })
    try {
      await this.tell(orgId, what)
    } catch (error) {
      // Nothing was published, so the next change must not wait for a pause that has not started.
      this.pending.delete(orgId)
      throw error
    }
    void this.later(orgId)
  }

  private async later(orgId: string): Promise<void> {
    await this.clock.sleep(pauseMs)
    const { isDue, today, month } = this.pending.get(orgId)!
    this.pending.delete(orgId)
    // If it cannot be published now, the next hourly evaluation covers it.
    if (isDue) await this.one(orgId, { today, month }).catch(() => {})
  }

  private tell(orgId: string, what: What): Promise<unknown> {
    return this.publisher.publish({ subject: costChanged, orgId, data: what.month ? { today: what.today } : what })
  }
}
