/**
 * Provisioning in the simulated cloud: objects are found again by the token of the call, so a repeat creates nothing.
 */
import { cloudFault, type CloudAccount } from '#streams/cloud/connector.ts'
import {
  provisioningKinds,
  type ProvisionAnswer,
  type ProvisionRequest,
  type UnprovisionAnswer,
} from '#streams/cloud/provision.ts'
import type { KnownMaking, Making } from '#streams/cloud/simulated/action/log.ts'
import { goneAt } from '#streams/cloud/simulated/action/alteration.ts'
import { changing } from '#streams/cloud/simulated/state/change-once.ts'
import { beginCall, simOf, type Far } from '#streams/cloud/simulated/state/cloud-state.ts'
import { refusal, type CallName } from '#streams/cloud/simulated/state/faults.ts'
import { resourceGroup } from './provisioned-resources.ts'
import { hex } from '#streams/cloud/simulated/world/prng.ts'
import { draftOf, nameOf, type ProvisionDraft, type DraftObject } from './draft.ts'
import { quotaOf } from '#streams/cloud/simulated/action/quota.ts'
import { uidOf } from '#streams/cloud/simulated/world/uid.ts'

/** Tag of all created objects. */
const jobTag = 'tidemark:job'

/** Milliseconds until a large object is deleted; small ones are deleted immediately. */
const goingMs = 10_000

/** All kinds, for all providers. */
export const provisions = provisioningKinds

const isOffered = (kind: string): boolean => provisioningKinds.some((one) => one === kind)

const unsupportedFault = (kind: string): Error =>
  cloudFault('system', 'unsupported_provisioning', `Provisioning of ${kind} is not supported for this cloud yet.`)

export async function provision(far: Far, account: CloudAccount, request: ProvisionRequest): Promise<ProvisionAnswer> {
  if (!isOffered(request.kind)) throw unsupportedFault(request.kind)
  const draft = draftOf(request, account.provider)
  return draft ? make(far, account, request, draft) : look(far, account, request)
}

const secretOf = ({ world }: Far, account: CloudAccount, token: string): string =>
  `sim-${hex(32, world.seed, account.id, token, 'secret')}`

async function make(
  far: Far,
  account: CloudAccount,
  request: ProvisionRequest,
  draft: ProvisionDraft,
): Promise<ProvisionAnswer> {
  const { step, token } = request
  const found = (): ProvisionAnswer | undefined => {
    const made = far.ledger.log.makings(account).get(token)
    return made && answerOf(far, made)
  }
  const answer = await changing<ProvisionAnswer>(far, {
    call: callOf(`provision.${step}`, account, token),
    lasts: 0,
    found,
    refused: () => findRefusal(far, account, request, draft),
    make: () => {
      const made = makingOf(far, account, request, draft)
      return {
        answer: answerOf(far, made),
        effect: { orgId: account.orgId, uid: '', made, outcome: { status: 'succeeded' } },
      }
    },
  })
  return step === 'secret' && answer.status === 'done'
    ? { ...answer, secrets: { admin: secretOf(far, account, token) } }
    : answer
}

export const callOf = (call: CallName, { id: cloudAccountId }: CloudAccount, id: string) => ({
  call,
  cloudAccountId,
  id,
})

/** A server is returned before it is available; the next step waits for that. */
const isLeftWaiting = (step: string): boolean => step === 'instance'

function answerOf({ now }: Far, { step, at, output }: Making): ProvisionAnswer {
  const isThere = at <= now().getTime() || isLeftWaiting(step)
  return isThere ? { status: 'done', output: { ...output } } : { status: 'waiting' }
}

function makingOf(far: Far, account: CloudAccount, request: ProvisionRequest, draft: ProvisionDraft): Making {
  const { token, jobId, step, region, tags, config } = request
  const asked = far.now().getTime()
  const objects = draft.objects.map((object) => ({ ...object, uid: uidFor(far, account, request, object) }))
  return {
    token,
    jobId,
    step,
    region,
    asked,
    at: asked + draft.lasts,
    objects,
    tags: { ...tags, [jobTag]: jobId },
    output: { ...draft.output, ...draft.told(objects.map(({ uid }) => uid)) },
    ...(draft.isMain && { config }),
  }
}

/** Includes the job's id, because two jobs may use the same name. */
function uidFor(
  { world }: Far,
  { externalId, provider }: CloudAccount,
  { jobId, region }: ProvisionRequest,
  { name, type, parentUid }: DraftObject,
): string {
  const suffix = `-${jobId.slice(0, 8)}`
  const own = name.endsWith(suffix) ? name : name + suffix
  if (parentUid !== undefined && type?.endsWith('-deployment'))
    return `${parentUid}/tidemark-components/deployment/${own}`
  const group = provider === 'azure' ? resourceGroup : undefined
  return uidOf(world.seed, {
    type: type ?? `${provider}-unlisted`,
    name: own,
    region,
    account: { externalId, provider },
    group,
  })
}

