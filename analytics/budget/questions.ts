import { t } from '#engine/value/schema.ts'
import { questions } from '#analytics/store/query.ts'
import { costColumns } from '#analytics/store/slice.ts'

const query = questions(import.meta.url)

/** What a budget may be for: a team or a resource group. */
const budgetScopes = ['team', 'resource_group'] as const

/** `id` is that of the team or the group; `day` is YYYY-MM-DD, or empty for the whole range. */
export const budgetSpend = query(
  'budget_spend',
  t.Object({
    org: t.String(),
    cost: t.Enum(costColumns),
    from: t.String(),
    to: t.String(),
    ids: t.Array(t.String()),
    by_day: t.Integer({ minimum: 0, maximum: 1 }),
  }),
  t.Object({
    scope: t.Enum(budgetScopes),
    id: t.String(),
    day: t.String(),
    cost_usd: t.String({ description: 'US dollars, exact' }),
  }),
  { org: 'o1', cost: 'billed_cost', from: '2026-01-01', to: '2026-01-31', ids: [], by_day: 1 },
  { needs: ['team_id', 'resource_uid', 'owner_uids'] },
)

/** `stream` and `service_name` are empty except for rare charges; `costs` are of `days`, by position. */
export const budgetCharges = query(
  'budget_charges',
  t.Object({ org: t.String(), cost: t.Enum(costColumns), from: t.String(), to: t.String(), ids: t.Array(t.String()) }),
  t.Object({
    scope: t.Enum(budgetScopes),
    id: t.String(),
    category: t.String(),
    seldom: t.Integer(),
    service_name: t.String(),
    stream: t.String(),
    days: t.Array(t.String()),
    costs: t.Array(t.String(), { description: 'US dollars, exact' }),
  }),
  { org: 'o1', cost: 'billed_cost', from: '2026-01-01', to: '2026-01-31', ids: [] },
  { needs: ['charges', 'team_id', 'resource_uid', 'owner_uids', 'shown_service'] },
)

export const budgetQuestions = [budgetSpend, budgetCharges]
