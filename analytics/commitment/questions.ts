/** Covered and unused commitments. A day is `YYYY-MM-DD`, UTC; amounts are US dollars, exact decimal text. */
import { t } from '#engine/value/schema.ts'
import { questions } from '#analytics/store/query.ts'
import { january, sliceParams } from '#analytics/store/slice.ts'

const query = questions(import.meta.url)

const parts = ['used', 'unused', 'on_demand'] as const

const { cost: _cost, ...narrowing } = sliceParams
const { cost: _billed, ...all } = january
const texts = t.Array(t.String())

/** `as_of` stays empty: usage is only stored as it is now. */
export const committedCosts = query(
  'committed_costs',
  t.Object(narrowing),
  t.Object({
    commitment_id: t.String(),
    cloud_account_id: t.String(),
    provider: t.String(),
    service_name: t.String(),
    shown_service: t.String({ description: 'one name for a service that bills of two formats call differently' }),
    component: t.String(),
    part: t.Enum(parts),
    first_day: t.String(),
    last_day: t.String(),
    effective_usd: t.String(),
    on_demand_usd: t.String(),
    hours: t.String(),
  }),
  all,
  { needs: ['resource_uid', 'shown_service'] },
)

export const commitmentSpans = query(
  'commitment_spans',
  t.Object({ org: t.String(), uids: texts, to: t.String() }),
  t.Object({
    commitment_id: t.String(),
    cloud_account_id: t.String(),
    bought_on: t.String(),
    last_day: t.String(),
    billed_since: t.String(),
  }),
  { org: 'o1', uids: ['sp-1'], to: '2026-01-31' },
)

/** `ends_on` is a day, `ends_at` any text that a bill has. */
export const commitmentLines = query(
  'commitment_lines',
  t.Object({ org: t.String(), accounts: texts, days: texts, uids: texts }),
  t.Object({
    commitment_id: t.String(),
    name: t.String(),
    type: t.String(),
    category: t.String(),
    regions: texts,
    ends_at: t.String(),
    ends_on: t.String(),
  }),
  { org: 'o1', accounts: ['acct-1'], days: ['2026-01-01'], uids: ['sp-1'] },
)

export const commitmentTerms = query(
  'commitment_terms',
  t.Object({ org: t.String(), accounts: texts, days: texts, uids: texts }),
  t.Object({
    commitment_id: t.String(),
    cloud_account_id: t.String(),
    frequency: t.String(),
    starts_on: t.String(),
    details: t.String(),
    description: t.String(),
    quantity: t.String(),
    unit: t.String(),
    pricing_quantity: t.String(),
  }),
  { org: 'o1', accounts: ['acct-1'], days: ['2026-01-01'], uids: ['sp-1'] },
)

/** `last_days` has one day for each of `uids`, `from` the earliest of them. */
export const commitmentExpiries = query(
  'commitment_expiries',
  t.Object({ org: t.String(), accounts: texts, uids: texts, last_days: texts, from: t.String(), settled: t.String() }),
  t.Object({ commitment_id: t.String(), days: t.Integer() }),
  { org: 'o1', accounts: [], uids: ['sp-1'], last_days: ['2026-01-10'], from: '2026-01-10', settled: '2026-01-31' },
)

/** In order of the time they were seen, newest last. `ends_at` is any text of a producer. */
export const commitmentResources = query(
  'commitment_resources',
  t.Object({ org: t.String(), accounts: texts, uids: texts }),
  t.Object({
    uid: t.String(),
    name: t.String(),
    region: t.String(),
    observed_on: t.String(),
    ends_at: t.String(),
    days_to_end: t.String(),
  }),
  { org: 'o1', accounts: [], uids: ['sp-1'] },
)

/** Ends are texts as in `commitmentResources`; numbers are texts, too, empty if unknown. */
export const inventoriedCommitments = query(
  'inventoried_commitments',
  t.Object({
    org: t.String(),
    types: texts,
    accounts: texts,
    providers: texts,
    regions: texts,
    scoped: t.Integer(),
    scope_accounts: texts,
  }),
  t.Object({
    uid: t.String(),
    cloud_account_id: t.String(),
    provider: t.String(),
    type: t.String(),
    name: t.String(),
    region: t.String(),
    observed_on: t.String(),
    ends_at: t.String(),
    days_to_end: t.String(),
    starts_at: t.String(),
    reserved_type: t.String(),
    reserved_count: t.String(),
    commitment_hourly: t.String(),
  }),
  {
    org: 'o1',
    types: ['aws-savings-plan'],
    accounts: [],
    providers: [],
    regions: [],
    scoped: 0,
    scope_accounts: [],
  },
)

export const commitmentQuestions = [
  committedCosts,
  commitmentSpans,
  commitmentLines,
  commitmentTerms,
  commitmentExpiries,
  commitmentResources,
  inventoriedCommitments,
]
