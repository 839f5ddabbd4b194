/** Database servers in RDS: subnet group, server, password. */
import { randomBytes } from 'node:crypto'
import type { DBInstance } from '@aws-sdk/client-rds'
import { versionOf, type ProvisionRequest } from '#streams/cloud/provision.ts'
import type { AwsSession } from '#streams/cloud/aws/session/session.ts'
import { defaultPlace } from './default-network.ts'
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

const user = 'tidemark_admin'
/** 48 letters and digits, which all engines accept. */
export const newPassword = (): string => randomBytes(24).toString('hex')

const subnetsName = (request: Pick<ProvisionRequest, 'config' | 'jobId'>): string => ownName(request, 60, 'subnets')
const serverName = (request: Pick<ProvisionRequest, 'config' | 'jobId'>): string => ownName(request, 60)

const isThere = async (session: AwsSession, request: NamedRequest): Promise<boolean> => {
  const DBSubnetGroupName = subnetsName(request)
  return (
    (await ignoreNotFound(() =>
      session.ask('rds', request.region, (m) => new m.DescribeDBSubnetGroupsCommand({ DBSubnetGroupName })),
    )) !== undefined
  )
}

export const subnetGroup: ProvisionStep = {
  make: async (session, request) => {
    const DBSubnetGroupName = subnetsName(request)
    if (!(await isThere(session, request))) {
      const { subnetIds } = await defaultPlace(session, request.region)
      await session.ask(
        'rds',
        request.region,
        (m) =>
          new m.CreateDBSubnetGroupCommand({
            DBSubnetGroupName,
            DBSubnetGroupDescription: `Of Tidemark job ${request.jobId}`,
            SubnetIds: [...subnetIds],
            Tags: tagsOf(request),
          }),
        once,
      )
    }
    return { status: 'done', output: { name: DBSubnetGroupName } }
  },
  unmake: async (session, request) => {
    const DBSubnetGroupName = subnetsName(request)
    const isReleased = await tryRemove(/^DBSubnetGroupNotFound/, () =>
      session.ask('rds', request.region, (m) => new m.DeleteDBSubnetGroupCommand({ DBSubnetGroupName })),
    )
    return isReleased ? { status: 'done', gone: [] } : waiting
  },
}

async function serverOf(session: AwsSession, request: NamedRequest): Promise<DBInstance | undefined> {
  const DBInstanceIdentifier = serverName(request)
  const answer = await ignoreNotFound(() =>
    session.ask('rds', request.region, (m) => new m.DescribeDBInstancesCommand({ DBInstanceIdentifier })),
  )
  return answer?.DBInstances?.[0]
}

export const instance: ProvisionStep = {
  make: async (session, request) => {
    const { config, region } = request
    if (!(await serverOf(session, request)))
      await session.ask(
        'rds',
        region,
        (m) =>
          new m.CreateDBInstanceCommand({
            DBInstanceIdentifier: serverName(request),
            DBInstanceClass: text(config['instanceClass']),
            Engine: text(config['engine']),
            EngineVersion: text(config['version']),
            AllocatedStorage: count(config['allocatedStorageGB']),
            StorageType: 'gp3',
            StorageEncrypted: true,
            MultiAZ: config['multiAZ'] === true,
            BackupRetentionPeriod: count(config['backupRetentionDays']),
            DBSubnetGroupName: subnetsName(request),
            PubliclyAccessible: false,
            MasterUsername: user,
            // A password nobody knows; the next step sets the one that is returned.
            MasterUserPassword: newPassword(),
            CopyTagsToSnapshot: true,
            Tags: tagsOf(request),
          }),
        // The name must be unique: a second request is refused, and the next look finds the object.
        once,
      )
    const made = await serverOf(session, request)
    return made ? { status: 'done', output: { serverUid: made.DBInstanceArn } } : waiting
  },
  unmake: async (session, request) => {
    const known = await serverOf(session, request)
    if (!known) return { status: 'done', gone: [] }
    const DBInstanceIdentifier = serverName(request)
    if (known.DBInstanceStatus !== 'deleting')
      await removeIfPresent(/^DBInstanceNotFound/, () =>
        session.ask(
          'rds',
          request.region,
          (m) => new m.DeleteDBInstanceCommand({ DBInstanceIdentifier, SkipFinalSnapshot: true }),
        ),
      )
    const isGone = (await serverOf(session, request)) === undefined
    return isGone ? { status: 'done', gone: [known.DBInstanceArn ?? ''] } : waiting
  },
}

const endpointOf = ({ Endpoint }: DBInstance) => ({ host: Endpoint?.Address, port: Endpoint?.Port })

export const available: ProvisionStep = {
  make: async (session, request) => {
    const known = await serverOf(session, request)
    if (!known) throw goneFault(`The server ${serverName(request)}`)
    const isReady = known.DBInstanceStatus === 'available' && known.Endpoint?.Address !== undefined
    return isReady ? { status: 'done', output: endpointOf(known) } : waiting
  },
}

/** Each call sets a new password and returns it, so of two answers the later one is valid. */
export const secret: ProvisionStep = {
  make: async (session, request) => {
    const MasterUserPassword = newPassword()
    const { DBInstance: known } = await session.ask(
      'rds',
      request.region,
      (m) =>
        new m.ModifyDBInstanceCommand({
          DBInstanceIdentifier: serverName(request),
          MasterUserPassword,
          ApplyImmediately: true,
        }),
    )
    return { status: 'done', output: { user, ...endpointOf(known ?? {}) }, secrets: { admin: MasterUserPassword } }
  },
  unmake: async () => ({ status: 'done', gone: [] }),
}

export async function describe(session: AwsSession, request: NamedRequest): Promise<Record<string, unknown> | null> {
  const known = await serverOf(session, request)
  if (!known || known.DBInstanceStatus === 'deleting') return null
  return {
    ...request.config,
    version: versionOf(text(request.config['version']), known.EngineVersion ?? ''),
    instanceClass: known.DBInstanceClass,
    allocatedStorageGB: known.AllocatedStorage,
    multiAZ: known.MultiAZ,
    backupRetentionDays: known.BackupRetentionPeriod,
  }
}
