import { kubernetesKind } from '#streams/cloud/resource-type.ts'
import { awsAttributes } from '#streams/cloud/simulated/attributes/aws.ts'
import { azureAttributes } from '#streams/cloud/simulated/attributes/azure.ts'
import { gcpAttributes } from '#streams/cloud/simulated/attributes/gcp.ts'
import { kubernetesAttributes, storageClasses } from '#streams/cloud/simulated/attributes/kubernetes.ts'
import type { Group } from '#streams/cloud/simulated/group.ts'
import type { Status } from '#streams/resource.ts'

const byType = { ...awsAttributes, ...gcpAttributes, ...azureAttributes }

/** What the cloud tells of a resource whatever happens to it: the attributes of its type, then what its group says. */
export function attributesOf(group: Group): Record<string, unknown> {
  const kind = kubernetesKind(group.type)
  const told = kind === undefined ? byType[group.type] : kubernetesAttributes[kind]
  return { ...told?.(group), ...storageClasses[group.type], ...group.specs }
}

/** Whether a disk hangs on a machine, in one word for all clouds beside each one's own. */
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

/** What follows from what a resource is doing, in the words of its cloud. */
export function stateAttributes(type: string, status: Status): Record<string, string> {
  const state = states[type]
  return state ? { [state[0]]: status === 'stopped' ? state[2] : state[1] } : {}
}
