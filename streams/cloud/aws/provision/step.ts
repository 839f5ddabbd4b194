/** What steps of provisioning at AWS have in common: what is made is named and tagged by its job, and found again by its token. */
import { Fault } from '#engine/value/fault.ts'
import { cloudFault } from '#streams/cloud/connector.ts'
import type { ProvisionAnswer, ProvisionRequest, UnprovisionAnswer } from '#streams/cloud/provision.ts'
import type { AwsSession } from '#streams/cloud/aws/session/session.ts'

/** One step of a kind. Both calls may come twice: what is there already is found, what is gone is done. */
export interface ProvisionStep {
  make: (session: AwsSession, request: ProvisionRequest) => Promise<ProvisionAnswer>
  /** Left out where it makes nothing. */
  unmake?: (session: AwsSession, request: ProvisionRequest) => Promise<UnprovisionAnswer>
}

/** Tags of everything that is made: its job, and what call has made it. */
export const jobTag = 'tidemark:job'
const tokenTag = 'tidemark:token'

export interface Tag {
  Key: string
  Value: string
}

export const tagsOf = ({ tags, jobId, token }: ProvisionRequest): Tag[] =>
  Object.entries({ ...tags, [jobTag]: jobId, [tokenTag]: token }).map(([Key, Value]) => ({ Key, Value }))

export const tagMapOf = (request: ProvisionRequest): Record<string, string> =>
  Object.fromEntries(tagsOf(request).map(({ Key, Value }) => [Key, Value]))

/** What EC2 is asked with for what the call has made. */
export const madeBy = ({ token }: Pick<ProvisionRequest, 'token'>) => [{ Name: `tag:${tokenTag}`, Values: [token] }]

export const text = (value: unknown): string => (typeof value === 'string' ? value : '')
export const count = (value: unknown, otherwise = 0): number => (typeof value === 'number' ? value : otherwise)
export const list = (value: unknown): readonly Record<string, unknown>[] => (Array.isArray(value) ? value : [])

/** What the step of the job before told of it. */
export const readOutput = ({ outputs }: Pick<ProvisionRequest, 'outputs'>, step: string, name: string): string =>
  text(outputs[step]?.[name])

/**
 * A name of its own for what the job makes, of small letters, digits and `-`, `max` characters at most: two jobs may be called alike,
 * and names of AWS are one's own in a region.
 */
export function ownName({ config, jobId }: Pick<ProvisionRequest, 'config' | 'jobId'>, max: number, what = ''): string {
  const end = `${what === '' ? '' : `-${what}`}-${jobId.replaceAll('-', '').slice(-8)}`
  const called = (text(config['name']) || text(config['engine']) || 'tidemark')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
  const start = called.slice(0, max - end.length).replaceAll(/^-+|-+$/g, '') || 't'
  return `${start}${end}`
}

/** Whether a fault says that there is no such thing. */
export const isAbsent = (error: unknown): boolean => error instanceof Fault && error.code === 'not_found'

/** What `look` finds; undefined where the cloud says that there is no such thing. */
export async function ignoreNotFound<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look()
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}

/** Takes something away; what is gone already is. */
export async function removeIfPresent(take: () => Promise<unknown>): Promise<void> {
  await ignoreNotFound(take)
}

/** Whether it is held by something that is being taken away: it can be in a while. */
const isHeld = (error: unknown): boolean =>
  error instanceof Fault &&
  /^(DependencyViolation|ResourceInUse(Exception|Fault)?|InvalidGroup\.InUse|DeleteConflict(Exception)?|InvalidDBSubnetGroupStateFault|CacheSubnetGroupInUse|ScalingActivityInProgress(Fault)?|InvalidDBInstanceState(Fault)?|InvalidReplicationGroupState(Fault)?)/.test(
    text(error.detail['word']),
  )

/** Takes something away as soon as nothing holds it: false where something does. */
export async function tryRemove(take: () => Promise<unknown>): Promise<boolean> {
  try {
    await removeIfPresent(take)
    return true
  } catch (error) {
    if (isHeld(error)) return false
    throw error
  }
}

/** Asked again it would be a second one, or be refused for the first: the next try of the step looks before it asks. */
export const once = { repeatable: false } as const

export const waiting = { status: 'waiting' } as const

/** What the config asks for and AWS cannot be asked for yet: said before anything is made. */
export const unsupportedFault = (what: string): Fault =>
  cloudFault('system', 'unsupported_provisioning', `${what} is not supported for AWS yet.`)

/** Something under the name, or of the id, that this job has not made. */
export const nameTakenFault = (name: string): Fault =>
  cloudFault(
    'user_action',
    'already_exists',
    `AWS already has a resource named ${name}, which this job did not create.`,
    {
      fixHint: 'Choose another name.',
    },
  )

export const goneFault = (what: string): Fault =>
  cloudFault('user_action', 'resource_not_found', `${what} no longer exists.`, {
    fixHint: 'Delete the job and create a new one.',
  })

/** Nothing is looked at: what is asked for was checked by the schema of its kind. */
export const nothing: ProvisionStep = { make: async () => ({ status: 'done' }) }
