/** Identifies the machine of a node by the id from its cloud. */
import type { Provider } from '#streams/names.ts'

export interface FoundMachine {
  provider: Provider
  /** As in bills. */
  uid: string
}

/**
 * From `aws:///us-east-1a/i-0a1b`, `gce://project/zone/name`, `azure:///subscriptions/...`.
 * @returns undefined for other ids
 */
export function machineOf(providerID: string): FoundMachine | undefined {
  const [, scheme, path = ''] = /^(aws|gce|azure):\/\/(.+)$/.exec(providerID) ?? []
  if (scheme === undefined || path === '') return undefined
  if (scheme === 'aws') {
    const uid = path.slice(path.lastIndexOf('/') + 1)
    return uid === '' ? undefined : { provider: 'aws', uid }
  }
  if (scheme === 'azure') return { provider: 'azure', uid: path.toLowerCase() }
  const [project, zone, name] = path.split('/')
  return name ? { provider: 'gcp', uid: `projects/${project}/zones/${zone}/instances/${name}` } : undefined
}
