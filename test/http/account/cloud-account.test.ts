import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { CloudAccount } from '#actors/account/entity.ts'
import { Fault } from '#engine/value/fault.ts'
import { uuidOf } from '#engine/value/id.ts'
import { cloudAccounts } from '#http/account/cloud-account.ts'
import type { Services } from '#http/edge/services.ts'
import { scopeOf, served } from '#test/http/serving.ts'

const at = new Date('2026-01-15T10:00:00Z')
const id = uuidOf('o1', 'aws', '123456789012')
const body = {
  name: 'Production',
  provider: 'aws',
  externalID: '123456789012',
  credentials: { roleARN: 'arn:aws:iam::123456789012:role/tidemark', externalID: 'x-1' },
}

const shown = {
  id,
  orgID: 'o1',
  name: 'Production',
  provider: 'aws',
  externalID: '123456789012',
  driver: 'simulated',
  regions: [],
  status: 'pending',
  permissionVerdict: 'read_only',
  missingPermissions: ['ec2:StopInstances'],
  lastVerifiedAt: null,
  lastSyncedAt: null,
  createdAt: '2026-01-15T10:00:00.000Z',
  updatedAt: '2026-01-15T10:00:00.000Z',
}

describe('http cloud accounts', () => {
  let row: CloudAccount | null
  let asked: [string, any][]
  let verify: (account: any) => Promise<unknown>
  beforeEach(() => {
    row = null
    asked = []
    verify = async () => ({ verdict: 'read_only', missingPermissions: ['ec2:StopInstances'] })
  })

  /** Plays the account actor for what these routes ask of it. */
  const ask = async ({ name }: { name: string }, data: any) => {
    asked.push([name, data])
    if (name === 'account.connected' && row) throw Fault.conflict('already_exists', 'It is connected already.')
    const fresh = { orgId: 'o1', regions: [], status: 'pending', permissionVerdict: 'unknown', missingPermissions: [] }
    const never = { message: null, lastVerifiedAt: null, lastSyncedAt: null, createdAt: at, updatedAt: at }
    if (name === 'account.connected')
      row = Object.assign(Object.create(CloudAccount.prototype), { ...fresh, ...never, ...data })
    if (name === 'account.verified') Object.assign(row!, { ...data, permissionVerdict: data.verdict })
    if (name === 'account.patched') Object.assign(row!, data)
    if (name === 'account.removed') row = null
  }
  const services = {
    em: {
      findOne: async (_: unknown, where: any) => (row && (where.id === undefined || where.id === row.id) ? row : null),
      // What is provisioned at it, too.
      count: async () => 0,
      // Nor is it near its limit of accounts.
      execute: async () => [],
      // What is written down of credentials has its own test.
      transactional: async () => {},
    },
    ask,
    newId: randomUUID,
    seal: (_column: unknown, _orgId: string, secret: unknown) => `sealed:${JSON.stringify(secret)}`,
    open: (_column: unknown, _orgId: string, sealed: string) => JSON.parse(sealed.slice('sealed:'.length)),
    settings: { allowPrivateAddresses: false },
    cloudOf: () => ({ driver: 'simulated', verify: (account: any) => verify(account) }),
  } as unknown as Services
  const site = served(cloudAccounts, scopeOf(services))
  const names = () => asked.map(([name]) => name)

  it('are connected, checked with the opened credentials, then discovered', async () => {
    let seen: any
    verify = async (account) => {
      seen = account
      return { verdict: 'read_only', missingPermissions: ['ec2:StopInstances'] }
    }
    const r = await site.send('POST', '/cloud-accounts', body)
    expect(r.status).to.equal(201)
    expect(r.headers.get('location')).to.equal(`/cloud-accounts/${id}`)
    expect(await r.json()).to.deep.equal({ data: shown })
    expect(names()).to.deep.equal(['account.connected', 'account.verified', 'refresh.requested'])
    expect(asked[0]![1].credentials).to.equal(`sealed:${JSON.stringify(body.credentials)}`)
    expect(seen).to.deep.include({ id, provider: 'aws', credentials: body.credentials })
    expect(asked[2]![1].accounts).to.deep.equal([{ cloudAccountId: id, provider: 'aws' }])
  })
  it('say where their bills are, and whether those may shrink [G-108]', async () => {
    const billingExport = { kind: 'cur', location: 's3://bills/production', acceptShrink: true }
    const made = await site.send('POST', '/cloud-accounts', { ...body, billingExport })
    expect([made.status, await made.json()]).to.deep.equal([201, { data: { ...shown, billingExport } }])
    expect(asked[0]![1].billingExport).to.deep.equal(billingExport)
    const plain = { kind: 'cur', location: 's3://bills/production' }
    const patched = await site.send('PATCH', `/cloud-accounts/${id}`, { billingExport: plain })
    expect([patched.status, await patched.json()]).to.deep.equal([200, { data: { ...shown, billingExport: plain } }])
    const wrong = { ...plain, acceptShrink: 'yes' }
    const refused = await site.send('PATCH', `/cloud-accounts/${id}`, { billingExport: wrong })
    expect(refused.status).to.equal(400)
  })

  it('never show their credentials', async () => {
    await site.send('POST', '/cloud-accounts', body)
    const r = await site.get(`/cloud-accounts/${id}`)
    expect(r.status).to.equal(200)
    expect(await r.text()).to.not.match(/sealed|roleARN|credentials/)
  })
  it('are connected once', async () => {
    await site.send('POST', '/cloud-accounts', { ...body, provider: 'cloud-a' })
    const again = await site.send('POST', '/cloud-accounts', body)
    expect(again.status).to.equal(409)
    expect(((await again.json()) as any).code).to.equal('already_exists')
  })
  it('are connected once, also where producers have named them otherwise', async () => {
    await site.send('POST', '/cloud-accounts', body)
    Object.assign(row!, { id: '123456789012' })
    asked.length = 0
    const again = await site.send('POST', '/cloud-accounts', body)
    expect([again.status, ((await again.json()) as any).code, asked]).to.deep.equal([409, 'already_exists', []])
  })
  it('stay connected when the cloud cannot be reached or no discovery can begin', async () => {
    verify = async () => {
      throw Fault.transient('unavailable', 'The cloud does not answer.')
    }
    const r = await site.send('POST', '/cloud-accounts', body)
    expect(r.status).to.equal(201)
    expect(((await r.json()) as any).data).to.include({
      permissionVerdict: 'unknown',
      message: 'The cloud does not answer.',
    })
  })
  for (const [provider, credentials, names] of [
    ['aws', { roleARN: 'x' }, ['/credentials/externalID']],
    ['aws', { roleARN: 'x', externalID: 'y', secretKey: 'z' }, ['/credentials/secretKey']],
    ['gcp', {}, ['/credentials']],
    ['azure', { tenantID: 'x' }, ['/credentials/clientID']],
    ['azure', { tenantID: 'x', clientID: 'y' }, ['/credentials/clientSecret']],
  ] as const) {
    it(`refuse credentials of ${provider} that are ${JSON.stringify(credentials)}, naming what is wrong`, async () => {
      const r = await site.send('POST', '/cloud-accounts', { ...body, provider, credentials })
      expect(r.status).to.equal(400)
      expect(((await r.json()) as any).errors.map((e: any) => e.name)).to.have.members(names)
      expect(asked).to.deep.equal([])
    })
  }
  it('are checked again when they get new credentials or are enabled, not when they are renamed', async () => {
    await site.send('POST', '/cloud-accounts', body)
    asked = []
    const renamed = await site.send('PATCH', `/cloud-accounts/${id}`, { name: 'EU' })
    expect(await renamed.json()).to.deep.equal({ data: { ...shown, name: 'EU' } })
    expect(names()).to.deep.equal(['account.patched'])
    await site.send('PATCH', `/cloud-accounts/${id}`, { credentials: { roleARN: 'a', externalID: 'b' } })
    await site.send('PATCH', `/cloud-accounts/${id}`, { enabled: true })
    expect(names().slice(1)).to.deep.equal([
      'account.patched',
      'account.verified',
      'account.patched',
      'account.verified',
    ])
    expect((await site.send('PATCH', `/cloud-accounts/${id}`, { status: 'connected' })).status).to.equal(400)
  })
  it('are gone after they are disconnected', async () => {
    await site.send('POST', '/cloud-accounts', body)
    expect((await site.send('DELETE', `/cloud-accounts/${id}`)).status).to.equal(204)
    for (const [method, path] of [
      ['GET', ''],
      ['DELETE', ''],
      ['PATCH', ''],
      ['POST', '/verify'],
    ] as const) {
      expect(
        (await site.send(method, `/cloud-accounts/${id}${path}`, method === 'PATCH' ? {} : undefined)).status,
      ).to.equal(404)
    }
  })
})
