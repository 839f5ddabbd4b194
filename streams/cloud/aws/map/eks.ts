/** Maps EKS clusters and managed node groups. */
import type { Cluster, Nodegroup } from '@aws-sdk/client-eks'
import { dayMs } from '#engine/value/day.ts'
import type { DiscoveredResource } from '#streams/cloud/connector.ts'
import { machineUsd, unitUsd } from '#streams/cloud/aws/resource/price.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'
import { listOf, resource, timesUsd, timeOf, type Where } from './resource.ts'

/** `supportEnds`: of its version, milliseconds since 1970; undefined if unknown. */
export const kubernetesCluster = (one: Cluster, where: Where, supportEnds?: number): DiscoveredResource[] =>
  resource('aws-eks', one.arn, where, {
    name: one.name,
    tags: one.tags,
    hourlyRateUSD: unitUsd('aws.eks.cluster_hour', where.region),
    specs: {
      created_at: timeOf(one.createdAt),
      state: one.status,
      version: one.version,
      days_to_extended_support: supportEnds === undefined ? undefined : Math.floor((supportEnds - Date.now()) / dayMs),
      endpoint: one.endpoint,
      public_endpoint: one.resourcesVpcConfig?.endpointPublicAccess,
      public_access_cidrs: listOf(one.resourcesVpcConfig?.publicAccessCidrs),
      secrets_encrypted: listOf(one.encryptionConfig).some(({ resources }) => listOf(resources).includes('secrets')),
      logging_types: listOf(one.logging?.clusterLogging)
        .filter(({ enabled }) => enabled)
        .flatMap(({ types }) => listOf(types)),
    },
  })

export function nodeGroup(one: Nodegroup, where: Where, cluster: string | undefined): DiscoveredResource[] {
  const { minSize, maxSize, desiredSize } = one.scalingConfig ?? {}
  const types = listOf(one.instanceTypes)
  const isPriced = types.length === 1 && one.capacityType !== 'SPOT'
  return resource('aws-eks-nodegroup', one.nodegroupArn, where, {
    name: one.nodegroupName,
    status: statusOf(one),
    parentUID: cluster,
    instanceType: types[0],
    unitCount: desiredSize,
    tags: one.tags,
    hourlyRateUSD: isPriced ? timesUsd(machineUsd(types[0], where.region), desiredSize) : undefined,
    specs: {
      created_at: timeOf(one.createdAt),
      state: one.status,
      cluster_name: one.clusterName,
      version: one.version,
      min_size: minSize,
      max_size: maxSize,
      desired: desiredSize,
      capacity_type: one.capacityType,
      ami_type: one.amiType,
      architecture: architectureOf(one.amiType),
      autoscaler_managed: Object.keys(one.tags ?? {}).some((tag) => tag === 'k8s.io/cluster-autoscaler/enabled'),
    },
  })
}

/**
 * `ACTIVE with desired>0=running; ACTIVE with desired=0=stopped`. In other states the direction of a change is unknown.
 */
function statusOf({ status, scalingConfig }: Nodegroup): ResourceStatus {
  if (status !== 'ACTIVE') return 'pending'
  return (scalingConfig?.desiredSize ?? 0) > 0 ? 'running' : 'stopped'
}

/** Undefined for a custom image. */
function architectureOf(ami: string | undefined): string | undefined {
  if (!ami || ami === 'CUSTOM') return undefined
  return /ARM/i.test(ami) ? 'arm64' : 'x86_64'
}
