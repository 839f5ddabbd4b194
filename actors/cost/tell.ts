/** Tells the organizations whose sums just changed: at once, then at most every few seconds. */
import type { Publisher } from '#engine/run/publisher.ts'
import type { Clock } from '#engine/actor/ports.ts'
import type { CostDay } from '#analytics/rollup/day-batch.ts'
import { costChanged } from '#streams/cost.ts'
import { costsTold } from '#streams/live/event-batch.ts'
import type { Teller } from '#streams/live/teller.ts'

/** Changes of an organization that come sooner after one that was told are told together. */
const pauseMs = 5_000

/** Whoever listens finds the new sums when he asks. */
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

/** Which sums changed: of today, and of this month. */
interface What {
  today: boolean
  month: boolean
}

interface Pending extends What {
  /** Something changed since the last was told. */
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

  /** Resolves once what must be told now is durable. A process that dies in the pause loses at most a look that hourly ones make up for. */
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
      // Nobody was told: the next change must not wait for a pause that never began.
      this.pending.delete(orgId)
      throw error
    }
    void this.later(orgId)
  }

  private async later(orgId: string): Promise<void> {
    await this.clock.sleep(pauseMs)
    const { isDue, today, month } = this.pending.get(orgId)!
    this.pending.delete(orgId)
    // What cannot be told now is looked at within the hour.
    if (isDue) await this.one(orgId, { today, month }).catch(() => {})
  }

  private tell(orgId: string, what: What): Promise<unknown> {
    return this.publisher.publish({ subject: costChanged, orgId, data: what.month ? { today: what.today } : what })
  }
}