/** The error if the request is not possible, independent of the fault plan. */
function findRefusal(far: Far, account: CloudAccount, request: ProvisionRequest, draft: ProvisionDraft): unknown {
  return (
    refusedToken(far, account, request.token) ??
    refusedAccount(far, account) ??
    refusedUnits(draft) ??
    refusedCluster(far, account, request)
  )
}

/** For a call that was delayed so long that its objects were deleted before they were created. */
export const refusedToken = ({ ledger }: Far, account: CloudAccount, token: string): unknown =>
  ledger.log.isRetired(account, token)
    ? cloudFault('system', 'token_retired', 'The resource was deleted before it was created.')
    : undefined

function refusedAccount(far: Far, account: CloudAccount): unknown {
  try {
    simOf(far, account)
    return undefined
  } catch (error) {
    return error
  }
}

function refusedUnits({ objects }: ProvisionDraft): unknown {
  for (const { name, type = '', specs } of objects) {
    const [most, wanted] = [quotaOf(type), specs?.['max_size']]
    if (most !== undefined && typeof wanted === 'number' && wanted > most)
      return refusal('quota_exceeded', `${name} can have at most ${most} units, but ${wanted} were requested.`)
  }
  return undefined
}

/** A component requires an existing cluster; in producers' accounts that is unknown. */
function refusedCluster(far: Far, account: CloudAccount, { kind, clusterUid }: ProvisionRequest): unknown {
  if (kind !== 'component' || clusterUid === null) return undefined
  const isGone = goneAt(far.world, far.ledger.log, account.id, clusterUid) <= far.now().getTime()
  return isGone ? refusal('resource_not_found', `The cluster ${clusterUid} no longer exists.`) : undefined
}

/** Steps that create nothing. */
async function look(far: Far, account: CloudAccount, request: ProvisionRequest): Promise<ProvisionAnswer> {
  await beginCall(far, { call: `provision.${request.step}`, cloudAccountId: account.id })
  const wrong = refusedAccount(far, account)
  if (wrong !== undefined) throw wrong
  if (request.step === 'quota_check') checkQuota(account, request)
  if (request.step === 'wait_available' || request.step === 'verify') return checkResources(far, account, request)
  return { status: 'done' }
}

/** Checks what later steps will need, before anything is created. */
function checkQuota({ provider }: CloudAccount, request: ProvisionRequest): void {
  for (const step of ['node_groups', 'group']) {
    const draft = draftOf({ ...request, step }, provider)
    const wrong = draft && refusedUnits(draft)
    if (wrong !== undefined) throw wrong
  }
}

/** Whether all objects of the job are available. */
function checkResources(far: Far, account: CloudAccount, request: ProvisionRequest): ProvisionAnswer {
  const at = far.now().getTime()
  const made = makingsOf(far, account, request.jobId)
  const lost = made.find((making) => isGone(far, account, making))
  if (lost)
    throw refusal('resource_not_found', `The result of step ${lost.step} of ${nameOf(request)} no longer exists.`)
  return { status: made.some((making) => making.at > at) ? 'waiting' : 'done' }
}

/** Objects of the job itself, not those on its servers. */
const makingsOf = ({ ledger }: Far, account: CloudAccount, jobId: string): KnownMaking[] =>
  [...ledger.log.makings(account).values()].filter(
    (one) => one.jobId === jobId && one.step !== 'database' && one.step !== 'user',
  )

export function isGone(far: Far, { id }: CloudAccount, { objects, goneAt: taken = Infinity }: KnownMaking): boolean {
  const at = far.now().getTime()
  return taken <= at || objects.some(({ uid }) => goneAt(far.world, far.ledger.log, id, uid) <= at)
}

/** Something that was never created counts as deleted, and a call still in progress no longer creates it. */
export async function unprovision(
  far: Far,
  account: CloudAccount,
  { step, token }: ProvisionRequest,
): Promise<UnprovisionAnswer> {
  const known = () => far.ledger.log.makings(account).get(token)
  const goneAtOf = () => (far.ledger.log.isRetired(account, token) ? 0 : known()?.goneAt)
  return changing<UnprovisionAnswer>(far, {
    call: callOf(`unprovision.${step}`, account, `${token}/gone`),
    lasts: 0,
    found: () => {
      const gone = goneAtOf()
      return gone === undefined ? undefined : unmadeAnswer(gone <= far.now().getTime(), known())
    },
    refused: () => (known() ? refusedAccount(far, account) : undefined),
    make: () => {
      const asked = far.now().getTime()
      const making = known()
      const at = asked + (making && making.at > making.asked ? goingMs : 0)
      const unmade = { token, asked, at }
      return {
        answer: unmadeAnswer(at <= asked, making),
        effect: { orgId: account.orgId, uid: '', unmade, outcome: { status: 'succeeded' } },
      }
    },
  })
}

/** Objects that are not in an inventory are not reported. */
const unmadeAnswer = (isDone: boolean, making: KnownMaking | undefined): UnprovisionAnswer =>
  isDone
    ? { status: 'done', gone: (making?.objects ?? []).flatMap(({ uid, type }) => (type === undefined ? [] : [uid])) }
    : { status: 'waiting' }
