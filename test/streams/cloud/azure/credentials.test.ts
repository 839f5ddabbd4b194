import { createHash, createPublicKey, verify, constants, X509Certificate } from 'node:crypto'
import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { principalOf, readAzureCredentials } from '#streams/cloud/azure/session/credentials.ts'
import { openAzure } from '#streams/cloud/azure/session/open.ts'
import type { Host } from '#streams/cloud/azure/session/path.ts'
import { applicationOf } from '#streams/cloud/azure/permission/organization.ts'
import { certificatePEM } from '#test/harness/certificate.ts'
import { account, answerServer, fails, subscription, tenant, type AnswerServer } from './answer-server.ts'
import { selfSigned } from './self-signed.ts'

const clientID = '99999999-8888-7777-6666-555555555555'
const bare = { tenantID: tenant, clientID }
const of = (credentials: object): CloudAccount => ({ ...account, credentials })
const { certificate, key } = selfSigned()

/** The members that are refused. */
function refused(credentials: unknown): string[] {
  try {
    readAzureCredentials(credentials)
    return []
  } catch (error) {
    return (Fault.from(error).detail.problems ?? []).map(({ path, message }) => `${path} ${message}`)
  }
}

describe('credentials of Azure', () => {
  it('are one application or identity of a tenant, with one proof, in one of the clouds', () => {
    for (const proof of [
      {},
      { clientSecret: 's' },
      { certificate: key + certificate },
      { workloadIdentity: true },
      { managedIdentity: true },
      { clientSecret: 's', cloud: 'AzureUSGovernment' },
      { clientSecret: 's', cloud: 'AzureChinaCloud', kubeconfigs: { '/subscriptions/s': '{}' } },
    ])
      expect(refused({ ...bare, ...proof }), Object.keys(proof).join()).to.deep.equal([])
  })

  it('name no file, no address and no program, and are refused by the member', () => {
    const hostile = {
      ...bare,
      clientSecret: 's',
      authorityHost: 'https://evil.example',
      certificatePath: '/etc/passwd',
      tokenFile: '/var/run/secrets/token',
      cloud: 'https://evil.example',
    }
    expect(refused(hostile)).to.deep.equal([
      '/authorityHost is not allowed',
      '/certificatePath is not allowed',
      '/tokenFile is not allowed',
      '/cloud must be one of AzureCloud, AzureUSGovernment, AzureChinaCloud',
    ])
    expect(refused({ ...bare, cloud: '__proto__' })).to.have.length(1)
    expect(refused({ tenantID: 'common', clientID })).to.deep.equal(['/tenantID must be a GUID'])
    expect(refused({ tenantID: tenant })).to.deep.equal(['/clientID is required'])
    expect(refused({ ...bare, workloadIdentity: 'https://evil.example' })).to.deep.equal([
      '/workloadIdentity must be true',
    ])
    expect(refused({ ...bare, clientSecret: 's', managedIdentity: true })).to.deep.equal([
      ' must have only one of clientSecret, certificate, workloadIdentity, managedIdentity',
    ])
    for (const none of [null, 'text', [], 1]) expect(refused(none)).to.deep.equal([' must be an object'])
  })

  it('take a certificate only with its own RSA key of 2048 bits or more, without a password', () => {
    const weak = selfSigned({ bits: 1024 })
    const encrypted = key.replaceAll('PRIVATE KEY', 'ENCRYPTED PRIVATE KEY')
    const cases = [
      [certificate, 'must be PEM text with a certificate and its private key'],
      [key, 'must be PEM text with a certificate and its private key'],
      [key + key + certificate, 'must be PEM text with a certificate and its private key'],
      ['/etc/ssl/private/key.pem', 'must be PEM text with a certificate and its private key'],
      [encrypted + certificate, 'must contain a private key without a password'],
      [weak.key + weak.certificate, 'must contain an RSA key of 2048 bits or more'],
      [key + certificatePEM, 'must contain the certificate of its private key'],
      [
        `${key}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----`,
        'must contain certificates that can be read',
      ],
      [key + certificate + ' '.repeat(16_384), 'must be at most 16384 characters'],
    ]
    for (const [text, message] of cases)
      expect(refused({ ...bare, certificate: text })).to.deep.equal([`/certificate ${message}`])
    // A chain may follow in any order.
    expect(refused({ ...bare, certificate: certificatePEM + certificate + key })).to.deep.equal([])
  })

  it('of an organization are those of the account, without its clusters', () => {
    const given = { ...bare, certificate: key + certificate, cloud: 'AzureChinaCloud', kubeconfigs: { a: '{}' } }
    const { kubeconfigs: _, ...shared } = given
    expect(applicationOf(of(given))).to.deep.equal(shared)
  })
})

