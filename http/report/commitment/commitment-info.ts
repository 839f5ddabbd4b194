/** What is known of commitments beside their costs: names, types and ends, from the lines of bills and from the inventory. */
import {
  commitmentExpiries,
  commitmentLines,
  commitmentResources,
  commitmentSpans,
  commitmentTerms,
} from '#analytics/commitment/questions.ts'
import { settledAfterDays } from '#analytics/cost/settled-days.ts'
import { portions } from '#analytics/store/query.ts'
import { addDays } from '#engine/value/day.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Services } from '#http/edge/services.ts'
import { begunOn, expiryOf, type Expiry, type Line } from './expiry.ts'
import type { CommittedRow } from './figure.ts'

export interface CommitmentInfo extends Expiry {
  readonly name: string
  readonly type: string
  readonly category: string
  readonly region: string | null
  /** The newest day that bills name it, also after the days of the report; empty for none. */
  readonly namedOn: string
}

export const unknown: CommitmentInfo = {
  name: '',
  type: '',
  category: '',
  region: null,
  namedOn: '',
  expiresOn: null,
  expiryFrom: null,
}

type Span = Static<(typeof commitmentSpans)['row']>

/** Days that a report is of, up to `to`, and the day it is asked on. */
interface Days {
  to: string
  today: string
}

/** By id. Only accounts of `rows` are looked at where `isScoped`: others may not be seen. */
export async function aboutCommitments(
  rows: readonly CommittedRow[],
  { to, today }: Days,
  isScoped: boolean,
  { analytics }: Pick<Services, 'analytics'>,
): Promise<ReadonlyMap<string, CommitmentInfo>> {
  const own = rows.filter((row) => row.commitment_id !== '')
  const seen = distinct(own.map((row) => row.cloud_account_id))
  const accounts = isScoped ? seen : []
  const found = new Map<string, CommitmentInfo>()
  for (const uids of portions(distinct(own.map((row) => row.commitment_id)), (uid) => uid)) {
    const [spans, inventory] = await Promise.all([
      analytics(commitmentSpans, { uids, to: later(to, today) }),
      analytics(commitmentResources, { accounts, uids }),
    ])
    const visible = spans.filter((row) => !isScoped || seen.includes(row.cloud_account_id))
    const days = distinct([
      ...own.filter((row) => uids.includes(row.commitment_id)).map((row) => row.last_day),
      ...visible.flatMap((row) => [row.last_day, row.bought_on]).filter((day) => day !== ''),
    ])
    const places = distinct([...seen, ...visible.map((row) => row.cloud_account_id)])
    const lastDays = lastDaysOf(spans)
    const [lines, terms, onDemand] = await Promise.all([
      analytics(commitmentLines, { accounts: places, days, uids }),
      analytics(commitmentTerms, { accounts: places, days, uids }),
      daysOnDemand(lastDays, accounts, today, analytics),
    ])
    // The inventory has ids of Azure in lower case; FOCUS exports write them in mixed case.
    const byUid = new Map(inventory.map((row) => [row.uid.toLowerCase(), row]))
    for (const uid of uids) {
      const line = lines.find((row) => row.commitment_id === uid) ?? nothing
      const resource = byUid.get(uid.toLowerCase())
      const lastDay = lastDays.get(uid) ?? ''
      const expiry = expiryOf({
        resource,
        line,
        terms: terms.filter((row) => row.commitment_id === uid),
        begunOn: begunBy(visible.filter((row) => row.commitment_id === uid)),
        lastDay,
        onDemandDays: onDemand.get(uid) ?? 0,
      })
      found.set(uid, { ...namesOf(line, resource), namedOn: lastDay, ...expiry })
    }
  }
  return found
}

const distinct = (values: readonly string[]): string[] => [...new Set(values)]
const later = (a: string, b: string): string => (a > b ? a : b)

function lastDaysOf(spans: readonly Span[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const row of spans) found.set(row.commitment_id, later(found.get(row.commitment_id) ?? '', row.last_day))
  return found
}

/** The earliest of several accounts. */
const begunBy = (spans: readonly Span[]): string | undefined =>
  spans.flatMap((row) => begunOn(row.bought_on, row.billed_since) ?? []).toSorted()[0]

/** Of those that bills do not name on the newest settled day: on how many settled days soon after their last what they covered ran on demand. */
async function daysOnDemand(
  lastDays: ReadonlyMap<string, string>,
  accounts: string[],
  today: string,
  analytics: Services['analytics'],
): Promise<ReadonlyMap<string, number>> {
  const settled = addDays(today, -settledAfterDays)
  const silent = [...lastDays].filter(([, day]) => day < settled)
  if (silent.length === 0) return new Map()
  const uids = silent.map(([uid]) => uid)
  const last_days = silent.map(([, day]) => day)
  const rows = await analytics(commitmentExpiries, {
    accounts,
    uids,
    last_days,
    from: last_days.toSorted()[0]!,
    settled,
  })
  return new Map(rows.map((row) => [row.commitment_id, row.days]))
}

const nothing: Line = { name: '', type: '', category: '', regions: [], ends_at: '', ends_on: '' }

function namesOf({ name, type, category, regions }: Line, resource: { name: string; region: string } | undefined) {
  const [region = '', ...others] = regions
  return {
    name: name || resource?.name || '',
    type,
    category,
    region: (others.length === 0 && region) || resource?.region || null,
  }
}
