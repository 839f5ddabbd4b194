import { expect } from 'chai'
import { tokens } from '#config/wiring/tokens.ts'
import { accountNeeds, blindKey } from '#actors/account/needs.ts'
import type { TurnReads } from '#engine/actor/ports.ts'
import { routes } from '#http/index.ts'
import { accountBlinding } from '#streams/account/messages.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { setClock } from '#test/harness/people.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { deepIt, isDeep } from '#test/harness/tier.ts'

/** Where an organization with one account has times to show. */
const withTimes = /^\/(resources|cloud-accounts|autotagging|recommendations|roles|members|security-events)(\/|$)/
const secret = 'arn:aws:iam::123456789012:role/very-secret'
const staging = {
  name: 'Staging',
  provider: 'aws',
  externalID: 'sim-aws-staging',
  credentials: { roleARN: secret, externalID: 'x-1' },
  regions: ['us-east-1'],
}

describe('cloud accounts, from being connected to being removed', () => {
  let org: Tenant
  const cloud = () => org.product.get(tokens.clouds).simulated
  const plan = (...errors: string[]) =>
    cloud().faults.set({ faults: errors.map((error) => ({ call: 'verify', error, times: 1 })) })
  const count = async () => (await org.get('/resources/count')).body.data.count as number
  const over = async () => {
    const status = async () => (await org.get('/resources/refresh/status')).body.data.status
    await until('the end of the discovery', async () => ['completed', 'failed', 'partial'].includes(await status()))
  }
  const connect = async (body: object = staging) => {
    const r = await org.send('POST', '/cloud-accounts', body)
    expect(r.status).to.equal(201)
    await over()
    return r
  }
  const account = async (id: string) => (await org.get(`/cloud-accounts/${id}`)).body.data
  beforeEach(async () => void (org = await tenant()))
  afterEach(() => cloud().faults.set({ faults: [] }))

  it('checks a new account, looks through it, and shows everything of it but its credentials', async () => {
    const r = await connect()
    const { id, createdAt, updatedAt, lastVerifiedAt } = r.body.data
    const shown = {
      id,
      orgID: org.orgId,
      name: 'Staging',
      provider: 'aws',
      externalID: 'sim-aws-staging',
      driver: 'simulated',
      regions: ['us-east-1'],
      status: 'connected',
      permissionVerdict: 'read_write',
      missingPermissions: [],
      lastVerifiedAt,
      lastSyncedAt: null,
      createdAt,
      updatedAt,
    }
    expect(r.body).to.deep.equal({ data: shown })
    expect(r.headers.get('location')).to.equal(`/cloud-accounts/${id}`)
    const found = cloud().world.resources.get('sim-aws-staging')!
    expect(await count()).to.equal(found.filter(({ region }) => region === 'us-east-1').length)
    const now = await account(id)
    const { lastSyncedAt } = now
    expect(now).to.deep.equal({ ...shown, lastSyncedAt, updatedAt: now.updatedAt })
    expect((await org.get('/resources/last-synced')).body.data).to.deep.equal([
      { cloudAccountID: id, provider: 'aws', lastSyncedAt },
    ])
    const row = await org.connections.store.pool.query('select * from cloud_account where org_id = $1', [org.orgId])
    expect(JSON.stringify(row.rows)).to.not.contain('very-secret')
    expect(row.rows[0].credentials).to.be.a('string')
  })

  deepIt('is connected once; another number at the provider is another account', async () => {
    const { id } = (await connect()).body.data
    const again = await org.send('POST', '/cloud-accounts', { ...staging, name: 'Again' })
    expect([again.status, again.body.code]).to.deep.equal([409, 'already_exists'])
    const other = await connect({ ...staging, name: 'Analytics', externalID: 'sim-aws-analytics' })
    expect(other.body.data.id).to.not.equal(id)
    const { items, ...page } = (await org.get('/cloud-accounts')).body.data
    expect(items.map((item: any) => item.name)).to.deep.equal(['Analytics', 'Staging'])
    expect(page).to.deep.equal({ total: 2, page: 1, limit: 20, hasMore: false })
  })

  it('pages through the accounts and says whether there are more [GEN-12] [LIM-01] [LIM-02]', async () => {
    const fed = { resourceUid: 'i-1', name: 'n', type: 'aws-ec2', provider: 'aws', region: 'eu' } as const
    const ids = ['a', 'b', 'c']
    await org.publish(
      resourceDiscovered,
      ids.map((cloudAccountId) => ({ ...fed, cloudAccountId })),
    )
    const page = async (query: string) => {
      const { items, ...rest } = (await org.get(`/cloud-accounts?${query}`)).body.data
      return { ids: items.map((item: any) => item.id), ...rest }
    }
    expect(await page('limit=2')).to.deep.equal({ ids: ['a', 'b'], total: 3, page: 1, limit: 2, hasMore: true })
    expect(await page('limit=2&page=2')).to.deep.equal({ ids: ['c'], total: 3, page: 2, limit: 2, hasMore: false })
    expect(await page('limit=3')).to.deep.equal({ ids, total: 3, page: 1, limit: 3, hasMore: false })
    expect(await page('limit=500')).to.deep.equal({ ids, total: 3, page: 1, limit: 100, hasMore: false })
    for (const bad of ['limit=0', 'limit=abc', 'page=0', 'page=-1']) {
      expect((await org.get(`/cloud-accounts?${bad}`)).status, bad).to.equal(400)
    }
  })

  deepIt(
    'follows what the cloud says of the credentials, and keeps its status when the cloud says nothing',
    async () => {
      const { id } = (await connect()).body.data
      const verified = async (...errors: string[]) => {
        plan(...errors)
        const { data } = (await org.send('POST', `/cloud-accounts/${id}/verify`)).body
        return [data.status, data.permissionVerdict, data.missingPermissions.length, data.message]
      }
      const lost = ['simulated:Start', 'simulated:Stop']
      expect(await verified('read_only')).to.deep.equal(['degraded', 'read_only', lost.length, undefined])
      expect(await verified('timeout')).to.deep.equal(['degraded', 'unknown', 0, 'Simulated fault: timeout.'])
      expect(await verified('none')).to.deep.equal(['error', 'none', 3, undefined])
      expect(await verified('timeout')).to.deep.equal(['error', 'unknown', 0, 'Simulated fault: timeout.'])
      expect(await verified()).to.deep.equal(['connected', 'read_write', 0, undefined])
    },
  )

  describe('whose cloud refuses the credentials in the middle of something else', () => {
    const refused = {
      status: 'error',
      permissionVerdict: 'none',
      message: 'Simulated fault: credentials_refused. Save credentials that the cloud accepts for this account.',
    }
    const refuse = (call: 'discover' | 'bill' | 'verify', error = 'credentials_refused') =>
      cloud().faults.set({ faults: [{ call, error, times: 1 }] })
    const looks = (id: string) =>
      cloud().calls.filter((made) => made.cloudAccountId === id && made.call === 'discover').length
    const seen = async (id: string) => {
      await until('the refusal', async () => (await account(id)).status === 'error')
      return account(id)
    }

    deepIt(
      'has an error after a scan until one works, or after a check, which scans do not mend and another check does, and then it is looked through again',
      async () => {
        const { id } = (await connect()).body.data
        const scan = async () => {
          await org.send('POST', '/resources/refresh', {})
          await over()
        }
        refuse('discover')
        await scan()
        expect(await seen(id)).to.include(refused)
        await scan()
        await until('it is well', async () => (await account(id)).status === 'connected')
        expect(await account(id)).to.deep.include({ permissionVerdict: 'read_write', missingPermissions: [] })
        expect((await account(id)).message).to.equal(undefined)

        refuse('verify')
        await org.send('POST', `/cloud-accounts/${id}/verify`)
        expect(await seen(id)).to.include(refused)
        await scan()
        expect(await account(id)).to.include(refused)
        const before = looks(id)
        const mended = (await org.send('POST', `/cloud-accounts/${id}/verify`)).body.data
        expect([mended.status, mended.permissionVerdict, mended.message]).to.deep.equal([
          'connected',
          'read_write',
          undefined,
        ])
        await until('another look', async () => looks(id) > before)
      },
    )

    deepIt('has an error after its bills and after a check, and is mended by credentials that work', async () => {
      const { id } = (await connect()).body.data
      refuse('bill')
      await org.send('POST', '/billing/verify', {})
      expect(await seen(id)).to.include(refused)
      const patched = async () =>
        (await org.send('PATCH', `/cloud-accounts/${id}`, { credentials: staging.credentials })).body.data
      expect(await patched()).to.include({ status: 'connected' })
      refuse('verify', 'credentials_expired')
      expect(await patched()).to.include({
        ...refused,
        message:
          'Simulated fault: credentials_expired. Renew the credentials in the cloud and save them for this account.',
      })
      expect(await patched()).to.include({ status: 'connected' })
    })

    deepIt('reads which of its resources it tells so, page by page', async () => {
      const { id } = (await connect()).body.data
      const found = cloud()
        .world.resources.get('sim-aws-staging')!
        .filter(({ region }) => region === 'us-east-1')
      const reads = org.product.get(tokens.reads) as TurnReads
      const behind = async (after: string) => {
        const address = { orgId: org.orgId, place: id, key: id }
        const { blind } = await accountNeeds(
          [{ subject: accountBlinding as never, address, data: { id, after } }],
          reads,
        )
        return blind.get(blindKey(org.orgId, id, after))!
      }
      const all = await behind('')
      expect(all).to.have.members(found.map(({ uid }) => uid))
      expect(await behind(all[2]!)).to.deep.equal(all.slice(3))
    })
  })

  it('is left alone while it is disabled, and looked at again when it is enabled', async () => {
    const { id } = (await connect()).body.data
    const patched = async (body: object) => (await org.send('PATCH', `/cloud-accounts/${id}`, body)).body.data
    expect((await patched({ enabled: false })).status).to.equal('disabled')
    const refused = await org.send('POST', '/resources/refresh', { cloudAccountID: id })
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'invalid_transition'])
    const looks = cloud().calls.filter((made) => made.cloudAccountId === id).length
    expect((await org.send('POST', '/resources/refresh', {})).status).to.equal(202)
    await over()
    expect(cloud().calls.filter((made) => made.cloudAccountId === id)).to.have.length(looks)
    expect(await patched({ enabled: true, name: 'Back' })).to.include({ status: 'connected', name: 'Back' })
    expect((await org.get('/resources?limit=1')).body.data[0].cloudAccountName).to.equal('Back')
  })

  const billed = (id: string) =>
    org.publish(billingLine, [
      {
        lineId: '2026-01-05/1',
        cloudAccountId: id,
        provider: 'aws',
        resourceUid: 'r1',
        serviceName: 'ec2',
        usageDate: '2026-01-05',
        costUSD: 12.5,
        exportedAt: '2026-01-06T00:00:00Z',
      },
    ])
  const stillBilled = async () => {
    const cost = await org.facts(
      "SELECT toString(sum(billed_cost)) AS cost FROM cost_daily WHERE org_id = {org:String} AND resource_uid = 'r1'",
    )
    expect(cost).to.deep.equal([{ cost: '12.5' }])
  }

  it('takes its resources out of the inventory when it is removed, and leaves its costs', async () => {
    const { id } = (await connect()).body.data
    const total = await count()
    if (isDeep) await billed(id)
    expect(total).to.be.above(0)
    expect((await org.send('DELETE', `/cloud-accounts/${id}`)).status).to.equal(204)
    await until('the inventory to be empty', async () => (await count()) === 0)
    expect((await org.get('/cloud-accounts')).body.data.total).to.equal(0)
    expect((await org.get('/resources/last-synced')).body.data).to.deep.equal([])
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/verify'],
    ] as const) {
      const body = method === 'PATCH' ? {} : undefined
      expect((await org.send(method, `/cloud-accounts/${id}${path}`, body)).status, method).to.equal(404)
    }
    if (isDeep) await stillBilled()
    expect((await connect()).body.data).to.include({ id, status: 'connected' })
    expect(await count()).to.equal(total)
  })

  deepIt('goes by the clock the tests set, forth and back', async () => {
    const { id } = (await connect()).body.data
    const renamed = async (name: string) =>
      (await org.send('PATCH', `/cloud-accounts/${id}`, { name })).body.data.updatedAt as string
    try {
      for (const day of ['2031-05-01', '2020-02-29', '2026-01-15']) {
        await setClock(new Date(`${day}T12:00:00Z`))
        expect(await renamed(day)).to.match(new RegExp(`^${day}T12:00:0`))
      }
    } finally {
      await org.connections.clock.set(new Date())
    }
    expect(Math.abs(Date.parse(await renamed('now')) - Date.now())).to.be.below(60_000)
  })

  it('shows every time in every answer as RFC 3339 in UTC [GEN-07]', async () => {
    await connect()
    const times: string[] = []
    const collect = (value: unknown): void => {
      for (const [key, inner] of Object.entries(value ?? {})) {
        if (/At$|^eventStart$|^eventEnd$/.test(key) && inner !== null) times.push(String(inner))
        else if (typeof inner === 'object') collect(inner)
      }
    }
    const [{ id }] = (await org.get('/resources?limit=1')).body.data
    const [{ id: accountId }] = (await org.get('/cloud-accounts')).body.data.items
    const ids: Record<string, string> = { resourceID: id, cloudAccountID: accountId }
    // The ids that are unknown here are answered with 404, which holds no time: that is asked in deep alone.
    const isKnown = (path: string) => [...path.matchAll(/:(\w+)/g)].every(([, name]) => Object.hasOwn(ids, name!))
    const isAsked = (path: string) => isDeep || (isKnown(path) && withTimes.test(path))
    const reads = routes.filter((route) => route.method === 'GET' && isAsked(route.path))
    for (const { path, method } of reads) {
      const r = await org.get(path.replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? 'unknown'))
      expect(r.status, `${method} ${path}`).to.be.below(500)
      collect(r.body)
    }
    expect(times).to.have.length.above(20)
    expect(times.filter((time) => !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(time))).to.deep.equal([])
    expect(times.filter((time) => Number.isNaN(Date.parse(time)))).to.deep.equal([])
  })
})
