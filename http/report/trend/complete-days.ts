/** Which days a forecast goes by: those that are complete, of the accounts that it is of. */
import { CloudAccount } from '#actors/account/entity.ts'
import { forecastBilledDays } from '#analytics/forecast/questions.ts'
import { knownDays, settledThrough } from '#analytics/forecast/complete-days.ts'
import type { SliceParams } from '#analytics/store/slice.ts'
import { daysBetween } from '#engine/value/day.ts'
import type { Services } from '#http/edge/services.ts'

/** Days that the newest complete day may lie back. */
export const staleDays = 14

export interface Complete {
  /** The newest complete day. */
  through: string
  /** Days until then of which it is known what they cost. */
  known: ReadonlySet<string>
  /** Whether it lies too far back to forecast anything. */
  isStale: boolean
}

/** Undefined where nothing was billed. Whoever sees teams may see costs of any account. */
export async function completeOf(
  orgId: string,
  question: Omit<SliceParams, 'org' | 'cost'>,
  today: string,
  { analytics, em }: Pick<Services, 'analytics' | 'em'>,
): Promise<Complete | undefined> {
  const ofAccounts = { regions: [], types: [], teams: [], tag_keys: [], tag_values: [] }
  const seesTeams = question.scope_teams.length > 0
  const scope = seesTeams ? { scoped: 0, scope_accounts: [], scope_teams: [] } : {}
  const [billed, accounts] = await Promise.all([
    analytics(forecastBilledDays, { ...question, ...ofAccounts, ...scope }),
    em.find(CloudAccount, { orgId }, { fields: ['id', 'billingClosedDay'] }),
  ])
  const closed = new Map(accounts.map(({ id, billingClosedDay }) => [id, billingClosedDay ?? '']))
  const told = billed.map(({ cloud_account_id: id, days }) => ({ billed: days, closed: closed.get(id) ?? '' }))
  const through = settledThrough(told, today)
  if (through === undefined) return undefined
  return { through, known: knownDays(told, through), isStale: daysBetween(through, today) > staleDays }
}
