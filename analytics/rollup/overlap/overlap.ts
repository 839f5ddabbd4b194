/**
 * Charges that two bills have: a payer's, and the account's own. One of them counts, as the organization has chosen.
 * Days of both are computed together and published at once, so that no report counts both, or none. Lines that are left
 * out are recorded (`bill_shadow`).
 */
import { readFileSync } from 'node:fs'
import { TupleParam, type ClickHouseClient } from '@clickhouse/client'
import { billOf, type StoredBill } from '#analytics/billing/bill.ts'
import {
  batches,
  billTuples,
  idOf,
  spanOf,
  tuples,
  unique,
  type CostDay,
  type PlannedDay,
  type SizedDay,
} from '#analytics/rollup/day-batch.ts'
import { listFilledParams } from '#analytics/store/compose.ts'
import { slices } from '#analytics/store/slice.ts'

const sql = (name: string) => readFileSync(new URL(`${name}.sql`, import.meta.url), 'utf8')
const askMembers = slices.later('bill_members', sql('bill_members'), ['bills', 'linked'])
const askOthers = sql('bill_others')
const askClash = sql('bill_clash')
const askElsewhere = sql('billed_elsewhere')
const note = slices.later('bill_shadow', sql('bill_shadow'), ['bills', 'linked', 'shadowed'])

/**
 * Lines of the bill of an account on a day that are about `usage` and do not count, because the bills of `countedIn`
 * have them.
 */
export interface Shadow extends CostDay {
  usage: string
  countedIn: readonly string[]
}

export interface Overlaps {
  shadows: readonly Shadow[]
  /** Days with lines that are left out, or may have been before. */
  noted: readonly PlannedDay[]
  /** The days of other accounts whose bills have lines about a day of an account, by its `idOf`. */
  billers: ReadonlyMap<string, readonly PlannedDay[]>
}

interface Keys {
  org_id: string
  cloud_account_id: string
  day: string
}

const dayOf = ({ org_id, cloud_account_id, day }: Keys): CostDay => ({
  orgId: org_id,
  cloudAccountId: cloud_account_id,
  day,
})

/** Adds the days of other accounts with the same charges to the plan, and decides which lines are left out. */
export async function overlapsOf(
  ch: ClickHouseClient,
  plan: PlannedDay[],
  find: (days: readonly SizedDay[]) => Promise<PlannedDay[]>,
  countsMembers: (orgId: string) => boolean,
): Promise<Overlaps> {
  const touched = plan.filter((day) => day.linked || day.elsewhere)
  if (touched.length === 0) return { shadows: [], noted: [], billers: new Map() }
  const members = await membersOf(ch, plan)
  const known = new Set(plan.map(idOf))
  const noted = [...touched]
  for (let around = touched; around.length > 0;) {
    const added: PlannedDay[] = []
    for (const batch of batches(around)) {
      const about = [...(await othersOf(ch, batch, members)), ...splitMembers(batch, members)]
      const others = unique(about).filter((day) => !known.has(idOf(day)))
      for (const day of others) known.add(idOf(day))
      for (const some of batches(others)) added.push(...(await find(some)))
    }
    for (const [id, own] of await membersOf(ch, added)) members.set(id, own)
    plan.push(...added)
    noted.push(...added)
    // What a payer's bill leaves out depends on the own bills of all its members; an own bill depends only on the payer's.
    around = added.filter((day) => day.linked && countsMembers(day.orgId))
  }
  const days = new Map(plan.map((day) => [idOf(day), day]))
  const shadows = [...members.values()].flatMap((own) =>
    own.members.flatMap((usage) => {
      const member = days.get(idOf({ ...own.of, cloudAccountId: usage }))
      if (!member?.actuals || members.get(idOf(member))?.isOwn === false) return []
      const [left, counted] = countsMembers(own.of.orgId) ? [own.of, member] : [member, own.of]
      return [{ ...keyOf(left), usage, countedIn: [counted.cloudAccountId] }]
    }),
  )
  const billers = new Map<string, PlannedDay[]>()
  for (const { of, members: usages } of members.values())
    for (const cloudAccountId of usages) {
      const id = idOf({ ...of, cloudAccountId })
      billers.set(id, [...(billers.get(id) ?? []), days.get(idOf(of))!])
    }
  return { shadows: mergeShadows(shadows), noted, billers }
}

/** Days of members whose pods a payer's bill has: they have cluster costs, though they may have no bill and no usage. */
const splitMembers = (batch: readonly PlannedDay[], members: ReadonlyMap<string, Members>): SizedDay[] =>
  batch.flatMap((day) =>
    (day.split ? (members.get(idOf(day))?.members ?? []) : []).map((cloudAccountId) => ({
      ...keyOf(day),
      cloudAccountId,
      lines: 0,
      bills: [],
    })),
  )

