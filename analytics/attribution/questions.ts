import { sharingQuestions } from '#analytics/attribution/sharing.ts'
import { t } from '#engine/value/schema.ts'
import { granularities } from '#analytics/cost/questions.ts'
import { questions } from '#analytics/store/query.ts'
import { costColumns, january, sliceParams } from '#analytics/store/slice.ts'

const query = questions(import.meta.url)

const flag = t.Integer({ minimum: 0, maximum: 1 })

const money = t.String({ description: 'US dollars, exact' })

/** `team_id` is `unassigned` if there is no team. */
export const costByTeam = query(
  'cost_by_team',
  t.Object(sliceParams),
  t.Object({ team_id: t.String(), cost_usd: money, shared_usd: money, resources: t.Integer() }),
  january,
  { needs: ['charges', 'by_team', 'team_id', 'resource_uid'], isByMonth: true },
)

export const costByTeamPeriod = query(
  'cost_by_team_period',
  t.Object({ ...sliceParams, granularity: t.Enum(granularities) }),
  t.Object({ team_id: t.String(), period: t.String(), cost_usd: money, shared_usd: money }),
  { ...january, granularity: 'daily' },
  { needs: ['charges', 'team_id'], isByMonth: 'monthly' },
)

export const teamNames = query(
  'team_names',
  t.Object({ org: t.String() }),
  t.Object({ team_id: t.String(), name: t.String(), deleted: flag }),
  { org: 'o1' },
)

const texts = t.Array(t.String())

/** Facts for rules. Streamed rows have their columns in this order. */
const AllocationFacts = t.Object({
  cloud_account_id: t.String(),
  resource_uid: t.String(),
  provider: t.String(),
  type: t.String(),
  region: t.String(),
  name: t.String(),
  instance_type: t.String(),
  resource_group: t.String(),
  tags: t.Record(t.String(), t.String()),
})

/** The values of a row of facts, in their order. */
export type AllocationFactsRow = readonly [
  account: string,
  uid: string,
  provider: string,
  type: string,
  region: string,
  name: string,
  instanceType: string,
  resourceGroup: string,
  tags: Readonly<Record<string, string>>,
]

export const allocationFacts = query(
  'allocation_facts',
  t.Object({ org: t.String(), accounts: texts, uids: texts }),
  AllocationFacts,
  { org: 'o1', accounts: ['acct-1'], uids: ['i-1'] },
)

/** The earliest possible day. */
export const everyDay = '1970-01-01'

export const allocationBilledFacts = query(
  'allocation_billed_facts',
  t.Object({ org: t.String(), from: t.String(), editions: texts }),
  AllocationFacts,
  { org: 'o1', from: everyDay, editions: [] },
)

export const allocationCosts = query(
  'allocation_costs',
  t.Object({ org: t.String(), cost: t.Enum(costColumns), from: t.String(), to: t.String() }),
  t.Object({ cloud_account_id: t.String(), resource_uid: t.String(), cost_usd: money }),
  { org: 'o1', cost: 'billed_cost', from: '2026-01-01', to: '2026-01-31' },
)

export const costDayEditions = query(
  'cost_day_editions',
  t.Object({ org: t.String() }),
  t.Object({ edition: t.String(), day: t.String(), published_at: t.Integer() }),
  { org: 'o1' },
)

export const attributionQuestions = [
  costByTeam,
  costByTeamPeriod,
  teamNames,
  ...sharingQuestions,
  allocationFacts,
  allocationBilledFacts,
  allocationCosts,
  costDayEditions,
]
