/** Previews which shared costs a rule would move, compared with the current rules. Nothing is stored. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { openWeights, sharedCostPreview, sharedCostRules } from '#analytics/attribution/sharing.ts'
import type { Query } from '#analytics/store/query.ts'
import type { CostColumn } from '#analytics/store/slice.ts'
import { foundPolicy } from '#actors/policy/queries.ts'
import { Policy } from '#actors/policy/entity.ts'
import { addDays, lastOf } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Static, TObject } from '#engine/value/schema.ts'
import { plainOf, units, usd } from '#streams/figure.ts'
import { accountedSpec, ruleRow, sharedCostDomain, type SharedCostSpec } from './shared-cost.ts'
import { Team } from '#actors/attribution/team/entity.ts'

/** Days of costs, including today. */
const previewDays = 30

/** Maximum pairs of teams reported: each of 500 teams may give something to each other. */
export const movesMax = 1000

type AskQuery = <P extends TObject, R extends TObject>(
  q: Query<P, R>,
  params: Omit<Static<P>, 'org'>,
) => Promise<readonly Readonly<Static<R>>[]>

export interface Previewing {
  em: EntityManager
  orgId: string
  ask: AskQuery
  now: Date
  cost: CostColumn
}

interface SharedMove {
  fromTeamID: string | null
  fromTeamName: string
  toTeamID: string | null
  toTeamName: string
  costUsd30d: number
}

export interface SharedCostPreview {
  selectedUsd30d: number
  moved: SharedMove[]
  won: { policyID: string; name: string; costUsd30d: number }[]
  movedUsd30d: number
}

const unassignedTeam = 'unassigned'
type Row = Static<(typeof sharedCostPreview)['row']>

/**
 * Previews the costs of the last 30 days that `spec` selects, compared with leaving them with their owners. `spec`
 * takes the place of the policy `policyId`, if given, and must be valid. Closed months stay unchanged.
 * @throws Fault `missing`
 */
export async function previewSharedCost(
  world: Previewing,
  spec: SharedCostSpec,
  policyId?: string,
): Promise<SharedCostPreview> {
  const { em, orgId, ask, now, cost } = world
  const own = policyId === undefined ? undefined : await foundPolicy(em, orgId, policyId)
  if (own && own.domain !== sharedCostDomain.name) throw Fault.missing('policy', own.id)
  const rule = ruleRow({
    policyId: own?.id ?? '',
    spec: await accountedSpec(spec, em, orgId),
    enabled: true,
    createdAt: now.toISOString(),
    at: now.toISOString(),
  })
  const range = rangeOf(now)
  const [rows, [known]] = await Promise.all([
    ask(sharedCostPreview, {
      ...range,
      cost,
      basis: rule.basis,
      facts: rule.facts,
      keys: rule.tag_keys,
      operators: rule.operators,
      alternatives: rule.values,
    }),
    ask(sharedCostRules, { from: range.from, to: range.to }),
  ])
  const others = await em.find(Policy, { orgId, domain: sharedCostDomain.name, enabled: true })
  const older = new Map(others.filter((other) => !own || isOlder(other, own)).map(({ id, name }) => [id, name]))
  older.delete(own?.id ?? '')
  const isClosed = ({ period }: Row) => known!.closed.includes(Number(period.replace('-', '')))
  const selected = rows.filter((row) => row.selected === 1 && !isClosed(row))
  const taken = selected.filter((row) => !older.has(row.policy_id))
  const tally = new Tally(await namesOf(em, orgId))
  for (const [period, some] of Map.groupBy(taken, (row) => row.period)) {
    const shares = sharesIn(period, new Set(some))
    for (const row of some) for (const [to, amount] of cut(row, shares)) tally.move(row.team_id, to, amount)
  }
  return { ...tally.shown(), ...sums(selected, taken, older) }

  function sharesIn(period: string, leaving: ReadonlySet<Row>): (readonly [string, bigint])[] {
    const direct = rows.filter(
      (row) => row.period === period && row.team_id !== unassignedTeam && !leaving.has(row) && isDirect(row),
    )
    const byTeam = [...Map.groupBy(direct, (row) => row.team_id)].map(([team, some]) => {
      const sum = plainOf(some.reduce((total, row) => total + units(row.basis_usd), 0n))
      return { period: 0, team_id: team, billed_cost: sum, effective_cost: sum, contracted_cost: sum, list_cost: sum }
    })
    return openWeights(rule, known!.teams, byTeam).filter(([, weight]) => weight > 0n)
  }

  /** Whether no other rule distributes it. */
  function isDirect({ policy_id: by }: Row): boolean {
    return by === '' || by === own?.id
  }
}

