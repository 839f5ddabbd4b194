import { TeamDays, type TeamSums, type WayMoved } from '#actors/attribution/allocation/days.ts'
import { allocationReplay, TeamNames } from '#actors/attribution/allocation/replay.ts'
import { allocationDomain, type AllocationSpec } from '#actors/attribution/allocation/allocation.ts'
import { sharedCostDomain } from '#actors/attribution/shared-cost/shared-cost.ts'
import { enabledPolicies } from '#actors/policy/queries.ts'
import { Snapshot } from '#actors/snapshot/entity.ts'
import { costDaysByResource, type CostDaysRow } from '#analytics/cost/questions.ts'
import { everything, type CostColumn } from '#analytics/store/slice.ts'
import { days, daysBetween, monthOf, monthsBetween } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { orNull } from '#http/edge/parameter/field.ts'
import { scopeOf } from '#http/report/filter/filter.ts'
import { approximation, kind, policyChange, resourcesMax, specGiven, type WhatIfRequest } from '#http/what-if/kind.ts'
import { usd } from '#streams/figure.ts'

const Change = t.Object(policyChange)
type Change = Static<typeof Change>

const teamID = orNull(t.String({ description: 'null for Unassigned, and for a team that does not exist yet' }))
const Team = t.Object({
  teamID,
  teamName: t.String(),
  beforeUSD: t.Number(),
  afterUSD: t.Number(),
  deltaUSD: t.Number(),
})

/** Maximum pairs of teams reported. */
const movesMax = 100

const AllocationWhatIf = t.Object({
  kind: t.Literal('allocation'),
  from: t.String(),
  to: t.String(),
  totalUSD: t.Number({ description: 'exact, like all amounts: cost of all teams, the same before and after' }),
  movedUSD: t.Number({ description: 'part of it that would move to another team' }),
  teams: t.Array(Team, { description: 'teams with costs, including Unassigned; largest change first' }),
  movedResources: t.Integer(),
  moves: t.Array(
    t.Object({
      fromTeamID: teamID,
      fromTeamName: t.String(),
      toTeamID: teamID,
      toTeamName: t.String(),
      resources: t.Integer(),
      costUSD: t.Number(),
    }),
    {
      description: `resources that would move to another team, grouped by current and new team: the top ${movesMax} by cost`,
    },
  ),
  teamsToMake: t.Array(t.String(), { description: 'names of teams that the rule would create' }),
  byDay: t.Array(
    t.Object({
      date: t.String(),
      totalUSD: t.Number(),
      movedUSD: t.Number(),
      teams: t.Array(Team, { description: 'number of resources whose cost on this day would change' }),
    }),
  ),
  ...approximation,
})

async function answer(asked: WhatIfRequest<Change>): Promise<Static<typeof AllocationWhatIf>> {
  const { from, to, change, caller, services } = asked
  const { em, stream: ask, now } = services
  const spec = (await specGiven(allocationDomain, change, asked)) as AllocationSpec
  const { scope } = scopeOf(caller)
  const world = { em, orgId: caller.orgId, ask, now: now(), ...(scope && { scope }) }
  const replay = await allocationReplay(world, spec, change.policyID)
  const names = new TeamNames(replay.teams)
  const tally = new TeamDays(daysBetween(from, to) + 1, replay, names, scope)
  await settle(asked, replay.resources, tally)
  await charge(asked, tally)
  return {
    kind: 'allocation',
    from,
    to,
    ...toReply(tally, [...days(from, to)]),
    teamsToMake: names.toMake(),
    approximate: true,
    reasons: await reasonsOf(asked),
  }
}

/** Resources, or rows of costs, between two checks of the time limit. */
const stepMax = 1000

/** @throws Fault `refused` `report_too_large` */
async function settle(
  { goOn }: WhatIfRequest<Change>,
  resources: Awaited<ReturnType<typeof allocationReplay>>['resources'],
  tally: TeamDays,
): Promise<void> {
  let looked = 0
  for await (const one of resources) {
    tally.settle(one)
    if (++looked % stepMax === 0) goOn()
    if (tally.size > resourcesMax)
      throw Fault.refused('report_too_large', `At most ${resourcesMax} resources are evaluated.`)
  }
}

