import type { BillDay } from '#analytics/billing/bill.ts'
import type { LoneLine } from '#analytics/billing/lone-line.ts'
import { portions } from '#analytics/store/query.ts'
import type { Waiting } from '#engine/actor/actor.ts'
import type { Address } from '#engine/actor/address.ts'
import type { Reads } from '#engine/actor/ports.ts'
import type { Static } from '#engine/value/schema.ts'
import { accountBlinding, accountRefused, accountRemoved, accountVerified } from '#streams/account/messages.ts'
import { billingLine, type BillingLine } from '#streams/billing/messages.ts'
import { loneLinesRemoved } from '#streams/billing/removal.ts'
import { refreshProgress, type ScanCoverage } from '#streams/refresh.ts'
import { billCounts, loneLinesOf } from '#actors/account/bill/bill-needs.ts'

/** The current day of a bill line, according to the facts. */
export interface LineDay {
  day: string
  /** The days it left in the batch that moved it here. */
  from: readonly string[]
  version: bigint
}

export interface AccountNeeds {
  /** By `lineKey`: stored lines whose id does not name their day. */
  lines: ReadonlyMap<string, LineDay>
  /** By `accountKey`: stored lines of the exports that an end or a check has to count. */
  counts: ReadonlyMap<string, readonly BillDay[]>
  /** By `accountKey`: the next individually sent lines to remove. */
  lone: ReadonlyMap<string, readonly LoneLine[]>
  /** By `accountKey`: existing resources that the ending scan did not find, or all those of a removed account. */
  gone: ReadonlyMap<string, readonly GoneResource[]>
  /** By `blindKey`: uids of existing resources, in order, at most `blindedMax`. */
  blind: ReadonlyMap<string, readonly string[]>
}

/** Maximum resources notified in one turn that their state is unknown. */
export const blindedMax = 1000

interface GoneResource {
  uid: string
  provider: string
  /** The producer's time of its newest observation, if a scan did not find it. */
  seenAt?: Date
}

export const accountKey = (orgId: string, account: string): string => `${orgId}\0${account}`
export const lineKey = (orgId: string, account: string, lineId: string): string => `${orgId}\0${account}\0${lineId}`

export const blindKey = (orgId: string, account: string, after: string): string => `${orgId}\0${account}\0${after}`

/** Whether the line id begins with its own day and a slash: such a line cannot move to another day. */
export const isDated = (lineId: string, day: string): boolean => lineId.startsWith(`${day}/`)

/** Reads what the account actor's turns of one batch depend on. */
export async function accountNeeds(waiting: readonly Waiting[], reads: Reads): Promise<AccountNeeds> {
  const accounts = Map.groupBy(waiting, ({ address }) => accountKey(address.orgId, address.place))
  const lines = new Map<string, LineDay>()
  const gone = new Map<string, GoneResource[]>()
  const counts = new Map<string, BillDay[]>()
  const blind = new Map<string, string[]>()
  const lone = new Map<string, LoneLine[]>()
  for (const [key, list] of accounts) {
    await readLines(list, reads, lines)
    for (const { subject, address, data } of list) {
      if (subject.name === refreshProgress.name) {
        const { refreshId, status, complete, seen } = data as Static<typeof refreshProgress.schema>
        if (status === 'running') continue
        const left = await leftBehind(reads, address)
        if (left.length > 0) gone.set(key, left)
        else if (status === 'completed' && complete !== false)
          gone.set(key, await readVanished(reads, address, refreshId, seen))
      }
      const found = await billCounts(subject.name, data, address, reads)
      if (found) counts.set(key, found)
      if (subject.name === loneLinesRemoved.name) lone.set(key, await loneLinesOf(reads, address, data as never))
      const after = blindAfter(subject.name, data)
      if (after !== undefined) {
        blind.set(blindKey(address.orgId, address.place, after), await visible(reads, address, after))
      }
      if (subject.name === accountRemoved.name) gone.set(key, await present(reads, address.orgId, address.place))
    }
  }
  return { lines, counts, gone, blind, lone }
}

const lineDaySql = `
  SELECT line_id, toString(argMax(day, x_Version)) AS day, toString(argMax(from_day, x_Version)) AS from_day, argMax(from_days, x_Version) AS from_days, toString(max(x_Version)) AS version
  FROM cost_line_day
  WHERE org_id = {org:String} AND cloud_account_id = {account:String} AND line_id IN {lines:Array(String)}
  GROUP BY line_id`

