/** Showback: what teams spent (decisions G-24, G-41). Months closed by a snapshot keep the team their resources had then. */
import { costByTeam, costByTeamPeriod, teamNames } from '#analytics/attribution/questions.ts'
import { costByColumn, costResources, granularities } from '#analytics/cost/questions.ts'
import { noLabels } from '#analytics/store/slice.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { orNull } from '#http/edge/parameter/field.ts'
import { askPage, toPage, pageOf, paging } from '#http/edge/parameter/paging.ts'
import { range } from '#http/edge/parameter/range.ts'
import { against, comparedFields, whichComparison } from '#http/report/comparison/compare.ts'
import { besideOf, earlierResources, withGone, type Question } from '#http/report/comparison/earlier-costs.ts'
import { narrowing, orNone, resourceCountMeaning, whichCost } from '#http/report/filter/filter.ts'
import { steady } from '#http/report/filter/consistent-read.ts'
import type { Route } from '#http/edge/route.ts'
import { costsAsked, report, type CostsAsked } from '#http/report/report.ts'
import type { Services } from '#http/edge/services.ts'
import { cents, shares, units, usd } from '#streams/figure.ts'
import { costProviderOf } from '#streams/names.ts'

const common = { ...range, ...narrowing, ...whichCost }
const { team_id: _, ...ofOneTeam } = common

/** How the costs of no team are addressed, and what they are called. */
export const unassignedId = 'unassigned'
export const unassignedName = 'Unassigned'
const teamIdOf = (id: string): string | null => (id === unassignedId ? null : id)

/** The names of all teams that cost may be attributed to, deleted ones included. */
export async function namesOfTeams({ analytics }: Services): Promise<Map<string, string>> {
  const rows = await analytics(teamNames, {})
  return new Map(rows.map((row) => [row.team_id, row.name]))
}

/** @throws Fault `missing` for a team that never was */
async function nameOf(id: string, services: Services): Promise<string> {
  if (id === unassignedId) return unassignedName
  const name = (await namesOfTeams(services)).get(id)
  if (name === undefined) throw Fault.missing('team', id)
  return name
}

/** What a team's cost is made of, where rules hand out shared costs. */
const parts = {
  directUSD: t.Optional(t.Number({ description: 'if rules distribute shared costs: its own cost' })),
  sharedUSD: t.Optional(t.Number({ description: 'and the shared cost distributed to it; together they are costUSD' })),
}

const partsOf = (row: { cost_usd: string; shared_usd: string }) => ({
  directUSD: usd(units(row.cost_usd) - units(row.shared_usd)),
  sharedUSD: usd(row.shared_usd),
})

const TeamCost = t.Object({
  teamID: orNull(t.String()),
  teamName: t.String(),
  costUSD: t.Number(),
  ...comparedFields,
  ...parts,
  resourceCount: t.Integer({ description: resourceCountMeaning }),
  percentOfTotal: t.Number({ description: 'to two decimal places; all teams add up to 100' }),
})

const ResourceCost = t.Object({
  resourceUid: t.String(),
  resourceName: t.String(),
  resourceType: t.String(),
  provider: t.String(),
  costUSD: t.Number(),
  ...comparedFields,
})

/** What `resourceCosts` answers. */
export const resourceCostPage = {
  reply: pageOf(ResourceCost),
  example: {
    items: [
      {
        resourceUid: 'i-0a1b2c3d4e5f60718',
        resourceName: 'shop-prod-web-1',
        resourceType: 'aws-ec2',
        provider: 'aws',
        costUSD: 71.42,
      },
    ],
    total: 1,
    page: 1,
    limit: 20,
    hasMore: false,
  },
}

type TeamRow = Static<(typeof costByTeam)['row']>

const idOf = (row: TeamRow): string => row.team_id
const toZeroRow = ({ team_id }: TeamRow): TeamRow => ({ team_id, cost_usd: '0', shared_usd: '0', resources: 0 })

