import { monthNumber } from '#analytics/snapshot/assignments.ts'
import { snapshotState } from '#analytics/snapshot/tables.ts'
import { defineActor } from '#engine/actor/actor.ts'
import { uuidOf } from '#engine/value/id.ts'
import { snapshotTaken } from '#streams/snapshot.ts'
import { Snapshot } from './entity.ts'

/** One month of an organization: the first totals close it, and it never changes after that. */
export const snapshotActor = defineActor({
  kind: 'snapshot',
  entity: Snapshot,
  address: { orgId: 'orgId', key: 'period' },
  initial: ({ orgId, key }) => ({
    id: uuidOf('snapshot', orgId, key),
    totalCostUsd: '0',
    totalSavingsUsd: '0',
    resourceCount: 0,
    createdAt: new Date(0),
  }),
  reactions: (on) => [
    on(
      snapshotTaken,
      ({ period }) => period,
      (snapshot, taken, turn) => {
        if (snapshot.createdAt.getTime() !== 0) return
        snapshot.totalCostUsd = taken.totalCostUSD
        snapshot.totalSavingsUsd = taken.totalSavingsUSD
        snapshot.resourceCount = taken.resourceCount
        snapshot.createdAt = turn.now
        const row = {
          org_id: turn.address.orgId,
          period: monthNumber(taken.period),
          total_cost_usd: taken.totalCostUSD,
          total_savings_usd: taken.totalSavingsUSD,
          resources: taken.resourceCount,
          created_at: turn.now.toISOString(),
        }
        turn.append(snapshotState, row, turn.now)
      },
    ),
  ],
})
