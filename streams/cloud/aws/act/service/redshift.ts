/** Clusters of Redshift. */
import type { ActionOutcome } from '#streams/cloud/connector.ts'
import { statusOf } from '#streams/cloud/resource/status.ts'
import {
  deleting,
  isWord,
  ignoreNotFound,
  requireExisting,
  madeName,
  notThere,
  numberIn,
  setting,
  switching,
  textIn,
  dropNullish,
  type At,
  type ActionHandler,
  type ResourceKind,
  type ResourceState,
} from '#streams/cloud/aws/act/kind.ts'

async function look({ session, region, name }: At): Promise<ResourceState> {
  const filter = { ClusterIdentifier: name }
  const answer = await ignoreNotFound(session.ask('redshift', region, (m) => new m.DescribeClustersCommand(filter)))
  const found = answer?.Clusters?.[0]
  if (!found) return notThere
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

const start = switching(look, 'running', ({ session, region, name }) =>
  session.ask('redshift', region, (m) => new m.ResumeClusterCommand({ ClusterIdentifier: name })),
)
const stop = switching(look, 'stopped', ({ session, region, name }) =>
  session.ask('redshift', region, (m) => new m.PauseClusterCommand({ ClusterIdentifier: name })),
)

const set = setting(look, ({ session, region, name }, specs, { specs: now = {} }) => {
  const NumberOfNodes = numberIn(specs, 'node_count') ?? numberIn(now, 'node_count')
  const change = dropNullish({
    NodeType: textIn(specs, 'node_type') ?? textIn(specs, 'instance_type') ?? textIn(now, 'node_type'),
    NumberOfNodes,
    ClusterType: NumberOfNodes === undefined ? undefined : NumberOfNodes > 1 ? 'multi-node' : 'single-node',
  })
  return session.ask('redshift', region, (m) => new m.ResizeClusterCommand({ ClusterIdentifier: name, ...change }))
})

const snapshot: ActionHandler = async (at, action) => {
  const { session, region, name } = at
  const id = madeName(action)
  const found = await snapshotState(at, id)
  if (found) return found
  await requireExisting({ look }, at)
  const order = { ClusterIdentifier: name, SnapshotIdentifier: id }
  try {
    await session.ask('redshift', region, (m) => new m.CreateClusterSnapshotCommand(order))
  } catch (error) {
    if (!isWord(error, /^ClusterSnapshotAlreadyExists/)) throw error
  }
  return (await snapshotState(at, id)) ?? { status: 'running' }
}

async function snapshotState({ session, region }: At, id: string): Promise<ActionOutcome | undefined> {
  const filter = { SnapshotIdentifier: id }
  const answer = await ignoreNotFound(
    session.ask('redshift', region, (m) => new m.DescribeClusterSnapshotsCommand(filter)),
  )
  const state = answer?.Snapshots?.[0]?.Status
  return state === undefined ? undefined : { status: state === 'available' ? 'succeeded' : 'running' }
}

export const warehouse: ResourceKind = {
  look,
  sets: ['node_type', 'instance_type', 'node_count'],
  acts: {
    start,
    stop,
    set,
    snapshot,
    delete: deleting(look, ({ session, region, name }) =>
      session.ask(
        'redshift',
        region,
        (m) => new m.DeleteClusterCommand({ ClusterIdentifier: name, SkipFinalClusterSnapshot: true }),
      ),
    ),
  },
}