type Grain = Static<(typeof costByColumn)['row']>
const valueOf = ({ value }: Grain): string => value
const grainEnded = ({ value }: Grain): Grain => ({ value, cost_usd: '0', savings_usd: '0', resources: 0 })

const params = t.Object({ teamID: t.String({ description: 'a team, or unassigned', examples: ['unassigned'] }) })

/** A page of the resources a question is about, dearest first, beside what they were where there is an earlier one. */
export async function resourceCosts(
  question: Question,
  before: Question | undefined,
  page: { page: number; limit: number },
  { analytics }: Services,
) {
  const { rows, total } = await askPage(page, (cut) => analytics(costResources, { ...question, ...cut }))
  const then = await earlierResources(before, rows, { analytics })
  const items = rows.map((row) => ({
    resourceUid: orNone(row.resource_uid),
    resourceName: row.name || orNone(row.resource_uid),
    resourceType: orNone(row.resource_type),
    provider: costProviderOf(row.provider),
    costUSD: usd(row.cost_usd),
    ...then?.(row),
  }))
  return toPage({ items, total }, page)
}

export const teamReports: readonly Route[] = [
  report({
    path: '/reports/teams',
    summary: 'List costs by team, highest first, including unassigned costs',
    description:
      'In US dollars between from and to. Unassigned costs are one item with teamID null. If policies distribute shared costs, costUSD is split into directUSD and sharedUSD.',
    query: t.Object({ ...common, ...whichComparison }),
    reply: t.Array(TeamCost),
    example: [
      {
        teamID: '0c6f2a52-7d1e-4a3b-9c64-0b5d1f2e3a47',
        teamName: 'Shop',
        costUSD: 1840.25,
        resourceCount: 42,
        percentOfTotal: 14.75,
      },
      { teamID: null, teamName: 'Unassigned', costUSD: 10640.3, resourceCount: 379, percentOfTotal: 85.25 },
    ],
    handle: async ({ caller, query }, services) => {
      const { question, before } = costsAsked(caller, query, services)
      const [now, earlier, names] = await Promise.all([
        services.analytics(costByTeam, question),
        before ? services.analytics(costByTeam, before) : [],
        namesOfTeams(services),
      ])
      const rows = withGone(now, earlier, idOf, toZeroRow)
      const then = besideOf(before !== undefined, earlier, idOf)
      const percentages = shares(rows.map((row) => units(row.cost_usd)))
      const isShared = rows.some((row) => units(row.shared_usd) !== 0n)
      return rows.map((row, at) => ({
        teamID: teamIdOf(row.team_id),
        teamName: row.team_id === unassignedId ? unassignedName : (names.get(row.team_id) ?? row.team_id),
        costUSD: usd(row.cost_usd),
        ...then?.(row),
        ...(isShared && partsOf(row)),
        resourceCount: row.resources,
        percentOfTotal: percentages[at]!,
      }))
    },
  }),

  report({
    path: '/reports/teams/trends',
    summary: 'Get costs of each team by day, ISO week or month',
    description: 'In US dollars; periods without costs are omitted. Unassigned costs are one item with teamID null.',
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
    example: {
      granularity: 'daily',
      items: [
        {
          teamID: '0c6f2a52-7d1e-4a3b-9c64-0b5d1f2e3a47',
          teamName: 'Shop',
          points: [{ date: '2026-01-15', costUSD: 59.36 }],
        },
      ],
    },
    handle: async ({ caller, query }, services) => {
      const { granularity } = query
      const { question } = costsAsked(caller, query, services)
      const [rows, names] = await Promise.all([
        services.analytics(costByTeamPeriod, { ...question, granularity }),
        namesOfTeams(services),
      ])
      const isShared = rows.some((row) => units(row.shared_usd) !== 0n)
      const items = [...Map.groupBy(rows, (row) => row.team_id)].map(([id, own]) => ({
        teamID: teamIdOf(id),
        teamName: id === unassignedId ? unassignedName : (names.get(id) ?? id),
        points: own.map((row) => ({
          date: row.period,
          costUSD: usd(row.cost_usd),
          ...(isShared && partsOf(row)),
        })),
      }))
      return { granularity, items: items.toSorted((a, b) => (a.teamName < b.teamName ? -1 : 1)) }
    },
  }),

  report({
    path: '/reports/teams/:teamID',
    summary: 'Get costs of a team by provider and by resource type',
    description:
      'In US dollars between from and to; both lists add up to costUSD. teamID unassigned returns unassigned costs.',
    params,
    query: t.Object({ ...ofOneTeam, ...whichComparison }),
    reply: t.Object({
      teamID: orNull(t.String()),
      teamName: t.String(),
      costUSD: t.Number(),
      ...comparedFields,
      ...parts,
      byProvider: t.Array(t.Object({ provider: t.String(), costUSD: t.Number(), ...comparedFields })),
      byResourceType: t.Array(t.Object({ resourceType: t.String(), costUSD: t.Number(), ...comparedFields })),
    }),
    example: {
      teamID: '0c6f2a52-7d1e-4a3b-9c64-0b5d1f2e3a47',
      teamName: 'Shop',
      costUSD: 1840.25,
      byProvider: [{ provider: 'aws', costUSD: 1840.25 }],
      byResourceType: [{ resourceType: 'aws-ec2', costUSD: 1840.25 }],
    },
    handle: async ({ caller, params: { teamID }, query }, services) => {
      const teamName = await nameOf(teamID, services)
      const { question, before } = ofTeam(teamID, costsAsked(caller, query, services))
      const by = (q: Question | undefined, column: 'shown_provider' | 'resource_type') =>
        q ? services.analytics(costByColumn, { ...q, ...noLabels, column }) : []
      const [providers, types, [team]] = await steady(question, services, (q) =>
        Promise.all([by(q, 'shown_provider'), by(q, 'resource_type'), services.analytics(costByTeam, q)]),
      )
      const [providersThen, typesThen] = await Promise.all([by(before, 'shown_provider'), by(before, 'resource_type')])
      const [total, totalThen] = [providers, providersThen].map(sumOf) as [bigint, bigint]
      return {
        teamID: teamIdOf(teamID),
        teamName,
        costUSD: cents(total),
        ...(before && against(units(cents(total)), units(cents(totalThen)))),
        ...(team && units(team.shared_usd) !== 0n && partsOf(team)),
        byProvider: beside(providers, providersThen, before !== undefined, (provider) => ({ provider })),
        byResourceType: beside(types, typesThen, before !== undefined, (type) => ({ resourceType: orNone(type) })),
      }
    },
  }),

  report({
    path: '/reports/teams/:teamID/resources',
    summary: 'List the resources of a team with their costs, highest first',
    description: 'In US dollars between from and to. teamID unassigned returns unassigned resources.',
    params,
    query: t.Object({ ...ofOneTeam, ...whichComparison, ...paging(20, 100) }),
    ...resourceCostPage,
    handle: async ({ caller, params: { teamID }, query }, services) => {
      await nameOf(teamID, services)
      const { question, before } = ofTeam(teamID, costsAsked(caller, query, services))
      return resourceCosts(question, before, query, services)
    },
  }),
]

/** The same costs, of one team. */
const ofTeam = (teamID: string, { question, before }: Pick<CostsAsked, 'question' | 'before'>) => ({
  question: { ...question, teams: [teamID] },
  before: before && { ...before, teams: [teamID] },
})

const sumOf = (rows: readonly Grain[]): bigint => rows.reduce((sum, row) => sum + units(row.cost_usd), 0n)

/** Rows as they are shown, with those that only were before. */
function beside<N extends object>(
  now: readonly Grain[],
  earlier: readonly Grain[],
  isCompared: boolean,
  named: (value: string) => N,
) {
  const then = besideOf(isCompared, earlier, valueOf)
  return withGone(now, earlier, valueOf, grainEnded).map((row) => ({
    ...named(row.value),
    costUSD: usd(row.cost_usd),
    ...then?.(row),
  }))
}
