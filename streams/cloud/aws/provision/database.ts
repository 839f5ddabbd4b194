/** Databases with owners on servers in RDS, by the wire protocol: RDS itself has no call for them. */
import { Fault } from '#engine/value/fault.ts'
import { cloudFault, type CloudAccount } from '#streams/cloud/connector.ts'
import { protocolOfEngine, type DatabaseRequest } from '#streams/cloud/provision.ts'
import { createMysqlDatabase, dropMysqlDatabase } from '#streams/cloud/aws/database/mysql-database.ts'
import { createPostgresDatabase, dropPostgresDatabase } from '#streams/cloud/aws/database/postgres-database.ts'
import type { DatabaseServer } from '#streams/cloud/aws/database/server.ts'
import { openAws } from '#streams/cloud/aws/session/open.ts'
import type { AwsOptions } from '#streams/cloud/aws/session/session.ts'
import type { OutsideConnection } from '#streams/delivery/outbound-socket.ts'
import { fetchOutside } from '#streams/delivery/outbound.ts'
import { readAdministrator, type Administrator } from './existing.ts'
import { text, unsupportedFault } from './step.ts'

export interface DatabaseTools extends OutsideConnection, AwsOptions {
  /** Certificate authorities of RDS in a region (PEM); from AWS by default. */
  authorities?: (region: string) => Promise<string>
}

export async function createDatabase(
  tools: DatabaseTools,
  account: CloudAccount,
  request: DatabaseRequest,
): Promise<{ secrets: Record<string, string> }> {
  return protocolOf(request).create(await serverOf(tools, account, request), tools, request)
}

export async function dropDatabase(
  tools: DatabaseTools,
  account: CloudAccount,
  request: DatabaseRequest,
): Promise<void> {
  await protocolOf(request).drop(await serverOf(tools, account, request), tools, request)
}

const protocols = {
  postgres: { create: createPostgresDatabase, drop: dropPostgresDatabase },
  mysql: { create: createMysqlDatabase, drop: dropMysqlDatabase },
} as const

/** @throws Fault `unsupported_provisioning` for engines that have no databases with owners */
function protocolOf({ engine, region }: DatabaseRequest): (typeof protocols)[keyof typeof protocols] {
  if (region.startsWith('cn-')) throw unsupportedFault('A database in China')
  const name = protocolOfEngine(engine)
  if (name) return protocols[name]
  throw unsupportedFault(`A database on a server of ${engine}`)
}

async function serverOf(
  tools: DatabaseTools,
  account: CloudAccount,
  request: DatabaseRequest,
): Promise<DatabaseServer> {
  const { outputs, region } = request
  const { host, port } = { ...outputs['wait_available'], ...outputs['secret'], ...outputs['connect'] }
  const administrator = await administratorOf(tools, account, request)
  if (typeof host !== 'string' || typeof port !== 'number' || !administrator)
    throw cloudFault('user_action', 'server_credentials_refused', 'How to connect to the server is not known.', {
      fixHint: 'Delete the job and create a new one.',
    })
  const ca = await (tools.authorities ?? readAuthorities)(region)
  return { host, port, ...administrator, ca }
}

/** Read again for each call where AWS keeps the password, because it rotates. Undefined if it is not known. */
async function administratorOf(
  tools: DatabaseTools,
  account: CloudAccount,
  { outputs, password, region }: DatabaseRequest,
): Promise<Administrator | undefined> {
  const secretArn = text(outputs['connect']?.['secretArn'])
  if (secretArn === '') return password === null ? undefined : { user: text(outputs['secret']?.['user']), password }
  const session = openAws(account, tools)
  try {
    return await readAdministrator(session, region, secretArn)
  } finally {
    session.close()
  }
}

/** Maximum bytes of the authorities of a region. */
const authoritiesBytes = 1024 * 1024

/** Published by AWS, and signed by a public authority. */
const authoritiesUrl = (region: string): string =>
  region.startsWith('us-gov-')
    ? `https://truststore.pki.us-gov-west-1.rds.amazonaws.com/${region}/${region}-bundle.pem`
    : `https://truststore.pki.rds.amazonaws.com/${region}/${region}-bundle.pem`

async function readAuthorities(region: string): Promise<string> {
  const url = authoritiesUrl(region)
  const unread = (why: string, cause?: unknown) =>
    cloudFault('transient', 'cloud_unavailable', `The certificate authorities of RDS at ${url}: ${why}`, {}, cause)
  const { status, body } = await fetchOutside(url, {
    method: 'GET',
    timeoutMs: 10_000,
    bytesMax: authoritiesBytes,
    allowPrivate: false,
  }).catch((error: unknown) => {
    throw unread(Fault.from(error).message, error)
  })
  if (status !== 200) throw unread(`HTTP ${status}`)
  return body.toString('latin1')
}
