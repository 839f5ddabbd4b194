/** Clusters of Redshift. */
import { statusOf } from '#streams/cloud/resource/status.ts'
import {
  absent,
  ignoreNotFound,
  snapshotProgress,
  type ResourceKind,
  type ResourceState,
} from '#streams/cloud/resource/verb/kind.ts'
import { dropNullish, numberIn, textIn } from '#streams/cloud/resource/verb/spec.ts'
import type { At, Verbs } from '#streams/cloud/aws/act/kind.ts'

async function look({ session, region, name }: At): Promise<ResourceState> {
  const filter = { ClusterIdentifier: name }
  const answer = await ignoreNotFound(session.ask('redshift', region, (m) => new m.DescribeClustersCommand(filter)))
  const found = answer?.Clusters?.[0]
  if (!found) return absent
  const state = found.ClusterStatus
  const pending = found.PendingModifiedValues ?? {}
  return {
    exists: true,
    ...dropNullish({ status: statusIn(state), instanceType: found.NodeType }),
    specs: dropNullish({
      node_type: found.NodeType,
      node_count: found.NumberOfNodes,
      publicly_accessible: found.PubliclyAccessible,
    }),
    coming: dropNullish({ node_type: pending.NodeType, node_count: pending.NumberOfNodes }),
    isGoing: state === 'deleting',
  }
}

/** `available, <what else is done to it>` too. */
function statusIn(state: string | undefined) {
  if (state === 'deleting' || state === 'final-snapshot') return 'stopping'
  if (state === 'modifying' || state === 'resizing' || state === 'rebooting' || state === 'renaming') return 'running'
  return statusOf('aws-redshift', state?.split(',')[0])
}

const set: Verbs['set'] = ({ session, region, name }, specs, { specs: now = {} }) => {
  const NumberOfNodes = numberIn(specs, 'node_count') ?? numberIn(now, 'node_count')
  const change = dropNullish({
    NodeType: textIn(specs, 'node_type') ?? textIn(specs, 'instance_type') ?? textIn(now, 'node_type'),
    NumberOfNodes,
    ClusterType: NumberOfNodes === undefined ? undefined : NumberOfNodes > 1 ? 'multi-node' : 'single-node',
  })
  return session.ask('redshift', region, (m) => new m.ResizeClusterCommand({ ClusterIdentifier: name, ...change }))
}

const snapshot: Verbs['snapshot'] = {
  find: async ({ session, region }, name) => {
    const filter = { SnapshotIdentifier: name }
    const answer = await ignoreNotFound(
      session.ask('redshift', region, (m) => new m.DescribeClusterSnapshotsCommand(filter)),
    )
    return snapshotProgress(name, answer?.Snapshots?.[0]?.Status)
  },
  create: ({ session, region, name }, id) => {
    const order = { ClusterIdentifier: name, SnapshotIdentifier: id }
    return session.ask('redshift', region, (m) => new m.CreateClusterSnapshotCommand(order))
  },
}

export const warehouse: ResourceKind<At> = {
  look,
  sets: ['node_type', 'instance_type', 'node_count'],
  start: ({ session, region, name }) =>
    session.ask('redshift', region, (m) => new m.ResumeClusterCommand({ ClusterIdentifier: name })),
  stop: ({ session, region, name }) =>
    session.ask('redshift', region, (m) => new m.PauseClusterCommand({ ClusterIdentifier: name })),
  set,
  snapshot,
  delete: ({ session, region, name }) =>
    session.ask(
      'redshift',
      region,
      (m) => new m.DeleteClusterCommand({ ClusterIdentifier: name, SkipFinalClusterSnapshot: true }),
    ),
}
