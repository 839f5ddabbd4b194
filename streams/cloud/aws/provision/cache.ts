/** Redis servers in ElastiCache: a replication group, with two nodes if a standby is requested. */
import type { CacheCluster, ReplicationGroup } from '@aws-sdk/client-elasticache'
import { versionOf, type ProvisionRequest } from '#streams/cloud/provision.ts'
import type { AwsSession } from '#streams/cloud/aws/session/session.ts'
import { defaultPlace } from './default-network.ts'
import { newPassword } from './store.ts'
import {
  count,
  ignoreNotFound,
  removeIfPresent,
  goneFault,
  once,
  ownName,
  tryRemove,
  tagsOf,
  text,
  waiting,
  type ProvisionStep,
} from './step.ts'

type NamedRequest = Pick<ProvisionRequest, 'config' | 'jobId' | 'region'>

const subnetsName = (request: Pick<ProvisionRequest, 'config' | 'jobId'>): string => ownName(request, 60, 'subnets')
/** Maximum length of the name: 40 characters. */
const groupName = (request: Pick<ProvisionRequest, 'config' | 'jobId'>): string => ownName(request, 40)

export const subnetGroup: ProvisionStep = {
  make: async (session, request) => {
    const CacheSubnetGroupName = subnetsName(request)
    const known = await ignoreNotFound(() =>
      session.ask(
        'elasticache',
        request.region,
        (m) => new m.DescribeCacheSubnetGroupsCommand({ CacheSubnetGroupName }),
      ),
    )
    if (!known) {
      const { subnetIds } = await defaultPlace(session, request.region)
      await session.ask(
        'elasticache',
        request.region,
        (m) =>
          new m.CreateCacheSubnetGroupCommand({
            CacheSubnetGroupName,
            CacheSubnetGroupDescription: `Of Tidemark job ${request.jobId}`,
            SubnetIds: [...subnetIds],
            Tags: tagsOf(request),
          }),
        once,
      )
    }
    return { status: 'done', output: { name: CacheSubnetGroupName } }
  },
  unmake: async (session, request) => {
    const CacheSubnetGroupName = subnetsName(request)
    const isReleased = await tryRemove(/^CacheSubnetGroupNotFound/, () =>
      session.ask('elasticache', request.region, (m) => new m.DeleteCacheSubnetGroupCommand({ CacheSubnetGroupName })),
    )
    return isReleased ? { status: 'done', gone: [] } : waiting
  },
}

async function groupOf(session: AwsSession, request: NamedRequest): Promise<ReplicationGroup | undefined> {
  const ReplicationGroupId = groupName(request)
  const answer = await ignoreNotFound(() =>
    session.ask('elasticache', request.region, (m) => new m.DescribeReplicationGroupsCommand({ ReplicationGroupId })),
  )
  return answer?.ReplicationGroups?.[0]
}

/** The inventory contains the clusters of the group, not the group. */
async function memberOf(session: AwsSession, request: NamedRequest): Promise<CacheCluster | undefined> {
  const CacheClusterId = (await groupOf(session, request))?.MemberClusters?.[0]
  if (CacheClusterId === undefined) return undefined
  const answer = await ignoreNotFound(() =>
    session.ask('elasticache', request.region, (m) => new m.DescribeCacheClustersCommand({ CacheClusterId })),
  )
  return answer?.CacheClusters?.[0]
}

export const instance: ProvisionStep = {
  make: async (session, request) => {
    const { config, region } = request
    const isPair = config['multiAZ'] === true
    if (!(await groupOf(session, request)))
      await session.ask(
        'elasticache',
        region,
        (m) =>
          new m.CreateReplicationGroupCommand({
            ReplicationGroupId: groupName(request),
            ReplicationGroupDescription: `Of Tidemark job ${request.jobId}`,
            Engine: 'redis',
            EngineVersion: text(config['version']),
            CacheNodeType: text(config['instanceClass']),
            NumCacheClusters: isPair ? 2 : 1,
            AutomaticFailoverEnabled: isPair,
            MultiAZEnabled: isPair,
            CacheSubnetGroupName: subnetsName(request),
            SnapshotRetentionLimit: count(config['backupRetentionDays']),
            AtRestEncryptionEnabled: true,
            TransitEncryptionEnabled: true,
            // A password nobody knows; the next step sets the one that is returned.
            AuthToken: newPassword(),
            Tags: tagsOf(request),
          }),
        once,
      )
    const made = await groupOf(session, request)
    return made ? { status: 'done', output: { serverUid: made.ARN ?? groupName(request) } } : waiting
  },
  unmake: async (session, request) => {
    const known = await groupOf(session, request)
    if (!known) return { status: 'done', gone: [] }
    const ReplicationGroupId = groupName(request)
    if (known.Status !== 'deleting')
      await removeIfPresent(/^ReplicationGroupNotFound/, () =>
        session.ask('elasticache', request.region, (m) => new m.DeleteReplicationGroupCommand({ ReplicationGroupId })),
      )
    const isGone = (await groupOf(session, request)) === undefined
    return isGone ? { status: 'done', gone: [...(known.MemberClusters ?? []), known.ARN ?? ''] } : waiting
  },
}

const endpointOf = ({ NodeGroups = [], ConfigurationEndpoint }: ReplicationGroup) => {
  const { Address: host, Port: port } = NodeGroups[0]?.PrimaryEndpoint ?? ConfigurationEndpoint ?? {}
  return { host, port: port ?? 6379 }
}

export const available: ProvisionStep = {
  make: async (session, request) => {
    const known = await groupOf(session, request)
    if (!known) throw goneFault(`The server ${groupName(request)}`)
    return known.Status === 'available' ? { status: 'done', output: endpointOf(known) } : waiting
  },
}

export const secret: ProvisionStep = {
  make: async (session, request) => {
    const AuthToken = newPassword()
    const ReplicationGroupId = groupName(request)
    const { ReplicationGroup: known } = await session.ask(
      'elasticache',
      request.region,
      (m) =>
        new m.ModifyReplicationGroupCommand({
          ReplicationGroupId,
          AuthToken,
          AuthTokenUpdateStrategy: 'SET',
          ApplyImmediately: true,
        }),
    )
    return { status: 'done', output: { user: 'default', ...endpointOf(known ?? {}) }, secrets: { admin: AuthToken } }
  },
  unmake: async () => ({ status: 'done', gone: [] }),
}

export async function describe(session: AwsSession, request: NamedRequest): Promise<Record<string, unknown> | null> {
  const known = await groupOf(session, request)
  if (!known || known.Status === 'deleting') return null
  const member = await memberOf(session, request)
  const version = text(request.config['version'])
  return {
    ...request.config,
    version: member?.EngineVersion === undefined ? version : versionOf(version, member.EngineVersion),
    instanceClass: known.CacheNodeType ?? request.config['instanceClass'],
    multiAZ: known.MultiAZ === 'enabled',
    backupRetentionDays: known.SnapshotRetentionLimit,
  }
}
