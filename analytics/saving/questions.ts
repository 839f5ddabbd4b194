/** What bills have about resources with savings. Days are `YYYY-MM-DD`, UTC; amounts US dollars, exact. */
import { questions } from '#analytics/store/query.ts'
import { costColumns, everything, resourceFilters } from '#analytics/store/slice.ts'
import { t } from '#engine/value/schema.ts'

const query = questions(import.meta.url)

const range = { org: t.String(), from: t.String(), to: t.String() }
const rangeExample = { org: 'o1', from: '2026-01-01', to: '2026-01-31' }
const texts = t.Array(t.String())

export const claimUsage = query(
  'claim_usage',
  t.Object({ ...range, cost: t.Enum(costColumns), uids: texts }),
  t.Object({
    cloud_account_id: t.String(),
    resource_uid: t.String(),
    days: texts,
    run_hours: texts,
    hourly_usd: texts,
    other_usd: texts,
  }),
  { ...rangeExample, cost: 'billed_cost', uids: ['i-1'] },
)

export const closedDays = query(
  'closed_days',
  t.Object(range),
  t.Object({ cloud_account_id: t.String(), days: texts }),
  rangeExample,
)

export const listPrices = query(
  'list_prices',
  t.Object({ ...range, uids: texts }),
  t.Object({ resource_uid: t.String(), sku: t.String(), last_day: t.String(), days: texts, prices: texts }),
  { ...rangeExample, uids: ['i-1'] },
)

export const claimTotals = query(
  'claim_totals',
  t.Object({ org: t.String(), claims: texts }),
  t.Object({
    claim_id: t.String(),
    estimated_usd: t.String(),
    observed_usd: t.String(),
    verified_usd: t.String(),
    saved_usd: t.String(),
    proved_days: t.Integer(),
    unproved_days: t.Integer(),
  }),
  { org: 'o1', claims: ['6d5c0b0e-0000-8000-8000-000000000001'] },
)

const savingColumns = [
  'source',
  'rule_id',
  'category',
  'cloud_account_id',
  'resource_uid',
  'team_id',
  'group_id',
] as const
export type SavingColumn = (typeof savingColumns)[number]

/** `causes`: IDs of sources, an empty list means all. `weighed` are verified days that also have an estimate. */
export const savingSums = query(
  'saving_sums',
  t.Object({ ...range, ...resourceFilters, causes: texts, column: t.Enum(savingColumns) }),
  t.Object({
    value: t.String(),
    estimated_usd: t.String(),
    observed_usd: t.String(),
    verified_usd: t.String(),
    saved_usd: t.String(),
    proved_days: t.Integer(),
    unproved_days: t.Integer(),
    weighed_estimated_usd: t.String(),
    weighed_verified_usd: t.String(),
    weighed_claims: t.Integer(),
  }),
  { ...rangeExample, ...everything, causes: [], column: 'source' },
  { needs: ['resource_uid'], columns: ['column'] },
)

/** The newest day of each claim first. */
export const provedClaimDays = query(
  'proved_claim_days',
  t.Object({ org: t.String(), to: t.String(), claims: texts }),
  t.Object({ claim_id: t.String(), days: texts, verified_usd: texts }),
  { org: 'o1', to: '2026-01-31', claims: ['6d5c0b0e-0000-8000-8000-000000000001'] },
)

export const savingQuestions = [claimUsage, closedDays, listPrices, claimTotals, savingSums, provedClaimDays] as const
