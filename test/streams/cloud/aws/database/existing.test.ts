import { expect } from 'chai'
import { connect, describe as describeServer } from '#streams/cloud/aws/provision/existing.ts'
import { createDatabase, type DatabaseTools } from '#streams/cloud/aws/provision/database.ts'
import type { DatabaseRequest, ProvisionRequest } from '#streams/cloud/provision.ts'
import { answerServer } from '#test/streams/cloud/aws/answer-server.ts'
import { account, fails, refusing, stubSession } from '#test/streams/cloud/aws/stub-session.ts'
import { farMysql } from './far-mysql.ts'
import { administrator, authority, host } from './far-server.ts'

const serverUID = 'arn:aws:rds:us-east-1:123456789012:db:orders'
const managed = 'arn:aws:secretsmanager:us-east-1:123456789012:secret:rds!db-1'
const ours = 'arn:aws:secretsmanager:us-east-1:123456789012:secret:orders/admin'
const available = {
  Engine: 'mysql',
  DBInstanceStatus: 'available',
  Endpoint: { Address: host, Port: 3306 },
  MasterUserSecret: { SecretArn: managed },
}

const request = (config: Record<string, unknown>): ProvisionRequest => ({
  jobId: 'job-1',
  kind: 'existing_datastore',
  step: 'connect',
  region: 'us-east-1',
  clusterUid: null,
  config: { serverUID, ...config },
  tags: {},
  outputs: {},
  token: 'token-1',
})

/** A server, and what Secrets Manager has: JSON, or the error. */
function connecting(server: object, secret: unknown, config: Record<string, unknown> = {}) {
  const { session, calls } = stubSession(({ operation }) => {
    if (operation === 'DescribeDBInstances') return { DBInstances: [{ ...available, ...server }] }
    if (operation === 'DescribeDBClusters') return { DBClusters: [server] }
    return secret instanceof Error ? secret : { SecretString: secret }
  })
  return { answer: connect.make(session, request(config)), calls, session }
}

const secretOf = (username = 'boss', password = 'planted-hunter2') => JSON.stringify({ username, password })

describe('servers in RDS that no job has created', () => {
  it('are found with an administrator, whose password is not in the output', async () => {
    const { answer, calls } = connecting({}, secretOf())
    expect(await answer).to.deep.equal({
      status: 'done',
      output: { engine: 'mysql', host, port: 3306, user: 'boss', secretArn: managed, secretRef: managed },
    })
    expect(calls.map(({ operation, input }) => [operation, input])).to.deep.equal([
      ['DescribeDBInstances', { DBInstanceIdentifier: 'orders' }],
      ['GetSecretValue', { SecretId: managed }],
    ])
  })

  it('of Aurora are clusters; a given secret comes before that of RDS', async () => {
    const cluster = { Engine: 'aurora-postgresql', Status: 'available', Endpoint: host, Port: 5432 }
    const config = { serverUID: 'arn:aws:rds:us-east-1:123456789012:cluster:shop', secretARN: ours }
    const { answer } = connecting({ ...cluster, MasterUserSecret: { SecretArn: managed } }, secretOf(), config)
    expect((await answer).output).to.deep.include({ engine: 'postgres', port: 5432, secretRef: ours })
  })

  it('are waited for until they are available', async () => {
    expect(await connecting({ DBInstanceStatus: 'starting' }, secretOf()).answer).to.deep.equal({ status: 'waiting' })
  })

  it('end with what to do where nobody can create databases on them', async () => {
    const failed = (server: object, secret: unknown) => fails(connecting(server, secret).answer)
    const missing = 'user_action credentials_missing'
    expect(await failed({ MasterUserSecret: undefined }, secretOf())).to.equal(missing)
    expect(await failed({}, refusing('AccessDeniedException'))).to.equal(missing)
    expect(await failed({}, refusing('ResourceNotFoundException'))).to.equal(missing)
    expect(await failed({}, 'hunter2')).to.equal(missing)
    expect(await failed({}, '{"username":"boss"}')).to.equal(missing)
    expect(await failed({ Engine: 'mariadb' }, secretOf())).to.equal('system unsupported_provisioning')
    expect(await failed({ ReadReplicaSourceDBInstanceIdentifier: 'orders-1' }, secretOf())).to.equal(
      'user_action not_a_server',
    )
  })

  it('that are gone are told of', async () => {
    const { session } = stubSession(() => refusing('DBInstanceNotFoundFault', 404))
    expect(await fails(connect.make(session, request({})))).to.equal('user_action resource_not_found')
    expect(await describeServer(session, request({}))).to.equal(null)
  })

  it('get databases with the password that AWS has at that moment', async () => {
    const far = await farMysql()
    const { user, password } = administrator
    let current = 'rotated away'
    const aws = await answerServer(() => ({
      status: 200,
      body: JSON.stringify({ SecretString: secretOf(user, current) }),
    }))
    const tools: DatabaseTools = {
      ...aws.options,
      allowPrivate: true,
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
      authorities: async () => authority,
    }
    const database: DatabaseRequest = {
      jobId: 'job-1',
      databaseId: 'db-1',
      region: 'us-east-1',
      name: 'shop',
      owner: 'shop_app',
      engine: 'mysql',
      outputs: { connect: { engine: 'mysql', host, port: far.port, user: 'x', secretArn: managed } },
      password: null,
      token: 'token-1',
    }
    try {
      expect(await fails(createDatabase(tools, account, database))).to.equal('user_action server_credentials_refused')
      current = password
      const { secrets } = await createDatabase(tools, account, database)
      expect(await far.signIn('shop', 'shop_app', secrets['shop_app']!)).to.equal(true)
      expect(aws.asked).to.deep.equal(['GetSecretValue', 'GetSecretValue'])
    } finally {
      await aws.close()
      await far.stop()
    }
  })
})