describe('signing in to Azure without a secret', () => {
  const realNow = Date.now
  let server: AnswerServer
  afterEach(async () => {
    Date.now = realNow
    await server.close()
  })
  const metadata = '/metadata/identity/oauth2/token'
  const path = `/subscriptions/${subscription}`
  const ask = (credentials: object, more: Partial<CloudAccount> = {}, options: object = {}) =>
    openAzure({ ...of(credentials), ...more }, { ...server.options, ...options }).ask({ path })
  const claimsIn = (token: string) =>
    token
      .split('.')
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>)

  it('states who it is, signed by the key of its certificate, for the address of the tokens alone', async () => {
    server = await answerServer(() => ({ body: {} }))
    await ask({ ...bare, certificate: key + certificate })
    const [form] = server.signIns
    expect(form!.get('client_assertion_type')).to.equal('urn:ietf:params:oauth:client-assertion-type:jwt-bearer')
    expect(form!.has('client_secret')).to.equal(false)
    const token = form!.get('client_assertion')!
    const [header, claims] = claimsIn(token)
    const { raw, publicKey } = new X509Certificate(certificate)
    expect(header).to.deep.equal({
      alg: 'PS256',
      typ: 'JWT',
      'x5t#S256': createHash('sha256').update(raw).digest('base64url'),
    })
    const { jti, iat, nbf, exp, ...rest } = claims as { jti: string; iat: number; nbf: number; exp: number }
    expect(rest).to.deep.equal({
      aud: `https://login.microsoftonline.com/${tenant}/oauth2/v2.0/token`,
      iss: clientID,
      sub: clientID,
    })
    expect([jti.length, nbf - iat, exp - iat]).to.deep.equal([36, 0, 600])
    const [head, body, signature] = token.split('.') as [string, string, string]
    const proof = {
      key: createPublicKey(publicKey.export({ type: 'spki', format: 'pem' })),
      padding: constants.RSA_PKCS1_PSS_PADDING,
      saltLength: 32,
    }
    expect(verify('sha256', Buffer.from(`${head}.${body}`), proof, Buffer.from(signature, 'base64url'))).to.equal(true)
  })

  it('says on which day a certificate has expired, without asking', async () => {
    server = await answerServer(() => ({ body: {} }))
    const old = selfSigned({ until: '2026-02-01' })
    const wrong = await ask({ ...bare, certificate: old.key + old.certificate }).then(
      () => undefined,
      (error: unknown) => Fault.from(error),
    )
    expect([wrong?.code, wrong?.message]).to.deep.equal([
      'credentials_expired',
      'The certificate of the application expired on 2026-02-01.',
    ])
    expect(server.signIns).to.deep.equal([])
  })

  it('shows a token of its own organization, for the audience of the cloud', async () => {
    server = await answerServer(() => ({ body: {} }))
    const subjectToken = async (orgId: string, audience: string) => `token of ${orgId} for ${audience}`
    for (const cloud of ['AzureCloud', 'AzureUSGovernment', 'AzureChinaCloud'])
      await ask({ ...bare, workloadIdentity: true, cloud }, { orgId: `org-${cloud}` }, { subjectToken })
    expect(server.signIns.map((form) => form.get('client_assertion'))).to.deep.equal([
      'token of org-AzureCloud for api://AzureADTokenExchange',
      'token of org-AzureUSGovernment for api://AzureADTokenExchangeUSGov',
      'token of org-AzureChinaCloud for api://AzureADTokenExchangeChina',
    ])
    expect(await fails(ask({ ...bare, workloadIdentity: true }))).to.equal('user_action credentials_refused')
  })

  it('takes the token of a managed identity from the machine, as seconds in text', async () => {
    server = await answerServer(({ path: asked }) =>
      asked === metadata ? { body: { access_token: 'identity', expires_in: '86400' } } : { body: {} },
    )
    const identities = [{ orgId: 'org-1', clientID }]
    await ask({ ...bare, managedIdentity: true }, {}, { identities })
    await ask({ ...bare, managedIdentity: true }, {}, { identities })
    expect(server.signIns).to.deep.equal([])
    const [first, ...others] = server.asked
    expect([first!.method, first!.path, first!.query, first!.headers['metadata'], first!.token]).to.deep.equal([
      'GET',
      metadata,
      { 'api-version': '2018-02-01', resource: 'https://management.azure.com', client_id: clientID },
      'true',
      '',
    ])
    expect(others.map(({ token }) => token)).to.deep.equal(['identity', 'identity'])
  })

  it('lets no other organization, and for no other identity, use what belongs to the installation', async () => {
    server = await answerServer(() => ({ body: { access_token: 'identity', expires_in: '86400' } }))
    const identities = [{ orgId: 'org-1', clientID }]
    const credentials = { ...bare, managedIdentity: true }
    const other = { ...credentials, clientID: '00000000-8888-7777-6666-555555555555' }
    expect([
      await fails(ask(credentials)),
      await fails(ask(credentials, { orgId: 'org-2' }, { identities })),
      await fails(ask(other, {}, { identities })),
    ]).to.deep.equal(Array.from({ length: 3 }, () => 'user_action credentials_refused'))
    expect(server.asked).to.deep.equal([])
  })

  it('tells an identity that the machine does not have from a machine that is busy', async () => {
    let status = 400
    server = await answerServer(({ path: asked }) =>
      asked === metadata
        ? { status, body: { error: 'invalid_request', error_description: 'Identity not found' } }
        : { body: {} },
    )
    const identities = [{ orgId: 'org-1', clientID }]
    expect(await fails(ask({ ...bare, managedIdentity: true }, {}, { identities }))).to.equal(
      'user_action credentials_refused',
    )
    status = 404
    expect(await fails(ask({ ...bare, managedIdentity: true }, {}, { identities }))).to.equal(
      'transient cloud_unavailable',
    )
  })
})

