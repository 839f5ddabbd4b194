/** The current members of overrides. */
import type { Waiting } from '#engine/actor/actor.ts'
import type { TurnReads } from '#engine/actor/ports.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'
import { overrideCancelled, overrideDue, overrideRequested } from '#streams/schedule.ts'

/** An existing resource. */
export interface ScopeMember {
  uid: string
  account: string
  name: string
  status: ResourceStatus
  schedulable: boolean
  /** It is being started or stopped, or was recently: its status does not show the result yet. */
  acting: boolean
}

/** `name` is that of the group; otherwise empty. */
export interface OverrideScope {
  name: string
  members: readonly ScopeMember[]
}

type ScopeRef = { scopeType: string; scopeId: string }

/** By organization, type and id; missing if there is no existing resource, or no such group. */
export type Scopes = ReadonlyMap<string, OverrideScope>

export const scopeKey = (orgId: string, { scopeType, scopeId }: ScopeRef): string =>
  JSON.stringify([orgId, scopeType, scopeId])

// Ending overrides are read by id: the batch has waited for the commit that created them.
const membersSql = `
  with asked as (
    select * from unnest($1::text[], $2::text[], $3::text[]) as given (org_id, scope_type, scope_id)
    union
    select override.org_id, override.scope_type, override.scope_id
    from unnest($4::text[], $5::text[]) as ended (org_id, id)
    join override on override.org_id = ended.org_id and override.id = ended.id
  ), named as (
    select asked.*, '' as name, scope_id as uid from asked where scope_type = 'resource'
    union all
    select asked.*, resource_group.name, member.resource_uid
    from asked
    join resource_group on resource_group.org_id = asked.org_id and resource_group.id = asked.scope_id
    left join resource_group_member as member
      on member.org_id = resource_group.org_id and member.group_id = resource_group.id
    where scope_type = 'resource_group'
  )
  select named.org_id, named.scope_type, named.scope_id, named.name, resource.uid, resource.cloud_account_id,
         resource.name as resource_name, resource.status, resource.schedulable,
         coalesce(power.live_id, power.waiting_id, power.last_id) is not null as acting
  from named
  left join resource
    on resource.org_id = named.org_id and resource.uid = named.uid and resource.deleted_at is null
  left join power
    on power.org_id = resource.org_id and power.cloud_account_id = resource.cloud_account_id
      and power.resource_uid = resource.uid
  order by resource.uid, resource.cloud_account_id`

interface Row {
  org_id: string
  scope_type: string
  scope_id: string
  name: string
  uid: string | null
  cloud_account_id: string
  resource_name: string
  status: ResourceStatus
  schedulable: boolean
  acting: boolean
}

/** For a batch: the members of overrides that are requested or end, in one statement. */
export async function overrideNeeds(waiting: readonly Waiting[], reads: TurnReads): Promise<Scopes> {
  const of = (...names: string[]) => waiting.filter(({ subject }) => names.includes(subject.name))
  const asked = of(overrideRequested.name).map(({ address, data }) => ({ orgId: address.orgId, ...(data as ScopeRef) }))
  const ended = of(overrideCancelled.name, overrideDue.name).map(({ address }) => address)
  const params = [
    asked.map(({ orgId }) => orgId),
    asked.map(({ scopeType }) => scopeType),
    asked.map(({ scopeId }) => scopeId),
    ended.map(({ orgId }) => orgId),
    ended.map(({ key }) => key),
  ]
  const found = new Map<string, { name: string; members: ScopeMember[] }>()
  for (const row of await reads.plain<Row>(membersSql, params, { maxAgeMs: 0 })) {
    const { org_id, scope_type, scope_id, name, uid, cloud_account_id: account, resource_name, ...shown } = row
    if (uid === null && scope_type === 'resource') continue
    const key = scopeKey(org_id, { scopeType: scope_type, scopeId: scope_id })
    const scope = found.get(key) ?? { name, members: [] }
    if (uid !== null) scope.members.push({ uid, account, name: resource_name, ...shown })
    found.set(key, scope)
  }
  return found
}
