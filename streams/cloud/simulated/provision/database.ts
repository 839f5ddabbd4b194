/** Databases on provisioned servers in the simulated cloud: each is an object in the state, and so is its owner. */
import { cloudFault, type CloudAccount } from '#streams/cloud/connector.ts'
import type { DatabaseRequest } from '#streams/cloud/provision.ts'
import type { KnownMaking, Making } from '#streams/cloud/simulated/action/log.ts'
import { changing } from '#streams/cloud/simulated/state/change-once.ts'
import type { Far } from '#streams/cloud/simulated/state/cloud-state.ts'
import { refusal, type CallName } from '#streams/cloud/simulated/state/faults.ts'
import { hex } from '#streams/cloud/simulated/world/prng.ts'
import { isUnmade } from '#streams/cloud/simulated/state/ledger.ts'
import { callOf, isGone, refusedToken } from './provision.ts'

interface Part {
  call: CallName
  step: 'database' | 'user'
  token: string
  name: string
}

const partsOf = ({ name, owner, token }: DatabaseRequest) => ({
  user: { step: 'user', token: `${token}/user`, name: owner } as const,
  database: { step: 'database', token, name } as const,
})

/** Creates the owner first, then the database. */
export async function createDatabase(
  far: Far,
  account: CloudAccount,
  request: DatabaseRequest,
): Promise<{ secrets: Record<string, string> }> {
  const { user, database } = partsOf(request)
  await create(far, account, request, { ...user, call: 'createUser' })
  await create(far, account, request, { ...database, call: 'createDatabase' })
  return { secrets: { [request.owner]: `sim-${hex(32, far.world.seed, account.id, user.token, 'secret')}` } }
}

function create(far: Far, account: CloudAccount, request: DatabaseRequest, part: Part): Promise<object> {
  const { call, step, token, name } = part
  return changing<object>(far, {
    call: callOf(call, account, token),
    lasts: 0,
    found: () => makings(far, account).find((one) => one.token === token),
    refused: () => refusedToken(far, account, token) ?? findRefusal(far, account, request, part),
    make: () => {
      const asked = far.now().getTime()
      const { jobId, region } = request
      const objects = [{ name, uid: `${jobId}/${step}/${name}` }]
      const made: Making = { token, jobId, step, region, asked, at: asked, objects, tags: {}, output: {} }
      return { answer: made, effect: { orgId: account.orgId, uid: '', made, outcome: { status: 'succeeded' } } }
    },
  })
}

const makings = ({ ledger }: Far, account: CloudAccount): KnownMaking[] => [...ledger.log.makings(account).values()]

/** Refused if the server does not exist, or already has a database of the name. */
function findRefusal(far: Far, account: CloudAccount, { jobId }: DatabaseRequest, { step, name }: Part): unknown {
  const ofJob = makings(far, account).filter((one) => one.jobId === jobId)
  const server = ofJob.find((one) => one.step === 'instance' || one.step === 'connect')
  if (!server || isGone(far, account, server)) return refusal('resource_not_found', 'The server no longer exists.')
  const isTaken = ofJob.some((one) => one.step === step && one.goneAt === undefined && one.objects[0]?.name === name)
  return isTaken
    ? cloudFault('user_action', 'already_exists', `The server already has a ${step} named ${name}.`, {
        fixHint: 'Choose another name.',
      })
    : undefined
}

/** Deletes the database, then the owner. */
export async function dropDatabase(far: Far, account: CloudAccount, request: DatabaseRequest): Promise<void> {
  const { user, database } = partsOf(request)
  await drop(far, account, { ...database, call: 'dropDatabase' })
  await drop(far, account, { ...user, call: 'revokeUser' })
}

async function drop(far: Far, account: CloudAccount, { call, token }: Part): Promise<void> {
  const isGoneBy = (): boolean => isUnmade(far.ledger.log, account, token)
  await changing<object>(far, {
    call: callOf(call, account, `${token}/gone`),
    lasts: 0,
    found: () => (isGoneBy() ? {} : undefined),
    refused: () => undefined,
    make: () => {
      const asked = far.now().getTime()
      return {
        answer: {},
        effect: {
          orgId: account.orgId,
          uid: '',
          unmade: { token, asked, at: asked },
          outcome: { status: 'succeeded' },
        },
      }
    },
  })
}