describe('the clouds of Azure', () => {
  let server: AnswerServer
  before(async () => {
    server = await answerServer(() => ({ body: {} }))
  })
  after(() => server.close())

  it('have hosts of their own', () => {
    const hosts = (cloud: string) => {
      const session = openAzure(of({ ...bare, clientSecret: 's', cloud }), server.options)
      const { authority, arm, blobs } = session.hosts
      const all: Exclude<Host, 'arm' | { blobs: string } | { workspace: string }>[] = ['logs', { metrics: 'region1' }]
      return [authority, arm, blobs, ...all.map((host) => session.origin(host))]
    }
    expect(hosts('AzureCloud')).to.deep.equal([
      'https://login.microsoftonline.com',
      'https://management.azure.com',
      'blob.core.windows.net',
      'https://api.loganalytics.io',
      'https://region1.metrics.monitor.azure.com',
    ])
    expect(hosts('AzureUSGovernment')).to.deep.equal([
      'https://login.microsoftonline.us',
      'https://management.usgovcloudapi.net',
      'blob.core.usgovcloudapi.net',
      'https://api.loganalytics.us',
      'https://region1.metrics.monitor.azure.us',
    ])
    expect(hosts('AzureChinaCloud')).to.deep.equal([
      'https://login.chinacloudapi.cn',
      'https://management.chinacloudapi.cn',
      'blob.core.chinacloudapi.cn',
      'https://api.loganalytics.azure.cn',
      'https://region1.metrics.monitor.azure.cn',
    ])
  })

  it('sign in for the audience of the resource manager of the account, and are the public one by default', async () => {
    const scopes: unknown[] = []
    for (const cloud of [{}, { cloud: 'AzureChinaCloud' }]) {
      await openAzure(of({ ...bare, clientSecret: 's', ...cloud }), server.options).ask({ path: '/subscriptions' })
      scopes.push(server.signIns.at(-1)?.get('scope'))
    }
    expect(scopes).to.deep.equal([
      'https://management.azure.com/.default',
      'https://management.chinacloudapi.cn/.default',
    ])
  })

  it('take workspaces of Databricks at their own addresses only', async () => {
    const asked = (workspace: string) =>
      fails(
        openAzure(of({ ...bare, clientSecret: 's', cloud: 'AzureUSGovernment' }), server.options).ask({
          host: { workspace },
          path: '/api/2.0/x',
        }),
      )
    expect(await asked('adb-1.1.databricks.azure.us')).to.equal('nothing: {}')
    expect(await asked('adb-1.1.azuredatabricks.net')).to.equal('system unknown_answer')
    expect(await asked('adb-1.1.databricks.azure.us.evil.example')).to.equal('system unknown_answer')
  })

  it('are said by the credentials alone', () => {
    expect(principalOf({ credentials: { ...bare, cloud: 'AzureChinaCloud' } }).cloud).to.equal('AzureChinaCloud')
  })
})
