/** Caches of ElastiCache: groups of replicas, and clusters that stand alone. */
import type { ReplicationGroup } from '@aws-sdk/client-elasticache'
import {
  absent,
  busyFault,
  ignoreNotFound,
  unsupportedFault,
  type ResourceKind,
  type ResourceState,
  type Specs,
} from '#streams/cloud/resource/verb/kind.ts'
import { dropNullish, textIn } from '#streams/cloud/resource/verb/spec.ts'
import type { At, Verbs } from '#streams/cloud/aws/act/kind.ts'
import { isWord } from '#streams/cloud/aws/session/fault.ts'

const isGroup = ({ ref }: At): boolean => ref.resourceUid.includes(':replicationgroup:')

async function groupOf({ session, region, name }: At): Promise<ReplicationGroup | undefined> {
  const filter = { ReplicationGroupId: name }
  const answer = await ignoreNotFound(
    session.ask('elasticache', region, (m) => new m.DescribeReplicationGroupsCommand(filter)),
  )
  return answer?.ReplicationGroups?.[0]
}

const look = (at: At): Promise<ResourceState> => (isGroup(at) ? lookGroup(at) : lookCluster(at))

async function lookGroup(at: At): Promise<ResourceState> {
  const found = await groupOf(at)
  if (!found) return absent
  const members = found.NodeGroups?.[0]?.NodeGroupMembers?.length
  return {
    ...stateOf(found.Status),
    ...dropNullish({ instanceType: found.CacheNodeType }),
    specs: dropNullish({
      engine: (found as { Engine?: string }).Engine,
      replicas_per_shard: members && members - 1,
      multi_az: found.MultiAZ && found.MultiAZ === 'enabled',
    }),
  }
}

async function lookCluster({ session, region, name }: At): Promise<ResourceState> {
  const filter = { CacheClusterId: name }
  const answer = await ignoreNotFound(
    session.ask('elasticache', region, (m) => new m.DescribeCacheClustersCommand(filter)),
  )
  const found = answer?.CacheClusters?.[0]
  if (!found) return absent
  const specs = dropNullish({ engine: found.Engine, node_count: found.NumCacheNodes })
  return { ...stateOf(found.CacheClusterStatus), ...dropNullish({ instanceType: found.CacheNodeType }), specs }
}

const stateOf = (state: string | undefined): ResourceState => ({
  exists: true,
  status: state === 'deleting' ? 'stopping' : state === 'creating' ? 'pending' : 'running',
  isGoing: state === 'deleting',
  isChanging: state === 'modifying',
})

const set: Verbs['set'] = (at, specs) => (isGroup(at) ? setGroup(at, specs) : setCluster(at, specs))

/** AWS makes one change at a time. @throws `busy` of bucket `transient` before the next may be made */
async function setGroup(at: At, specs: Specs): Promise<void> {
  const { session, region, name } = at
  const engine = textIn(specs, 'engine')
  const change = dropNullish({
    CacheNodeType: textIn(specs, 'instance_type'),
    Engine: engine,
    ...(specs['multi_az'] === false && { MultiAZEnabled: false, AutomaticFailoverEnabled: false }),
    ...(specs['multi_az'] === true && { MultiAZEnabled: true, AutomaticFailoverEnabled: true }),
  })
  if (Object.keys(change).length > 0) {
    const order = { ReplicationGroupId: name, ApplyImmediately: true, ...change }
    await session.ask('elasticache', region, (m) => new m.ModifyReplicationGroupCommand(order))
  }
  if (typeof specs['replicas_per_shard'] !== 'number') return
  const order = { ReplicationGroupId: name, NewReplicaCount: specs['replicas_per_shard'], ApplyImmediately: true }
  try {
    await session.ask('elasticache', region, (m) => new m.DecreaseReplicaCountCommand(order))
  } catch (error) {
    throw isWord(error, /^InvalidReplicationGroupState/) ? busyFault(at, 'being changed') : error
  }
}

async function setCluster({ session, region, name, ref }: At, specs: Specs): Promise<void> {
  const CacheNodeType = textIn(specs, 'instance_type')
  if (CacheNodeType === undefined || Object.keys(specs).length > 1)
    throw unsupportedFault(ref, 'changing its replicas or engine')
  const order = { CacheClusterId: name, CacheNodeType, ApplyImmediately: true }
  await session.ask('elasticache', region, (m) => new m.ModifyCacheClusterCommand(order))
}

export const cache: ResourceKind<At> = {
  look,
  sets: ['instance_type', 'engine', 'replicas_per_shard', 'multi_az'],
  set,
  delete: async (at) => {
    const { session, region, name } = at
    if (isGroup(at))
      await session.ask('elasticache', region, (m) => new m.DeleteReplicationGroupCommand({ ReplicationGroupId: name }))
    else await session.ask('elasticache', region, (m) => new m.DeleteCacheClusterCommand({ CacheClusterId: name }))
  },
}
