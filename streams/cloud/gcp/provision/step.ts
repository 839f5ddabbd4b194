/** Common code of provisioning steps in Google Cloud: names and labels of what a job creates, and faults. */
import type { Fault } from '#engine/value/fault.ts'
import { cloudFault } from '#streams/cloud/connector.ts'
import type { GcpSession } from '#streams/cloud/gcp/session/session.ts'
import { memberOf, textAt, type Json } from '#streams/cloud/kubernetes/api/json-access.ts'
import type { ProvisionAnswer, ProvisionRequest, UnprovisionAnswer } from '#streams/cloud/provision.ts'

/** One step of a kind. Both calls may be repeated: existing objects are found, and missing ones count as deleted. */
export interface ProvisionStep {
  make: (session: GcpSession, request: ProvisionRequest) => Promise<ProvisionAnswer>
  /** Missing if the step creates nothing, or what it creates is deleted with an earlier step. */
  unmake?: (session: GcpSession, request: ProvisionRequest) => Promise<UnprovisionAnswer>
}

export type NamedRequest = Pick<ProvisionRequest, 'config' | 'jobId' | 'region'>

export type Describer = (session: GcpSession, request: NamedRequest) => Promise<Record<string, unknown> | null>

/** A step that checks nothing: the config was already checked against its schema. */
export const nothing: ProvisionStep = { make: async () => ({ status: 'done' }) }

export const waiting = { status: 'waiting' } as const

/** Label of all created objects that can have labels. */
const jobLabel = 'tidemark-job'

/** Description of the others. */
export const markOf = ({ jobId }: Pick<ProvisionRequest, 'jobId'>): string => `Tidemark job ${jobId}`

/** Where the several services keep the labels of an object. */
const labelPaths = [['labels'], ['resourceLabels'], ['settings', 'userLabels'], ['config', 'resourceLabels']]

/** Whether the job created the object. */
export const isOwned = (found: Json, request: Pick<ProvisionRequest, 'jobId'>): boolean =>
  textAt(found, 'description') === markOf(request) ||
  labelPaths.some((path) => textAt(memberOf(found, ...path), jobLabel) === request.jobId)

/** Maximum labels of one object; one is ours. */
const labelsMax = 63

/** Google's rules for labels: lower case, 63 characters, keys that start with a letter. */
export function labelsOf({ tags, jobId }: Pick<ProvisionRequest, 'tags' | 'jobId'>): Record<string, string> {
  const own = Object.entries(tags)
    .slice(0, labelsMax)
    .map(([key, value]) => [labelText(key).replace(/^[^a-z]+/, '') || 'tag', labelText(value)] as const)
  return { ...Object.fromEntries(own), [jobLabel]: jobId }
}

const labelText = (value: string): string =>
  value
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .slice(0, 63)

/**
 * A unique name for an object of the job: at most 37 characters if `part` has at most 15, lower-case letters, digits and
 * `-`. It includes a part of the job id, because names are unique in a project.
 */
export const ownName = ({ jobId }: Pick<ProvisionRequest, 'jobId'>, part = ''): string =>
  `tidemark-${jobId.replaceAll('-', '').slice(-12)}${part === '' ? '' : `-${part}`}`

/** For requests that are not supported, thrown before anything is created. */
export const unsupportedFault = (what: string): Fault =>
  cloudFault('system', 'unsupported_provisioning', `${what} is not supported for Google Cloud yet.`)

/** A config that Google Cloud cannot have. */
export const configFault = (message: string): Fault =>
  cloudFault('user_action', 'config_invalid', message, {
    fixHint: 'Delete the job and create a new one with another config.',
  })

/** An object with the name that this job has not created. */
export const nameTakenFault = (name: string): Fault =>
  cloudFault(
    'user_action',
    'already_exists',
    `Google Cloud already has a resource named ${name}, which this job did not create.`,
    { fixHint: 'Delete that resource, or delete the job and create a new one.' },
  )

export const goneFault = (what: string): Fault =>
  cloudFault('user_action', 'resource_not_found', `${what} no longer exists.`, {
    fixHint: 'Delete the job and create a new one.',
  })
