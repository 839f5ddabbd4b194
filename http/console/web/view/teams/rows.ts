/** Rows of the list: every team, those without costs too, and Unassigned last. */
import type { Reply } from '../../api.ts'

export type Costs = Reply<'GET /reports/teams'>
export type Cost = Costs[number]
export type Teams = Reply<'GET /teams'>
export type Budget = Reply<'GET /budgets'>[number]

export interface TeamRow {
  id: string
  name: string
  /** Undefined: it cost nothing in these days, and before. */
  cost: Cost | undefined
  /** Was deleted, and has costs still. */
  isGone: boolean
  /** Null: it has none. Undefined: it is not known yet. */
  budget: Budget | null | undefined
}

/** How reports and receipts name what has no team. */
export const unassignedID = 'unassigned'

export const idOf = ({ teamID }: Pick<Cost, 'teamID'>): string => teamID ?? unassignedID

export const budgetOf = (budgets: readonly Budget[] | undefined, id: string): Budget | null | undefined =>
  budgets && (budgets.find(({ scope }) => scope.kind === 'team' && scope.id === id) ?? null)

/**
 * The dearest first, as the report has them; then teams without costs, by name; then what has no team.
 * @param isWhole all teams are among `teams`: a team that is not was deleted
 */
export function rowsOf(
  costs: Costs,
  teams: Teams['items'],
  budgets: readonly Budget[] | undefined,
  isWhole: boolean,
): TeamRow[] {
  const known = new Set(teams.map(({ id }) => id))
  const row = (id: string, name: string, cost: Cost | undefined): TeamRow => ({
    id,
    name,
    cost,
    isGone: isWhole && id !== unassignedID && !known.has(id),
    budget: id === unassignedID ? null : budgetOf(budgets, id),
  })
  const withCost = costs.filter(({ teamID }) => teamID !== null).map((cost) => row(idOf(cost), cost.teamName, cost))
  const costly = new Set(withCost.map(({ id }) => id))
  const idle = teams.filter(({ id }) => !costly.has(id)).map(({ id, name }) => row(id, name, undefined))
  const rest = costs.find(({ teamID }) => teamID === null)
  return [...withCost, ...idle, row(unassignedID, 'Unassigned', rest)]
}
