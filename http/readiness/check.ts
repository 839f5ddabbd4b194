/** Whether a plan could be executed now: capacity, credentials, and waiting calls (decision G-85). */
import { seenByCloud } from '#actors/account/connection/cloud.ts'
import type { CloudAccount as Account } from '#actors/account/entity.ts'
import { findAccount } from '#actors/account/queries.ts'
import { executeAction, lookAction } from '#actors/action/call/effect.ts'
import { callTarget } from '#actors/autoscaling/effect.ts'
import { createInfrastructure } from '#actors/autoscaling/infrastructure/effect.ts'
import { callDatabase, provisionStep } from '#actors/catalog/effect.ts'
import { queueSeconds } from '#actors/readiness/queries.ts'
import { orderBuild } from '#actors/source/effect.ts'
import { gatherFresh, lookOperation, operate } from '#actors/workflow/call/effect.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import type { Services } from '#http/edge/services.ts'
import { checkExample } from '#http/readiness/example.ts'
import { sizeTarget, type Sizing } from '#http/readiness/size.ts'
import { bucketOf, type CloudAccount, type Look, type Quotas } from '#streams/cloud/connector.ts'
import { isProvider } from '#streams/names.ts'
import { isDatabase } from '#streams/cloud/resource/resource-type.ts'

const Check = t.Object({
  name: t.Enum(['capacity', 'credentials', 'executor_queue']),
  status: t.Enum(['pass', 'warn', 'fail']),
  message: t.String(),
  policyId: t.Optional(t.String({ description: 'for capacity: the policy whose target was checked' })),
})
export type Check = Static<typeof Check>

export const Readiness = t.Object(
  { ready: t.Boolean({ description: 'true if no check fails' }), checks: t.Array(Check) },
  { title: 'PlanReadinessCheck', examples: [checkExample] },
)

/** Calls in the same pool as scaling: a call of a plan waits as long as these do. */
export const actCalls = [
  callTarget,
  createInfrastructure,
  executeAction,
  lookAction,
  operate,
  lookOperation,
  gatherFresh,
  orderBuild,
  callDatabase,
  provisionStep,
].map(({ name }) => name)

/** Maximum seconds that a call may have waited. */
const slowSeconds = 60
const stuckSeconds = 300

type AccountAccess = { account: CloudAccount } | { why: string }

/** Accounts of the targets, as their clouds report them; the reason if they cannot be read. */
async function accountsOf(
  orgId: string,
  found: readonly Sizing[],
  services: Services,
): Promise<ReadonlyMap<string, AccountAccess>> {
  const policies = new Map(found.map(({ policy }) => [policy.cloudAccountId, policy]))
  const asked = await Promise.all(
    [...policies.values()].map(async ({ cloudAccountId, provider }) => {
      const row = await findAccount(services.em, orgId, cloudAccountId)
      return [cloudAccountId, askable(row, provider, services)] as const
    }),
  )
  return new Map(asked)
}

function askable(row: Account | null, provider: string, services: Services): AccountAccess {
  if (!row) return { why: 'The account is not connected.' }
  if (row.status === 'disabled') return { why: `Account ${row.name} is disabled.` }
  if (!isProvider(provider)) return { why: `The cloud of account ${row.name} is not known yet.` }
  return { account: seenByCloud(row, provider, services) }
}

/** All checks: capacity of each target, credentials of all accounts, and the executor's queue. */
export async function checksOf(
  orgId: string,
  found: readonly Sizing[],
  multiplier: number,
  services: Services,
): Promise<Check[]> {
  const accounts = await accountsOf(orgId, found, services)
  const [capacities, credentials, queue] = await Promise.all([
    Promise.all(
      found.map((sizing) => capacity(sizing, accounts.get(sizing.policy.cloudAccountId)!, multiplier, services)),
    ),
    credentialsOf([...accounts.values()], services),
    queueOf(orgId, services),
  ])
  return [...capacities, credentials, queue]
}

