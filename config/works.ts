/** What the engine does beside turns: shapes that are worked out anew from what turns marked, and calls that turns asked for. */
import { syncWork } from '#actors/billing-sync/sync.ts'
import { CostChanges } from '#actors/cost-watch/tell.ts'
import { jobWork } from '#actors/job/run.ts'
import { discoverWork } from '#actors/refresh/discover.ts'
import { pullWork } from '#actors/unit-metric/pull.ts'
import { costDayOf, costDays, recomputeCostDays } from '#analytics/cost-rollup.ts'
import { Restatements } from '#analytics/restatement.ts'
import { costTypes, retypeCostDays } from '#analytics/cost-type.ts'
import type { EffectWork } from '#engine/effect.ts'
import type { ProjectionWork } from '#engine/projection.ts'
import { tellWork } from '#engine/tell.ts'
import { mailWork } from '#streams/delivery/email.ts'
import { subjects } from '#streams/index.ts'
import type { Connections } from '#config/connect.ts'
import { jobWorks } from '#config/jobs.ts'
import { tokens, type Product } from '#config/tokens.ts'

export function projections({ clickhouse, clock }: Connections, get: Product['get']): ProjectionWork[] {
  const changes = new CostChanges(() => get(tokens.publisher), clock)
  const restatements = new Restatements(clickhouse, { now: () => clock.now(), elapsed: () => performance.now() })
  return [
    {
      name: costDays.name,
      ready: (marks) => restatements.ready(marks),
      run: async (marks, generation) => {
        const days = marks.map(costDayOf)
        await recomputeCostDays(clickhouse, days, generation, new Date(clock.now()))
        await changes.changed(days)
      },
    },
    {
      name: costTypes.name,
      run: async (marks, generation) => {
        for (const [orgId, own] of Map.groupBy(marks, (mark) => mark.orgId)) {
          const accounts = own.map((mark) => mark.key)
          await retypeCostDays(clickhouse, orgId, accounts, generation)
        }
      },
    },
  ]
}

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
