import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { openAzure } from '#streams/cloud/azure/session/open.ts'
import { principalOf } from '#streams/cloud/azure/session/credentials.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { account, answerServer, armError, fails, subscription, tenant, type AnswerServer } from './answer-server.ts'

const path = `/subscriptions/${subscription}/providers/Microsoft.Compute/disks`
const disks = { path, query: { 'api-version': '2023-10-02' } }
const minuteMs = 60_000

describe('a session at Azure', () => {
  const realNow = Date.now
  let server: AnswerServer | undefined
  const serving = async (...given: Parameters<typeof answerServer>) => (server = await answerServer(...given))
  const ask = (of: CloudAccount = account) => openAzure(of, server!.options).ask(disks)
  afterEach(async () => {
    Date.now = realNow
    await server?.close()
    server = undefined
  })

  it('signs in as the application, at its tenant, for the audience of what it asks', async () => {
    const { signIns, asked } = await serving(() => ({ body: { value: [] } }))
    await ask()
    expect(signIns.map((one) => Object.fromEntries(one))).to.deep.equal([
      {
        grant_type: 'client_credentials',
        client_id: '99999999-8888-7777-6666-555555555555',
        scope: 'https://management.azure.com/.default',
        client_secret: 'secret~1',
      },
    ])
    expect(asked.map(({ token }) => token)).to.deep.equal(['token-1-https://management.azure.com/.default'])
  })

  it('takes one token for all sessions of an account until five minutes before its end', async () => {
    const { signIns } = await serving(() => ({ body: {} }))
    await ask()
    await ask()
    Date.now = () => realNow() + 54 * minuteMs
    await ask()
    expect(signIns.length).to.equal(1)
    Date.now = () => realNow() + 56 * minuteMs
    await ask()
    expect(signIns.length).to.equal(2)
  })

  it('shows a token to nobody else: another organization, account, tenant, client or secret signs in itself', async () => {
    const { signIns } = await serving(() => ({ body: {} }))
    const credentials = account.credentials as object
    const others: CloudAccount[] = [
      { ...account, orgId: 'another' },
      { ...account, id: 'another' },
      { ...account, credentials: { ...credentials, clientID: '00000000-8888-7777-6666-555555555555' } },
      { ...account, credentials: { ...credentials, clientSecret: 'secret~2' } },
    ]
    for (const one of [account, ...others, account, ...others]) await ask(one)
    expect(signIns.length).to.equal(5)
  })

  it('signs in anew once, with what was refused asked again, where a token ends before its time', async () => {
    const { signIns, asked } = await serving((_, times) =>
      times === 1 ? armError(401, 'ExpiredAuthenticationToken') : { body: {} },
    )
    await ask()
    await ask()
    expect([signIns.length, asked.length]).to.deep.equal([2, 3])
    expect(asked.at(-1)?.token).to.match(/^token-2-/)
  })

  it('gives up where no token is taken, and says that the credentials are refused', async () => {
    const { signIns } = await serving(() => armError(401, 'InvalidAuthenticationToken'))
    expect(await fails(ask())).to.equal('user_action credentials_refused')
    expect(signIns.length).to.equal(2)
  })

  const refusals: [string, number, string, string][] = [
    ['a wrong secret', 401, 'AADSTS7000215: Invalid client secret provided.', 'user_action credentials_refused'],
    [
      'a secret that has ended',
      401,
      'AADSTS7000222: The provided client secret keys are expired.',
      'user_action credentials_expired',
    ],
    [
      'an application of another tenant',
      400,
      'AADSTS700016: Application not found in the directory.',
      'user_action credentials_refused',
    ],
    ['no tenant', 400, 'AADSTS90002: Tenant not found.', 'user_action credentials_refused'],
    ['an Entra that is down', 503, 'AADSTS90033: A transient error has occurred.', 'transient cloud_unavailable'],
    ['too many questions', 429, 'AADSTS90055: Throttled.', 'transient throttled'],
  ]
  for (const [what, status, said, wanted] of refusals)
    it(`tells ${what} by what Entra says`, async () => {
      const { asked } = await serving(() => ({ body: {} }), {
        signIn: () => ({ status, body: { error: 'invalid_client', error_description: `${said} Trace ID: 1` } }),
      })
      expect(await fails(ask())).to.equal(wanted)
      expect(asked).to.deep.equal([])
    })

  it('reads no credentials but GUIDs of a tenant and a client with a secret', async () => {
    const good = account.credentials as Record<string, unknown>
    expect(principalOf({ credentials: { ...good, tenantID: tenant.toUpperCase() } }).tenantID).to.equal(tenant)
    const bad = [
      null,
      {},
      { ...good, tenantID: 'contoso.onmicrosoft.com' },
      { ...good, tenantID: `${tenant}/../x` },
      { ...good, tenantID: `${tenant}\n` },
      { ...good, clientID: 'app' },
      { ...good, clientSecret: '' },
      { ...good, authorityHost: 'https://example.com' },
      { ...good, certificatePath: '/etc/passwd' },
    ]
    for (const credentials of bad)
      expect(() => principalOf({ credentials }), JSON.stringify(credentials)).to.throw('has no application')
  })

  it('is known by a federated token of the process for its own organization alone', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'azure-'))
    const file = join(folder, 'token')
    await writeFile(file, 'assertion-1\n')
    try {
      const { signIns } = await serving(() => ({ body: {} }), { federated: { orgId: 'org-1', file } })
      const { clientSecret: _, ...credentials } = account.credentials as Record<string, unknown>
      await ask({ ...account, credentials })
      expect(signIns[0]?.get('client_assertion')).to.equal('assertion-1')
      expect(signIns[0]?.get('client_secret')).to.equal(null)
      expect(await fails(ask({ ...account, credentials, orgId: 'org-2' }))).to.equal('user_action credentials_refused')
      expect(signIns.length).to.equal(1)
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  const listed = () => Array.fromAsync(openAzure(account, server!.options).pages(disks))

  it('follows the links of a list to its end, at the host that gave them', async () => {
    const { asked } = await serving(({ query }) => {
      const page = Number(query['$skiptoken'] ?? 0)
      const nextLink = page < 2 ? `https://management.azure.com${path}?$skiptoken=${page + 1}&api-version=9` : null
      return { body: { value: [{ id: `/d/${page}` }], nextLink } }
    })
    expect((await listed()).flat().map(({ id }) => id)).to.deep.equal(['/d/0', '/d/1', '/d/2'])
    expect(asked.map(({ query }) => query)).to.deep.equal([
      { 'api-version': '2023-10-02' },
      { $skiptoken: '1', 'api-version': '9' },
      { $skiptoken: '2', 'api-version': '9' },
    ])
  })

  it('takes its token to no other host that a link names', async () => {
    const { asked } = await serving(() => ({ body: { value: [], nextLink: 'https://example.com/more' } }))
    expect(await fails(listed())).to.equal('system unknown_answer')
    expect(asked.length).to.equal(1)
  })

  it('ends a list whose link leads to itself', async () => {
    const { asked } = await serving(() => ({
      body: { value: [{ id: '/d/1' }], nextLink: `https://management.azure.com${path}?x=1` },
    }))
    expect((await listed()).length).to.equal(2)
    expect(asked.length).to.equal(2)
  })

  it('follows no redirect, and understands nothing that is no list', async () => {
    await serving((_, times) =>
      times === 0
        ? { status: 302, headers: { location: 'https://example.com/' } }
        : { body: { value: [{ name: 'x' }] } },
    )
    expect(await fails(listed())).to.equal('system unknown_answer')
    expect(await fails(listed())).to.equal('system unknown_answer')
  })

  it('reads no more of an answer than its bound', async () => {
    await serving(() => ({ body: Buffer.alloc(64 * 2 ** 20 + 1, 32) }))
    expect(await fails(ask())).to.equal('system answer_too_large')
  })

  it('waits as long as Azure asks for, and asks again what passes', async () => {
    const { asked, options } = await serving((_, times) =>
      times === 0 ? armError(429, 'TooManyRequests', 'Slow down.', { 'retry-after': '17' }) : { body: {} },
    )
    const before = options.clock.now()
    await ask()
    expect(asked.length).to.equal(2)
    expect(options.clock.now() - before).to.be.within(17_000, 17_001)
  })

  it('asks again where the connection breaks', async () => {
    const { asked } = await serving((_, times) => ({ isLost: times < 2, body: {} }))
    await ask()
    expect(asked.length).to.equal(3)
  })
})
