/** How far the bills reach that a report is of, and the days that a comparison ends with (decision G-115). */
import { CloudAccount } from '#actors/account/entity.ts'
import { accountFreshness } from '#analytics/cost/questions.ts'
import { reachOf, settledAfterDays, type Reach } from '#analytics/cost/settled-days.ts'
import { addDays, dayOf } from '#engine/value/day.ts'
import type { DaysAsked, Range } from '#http/edge/parameter/range.ts'
import type { Services } from '#http/edge/services.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import {
  allowedByBoth,
  matchesNothing,
  scopeOf,
  storedProviders,
  valuesAsked,
  type Narrowing,
} from '#http/report/filter/filter.ts'

/** Days looked back at: an account without bills for so long is not waited for, nor named. */
const lookBackDays = 60

/** The accounts whose bills a report is of; none are all. Anyone who sees teams may see costs of any account. */
export function accountsOf(caller: Caller, { cloud_account_id }: Narrowing): string[] {
  const { scope } = scopeOf(caller)
  const visible = scope?.teams.length === 0 ? [...scope.accounts, ...matchesNothing] : []
  return allowedByBoth(valuesAsked(cloud_account_id), visible)
}

/** Newest days that producers called finished, by account id. */
async function closedDays({ em }: Pick<Services, 'em'>, orgId: string): Promise<ReadonlyMap<string, string>> {
  const accounts = await em.find(CloudAccount, { orgId }, { fields: ['id', 'billingClosedDay'] })
  return new Map(accounts.map(({ id, billingClosedDay }) => [id, billingClosedDay ?? '']))
}

/**
 * Undefined where nothing was billed.
 * @param asOf ISO 8601, empty for now
 */
export const reachOfReport = (
  caller: Caller,
  query: Narrowing,
  asOf: string,
  services: ReachServices,
): Promise<Reach | undefined> =>
  reachOfAccounts(
    caller.orgId,
    { accounts: accountsOf(caller, query), providers: storedProviders(query.provider) },
    asOf,
    services,
  )

type ReachServices = Pick<Services, 'analytics' | 'em' | 'now'>

/**
 * As `reachOfReport`, for those who may see all accounts.
 * @param of no accounts are all of them, no providers are all of them
 */
export async function reachOfAccounts(
  orgId: string,
  of: { accounts: string[]; providers: string[] },
  asOf: string,
  services: ReachServices,
): Promise<Reach | undefined> {
  const today = asOf === '' ? dayOf(services.now()) : asOf.slice(0, 10)
  const [rows, closed] = await Promise.all([
    services.analytics(accountFreshness, {
      from: addDays(today, -lookBackDays),
      to: today,
      as_of: asOf,
      ...of,
    }),
    closedDays(services, orgId),
  ])
  const accounts = rows.map((row) => ({
    id: row.cloud_account_id,
    billedSince: row.billed_since,
    billedThrough: row.billed_through,
    confirmedThrough: row.confirmed_through,
    closedThrough: closed.get(row.cloud_account_id) ?? '',
  }))
  return reachOf(accounts, today)
}

/**
 * The question with the last day that it is of, `through`, where its end was not asked for: both sides of a comparison end with a settled
 * day. Without a settled day in its range there is nothing to compare yet. Days that ended 48 hours ago are compared whoever is late.
 * @param days the range that is asked for
 */
export function endedAt<Q extends DaysAsked & { compare?: unknown }>(
  query: Q,
  days: Pick<Range, 'fromDay' | 'toDay'>,
  reach: Reach | undefined,
  now: Date,
): Q {
  if (query.to !== undefined || days.toDay <= addDays(dayOf(now), -settledAfterDays)) return query
  const through = reach?.settledThrough ?? undefined
  if (through === undefined || through < days.fromDay) return { ...query, compare: undefined }
  return { ...query, through }
}
