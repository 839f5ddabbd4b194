/** Clusters of EKS and their managed node groups. */
import type { Nodegroup } from '@aws-sdk/client-eks'
import type { CloudAction, Capacity } from '#streams/cloud/connector.ts'
import { partsOf } from '#streams/cloud/aws/resource/uid.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'
import {
  absent,
  busyFault,
  ignoreNotFound,
  type ResourceKind,
  type ResourceState,
} from '#streams/cloud/resource/verb/kind.ts'
import { numberIn } from '#streams/cloud/resource/verb/spec.ts'
import { wholeCounts } from '#streams/cloud/resource/verb/units.ts'
import type { At, Verbs } from '#streams/cloud/aws/act/kind.ts'
import { isWord } from '#streams/cloud/aws/session/fault.ts'

export async function clusterOf({ session, region, name }: At) {
  const answer = await ignoreNotFound(session.ask('eks', region, (m) => new m.DescribeClusterCommand({ name })))
  return answer?.cluster
}

async function lookCluster(at: At): Promise<ResourceState> {
  const cluster = await clusterOf(at)
  if (!cluster) return absent
  const isGoing = cluster.status === 'DELETING'
  const version = cluster.version
  return { exists: true, status: isGoing ? 'stopping' : 'running', ...(version && { specs: { version } }), isGoing }
}

/** AWS deletes no cluster that has node groups: it says so. */
export const cluster: ResourceKind<At> = {
  look: lookCluster,
  delete: ({ session, region, name }) => session.ask('eks', region, (m) => new m.DeleteClusterCommand({ name })),
}

/** `<cluster>/<name>/<an id of AWS's own>` */
function nodegroupOf({ ref }: At): { clusterName: string; nodegroupName: string } {
  const [clusterName = '', nodegroupName = ''] = partsOf(ref.resourceUid)
  return { clusterName, nodegroupName }
}

async function look(at: At): Promise<ResourceState> {
  const answer = await ignoreNotFound(
    at.session.ask('eks', at.region, (m) => new m.DescribeNodegroupCommand(nodegroupOf(at))),
  )
  const group = answer?.nodegroup
  if (!group) return absent
  const { minSize: min = 0, maxSize: max = 0, desiredSize: desired = 0 } = group.scalingConfig ?? {}
  return {
    exists: true,
    status: statusOf(group, desired),
    capacity: { min, max, desired },
    specs: {
      min_size: min,
      max_size: max,
      desired,
      ...(group.capacityType && { capacity_type: group.capacityType }),
    },
    isGoing: group.status === 'DELETING',
  }
}

function statusOf({ status }: Nodegroup, desired: number): ResourceStatus {
  if (status === 'CREATING') return 'pending'
  if (status === 'DELETING') return 'stopping'
  if (status === 'UPDATING') return desired > 0 ? 'starting' : 'stopping'
  return desired > 0 ? 'running' : 'stopped'
}

/** @throws `busy` of bucket `transient` while the group is being changed: AWS makes one change at a time */
async function resizeNodegroup(at: At, { min, max, desired }: Capacity, { id }: CloudAction): Promise<void> {
  const scalingConfig = { minSize: min, maxSize: max, desiredSize: desired }
  const order = { ...nodegroupOf(at), scalingConfig, clientRequestToken: id.slice(0, 64) }
  try {
    await at.session.ask('eks', at.region, (m) => new m.UpdateNodegroupConfigCommand(order))
  } catch (error) {
    if (!isWord(error, /^ResourceInUseException$/)) throw error
    throw busyFault(at, 'being changed')
  }
}

const set: Verbs['set'] = (at, specs, { capacity }, action) => {
  const { min, max, desired } = capacity!
  const to = {
    min: numberIn(specs, 'min_size') ?? min,
    max: numberIn(specs, 'max_size') ?? max,
    desired: numberIn(specs, 'desired') ?? desired,
  }
  return resizeNodegroup(at, to, action)
}

export const nodeGroup: ResourceKind<At> = {
  look,
  sets: ['min_size', 'max_size', 'desired'],
  scale: wholeCounts((at, to, _, action) => resizeNodegroup(at, to, action)),
  set,
  delete: (at) => at.session.ask('eks', at.region, (m) => new m.DeleteNodegroupCommand(nodegroupOf(at))),
}
