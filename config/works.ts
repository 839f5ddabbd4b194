/** What the engine does beside turns: shapes that are worked out anew from what turns marked, and calls that turns asked for. */
import { shownBills } from '#actors/account/queries.ts'
import { syncWork } from '#actors/billing-sync/sync.ts'
import { CostChanges } from '#actors/cost-watch/tell.ts'
import { jobWork } from '#actors/job/run.ts'
import { discoverWork } from '#actors/refresh/discover.ts'
import { pullWork } from '#actors/unit-metric/pull.ts'
import type { ShownBills } from '#analytics/billing/bill.ts'
import { costDayOf, costDays, recomputeCostDays } from '#analytics/rollup/cost-rollup.ts'
import { Restatements } from '#analytics/rollup/restatement.ts'
import { costTypes, retypeCostDays } from '#analytics/rollup/cost-type.ts'
import type { EffectWork } from '#engine/effect.ts'
import type { ProjectionWork } from '#engine/projection.ts'
import { tellWork } from '#engine/tell.ts'
import { mailWork } from '#streams/delivery/email.ts'
import { subjects } from '#streams/index.ts'
import type { Connections } from '#config/connect.ts'
import { jobWorks } from '#config/jobs.ts'
import { tokens, type Product } from '#config/tokens.ts'

/** What this process writes sums of days to: an insert that failed may still be on its way, so the next run has other slots. */
class Slots {
  private readonly track: () => number
  private other = 0

  constructor(track: () => number) {
    this.track = track
  }

  async use<T>(work: (pair: number) => Promise<T>): Promise<T> {
    try {
      return await work(2 * this.track() + this.other)
    } catch (error) {
      this.other = 1 - this.other
      throw error
    }
  }
}

export function projections({ clickhouse, clock, store }: Connections, get: Product['get']): ProjectionWork[] {
  const slots = new Slots(() => store.track)
  const changes = new CostChanges(() => get(tokens.publisher), clock)
  const restatements = new Restatements(clickhouse, { now: () => clock.now(), elapsed: () => performance.now() })
  const now = () => new Date(clock.now())
  const days: ProjectionWork<ShownBills> = {
    name: costDays.name,
    basis: (marks, rows) => shownBills(rows, marks.map(costDayOf)),
    ready: (marks, shown) => restatements.ready(marks, shown),
    run: async (marks, generation, shown, stands) => {
      const marked = marks.map(costDayOf)
      const isDone = await slots.use((pair) =>
        recomputeCostDays(clickhouse, marked, generation, { now: now(), shown, stands, pair }),
      )
      if (isDone) await changes.changed(marked)
      return isDone
    },
  }
  const types: ProjectionWork<ShownBills> = {
    name: costTypes.name,
    basis: (marks, rows) => shownBills(rows, marks.map(costTypeOf)),
    run: async (marks, generation, shown, stands) => {
      let isDone = true
      for (const [orgId, own] of Map.groupBy(marks, (mark) => mark.orgId)) {
        const accounts = own.map((mark) => mark.key)
        const retype = (pair: number) =>
          retypeCostDays(clickhouse, orgId, accounts, generation, { now: now(), shown, stands, pair })
        isDone = (await slots.use(retype)) && isDone
      }
      return isDone
    },
  }
  // Types are filled into days as they are shown: those that turn over come first.
  return [days, types]
}

const costTypeOf = ({ orgId, key }: { orgId: string; key: string }) => ({ orgId, cloudAccountId: key })

export function effects(c: Connections, get: Product['get']): EffectWork[] {
  const { settings, clock, report } = c
  const publisher = () => get(tokens.publisher)
  const open = (sealed: string) => get(tokens.seal).open(sealed)
  const reads = get(tokens.reads)
  const cloud = { reads, publisher: get(tokens.publisher), connector: () => get(tokens.cloud), open }
  return [
    discoverWork(cloud),
    syncWork({ ...cloud, now: () => new Date(clock.now()) }),
    jobWork(jobWorks(c, get), publisher),
    pullWork({ reads, publisher, open, allowPrivate: settings.allowPrivateAddresses }),
    tellWork(subjects, publisher),
    mailWork(() => get(tokens.mail), open, report),
  ]
}
