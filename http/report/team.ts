/** Showback: what teams spent (decisions G-24, G-41). Months closed by a snapshot keep the team their resources had then. */
import { costByTeam, costByTeamPeriod, teamNames } from '#analytics/attribution/questions.ts'
import { costByColumn, costResources, granularities } from '#analytics/cost/questions.ts'
import { unlabelled } from '#analytics/store/slice.ts'
import { Fault } from '#engine/fault.ts'
import { t, type Static } from '#engine/schema.ts'
import { orNull } from '#http/edge/field.ts'
import { paged, pageOf, paging, slice } from '#http/edge/paging.ts'
import { range, rangeOf } from '#http/edge/range.ts'
import { against, comparedFields, earlierQuestion, whichComparison } from '#http/report/compare.ts'
import { costQuestion, narrowing, orNone, resourceCountMeaning, whichCost } from '#http/report/filter.ts'
import { steady } from '#http/report/steady.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import { cents, plainOf, shares, units } from '#streams/figure.ts'

const fixed = { method: 'GET', permission: 'service.view', tags: ['Reports'] } as const
const common = { ...range, ...narrowing, ...whichCost }
const { team_id: _, ...ofOneTeam } = common

/** How the costs of no team are addressed, and what they are called. */
export const unassigned = 'unassigned'
export const unassignedName = 'Unassigned'
const teamIdOf = (id: string): string | null => (id === unassigned ? null : id)

/** The names of all teams that cost may be attributed to, deleted ones included. */
export async function namesOfTeams({ analytics }: Services): Promise<Map<string, string>> {
  const rows = await analytics(teamNames, {})
  return new Map(rows.map((row) => [row.team_id, row.name]))
}

/** @throws Fault `missing` for a team that never was */
async function nameOf(id: string, services: Services): Promise<string> {
  if (id === unassigned) return unassignedName
  const name = (await namesOfTeams(services)).get(id)
  if (name === undefined) throw Fault.missing('team', id)
  return name
}

/** What a team's cost is made of, where rules hand out shared costs. */
const parts = {
  directUSD: t.Optional(t.Number({ description: 'where rules hand out shared costs: what is its own' })),
  sharedUSD: t.Optional(t.Number({ description: 'and what was handed out to it; together they are its cost' })),
}

const partsOf = (row: { cost_usd: string; shared_usd: string }) => ({
  directUSD: Number(plainOf(units(row.cost_usd) - units(row.shared_usd))),
  sharedUSD: Number(row.shared_usd),
})

const TeamCost = t.Object({
  teamID: orNull(t.String()),
  teamName: t.String(),
  costUSD: t.Number(),
  ...comparedFields,
  ...parts,
  resourceCount: t.Integer({ description: resourceCountMeaning }),
  percentOfTotal: t.Number({ description: 'to two places; those of all teams add up to 100' }),
})

export const ResourceCost = t.Object({
  resourceUid: t.String(),
  resourceName: t.String(),
  resourceType: t.String(),
  provider: t.String(),
  costUSD: t.Number(),
})

type TeamRow = Static<(typeof costByTeam)['row']>

/** What only was before: it costs nothing now. */
const gone = (earlier: readonly TeamRow[], now: readonly TeamRow[]): TeamRow[] =>
  earlier
    .filter(({ team_id: id }) => !now.some((row) => row.team_id === id))
    .map(({ team_id }) => ({ team_id, cost_usd: '0', shared_usd: '0', resources: 0 }))

const params = t.Object({ teamID: t.String({ description: 'a team, or unassigned', examples: ['unassigned'] }) })

/** A page of the resources a question is about, dearest first. */
export async function resourceCosts(
  question: ReturnType<typeof costQuestion>,
  page: { page: number; limit: number },
  { analytics }: Services,
) {
  const rows = await analytics(costResources, { ...question, ...slice(page) })
  const counted =
    rows.length > 0 || page.page === 1 ? rows : await analytics(costResources, { ...question, limit: 1, offset: 0 })
  const items = rows.map((row) => ({
    resourceUid: orNone(row.resource_uid),
    resourceName: row.name || orNone(row.resource_uid),
    resourceType: orNone(row.resource_type),
    provider: row.provider,
    costUSD: Number(row.cost_usd),
  }))
  return paged({ items, total: counted[0]?.total ?? 0 }, page)
}

