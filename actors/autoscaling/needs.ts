/**
 * What turns of policies read: what the account allows, and for a new policy what the inventory knows of its target.
 */
import type { Waiting } from '#engine/actor/actor.ts'
import type { TurnReads } from '#engine/actor/ports.ts'
import { autoscalerSaved, type InfrastructureStatus } from '#streams/autoscaling.ts'
import { metricSample } from '#streams/metric/messages.ts'

export interface AccountStanding {
  verdict: 'unknown' | 'none' | 'read_only' | 'read_write'
  /** Null if nobody has connected the account. */
  status: string | null
  infrastructure: InfrastructureStatus
  infrastructureMessage: string
}

export interface TargetStanding {
  unitCount: number | null
  hourlyRateUsd: number | null
  specs: Record<string, unknown>
  isGone: boolean
}

export interface AutoscalerNeeds {
  account: (orgId: string, account: string) => AccountStanding
  /** Undefined if it is not in the inventory. */
  target: (orgId: string, account: string, uid: string) => TargetStanding | undefined
  /** Number of policies in the account. */
  count: (orgId: string, account: string) => number
}

const accountSql = `
  select coalesce(a.permission_verdict, 'unknown') as verdict, a.status, coalesce(i.status, 'not_created') as infrastructure,
    coalesce(i.message, '') as "infrastructureMessage", (select count(*)::int from autoscaler_policy p
      where p.org_id = asked.org_id and p.cloud_account_id = asked.account) as count
  from (select $1::text as org_id, $2::text as account) as asked
  left join cloud_account a on a.org_id = asked.org_id and a.id = asked.account
  left join scaling_infrastructure i on i.org_id = asked.org_id and i.cloud_account_id = asked.account`

const targetSql = `
  select unit_count as "unitCount", hourly_rate_usd as "hourlyRateUsd", specs, deleted_at is not null as "isGone"
  from resource where org_id = $1 and cloud_account_id = $2 and uid = $3`

type AccountRow = AccountStanding & { count: number }

const key = (...parts: readonly string[]): string => parts.join('\0')

/** Maximum age in milliseconds. Samples arrive constantly, and a changed verdict has a message of its own. */
const sampleAgeMs = 5000

export async function autoscalerNeeds(waiting: readonly Waiting[], reads: TurnReads): Promise<AutoscalerNeeds> {
  const accounts = new Map<string, AccountRow>()
  const targets = new Map<string, TargetStanding>()
  const places = Map.groupBy(waiting, ({ address: { orgId, place } }) => key(orgId, place))
  await Promise.all(
    [...places].map(async ([at, list]) => {
      const { orgId, place } = list[0]!.address
      const maxAgeMs = list.every(({ subject }) => subject.name === metricSample.name) ? sampleAgeMs : 0
      const [row] = await reads.plain<AccountRow>(accountSql, [orgId, place], { maxAgeMs })
      accounts.set(at, row!)
    }),
  )
  for (const { subject, address, data } of waiting) {
    if (subject.name !== autoscalerSaved.name || !(data as { isNew: boolean }).isNew) continue
    const { orgId, place, key: uid } = address
    const [row] = await reads.rows<TargetStanding>(targetSql, [orgId, place, uid])
    if (row) targets.set(key(orgId, place, uid), row)
  }
  return {
    account: (orgId, account) => accounts.get(key(orgId, account))!,
    target: (orgId, account, uid) => targets.get(key(orgId, account, uid)),
    count: (orgId, account) => accounts.get(key(orgId, account))!.count,
  }
}