interface StoredLineDay {
  line_id: string
  day: string
  from_day: string | null
  from_days: string
  version: string
}

async function readLines(waiting: readonly Waiting[], reads: Reads, lines: Map<string, LineDay>): Promise<void> {
  const ids = new Set<string>()
  for (const { subject, data } of waiting) {
    if (subject.name !== billingLine.name) continue
    const { lineId, exportId, ChargePeriodStart, usageDate } = data as BillingLine
    if (exportId === undefined && !isDated(lineId, (ChargePeriodStart ?? usageDate ?? '').slice(0, 10))) ids.add(lineId)
  }
  if (ids.size === 0) return
  const { orgId: org, place: account } = waiting[0]!.address
  for (const portion of portions(ids, (id) => id)) {
    const found = await reads.facts<StoredLineDay>(lineDaySql, { org, account, lines: portion })
    for (const { line_id, day, from_day, from_days, version } of found) {
      // Older rows contain only the last day.
      const from = (from_days || (from_day ?? '')).split(',').filter((one) => one !== '')
      lines.set(lineKey(org, account, line_id), { day, from, version: BigInt(version) })
    }
  }
}

/**
 * Existing resources that were seen before the scan began and not by it; those that another scan found at the very
 * moment it began count as seen before. A scan without a start began with its first resource. All times are the
 * producers'.
 */
const vanishedSql = `
  with scan as (
    select coalesce(
      (select refresh_started_at from cloud_account where org_id = $1 and id = $2 and refresh_id = $3),
      (select min(seen_at) from resource where org_id = $1 and cloud_account_id = $2 and refresh_id = $3)
    ) as began
  )
  select uid, provider, seen_at as "seenAt" from resource, scan
  where org_id = $1 and cloud_account_id = $2 and deleted_at is null and refresh_id <> $3
    and (seen_at < scan.began or seen_at = scan.began and refresh_id <> '')
    and ($4::jsonb is null or exists (
      select from jsonb_to_recordset($4::jsonb) as part(types jsonb, regions jsonb, "outsideOf" jsonb, parents jsonb)
      where (types = '[]' or jsonb_exists(types, resource.type))
        and (regions = '[]' or jsonb_exists(regions, resource.region))
        and not coalesce(jsonb_exists("outsideOf", resource.region), false)
        and (coalesce(parents, '[]') = '[]' or jsonb_exists(parents, resource.parent_uid))
    ))
  order by uid`

/** What a scan has not found within `seen`; default: within the whole account. */
const readVanished = (reads: Reads, { orgId, place }: Address, refreshId: string, seen?: readonly ScanCoverage[]) =>
  reads.rows<GoneResource & { seenAt: Date }>(vanishedSql, [
    orgId,
    place,
    refreshId,
    seen ? JSON.stringify(seen) : null,
  ])

const present = (reads: Reads, orgId: string, account: string) =>
  reads.rows<GoneResource>(
    'select uid, provider from resource where org_id = $1 and cloud_account_id = $2 and deleted_at is null order by uid',
    [orgId, account],
  )

/** For a removed account: resources that a running scan has found since. */
const leftBehind = (reads: Reads, { orgId, place }: Address) =>
  reads.rows<GoneResource>(
    `select uid, r.provider from resource r join cloud_account a on a.org_id = r.org_id and a.id = r.cloud_account_id
     where r.org_id = $1 and r.cloud_account_id = $2 and r.deleted_at is null and a.status = 'deleted' order by uid`,
    [orgId, place],
  )

/** The uid after which resources still have to be notified that their state is unknown. */
function blindAfter(name: string, data: unknown): string | undefined {
  if (name === accountBlinding.name) return (data as Static<typeof accountBlinding.schema>).after
  const verdict = name === accountVerified.name && (data as Static<typeof accountVerified.schema>).verdict
  return name === accountRefused.name || verdict === 'none' ? '' : undefined
}

async function visible(reads: Reads, { orgId, place }: Address, after: string): Promise<string[]> {
  const rows = await reads.rows<{ uid: string }>(
    `select uid from resource where org_id = $1 and cloud_account_id = $2 and deleted_at is null and uid > $3
     order by uid limit $4`,
    [orgId, place, after, blindedMax],
  )
  return rows.map(({ uid }) => uid)
}
