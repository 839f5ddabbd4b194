/** Native scaling policies of Google Cloud, one autoscaler per instance group; and how far a group may grow. */
import { Region, Template, type Autoscaler } from './answer/compute.ts'
import { goneFault, unsupportedFault } from '#streams/cloud/resource/verb/kind.ts'
import { atOf, type At } from './act/kind.ts'
import { applyChange, got } from './act/compute.ts'
import { lookGroup, scalersOf, type FoundGroup } from './act/mig.ts'
import { namedGce } from '#streams/cloud/reference/gcp/sizes.ts'
import { isOn } from './map/compute.ts'
import { lastOf, partsOf, pathIn, pathOf, regionIn } from './resource-path.ts'
import { sizes } from './price.ts'
import { openGcp } from '#streams/cloud/gcp/session/session.ts'
import type { GcpOptions } from '#streams/cloud/gcp/session/token.ts'
import type { CloudAccount, NativePolicy, Quotas, Replacement, ResourceRef } from '#streams/cloud/connector.ts'

/** Mark in the description of our autoscalers; the name is that of the group, which has only one autoscaler. */
const ours = 'tidemark: '

async function groupAt(
  options: GcpOptions,
  account: CloudAccount,
  ref: ResourceRef,
): Promise<{ at: At; group: FoundGroup | undefined }> {
  const at = atOf(openGcp(account, options), ref)
  const found = await lookGroup(at)
  return { at, group: found.exists ? (found as FoundGroup) : undefined }
}

/** Each metric of an autoscaler is a policy, named after the metric. */
export async function policies(
  options: GcpOptions,
  account: CloudAccount,
  ref: ResourceRef,
): Promise<readonly NativePolicy[]> {
  if (ref.type !== 'gcp-mig') return []
  const { group } = await groupAt(options, account, ref)
  return group?.autoscaler ? policiesIn(group.autoscaler) : []
}

function policiesIn({ name, description = '', autoscalingPolicy: policy = {} }: Autoscaler): NativePolicy[] {
  if (!isOn(policy.mode)) return []
  const isOurs = description.startsWith(ours)
  const base = {
    policyName: isOurs ? description.slice(ours.length) : name,
    managedBy: isOurs ? ('tidemark' as const) : ('customer' as const),
  }
  const share = (metric: string, target: number | undefined) =>
    target === undefined ? [] : [{ ...base, metric, target: Number((target * 100).toFixed(6)) }]
  return [
    ...share('cpu_percent', policy.cpuUtilization?.utilizationTarget),
    ...share('loadBalancingUtilization', policy.loadBalancingUtilization?.utilizationTarget),
    ...(policy.customMetricUtilizations ?? []).map(({ metric = '', utilizationTarget, singleInstanceAssignment }) => ({
      ...base,
      metric,
      target: utilizationTarget ?? singleInstanceAssignment ?? 0,
    })),
  ]
}

/** Bounds for a group that has none yet. */
const boundsAnew = ({ capacity: { desired } }: FoundGroup) => ({
  minNumReplicas: Math.min(1, desired),
  maxNumReplicas: Math.max(1, desired),
})

/** Changes the existing autoscaler to ours with one call, or creates one. Its bounds stay. */
export async function replacePolicies(
  options: GcpOptions,
  account: CloudAccount,
  ref: ResourceRef,
  { policyName, metric, target }: Replacement,
): Promise<void> {
  if (ref.type !== 'gcp-mig' || metric !== 'cpu_percent') throw unsupportedFault(ref, `scaling policies for ${metric}`)
  if (!(target > 0 && target <= 100)) throw unsupportedFault(ref, `a target utilization of ${target} percent`)
  const { at, group } = await groupAt(options, account, ref)
  if (!group) throw goneFault(at)
  const old = group.autoscaler
  const { minNumReplicas, maxNumReplicas } = old?.autoscalingPolicy ?? boundsAnew(group)
  const body = {
    name: old?.name ?? lastOf(ref.resourceUid),
    description: `${ours}${policyName}`,
    target: pathOf(ref.resourceUid),
    autoscalingPolicy: {
      mode: 'ON',
      minNumReplicas,
      maxNumReplicas,
      cpuUtilization: { utilizationTarget: target / 100 },
    },
  }
  const path = scalersOf(at)
  // PUT, not PATCH, so that other metrics of the autoscaler are removed.
  if (old)
    await applyChange(at, {
      path,
      method: 'PUT',
      query: { autoscaler: old.name },
      body,
      permission: 'compute.autoscalers.update',
    })
  else await applyChange(at, { path, body, permission: 'compute.autoscalers.create' })
}

/** Machines for which the region's quota of processors has room, plus the existing ones. */
export async function quotas(options: GcpOptions, account: CloudAccount, ref: ResourceRef): Promise<Quotas> {
  if (ref.type !== 'gcp-mig') return {}
  const { at, group } = await groupAt(options, account, ref)
  const size = group && (ref.instanceType ?? (await sizeOf(at, group)))
  const vcpus = sizes().get(size ?? '')?.vcpus
  if (!group || !size || !vcpus) return {}
  const free = await freeIn(at, quotaOf(size))
  return free === undefined ? {} : { max: group.capacity.desired + Math.floor(free / vcpus) }
}

/** Undefined if the resource's region has no such quota. */
async function freeIn(at: At, name: string): Promise<number | undefined> {
  const { projects, zones, regions } = partsOf(at.ref.resourceUid, 'projects')
  const path = `/projects/${projects}/regions/${regionIn(zones ?? regions)}`
  const region = await got(at, path, 'compute.regions.get', Region)
  const { limit, usage = 0 } = region?.quotas?.find(({ metric }) => metric === name) ?? {}
  return limit === undefined ? undefined : Math.max(0, limit - usage)
}

async function sizeOf(at: At, { group }: FoundGroup): Promise<string | undefined> {
  const path = pathIn(group.instanceTemplate)
  const template = path && (await got(at, `/${path}`, 'compute.instanceTemplates.get', Template))
  return template ? lastOf(template.properties?.machineType) || undefined : undefined
}

/** The oldest families share one quota; each newer one has its own. */
function quotaOf(size: string): string {
  const family = namedGce(size)?.family ?? ''
  return ['', 'e2', 'f1', 'g1', 'n1', 't2d', 't2a'].includes(family) ? 'CPUS' : `${family.toUpperCase()}_CPUS`
}
