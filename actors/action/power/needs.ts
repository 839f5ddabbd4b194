/**
 * What turns of power read: the resource and its account; for some messages also overrides, schedules and approvals.
 */
import type { Waiting } from '#engine/actor/actor.ts'
import type { TurnReads } from '#engine/actor/ports.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { actionRetryDue, actionWaited, actionWanted, demandAsked } from '#streams/action/messages.ts'
import { warrantRow, type WarrantRow } from '#actors/workflow/plan/warrant.ts'
import type { ScheduleRule } from '#streams/schedule.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'

export interface ResourceFacts {
  name: string
  type: string
  provider: string
  region: string
  schedulable: boolean
  /** State that the cloud last reported. */
  observed_status: ResourceStatus
  observed_at: Date
  deleted_at: Date | null
}

export interface AccountFacts {
  status: string
  permission_verdict: string
}

/** An active override on the resource, or on a group that contains it. */
export interface Holding {
  id: string
  desired_state: 'running' | 'stopped'
}

interface Demanding {
  timezone: string
  rules: readonly ScheduleRule[]
  skipDates: readonly string[]
}

/**
 * Keys are `accountKey`, `placedKey` and `uidKey`. Overrides are sorted newest first. Overrides and schedules are read
 * only for messages that need them.
 */
export interface PowerNeeds {
  resources: ReadonlyMap<string, ResourceFacts>
  accounts: ReadonlyMap<string, AccountFacts>
  overrides: ReadonlyMap<string, readonly Holding[]>
  schedules: ReadonlyMap<string, readonly Demanding[]>
  /** By `uidKey` of organization and workflow job: approvals of the workflows that request actions. */
  warrants: ReadonlyMap<string, WarrantRow>
}

const accountKey = (orgId: string, accountId: string): string => `${orgId}\0${accountId}`
const placedKey = (orgId: string, accountId: string, uid: string): string => `${orgId}\0${accountId}\0${uid}`
const uidKey = (orgId: string, uid: string): string => `${orgId}\0${uid}`

/** What was read for the actor of this turn. */
export interface Facts {
  resource: ResourceFacts | undefined
  account: AccountFacts | undefined
  overrides: readonly Holding[]
  schedules: readonly Demanding[]
  warrantOf: (jobId: string) => WarrantRow | undefined
}

export function factsOf(turn: Turn<PowerNeeds>): Facts {
  const { orgId, place, key } = turn.address
  const needs = turn.needs
  return {
    resource: needs.resources.get(placedKey(orgId, place, key)),
    account: needs.accounts.get(accountKey(orgId, place)),
    overrides: needs.overrides.get(uidKey(orgId, key)) ?? [],
    schedules: needs.schedules.get(uidKey(orgId, key)) ?? [],
    warrantOf: (jobId) => needs.warrants.get(uidKey(orgId, jobId)),
  }
}

const resourceSql = `
  select r.org_id, r.cloud_account_id, r.uid, r.name, r.type, r.provider, r.region, r.schedulable, r.observed_status,
         r.observed_at, r.deleted_at, a.status, a.permission_verdict
  from unnest($1::text[], $2::text[], $3::text[]) as asked (org_id, account, uid)
  join resource r on r.org_id = asked.org_id and r.cloud_account_id = asked.account and r.uid = asked.uid
  left join cloud_account a on a.org_id = asked.org_id and a.id = asked.account`

const overrideSql = `
  select asked.org_id, asked.uid, held.id, held.desired_state
  from unnest($1::text[], $2::text[]) as asked (org_id, uid)
  cross join lateral (
    select o.id, o.desired_state, o.created_at from "override" o
    where o.org_id = asked.org_id and o.scope_type = 'resource' and o.scope_id = asked.uid and o.status = 'active'
    union all
    select o.id, o.desired_state, o.created_at from resource_group_member m
    join "override" o on o.org_id = m.org_id and o.scope_type = 'resource_group' and o.scope_id = m.group_id
      and o.status = 'active'
    where m.org_id = asked.org_id and m.resource_uid = asked.uid
  ) held
  order by held.created_at desc, held.id`

const scheduleSql = `
  select asked.org_id, asked.uid, s.timezone, s.rules, s.skip_dates
  from unnest($1::text[], $2::text[]) as asked (org_id, uid)
  cross join lateral (
    select id, timezone, rules, skip_dates from schedule
    where org_id = asked.org_id and enabled and resource_uids @> jsonb_build_array(asked.uid)
    union
    select s.id, s.timezone, s.rules, s.skip_dates from resource_group_member m
    join schedule s on s.org_id = m.org_id and s.enabled and s.resource_group_ids @> jsonb_build_array(m.group_id)
    where m.org_id = asked.org_id and m.resource_uid = asked.uid
  ) s`

/** Maximum uids in one statement: each is a separate look-up, and statements have a time limit. */
const uidsMax = 200

const beginning: ReadonlySet<string> = new Set(
  [actionWanted, actionWaited, actionRetryDue, demandAsked].map(({ name }) => name),
)

