import { t } from '#engine/schema.ts'
import { granularities } from '#analytics/cost/questions.ts'
import { questions } from '#analytics/store/query.ts'
import { january, sliced } from '#analytics/store/slice.ts'

const query = questions(import.meta.url)

const flag = t.Integer({ minimum: 0, maximum: 1 })

const money = t.String({ description: 'US dollars, exact' })

/** `team_id` is `unassigned` where there is no team. */
export const costByTeam = query(
  'cost_by_team',
  t.Object(sliced),
  t.Object({ team_id: t.String(), cost_usd: money, resources: t.Integer() }),
  january,
  { needs: ['team_id', 'resource_uid'] },
)

export const costByTeamPeriod = query(
  'cost_by_team_period',
  t.Object({ ...sliced, granularity: t.Enum(granularities) }),
  t.Object({ team_id: t.String(), period: t.String(), cost_usd: money }),
  { ...january, granularity: 'daily' },
  { needs: ['team_id'] },
)

export const teamNames = query(
  'team_names',
  t.Object({ org: t.String() }),
  t.Object({ team_id: t.String(), name: t.String(), deleted: flag }),
  { org: 'o1' },
)

export const attributionQuestions = [costByTeam, costByTeamPeriod, teamNames]
