/** Common code of provisioning steps in Azure: names and tags of what a job creates, and faults. */
import type { Fault } from '#engine/value/fault.ts'
import { cloudFault } from '#streams/cloud/connector.ts'
import type { AzureSession } from '#streams/cloud/azure/session/session.ts'
import type { ProvisionAnswer, ProvisionRequest, UnprovisionAnswer } from '#streams/cloud/provision.ts'

/** One step of a kind. Both calls may be repeated: existing objects are found, and missing ones count as deleted. */
export interface ProvisionStep {
  make: (session: AzureSession, request: ProvisionRequest) => Promise<ProvisionAnswer>
  /** Missing if the step creates nothing. */
  unmake?: (session: AzureSession, request: ProvisionRequest) => Promise<UnprovisionAnswer>
}

/** `tags` are only needed to create something. */
export type NamedRequest = Pick<ProvisionRequest, 'config' | 'jobId' | 'region'> &
  Partial<Pick<ProvisionRequest, 'tags'>>

export type Describer = (session: AzureSession, request: NamedRequest) => Promise<Record<string, unknown> | null>

/** A step that checks nothing: the config was already checked against its schema. */
export const nothing: ProvisionStep = { make: async () => ({ status: 'done' }) }

export const waiting = { status: 'waiting' } as const

/** Tag of all created objects. */
export const jobTag = 'tidemark:job'

/** Maximum tags of one object; one is ours. */
const tagsMax = 50

/** Azure's rules for tags: some characters are not allowed in names, and names that differ in case are the same. */
export function tagsOf({ tags = {}, jobId }: Pick<NamedRequest, 'tags' | 'jobId'>): Record<string, string> {
  const byName = new Map<string, readonly [string, string]>()
  for (const [key, value] of Object.entries(tags)) {
    const name = key.replaceAll(/[<>%&\\?/]/g, '-').slice(0, 512)
    const lower = name.toLowerCase()
    if (!byName.has(lower) && lower !== jobTag) byName.set(lower, [name, value.slice(0, 256)])
  }
  return { ...Object.fromEntries([...byName.values()].slice(0, tagsMax - 1)), [jobTag]: jobId }
}

/**
 * The name of the job's resource group, and of most objects in it. It includes the whole id, because some names are
 * unique in all of Azure.
 */
export const ownName = ({ jobId }: Pick<ProvisionRequest, 'jobId'>): string => `tidemark-${jobId}`

/** For requests that are not supported, thrown before anything is created. */
export const unsupportedFault = (what: string): Fault =>
  cloudFault('system', 'unsupported_provisioning', `${what} is not supported for Azure yet.`)

/** A config that Azure cannot have. */
export const configFault = (message: string): Fault =>
  cloudFault('user_action', 'config_invalid', message, {
    fixHint: 'Delete the job and create a new one with another config.',
  })

export const goneFault = (what: string): Fault =>
  cloudFault('user_action', 'resource_not_found', `${what} no longer exists.`, {
    fixHint: 'Delete the job and create a new one.',
  })
