import { t } from '#engine/value/schema.ts'
import { questions } from '#analytics/store/query.ts'
import { costColumns } from '#analytics/store/slice.ts'

const query = questions(import.meta.url)

export const spaceCost = query(
  'space_cost',
  t.Object({
    org: t.String(),
    cost: t.Enum(costColumns),
    from: t.String(),
    to: t.String(),
    accounts: t.Array(t.String()),
    regions: t.Array(t.String()),
    uids: t.Array(t.String()),
  }),
  t.Object({ cost_usd: t.String({ description: 'US dollars, exact' }) }),
  {
    org: 'o1',
    cost: 'billed_cost',
    from: '2026-01-01',
    to: '2026-01-30',
    accounts: ['acct-1'],
    regions: ['us-east-1'],
    uids: [],
  },
  { needs: ['resource_uid'] },
)

export const sourceQuestions = [spaceCost]
