import { kubernetesKind } from '#streams/cloud/resource/resource-type.ts'
import { awsAttributes } from './aws.ts'
import { azureAttributes } from './azure.ts'
import { gcpAttributes } from './gcp.ts'
import { kubernetesAttributes, storageClasses } from './kubernetes.ts'
import type { Group } from '#streams/cloud/simulated/world/group.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'

const byType = { ...awsAttributes, ...gcpAttributes, ...azureAttributes }

/** Attributes of a resource that do not depend on its state: those of its type, then those of its group. */
export function attributesOf(group: Group): Record<string, unknown> {
  const kind = kubernetesKind(group.type)
  const told = kind === undefined ? byType[group.type] : kubernetesAttributes[kind]
  return { ...told?.(group), ...storageClasses[group.type], ...group.specs }
}

/** Whether a disk is attached, in one attribute for all clouds besides their own. */
export function attachment(type: string, specs: Readonly<Record<string, unknown>>): { attached?: boolean } {
  if (type === 'gcp-disk') return { attached: specs['user_count'] !== 0 }
  if (type === 'aws-ebs-volume') return { attached: specs['state'] === 'in-use' }
  return type === 'azure-disk' ? { attached: specs['state'] === 'Attached' } : {}
}

const states: Readonly<Record<string, readonly [name: string, on: string, off: string]>> = {
  'azure-vm': ['power_state', 'running', 'deallocated'],
  'azure-aks': ['power_state', 'Running', 'Stopped'],
  'azure-databricks-warehouse': ['state', 'RUNNING', 'STOPPED'],
}

/** Whether set specs start or stop the resource: true if it should run; undefined if they do not concern its state. */
export function switchedBy(type: string, specs: Readonly<Record<string, unknown>>): boolean | undefined {
  const [name = '', on, off] = states[type] ?? []
  if (specs[name] === undefined) return undefined
  if (specs[name] === off) return false
  return specs[name] === on || isStoppedInside(type, 'running', specs) ? true : undefined
}

/** Whether it was shut down from inside, so that its cloud keeps it and charges for it. */
export const isStoppedInside = (
  type: string,
  status: ResourceStatus,
  specs: Readonly<Record<string, unknown>>,
): boolean => type === 'azure-vm' && status === 'running' && specs['power_state'] === 'stopped'

/** Attributes that follow from a resource's state, in its cloud's terms. */
export function stateAttributes(type: string, status: ResourceStatus): Record<string, string> {
  const state = states[type]
  return state ? { [state[0]]: status === 'stopped' ? state[2] : state[1] } : {}
}