const keyOf = ({ orgId, cloudAccountId, day }: CostDay): CostDay => ({ orgId, cloudAccountId, day })

/** A member may be in the bills of two payers. */
function mergeShadows(shadows: readonly Shadow[]): Shadow[] {
  const all = Map.groupBy(shadows, (shadow) => `${idOf(shadow)}|${shadow.usage}`)
  return [...all.values()].map((same) => ({
    ...same[0]!,
    countedIn: [...new Set(same.flatMap(({ countedIn }) => countedIn))].toSorted(),
  }))
}

interface Members {
  of: CostDay
  members: readonly string[]
  /** Whether any line is about the account itself. */
  isOwn: boolean
}

/** For days with sub-accounts that are connected, by `idOf`. */
async function membersOf(ch: ClickHouseClient, plan: readonly PlannedDay[]): Promise<Map<string, Members>> {
  const found = new Map<string, Members>()
  for (const batch of batches(plan.filter((day) => day.linked))) {
    const query_params = { days: tuples(batch), bills: billTuples(batch), linked: 1 }
    const result = await ch.query({
      query: askMembers.textOf(listFilledParams(query_params)),
      query_params,
      format: 'JSONEachRow',
    })
    for (const row of await result.json<Keys & { members: string[]; is_own: number }>())
      found.set(idOf(dayOf(row)), { of: dayOf(row), members: row.members, isOwn: row.is_own === 1 })
  }
  return found
}

async function othersOf(
  ch: ClickHouseClient,
  batch: readonly PlannedDay[],
  members: ReadonlyMap<string, Members>,
): Promise<SizedDay[]> {
  const about = batch.flatMap((day) =>
    (members.get(idOf(day))?.members ?? []).map((cloudAccountId) => ({ ...keyOf(day), cloudAccountId })),
  )
  const query_params = { days: tuples(batch), members: tuples(about) }
  const result = await ch.query({ query: askOthers, query_params, format: 'JSONEachRow' })
  const rows = await result.json<Keys & { bills: StoredBill[] }>()
  return rows.map((row) => ({ ...dayOf(row), lines: 0, bills: row.bills.map(billOf) }))
}

/** As statements take them, for some days. */
export function shadowsIn(shadows: readonly Shadow[], days: readonly CostDay[]): TupleParam[] {
  const ids = new Set(days.map(idOf))
  return shadows
    .filter((shadow) => ids.has(idOf(shadow)))
    .map(({ orgId, cloudAccountId, day, usage }) => new TupleParam([orgId, cloudAccountId, day, usage]))
}

/**
 * Before the days are published, so that readers of lines leave out no line that the sums still count for longer than
 * that takes.
 */
export async function noteShadows(
  ch: ClickHouseClient,
  { shadows, noted }: Overlaps,
  generation: string,
): Promise<void> {
  for (const batch of batches(noted)) {
    const shadowed = shadowsIn(shadows, batch)
    const ids = new Set(batch.map(idOf))
    const counted = shadows.filter((shadow) => ids.has(idOf(shadow))).map(({ countedIn }) => [...countedIn])
    const query_params = { days: tuples(batch), bills: billTuples(batch), linked: 1, shadowed, counted, generation }
    await ch.command({ query: note.textOf(listFilledParams(query_params)), query_params })
  }
}

/**
 * Whether current sums count charges twice: two parallel runs may not have known of each other's days. A cheap query first
 * excludes days on which that is impossible; for most organizations these are all days.
 */
export async function clash(ch: ClickHouseClient, plan: readonly PlannedDay[]): Promise<boolean> {
  const isShared = await sharedDays(ch, plan)
  for (const batch of batches(plan.filter(isShared))) {
    const result = await ch.query({ query: askClash, query_params: { days: tuples(batch) }, format: 'JSONEachRow' })
    const [row] = await result.json<{ clashes: number }>()
    if (row!.clashes === 1) return true
  }
  return false
}

/** Whether bills of several accounts may have the same charges on a day, for days from the first to the last of `days`. */
export async function sharedDays(
  ch: ClickHouseClient,
  days: readonly CostDay[],
): Promise<(day: Pick<CostDay, 'orgId' | 'day'>) => boolean> {
  if (days.length === 0) return () => false
  const result = await ch.query({ query: askElsewhere, query_params: spanOf(days), format: 'JSONEachRow' })
  const rows = await result.json<Omit<Keys, 'cloud_account_id'>>()
  const shared = new Set(rows.map(({ org_id, day }) => `${org_id}|${day}`))
  return ({ orgId, day }) => shared.has(`${orgId}|${day}`)
}