export const teamReports: readonly Route[] = [
  route({
    ...fixed,
    path: '/reports/teams',
    summary: 'What each team spent, the dearest first, and what has no team',
    query: t.Object({ ...common, ...whichComparison }),
    reply: t.Array(TeamCost),
    handle: async ({ caller, query }, services) => {
      const days = rangeOf(query, services.now())
      const before = earlierQuestion(caller, query, days, services)
      const [now, earlier, names] = await Promise.all([
        services.analytics(costByTeam, costQuestion(caller, query, days, services)),
        before ? services.analytics(costByTeam, before) : [],
        namesOfTeams(services),
      ])
      const rows = [...now, ...gone(earlier, now)]
      const then = new Map(earlier.map((row) => [row.team_id, units(row.cost_usd)]))
      const percentages = shares(rows.map((row) => units(row.cost_usd)))
      const isShared = rows.some((row) => units(row.shared_usd) !== 0n)
      return rows.map((row, at) => ({
        teamID: teamIdOf(row.team_id),
        teamName: row.team_id === unassigned ? unassignedName : (names.get(row.team_id) ?? row.team_id),
        costUSD: Number(row.cost_usd),
        ...(before && against(units(row.cost_usd), then.get(row.team_id) ?? 0n)),
        ...(isShared && partsOf(row)),
        resourceCount: row.resources,
        percentOfTotal: percentages[at]!,
      }))
    },
  }),

  route({
    ...fixed,
    path: '/reports/teams/trends',
    summary: 'What each team spent by day, ISO week or month',
    query: t.Object({ ...common, granularity: t.Enum(granularities, { default: 'daily' }) }),
    reply: t.Object({
      granularity: t.Enum(granularities),
      items: t.Array(
        t.Object({
          teamID: orNull(t.String()),
          teamName: t.String(),
          points: t.Array(t.Object({ date: t.String(), costUSD: t.Number(), ...parts })),
        }),
      ),
    }),
    handle: async ({ caller, query }, services) => {
      const { granularity } = query
      const question = costQuestion(caller, query, rangeOf(query, services.now()), services)
      const [rows, names] = await Promise.all([
        services.analytics(costByTeamPeriod, { ...question, granularity }),
        namesOfTeams(services),
      ])
      const isShared = rows.some((row) => units(row.shared_usd) !== 0n)
      const items = [...Map.groupBy(rows, (row) => row.team_id)].map(([id, own]) => ({
        teamID: teamIdOf(id),
        teamName: id === unassigned ? unassignedName : (names.get(id) ?? id),
        points: own.map((row) => ({
          date: row.period,
          costUSD: Number(row.cost_usd),
          ...(isShared && partsOf(row)),
        })),
      }))
      return { granularity, items: items.toSorted((a, b) => (a.teamName < b.teamName ? -1 : 1)) }
    },
  }),

  route({
    ...fixed,
    path: '/reports/teams/:teamID',
    summary: 'What a team spent by provider and by type of resource',
    params,
    query: t.Object(ofOneTeam),
    reply: t.Object({
      teamID: orNull(t.String()),
      teamName: t.String(),
      costUSD: t.Number(),
      ...parts,
      byProvider: t.Array(t.Object({ provider: t.String(), costUSD: t.Number() })),
      byResourceType: t.Array(t.Object({ resourceType: t.String(), costUSD: t.Number() })),
    }),
    handle: async ({ caller, params: { teamID }, query }, services) => {
      const teamName = await nameOf(teamID, services)
      const asked = costQuestion(caller, query, rangeOf(query, services.now()), services)
      const question = { ...asked, teams: [teamID] }
      const [providers, types, teams] = await steady(question, services, (q) =>
        Promise.all([
          services.analytics(costByColumn, { ...q, ...unlabelled, column: 'provider' }),
          services.analytics(costByColumn, { ...q, ...unlabelled, column: 'resource_type' }),
          services.analytics(costByTeam, q),
        ]),
      )
      const total = providers.reduce((sum, row) => sum + units(row.cost_usd), 0n)
      const [team] = teams
      return {
        teamID: teamIdOf(teamID),
        teamName,
        costUSD: cents(total),
        ...(team && units(team.shared_usd) !== 0n && partsOf(team)),
        byProvider: providers.map((row) => ({ provider: row.value, costUSD: Number(row.cost_usd) })),
        byResourceType: types.map((row) => ({ resourceType: orNone(row.value), costUSD: Number(row.cost_usd) })),
      }
    },
  }),

  route({
    ...fixed,
    path: '/reports/teams/:teamID/resources',
    summary: 'The resources of a team with what each cost, the dearest first',
    params,
    query: t.Object({ ...ofOneTeam, ...paging(20, 100) }),
    reply: pageOf(ResourceCost),
    handle: async ({ caller, params: { teamID }, query }, services) => {
      await nameOf(teamID, services)
      const asked = costQuestion(caller, query, rangeOf(query, services.now()), services)
      return resourceCosts({ ...asked, teams: [teamID] }, query, services)
    },
  }),
]