/** The tally decides what may be seen, by the teams before the change. */
async function charge({ from, to, services, goOn }: WhatIfRequest<Change>, tally: TeamDays): Promise<void> {
  const cost: CostColumn = `${services.settings.reportCost}_cost`
  const question = { ...everything, cost, from, to, as_of: '', tag_keys: [], tag_values: [] }
  let rows = 0
  for await (const row of services.stream(costDaysByResource, question)) {
    const [account, uid, at, costs] = row as CostDaysRow
    tally.charge(account, uid, at, costs)
    if (++rows % stepMax === 0) goOn()
  }
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((all, one) => all + one, 0n)

function toReply(tally: TeamDays, dates: readonly string[]) {
  const teams = tally.sums()
  const moves = tally.moves()
  return {
    totalUSD: usd(sum(tally.total)),
    movedUSD: usd(sum(tally.moved)),
    teams: teams.map((one) => teamOf(one, sum(one.before), sum(one.after))),
    movedResources: moves.reduce((all, { resources }) => all + resources, 0),
    moves: moves.slice(0, movesMax).map(moveOf),
    byDay: dates.map((date, n) => ({
      date,
      totalUSD: usd(tally.total[n]!),
      movedUSD: usd(tally.moved[n]!),
      teams: teams
        .filter(({ before, after }) => before[n] !== after[n])
        .map((one) => teamOf(one, one.before[n]!, one.after[n]!)),
    })),
  }
}

const teamOf = ({ id, name }: TeamSums, before: bigint, after: bigint): Static<typeof Team> => ({
  teamID: id,
  teamName: name,
  beforeUSD: usd(before),
  afterUSD: usd(after),
  deltaUSD: usd(after - before),
})

const moveOf = ({ from, to, resources, cost }: WayMoved) => ({
  fromTeamID: from.id,
  fromTeamName: from.name,
  toTeamID: to.id,
  toTeamName: to.name,
  resources,
  costUSD: usd(cost),
})

/** Why the results may differ from the figures of reports. */
async function reasonsOf({ caller: { orgId }, from, to, services: { em } }: WhatIfRequest<Change>): Promise<string[]> {
  const months = monthsBetween(monthOf(from), monthOf(to))
  const closed = await em.find(Snapshot, { orgId, period: { $in: months } }, { orderBy: { period: 'asc' } })
  const shared = await enabledPolicies(em, orgId, sharedCostDomain.name)
  return [
    'Facts and tags of resources, teams and manual assignments are the current ones.',
    ...closed.map(({ period }) => `${period} is closed: its costs keep the teams of that time, regardless of rules.`),
    ...(shared.length > 0 ? ['Shared costs are not distributed: all costs stay with the team of their resource.'] : []),
  ]
}

export const allocationKind = kind({
  name: 'allocation',
  summary: 'a rule for teams with another spec, or a new one, with daily costs by team',
  change: Change,
  reply: AllocationWhatIf,
  example: { spec: allocationDomain.examples[0] },
  answered: {
    kind: 'allocation',
    from: '2026-01-01',
    to: '2026-01-31',
    totalUSD: 2480.25,
    movedUSD: 1840.25,
    teams: [
      { teamID: null, teamName: 'Unassigned', beforeUSD: 1840.25, afterUSD: 0, deltaUSD: -1840.25 },
      {
        teamID: '0c6f2a52-7d1e-4a3b-9c64-0b5d1f2e3a47',
        teamName: 'Shop',
        beforeUSD: 640,
        afterUSD: 2480.25,
        deltaUSD: 1840.25,
      },
    ],
    movedResources: 40,
    moves: [
      {
        fromTeamID: null,
        fromTeamName: 'Unassigned',
        toTeamID: '0c6f2a52-7d1e-4a3b-9c64-0b5d1f2e3a47',
        toTeamName: 'Shop',
        resources: 40,
        costUSD: 1840.25,
      },
    ],
    teamsToMake: [],
    byDay: [
      {
        date: '2026-01-15',
        totalUSD: 80,
        movedUSD: 59.36,
        teams: [
          {
            teamID: '0c6f2a52-7d1e-4a3b-9c64-0b5d1f2e3a47',
            teamName: 'Shop',
            beforeUSD: 20.64,
            afterUSD: 80,
            deltaUSD: 59.36,
          },
        ],
      },
    ],
    approximate: false,
    reasons: [],
  },
  answer,
})
