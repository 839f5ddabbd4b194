/** The job `savings`: verifies claimed savings against the bills of the last days, again after each change of them. */
import { claimUsage, closedDays, listPrices } from '#analytics/saving/questions.ts'
import type { JobWork, Tools } from '#actors/tools.ts'
import { addDays, dayOf, days } from '#engine/value/day.ts'
import { toUnits } from '#engine/value/decimal.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Static } from '#engine/value/schema.ts'
import { plainOf, units } from '#streams/figure.ts'
import { savingMeasured } from '#streams/saving.ts'
import { isProvable, keyOf, type Claim, type Ledger } from './claim.ts'
import type { Proof } from './ledger.ts'
import { prove, type Bills, type UsageDay } from './verify.ts'

export type MeasureTools = Pick<Tools, 'ask' | 'publisher' | 'cost'> & { reads: Pick<Tools['reads'], 'rows'> }

/** Days whose bills are checked again, also for ended claims. */
export const provedDays = 45
/** Days before a claim in its baseline. */
const baselineDays = 28
const pageMax = 500
/** Decimals of a list price. */
const pricePlaces = 16

/** The claims of one resource. */
export interface ClaimedResource {
  account: string
  uid: string
  claims: Claim[]
  ledger: Ledger
}

const pageSql = `
  select cloud_account_id as account, uid, claims, ledger from saving
  where org_id = $1 and (cloud_account_id, uid) > ($2, $3) and claims <> '[]'
  order by cloud_account_id, uid limit $4`

export const measureSavings =
  (tools: MeasureTools): JobWork =>
  async ({ at }, { orgId, key, signal }) => {
    const today = at.slice(0, 10)
    for (let after = { account: '', uid: '' }; ;) {
      signal.throwIfAborted()
      const page = await tools.reads.rows<ClaimedResource>(pageSql, [orgId, after.account, after.uid, pageMax])
      const last = page.at(-1)
      if (!last) return
      const billsOf = await billsOfAll({ ...tools, accounts: () => closedBy(tools, orgId) }, orgId, page, today)
      for (const one of page) await tellProofs(tools, { orgId, at, key }, one, proofsOf(one, billsOf(one), today))
      after = last
    }
  }

const closedBy = ({ reads }: MeasureTools, orgId: string): Promise<{ id: string; day: string }[]> =>
  reads.rows(`select id, coalesce(billing_closed_day, '') as day from cloud_account where org_id = $1`, [orgId])

/** Verified amounts of the last days that differ from the rows. */
export function proofsOf(
  { claims, ledger }: Pick<ClaimedResource, 'claims' | 'ledger'>,
  bills: Bills,
  today: string,
): Proof[] {
  const all = [...days(addDays(today, -provedDays), addDays(today, -1))]
  return all.flatMap((day) => saidOf(claims, bills, day).filter((proof) => isNews(proof, ledger)))
}

/** One proof for each cause and day. */
function saidOf(claims: readonly Claim[], bills: Bills, day: string): Proof[] {
  const said = new Map<string, Proof>()
  const say = ({ source, sourceId }: Claim, verified: string | null, reason: string) =>
    said.set(keyOf({ source, sourceId }), { day, source, sourceId, verified, reason })
  for (const claim of claims) {
    const isFirst = dayOf(Date.parse(claim.from)) === day
    if (claim.kind === 'commitment' && (isFirst || isProvable(claim, day))) say(claim, null, 'commitment')
    else if (isFirst) say(claim, null, 'first_day')
  }
  for (const { claim, verified, reason } of prove(claims, bills, day).proved)
    say(claim, verified === null ? null : plainOf(verified), reason)
  return [...said.values()]
}

/** Without a row, only a verified amount is news. */
function isNews({ day, source, sourceId, verified, reason }: Proof, ledger: Ledger): boolean {
  const entry = ledger[day]?.[keyOf({ source, sourceId })]
  if (!entry) return verified !== null && verified !== '0'
  return entry[2] !== verified || entry[3] !== reason
}

/** The same run with the same id publishes the same. */
async function tellProofs(
  { publisher }: MeasureTools,
  { orgId, at, key }: { orgId: string; at: string; key: string },
  { account, uid }: ClaimedResource,
  proofs: Proof[],
): Promise<void> {
  if (proofs.length === 0) return
  const data = { cloudAccountId: account, resourceUid: uid, at, proofs }
  await publisher.report({ subject: savingMeasured, orgId, data, id: `${key}/${JSON.stringify([account, uid])}` })
}

