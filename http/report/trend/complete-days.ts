/** Which days a forecast goes by: the settled ones (decision G-115) of the accounts that it is of. */
import { CloudAccount } from '#actors/account/entity.ts'
import { forecastBilledDays } from '#analytics/forecast/questions.ts'
import { knownDays } from '#analytics/forecast/complete-days.ts'
import type { SliceParams } from '#analytics/store/slice.ts'
import type { Reach } from '#analytics/cost/settled-days.ts'
import { daysBetween } from '#engine/value/day.ts'
import type { Services } from '#http/edge/services.ts'

/** Days that the newest known day may lie back. */
export const staleDays = 14

export interface Complete {
  /** The newest settled day. */
  through: string
  /** Days until then of which it is known what they cost. */
  known: ReadonlySet<string>
  /** The newest of them, if it lies too far back to forecast anything. */
  staleSince: string | undefined
}

/**
 * Undefined where no day is settled yet. Whoever sees teams may see costs of any account.
 * @param reach of the accounts that `question` is of
 */
export async function completeOf(
  orgId: string,
  question: Omit<SliceParams, 'org' | 'cost'>,
  today: string,
  reach: Promise<Reach | undefined>,
  { analytics, em }: Pick<Services, 'analytics' | 'em'>,
): Promise<Complete | undefined> {
  const ofAccounts = { regions: [], types: [], teams: [], tag_keys: [], tag_values: [] }
  const seesTeams = question.scope_teams.length > 0
  const scope = seesTeams ? { scoped: 0, scope_accounts: [], scope_teams: [] } : {}
  const [reaches, billed, accounts] = await Promise.all([
    reach,
    analytics(forecastBilledDays, { ...question, ...ofAccounts, ...scope }),
    em.find(CloudAccount, { orgId }, { fields: ['id', 'billingClosedDay'] }),
  ])
  const closed = new Map(accounts.map(({ id, billingClosedDay }) => [id, billingClosedDay ?? '']))
  const told = billed.map(({ cloud_account_id: id, days }) => ({ billed: days, closed: closed.get(id) ?? '' }))
  const through = reaches?.settledThrough ?? null
  if (through === null) return undefined
  const known = knownDays(told, through)
  const newest = [...known].toSorted().at(-1) ?? through
  return { through, known, staleSince: daysBetween(newest, today) > staleDays ? newest : undefined }
}