/** Whether overrides matter for this message. */
function isHeld({ subject, data }: Waiting): boolean {
  if (subject.name !== actionWanted.name) return true
  return (data as Static<typeof actionWanted.schema>).source.type === 'schedule'
}

/**
 * One statement for each kind of data and batch. Rows that the lane itself wrote are read after the batch before has
 * committed.
 */
export async function powerNeeds(waiting: readonly Waiting[], reads: TurnReads): Promise<PowerNeeds> {
  const asking = waiting.filter(({ subject }) => beginning.has(subject.name))
  const held = asking.filter(isHeld)
  const demanding = asking.filter(({ subject }) => subject.name === demandAsked.name)
  const [{ resources, accounts }, overrides, schedules, warrants] = await Promise.all([
    readFacts(asking, reads),
    overridesOf(held, reads),
    schedulesOf(demanding, reads),
    warrantsOf(asking, reads),
  ])
  return { resources, accounts, overrides, schedules, warrants }
}

type FactsRow = ResourceFacts & { org_id: string; cloud_account_id: string; uid: string } & {
  [field in keyof AccountFacts]: string | null
}

async function readFacts(
  asking: readonly Waiting[],
  reads: TurnReads,
): Promise<Pick<PowerNeeds, 'resources' | 'accounts'>> {
  const resources = new Map<string, ResourceFacts>()
  const accounts = new Map<string, AccountFacts>()
  if (asking.length === 0) return { resources, accounts }
  const addresses = [...new Map(asking.map(({ address: a }) => [placedKey(a.orgId, a.place, a.key), a])).values()]
  const rows = await reads.rows<FactsRow>(resourceSql, [
    addresses.map(({ orgId }) => orgId),
    addresses.map(({ place }) => place),
    addresses.map(({ key }) => key),
  ])
  for (const row of rows) {
    resources.set(placedKey(row.org_id, row.cloud_account_id, row.uid), row)
    const { status, permission_verdict } = row
    if (status !== null && permission_verdict !== null)
      accounts.set(accountKey(row.org_id, row.cloud_account_id), { status, permission_verdict })
  }
  return { resources, accounts }
}

interface OfUid {
  org_id: string
  uid: string
}

async function overridesOf(held: readonly Waiting[], reads: TurnReads): Promise<PowerNeeds['overrides']> {
  const rows = await ofUids<OfUid & Holding>(overrideSql, held, reads)
  return Map.groupBy(rows, ({ org_id, uid }) => uidKey(org_id, uid))
}

async function schedulesOf(asking: readonly Waiting[], reads: TurnReads): Promise<PowerNeeds['schedules']> {
  type Row = OfUid & { timezone: string; rules: ScheduleRule[]; skip_dates: string[] }
  const rows = await ofUids<Row>(scheduleSql, asking, reads)
  const found = rows.map(({ skip_dates: skipDates, ...row }) => ({ ...row, skipDates }))
  return Map.groupBy(found, ({ org_id, uid }) => uidKey(org_id, uid))
}

async function ofUids<T extends object>(sql: string, of: readonly Waiting[], reads: TurnReads): Promise<readonly T[]> {
  if (of.length === 0) return []
  const uids = [...new Map(of.map(({ address: a }) => [uidKey(a.orgId, a.key), a])).values()]
  const found: T[] = []
  for (let first = 0; first < uids.length; first += uidsMax) {
    const some = uids.slice(first, first + uidsMax)
    found.push(...(await reads.rows<T>(sql, [some.map(({ orgId }) => orgId), some.map(({ key }) => key)])))
  }
  return found
}

const retriedSql = `
  select p.org_id as "orgId", p.live #>> '{record,source,workflow,jobId}' as "jobId"
  from unnest($1::text[], $2::text[], $3::text[]) as asked (org_id, account, uid)
  join power p on p.org_id = asked.org_id and p.cloud_account_id = asked.account and p.resource_uid = asked.uid
  where p.live #>> '{record,source,workflow,jobId}' is not null`

interface OfJob {
  orgId: string
  jobId: string
}

/** Approvals of the workflows whose actions start or are retried. */
async function warrantsOf(asking: readonly Waiting[], reads: TurnReads): Promise<PowerNeeds['warrants']> {
  const jobs = asking.flatMap(({ subject, address: { orgId }, data }): OfJob[] => {
    const source = subject.name === actionWanted.name && (data as Static<typeof actionWanted.schema>).source
    return source && source.workflow ? [{ orgId, jobId: source.workflow.jobId }] : []
  })
  const again = asking.filter(({ subject }) => subject.name === actionRetryDue.name).map(({ address }) => address)
  if (again.length > 0)
    jobs.push(
      ...(await reads.rows<OfJob>(retriedSql, [
        again.map(({ orgId }) => orgId),
        again.map(({ place }) => place),
        again.map(({ key }) => key),
      ])),
    )
  const found = new Map<string, WarrantRow>()
  for (const job of jobs) {
    const row = await warrantRow((sql, params) => reads.plain(sql, params, { maxAgeMs: 0 }), job)
    if (row) found.set(uidKey(job.orgId, job.jobId), row)
  }
  return found
}
