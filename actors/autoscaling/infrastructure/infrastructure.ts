/**
 * Infrastructure that the policies of an account need in its cloud: created once, when somebody requests it. This actor
 * also notifies the policies when it changes, or when what the credentials allow may have changed. It runs after
 * everything before it, so every policy created earlier is notified.
 */
import { defineActor, type Waiting } from '#engine/actor/actor.ts'
import { Fault } from '#engine/value/fault.ts'
import type { TurnReads } from '#engine/actor/ports.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { accountPatched, accountRefused, accountRemoved, accountVerified } from '#streams/account/messages.ts'
import {
  autoscalerDue,
  infrastructureReported,
  infrastructureWanted,
  type AutoscalerDueKind,
} from '#streams/autoscaling.ts'
import { isProvider, type Provider } from '#streams/names.ts'
import { ScalingInfrastructure } from '#actors/autoscaling/entity.ts'
import { createInfrastructure } from './effect.ts'

/** Maximum policies of an account that are notified. */
const policiesMax = 500

interface Account {
  provider: string
  status: string
  verdict: string
}

/** By organization and account. */
export interface InfrastructureNeeds {
  accounts: ReadonlyMap<string, Account>
  /** Uids of targets, sorted. */
  targets: ReadonlyMap<string, readonly string[]>
}

const infrastructureKey = (orgId: string, account: string): string => `${orgId}\0${account}`

const ofAccount = ({ id }: { id: string }): string => id
const alone = { barrier: true } as const

export const infrastructureActor = defineActor({
  kind: 'scaling-infrastructure',
  entity: ScalingInfrastructure,
  address: { orgId: 'orgId', place: 'cloudAccountId', key: 'cloudAccountId' },
  initial: () => ({
    status: 'not_created' as const,
    attempt: 0,
    role: null,
    runtime: null,
    message: '',
    createdAt: null,
    updatedAt: new Date(0),
  }),
  needs: infrastructureNeeds,
  reactions: (on) => [
    on(infrastructureWanted, (data) => data.cloudAccountId, requestInfrastructure, alone),
    on(infrastructureReported, (data) => data.cloudAccountId, takeReport, { ...alone, existing: true }),
    on(accountVerified, ofAccount, verdict, alone),
    on(accountPatched, ofAccount, verdict, alone),
    // Each refused call sends this message; only the first one notifies.
    on(accountRefused, ofAccount, takeRefusal),
    on(accountRemoved, ofAccount, accountGone, alone),
  ],
})

async function infrastructureNeeds(waiting: readonly Waiting[], reads: TurnReads): Promise<InfrastructureNeeds> {
  const accounts = new Map<string, Account>()
  const targets = new Map<string, readonly string[]>()
  for (const { subject, address } of waiting) {
    const { orgId, place } = address
    const key = infrastructureKey(orgId, place)
    if (isOfAccount(subject.name) && !accounts.has(key)) {
      const [found] = await reads.rows<Account>(accountSql, [orgId, place])
      if (found) accounts.set(key, found)
    }
    if (subject.name !== infrastructureWanted.name && !targets.has(key))
      targets.set(key, await targetsOf(reads, orgId, place))
  }
  return { accounts, targets }
}

const isOfAccount = (name: string): boolean => name === infrastructureWanted.name || name === accountRefused.name

const accountSql =
  'select provider, status, permission_verdict as verdict from cloud_account where org_id = $1 and id = $2'

async function targetsOf(reads: TurnReads, orgId: string, account: string): Promise<string[]> {
  const rows = await reads.rows<{ uid: string }>(
    `select target_uid as uid from autoscaler_policy where org_id = $1 and cloud_account_id = $2 order by target_uid limit $3`,
    [orgId, account, policiesMax],
  )
  return rows.map(({ uid }) => uid)
}

/** While it is being created, or exists, a further request changes nothing. A failed one is tried again. */
function requestInfrastructure(
  row: ScalingInfrastructure,
  { cloudAccountId }: Static<typeof infrastructureWanted.schema>,
  turn: Turn<InfrastructureNeeds>,
): void {
  const { orgId } = turn.address
  const { accounts } = turn.needs
  const provider = providerOf(accounts.get(infrastructureKey(orgId, cloudAccountId)), cloudAccountId)
  const isBegun = row.status === 'not_created' || row.status === 'failed'
  if (isBegun) {
    Object.assign(row, { status: 'creating', attempt: row.attempt + 1, role: null, runtime: null, message: '' })
    row.createdAt ??= turn.now
    row.updatedAt = turn.now
    const key = `infrastructure/${orgId}/${cloudAccountId}/${row.attempt}`
    turn.call(createInfrastructure, key, { cloudAccountId, provider, attempt: row.attempt })
  }
  turn.reply({ cloudAccountId, isBegun })
}

/** @throws Fault `missing`; `refused` `capability_missing` if nothing can be created in the account */
function providerOf(account: Account | undefined, id: string): Provider {
  if (!account || account.status === 'deleted' || !isProvider(account.provider))
    throw Fault.missing('cloud account', id)
  if (account.status === 'disabled') throw Fault.refused('capability_missing', 'The account is disabled.')
  if (account.verdict === 'read_only' || account.verdict === 'none')
    throw Fault.refused('capability_missing', 'The credentials of the account do not allow creating resources.')
  return account.provider
}

/** Reports of an older try, or of an account removed meanwhile, are ignored. */
function takeReport(
  row: ScalingInfrastructure,
  data: Static<typeof infrastructureReported.schema>,
  turn: Turn<InfrastructureNeeds>,
): void {
  const { attempt, status, role, runtime, message = '' } = data
  if (row.status !== 'creating' || row.attempt !== attempt) return
  Object.assign(row, { status, role, runtime, message: status === 'ready' ? '' : message })
  row.updatedAt = turn.now
  tell('infrastructure', turn)
}

function verdict(row: ScalingInfrastructure, _: unknown, turn: Turn<InfrastructureNeeds>): void {
  leave(row, turn)
  tell('verdict', turn)
}

/** Credentials that were already known to be refused need no notification. */
function takeRefusal(row: ScalingInfrastructure, _: unknown, turn: Turn<InfrastructureNeeds>): void {
  leave(row, turn)
  const { orgId, place } = turn.address
  const account = turn.needs.accounts.get(infrastructureKey(orgId, place))
  if (account?.verdict === 'none' || turn.scratch.has('lost')) return
  turn.scratch.set('lost', true)
  tell('verdict', turn)
}

/** The infrastructure stays in the cloud, out of reach. If the account is connected again, a new request finds it. */
function accountGone(row: ScalingInfrastructure, _: unknown, turn: Turn<InfrastructureNeeds>): void {
  if (!leave(row, turn) && row.status !== 'not_created') {
    Object.assign(row, { status: 'not_created', role: null, runtime: null, message: '', createdAt: null })
    row.updatedAt = turn.now
  }
  tell('verdict', turn)
}

/** Removes the row if nothing was ever requested for the account; returns whether that is so. */
function leave({ attempt }: ScalingInfrastructure, turn: Turn<InfrastructureNeeds>): boolean {
  if (attempt === 0) turn.remove()
  return attempt === 0
}

/** Tells the policies of these targets, whichever they are by then, to check the account again. */
function tell(what: AutoscalerDueKind, turn: Turn<InfrastructureNeeds>): void {
  const { orgId, place: cloudAccountId } = turn.address
  const targets = turn.needs.targets.get(infrastructureKey(orgId, cloudAccountId)) ?? []
  for (const targetUid of targets) turn.emit(autoscalerDue, { cloudAccountId, targetUid, policyId: '', what })
}
