import { Snapshot } from '#actors/snapshot/entity.ts'
import { t } from '#engine/value/schema.ts'
import { Timestamp } from '#http/edge/parameter/field.ts'
import { resourceCountMeaning } from '#http/report/filter/filter.ts'
import type { Route } from '#http/edge/route.ts'
import { report } from '#http/report/report.ts'
import { cents } from '#streams/figure.ts'

const SnapshotView = t.Object(
  {
    id: t.String(),
    period: t.String({ description: 'month, YYYY-MM, UTC' }),
    totalCostUSD: t.Number(),
    totalSavingsUSD: t.Number(),
    resourceCount: t.Integer({ description: resourceCountMeaning }),
    createdAt: Timestamp,
  },
  {
    title: 'Snapshot',
    examples: [
      {
        id: '6d0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a01',
        period: '2025-12',
        totalCostUSD: 12480.55,
        totalSavingsUSD: 930.12,
        resourceCount: 421,
        createdAt: '2026-01-05T03:00:00.000Z',
      },
    ],
  },
)

export const snapshots: readonly Route[] = [
  report({
    path: '/reports/snapshots',
    summary: 'List closed months with their totals, newest first',
    description:
      'A month is closed on the 3rd of the next month at 05:00 UTC. Totals cover the whole organization and do not change ' +
      'afterwards; callers who may see only part of the costs get an empty list.',
    reply: t.Array(SnapshotView),
    handle: async ({ caller: { orgId, reportScope } }, { em }) => {
      if (!reportScope.all) return []
      const rows = await em.find(Snapshot, { orgId }, { orderBy: { period: 'desc' } })
      return rows.map((row) => ({
        id: row.id,
        period: row.period,
        totalCostUSD: cents(row.totalCostUsd),
        totalSavingsUSD: cents(row.totalSavingsUsd),
        resourceCount: row.resourceCount,
        createdAt: row.createdAt.toISOString(),
      }))
    },
  }),
]
