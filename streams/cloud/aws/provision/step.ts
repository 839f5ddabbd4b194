/**
 * Common code of provisioning steps in AWS. Created objects are named and tagged after their job, and found again by
 * the token of the call.
 */
import { Fault } from '#engine/value/fault.ts'
import { cloudFault } from '#streams/cloud/connector.ts'
import type { ProvisionAnswer, ProvisionRequest, UnprovisionAnswer } from '#streams/cloud/provision.ts'
import { isWord } from '#streams/cloud/aws/session/fault.ts'
import type { AwsSession } from '#streams/cloud/aws/session/session.ts'

/** One step of a kind. Both calls may be repeated: existing objects are found, and missing ones count as deleted. */
export interface ProvisionStep {
  make: (session: AwsSession, request: ProvisionRequest) => Promise<ProvisionAnswer>
  /** Missing if the step creates nothing. */
  unmake?: (session: AwsSession, request: ProvisionRequest) => Promise<UnprovisionAnswer>
}

/** Tags of all created objects: the job, and (below) the token of the call that created them. */
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

/** EC2 filter for the objects that the call created. */
export const madeBy = ({ token }: Pick<ProvisionRequest, 'token'>) => [{ Name: `tag:${tokenTag}`, Values: [token] }]

export const text = (value: unknown): string => (typeof value === 'string' ? value : '')
export const count = (value: unknown, otherwise = 0): number => (typeof value === 'number' ? value : otherwise)
export const list = (value: unknown): readonly Record<string, unknown>[] => (Array.isArray(value) ? value : [])

/** A member of an earlier step's output; empty if missing. */
export const readOutput = ({ outputs }: Pick<ProvisionRequest, 'outputs'>, step: string, name: string): string =>
  text(outputs[step]?.[name])

/**
 * A unique name for an object of the job, at most `max` characters: lower-case letters, digits and `-`. It includes a
 * part of the job id, because two jobs may have the same name and AWS names are unique in a region.
 */
export function ownName({ config, jobId }: Pick<ProvisionRequest, 'config' | 'jobId'>, max: number, what = ''): string {
  const end = `${what === '' ? '' : `-${what}`}-${jobId.replaceAll('-', '').slice(-8)}`
  const called = (text(config['name']) || text(config['engine']) || 'tidemark')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
  const start = called.slice(0, max - end.length).replaceAll(/^-+|-+$/g, '') || 't'
  return `${start}${end}`
}

/** Whether the fault means that the object does not exist. */
export const isAbsent = (error: unknown): boolean => error instanceof Fault && error.code === 'not_found'

/** The result of `look`; undefined if the object does not exist. */
export async function ignoreNotFound<T>(look: () => Promise<T>): Promise<T | undefined> {
  try {
    return await look()
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}

/**
 * Deletes something. It counts as deleted if AWS says that it does not exist: `absent` matches the name or text of that
 * error, because an error about another object says nothing about this one.
 */
export async function removeIfPresent(absent: RegExp, take: () => Promise<unknown>): Promise<void> {
  try {
    await take()
  } catch (error) {
    const isGone = isAbsent(error) && (isWord(error, absent) || absent.test((error as Fault).message))
    if (!isGone) throw error
  }
}

/** Whether the deletion is refused because something that is being deleted still uses the object. */
const isHeld = (error: unknown): boolean =>
  error instanceof Fault &&
  /^(DependencyViolation|ResourceInUse(Exception|Fault)?|InvalidGroup\.InUse|DeleteConflict(Exception)?|InvalidDBSubnetGroupStateFault|CacheSubnetGroupInUse|ScalingActivityInProgress(Fault)?|InvalidDBInstanceState(Fault)?|InvalidReplicationGroupState(Fault)?)/.test(
    text(error.detail['word']),
  )

/** As `removeIfPresent`; false if it is still in use. */
export async function tryRemove(absent: RegExp, take: () => Promise<unknown>): Promise<boolean> {
  try {
    await removeIfPresent(absent, take)
    return true
  } catch (error) {
    if (isHeld(error)) return false
    throw error
  }
}

/**
 * For calls that must not be repeated: a second call would create a second object, or be refused because of the first.
 * The next attempt of the step looks for the object first.
 */
export const once = { repeatable: false } as const

export const waiting = { status: 'waiting' } as const

/** For requests that are not supported, thrown before anything is created. */
export const unsupportedFault = (what: string): Fault =>
  cloudFault('system', 'unsupported_provisioning', `${what} is not supported for AWS yet.`)

/** An object with the name or id that this job has not created. */
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

/** A step that checks nothing: the config was already checked against its schema. */
export const nothing: ProvisionStep = { make: async () => ({ status: 'done' }) }