/** What queries of bills need; `accounts` returns the newest closed day of accounts fed by producers, empty if none. */
export interface BillTools extends Pick<MeasureTools, 'ask' | 'cost'> {
  accounts: () => Promise<{ id: string; day: string }[]>
}

/** The bills of these resources, from the start of the first baseline. */
export async function billsOfAll(
  tools: BillTools,
  org: string,
  page: readonly Pick<ClaimedResource, 'account' | 'uid' | 'claims'>[],
  today: string,
): Promise<(one: Pick<ClaimedResource, 'account' | 'uid'>) => Bills> {
  const { ask, cost } = tools
  const froms = page.flatMap(({ claims }) => claims.map(({ from }) => dayOf(Date.parse(from))))
  const from = addDays([...froms, addDays(today, -provedDays)].toSorted()[0]!, -baselineDays)
  const range = { org, from, to: today }
  const uids = [...new Set(page.map(({ uid }) => uid))]
  const [usage, closed, accounts] = await Promise.all([
    ask(claimUsage, { ...range, cost, uids }),
    ask(closedDays, range),
    tools.accounts(),
  ])
  const priced = page.filter(({ claims }) => claims.some(({ kind }) => kind === 'rate' || kind === 'gone'))
  const prices = await pricesOf(tools, range, [...new Set(priced.map(({ uid }) => uid))])
  const byUid = Map.groupBy(usage, (row) => row.resource_uid)
  const actual = new Map(closed.map((row) => [row.cloud_account_id, new Set(row.days)]))
  const told = new Map(accounts.map(({ id, day }) => [id, day]))
  const settled = addDays(today, -2)
  return ({ account, uid }) => {
    const rows = byUid.get(uid) ?? []
    const own = daysOf(rows.find((row) => row.cloud_account_id === account))
    const elsewhere = rows.filter((row) => row.cloud_account_id !== account).flatMap((row) => row.days)
    const first = [...own.keys()][0]
    // If the lines of one account end before those of another begin, the resource has moved; if both continue, they are
    // two resources.
    const last = [...own.keys()].at(-1) ?? ''
    const movedOn = elsewhere.every((day) => day > last) ? new Set(elsewhere) : new Set<string>()
    return {
      day: (day) => own.get(day),
      first,
      isClosed: (day) =>
        day <= (told.get(account) ?? '') || (day <= settled && (actual.get(account)?.has(day) ?? false)),
      isElsewhere: (day) => movedOn.has(day),
      listPrice: priceOn(prices.get(uid) ?? []),
    }
  }
}

/** In order of the days. */
const daysOf = (row: Static<(typeof claimUsage)['row']> | undefined): Map<string, UsageDay> =>
  new Map(
    row?.days.map((day, i) => [
      day,
      { hours: units(row.run_hours[i]!), hourly: units(row.hourly_usd[i]!), other: units(row.other_usd[i]!) },
    ]),
  )

interface Sku {
  last: string
  prices: ReadonlyMap<string, bigint>
}

/** Empty if there are too many lines to read: then changes of list prices are unknown. */
async function pricesOf(
  { ask }: Pick<MeasureTools, 'ask'>,
  range: { org: string; from: string; to: string },
  uids: string[],
): Promise<Map<string, Sku[]>> {
  if (uids.length === 0) return new Map()
  const rows = await ask(listPrices, { ...range, uids }).catch((error: unknown) => {
    if (error instanceof Fault && error.code === 'report_too_large') return []
    throw error
  })
  const skus = rows.map(({ resource_uid: uid, last_day: last, days: on, prices }) => {
    const known = on.map((day, i): [string, bigint] => [day, toUnits(prices[i]!, pricePlaces) ?? 0n])
    return { uid, last, prices: new Map(known.toSorted(([a], [b]) => (a < b ? -1 : 1))) }
  })
  return Map.groupBy(skus, ({ uid }) => uid)
}

/**
 * The list price of the SKU that it ran on just before: that of the newest day up to `day`, at most a week old.
 * Undefined if there were several SKUs.
 */
const priceOn =
  (skus: readonly Sku[]) =>
  (from: string, day: string): bigint | undefined => {
    const before = skus.filter(({ last, prices }) => last <= from && last >= addDays(from, -8) && prices.size > 0)
    const [only] = before
    if (!only || before.length > 1) return undefined
    for (let at = day; at >= addDays(day, -7); at = addDays(at, -1)) {
      const price = only.prices.get(at)
      if (price !== undefined && (at < from || day > from)) return price
    }
    return undefined
  }