const isOlder = (a: Policy, b: Policy): boolean =>
  a.createdAt < b.createdAt || (a.createdAt.getTime() === b.createdAt.getTime() && a.id < b.id)

/** Whole months around the days. */
function rangeOf(now: Date) {
  const to = now.toISOString().slice(0, 10)
  const since = addDays(to, 1 - previewDays)
  return { since, from: `${since.slice(0, 7)}-01`, to: lastOf(to.slice(0, 7)) }
}

/** Divides the amount of a row among the teams; if no team takes part, it goes to none. */
function cut({ ranged_usd }: Row, shares: readonly (readonly [string, bigint])[]): (readonly [string, bigint])[] {
  const amount = units(ranged_usd)
  const whole = shares.reduce((sum, [, weight]) => sum + weight, 0n)
  if (whole === 0n) return [[unassignedTeam, amount]]
  return shares.map(([team, weight]) => [team, (amount * weight) / whole])
}

async function namesOf(em: EntityManager, orgId: string): Promise<Map<string, string>> {
  const teams = await em.find(Team, { orgId }, { fields: ['id', 'name'] })
  return new Map(teams.map(({ id, name }) => [id, name]))
}

function sums(selected: readonly Row[], taken: readonly Row[], older: ReadonlyMap<string, string>) {
  const totalOf = (rows: readonly Row[]) => usd(rows.reduce((total, row) => total + units(row.ranged_usd), 0n))
  const won = [...Map.groupBy(selected, (row) => row.policy_id)]
    .filter(([id]) => older.has(id))
    .map(([policyID, rows]) => ({ policyID, name: older.get(policyID)!, costUsd30d: totalOf(rows) }))
  return { selectedUsd30d: totalOf(selected), movedUsd30d: totalOf(taken), won }
}

/** Sums what moves between teams; amounts that stay are left out. */
class Tally {
  private readonly names: ReadonlyMap<string, string>
  private readonly moves = new Map<string, { from: string; to: string; amount: bigint }>()

  constructor(names: ReadonlyMap<string, string>) {
    this.names = names
  }

  move(from: string, to: string, amount: bigint): void {
    if (from === to) return
    const key = JSON.stringify([from, to])
    const known = this.moves.get(key) ?? { from, to, amount: 0n }
    known.amount += amount
    this.moves.set(key, known)
  }

  /** Largest amount first. */
  shown(): { moved: SharedMove[] } {
    const moved = [...this.moves.values()]
      .filter(({ amount }) => amount !== 0n)
      .map(({ from, to, amount }) => {
        const [own, next] = [this.named(from), this.named(to)]
        return {
          fromTeamID: own.id,
          fromTeamName: own.name,
          toTeamID: next.id,
          toTeamName: next.name,
          costUsd30d: usd(amount),
        }
      })
      .toSorted((a, b) => b.costUsd30d - a.costUsd30d || (a.toTeamName < b.toTeamName ? -1 : 1))
    return { moved: moved.slice(0, movesMax) }
  }

  private named(team: string): { id: string | null; name: string } {
    if (team === unassignedTeam) return { id: null, name: 'Unassigned' }
    return { id: team, name: this.names.get(team) ?? team }
  }
}
