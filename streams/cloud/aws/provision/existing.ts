/** Servers in RDS that no job has created: where they are, and who may create databases on them. */
import type { DBCluster, DBInstance } from '@aws-sdk/client-rds'
import { Fault } from '#engine/value/fault.ts'
import { cloudFault } from '#streams/cloud/connector.ts'
import { protocolOfEngine, type ProvisionRequest } from '#streams/cloud/provision.ts'
import type { AwsSession } from '#streams/cloud/aws/session/session.ts'
import { goneFault, ignoreNotFound, text, unsupportedFault, waiting, type ProvisionStep } from './step.ts'

type NamedRequest = Pick<ProvisionRequest, 'config' | 'region'>

interface ExistingServer {
  engine: string
  status: string
  host: string | undefined
  port: number | undefined
  isReplica: boolean
  /** The secret that RDS manages. */
  secretArn: string | undefined
}

const ofInstance = (one: DBInstance): ExistingServer => ({
  engine: text(one.Engine),
  status: text(one.DBInstanceStatus),
  host: one.Endpoint?.Address,
  port: one.Endpoint?.Port,
  isReplica: Boolean(one.ReadReplicaSourceDBInstanceIdentifier ?? one.ReadReplicaSourceDBClusterIdentifier),
  secretArn: one.MasterUserSecret?.SecretArn,
})

const ofCluster = (one: DBCluster): ExistingServer => ({
  engine: text(one.Engine),
  status: text(one.Status),
  host: one.Endpoint,
  port: one.Port,
  isReplica: Boolean(one.ReplicationSourceIdentifier),
  secretArn: one.MasterUserSecret?.SecretArn,
})

/** `arn:aws:rds:<region>:<account>:db:<name>`, or `cluster` in place of `db`. Undefined if it does not exist. */
async function find(session: AwsSession, { config, region }: NamedRequest): Promise<ExistingServer | undefined> {
  const [, , service, , , kind, name] = text(config['serverUID']).split(':')
  if (service !== 'rds' || !name) return undefined
  if (kind === 'cluster') {
    const answer = await ignoreNotFound(() =>
      session.ask('rds', region, (m) => new m.DescribeDBClustersCommand({ DBClusterIdentifier: name })),
    )
    return answer?.DBClusters?.map(ofCluster)[0]
  }
  const answer = await ignoreNotFound(() =>
    session.ask('rds', region, (m) => new m.DescribeDBInstancesCommand({ DBInstanceIdentifier: name })),
  )
  return answer?.DBInstances?.map(ofInstance)[0]
}

export const connect: ProvisionStep = {
  make: async (session, request) => {
    const { config, region } = request
    const server = await find(session, request)
    if (!server) throw goneFault(`The server ${text(config['serverUID'])}`)
    const engine = protocolOfEngine(server.engine)
    if (!engine) throw unsupportedFault(`A database on a server of ${server.engine}`)
    if (server.isReplica)
      throw cloudFault('user_action', 'not_a_server', 'The server is a replica, which nothing can be written to.', {
        fixHint: 'Name its source.',
      })
    if (server.status !== 'available') return waiting
    const secretArn = text(config['secretARN']) || server.secretArn
    if (!secretArn) throw missingCredentials
    const { user } = await readAdministrator(session, region, secretArn)
    const { host, port } = server
    return { status: 'done', output: { engine, host, port, user, secretArn, secretRef: secretArn } }
  },
}

export const verify: ProvisionStep = {
  make: async (session, request) => {
    if (!(await find(session, request))) throw goneFault(`The server ${text(request.config['serverUID'])}`)
    return { status: 'done' }
  },
}

/** Nothing of it was requested: it can only be gone. */
export const describe = async (session: AwsSession, request: NamedRequest): Promise<Record<string, unknown> | null> =>
  (await find(session, request)) ? { ...request.config } : null

const missingCredentials = cloudFault(
  'user_action',
  'credentials_missing',
  'RDS does not manage the password of the administrator, and the config names no secret.',
  { fixHint: 'Let RDS manage the password in Secrets Manager, or give secretARN.' },
)

export interface Administrator {
  user: string
  password: string
}

/** As RDS and its rotation store it: JSON with `username` and `password`. @throws a `cloudFault` */
export async function readAdministrator(
  session: AwsSession,
  region: string,
  secretArn: string,
): Promise<Administrator> {
  const { SecretString = '' } = await session
    .ask('secrets-manager', region, (m) => new m.GetSecretValueCommand({ SecretId: secretArn }))
    .catch((error: unknown) => {
      throw isRefused(error) ? unreadable(secretArn, error) : error
    })
  const { username, password } = membersOf(SecretString)
  if (typeof username === 'string' && typeof password === 'string') return { user: username, password }
  throw cloudFault('user_action', 'credentials_missing', `The secret ${secretArn} has no username and password.`, {
    fixHint: 'Store JSON with the members username and password.',
  })
}

/** The error does not contain what was read. */
function membersOf(json: string): Partial<Record<string, unknown>> {
  try {
    const value = JSON.parse(json) as unknown
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

const isRefused = (error: unknown): boolean =>
  error instanceof Fault && ['access_denied', 'permission_missing', 'not_found'].includes(error.code)

const unreadable = (secretArn: string, cause: unknown) =>
  cloudFault(
    'user_action',
    'credentials_missing',
    `The secret ${secretArn} cannot be read: ${Fault.from(cause).message}`,
    { fixHint: 'Allow the role secretsmanager:GetSecretValue for it, and kms:Decrypt if it has a key of its own.' },
    cause,
  )