const wordsOf = (error: unknown): string => (error instanceof Fault ? error.message : Fault.defect(error).message)

async function capacity(sizing: Sizing, asked: AccountAccess, multiplier: number, services: Services): Promise<Check> {
  const { policyId, resource, policy } = sizing
  const of = (status: Check['status'], message: string): Check => ({ name: 'capacity', status, message, policyId })
  if (!resource) return of('fail', `Target ${policy.targetUid} is not in the inventory.`)
  if ('why' in asked) return of('fail', asked.why)
  const { uid: resourceUid, type, region, specs } = resource
  try {
    const ref = { resourceUid, type, region, specs }
    const cloud = services.cloudOf(asked.account)
    const [look, quotas] = await Promise.all([cloud.look(asked.account, ref), cloud.quotas(asked.account, ref)])
    return of(...seenAs(look, quotas, sizing, multiplier))
  } catch (error) {
    return of('fail', `The cloud cannot report the capacity of ${resourceUid}: ${wordsOf(error)}`)
  }
}

type CheckResult = [Check['status'], string]

function seenAs(look: Look, { max = Infinity }: Quotas, sizing: Sizing, multiplier: number): CheckResult {
  const { targetUid, targetType } = sizing.policy
  if (!look.exists) return ['fail', `${targetUid} does not exist in the cloud.`]
  if (look.status === 'stopped') return ['warn', `${targetUid} is stopped.`]
  const { scaled, originals } = sizeTarget(sizing, multiplier)
  if (scaled.desired > max)
    return ['fail', `The cloud allows ${targetUid} at most ${max} units, not ${scaled.desired}.`]
  if (scaled.max > max)
    return ['warn', `The cloud allows ${targetUid} at most ${max} units, not a maximum of ${scaled.max}.`]
  if (isDatabase(targetType))
    return ['warn', `${targetUid} is a database: a plan changes neither its units nor its class.`]
  if (look.capacity === undefined)
    return ['warn', `The cloud does not report the number of units of ${targetUid}. Using ${originals.desired}.`]
  return ['pass', `${look.capacity.desired} units now, ${scaled.desired} for the event.`]
}

async function credentialsOf(asked: readonly AccountAccess[], services: Services): Promise<Check> {
  const told = await Promise.all(asked.map((one) => verdictOf(one, services)))
  const worst = told.find(({ status }) => status === 'fail') ?? told.find(({ status }) => status === 'warn')
  const fine = { status: 'pass' as const, message: 'The credentials of all accounts allow reading and writing.' }
  return { name: 'credentials', ...(worst ?? fine) }
}

type Verdict = Pick<Check, 'status' | 'message'>

async function verdictOf(asked: AccountAccess, services: Services): Promise<Verdict> {
  if ('why' in asked) return { status: 'fail', message: asked.why }
  const { account } = asked
  try {
    const { verdict, message } = await services.cloudOf(account).verify(account)
    if (verdict === 'read_write') return { status: 'pass', message: '' }
    if (verdict === 'unknown') return { status: 'warn', message: message ?? `Account ${account.name} reports nothing.` }
    const may = verdict === 'none' ? 'are rejected' : 'are read-only'
    return { status: 'fail', message: `The credentials of account ${account.name} ${may}.` }
  } catch (error) {
    const status = bucketOf(error) === 'transient' ? 'warn' : 'fail'
    return { status, message: `Account ${account.name}: ${wordsOf(error)}` }
  }
}

export const queueStatus = (seconds: number): Check['status'] =>
  seconds > stuckSeconds ? 'fail' : seconds > slowSeconds ? 'warn' : 'pass'

async function queueOf(orgId: string, { em }: Services): Promise<Check> {
  const seconds = Math.floor(await queueSeconds(em, orgId, actCalls))
  const message = seconds === 0 ? 'No pending calls.' : `The oldest call has been pending for ${seconds} s.`
  return { name: 'executor_queue', status: queueStatus(seconds), message }
}
