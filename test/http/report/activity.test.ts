import { expect } from 'chai'
import { deriveKey, sealKey } from '#config/secrets/seal.ts'
import { internalToken } from '#http/identity/session/authenticate.ts'
import { resourceDeleted, resourceDiscovered } from '#streams/resource/messages.ts'
import { ask, colleague, type Founder } from '#test/harness/people.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'

const secret = deriveKey(sealKey(Buffer.alloc(32, 7).toString('base64')), 'internal-token').toString('base64')

const found = (fields: object = {}) => ({
  resourceUid: 'i-1',
  name: 'web',
  type: 'aws-ec2',
  provider: 'aws' as const,
  cloudAccountId: 'acct-1',
  region: 'us-east-1',
  status: 'running' as const,
  instanceType: 'm5.large',
  hourlyRateUSD: 0.096,
  tags: { env: 'dev', app: 'shop' },
  ...fields,
})
const at = (hour: number) => new Date(Date.UTC(2026, 0, 15, hour))
const day = 'from=2026-01-15&to=2026-01-15'

describe('the timeline of resources', () => {
  let org: Tenant
  beforeEach(async () => void (org = await tenant()))

  const see = (fields: object, hour: number) => org.publish(resourceDiscovered, [found(fields)], { time: at(hour) })
  const schedule = (hour: number, resources: string[], status = 'completed') =>
    ask('POST', '/events', {
      token: internalToken(secret, 'scheduler', new Date(), org.orgId),
      body: { scheduleID: 's-1', action: 'stop', resources, status, triggeredAt: at(hour).toISOString() },
    })
  const page = async (query: string) => (await org.get(`/reports/resources/activity?${day}${query}`)).body.data
  const brief = async (query = '') =>
    (await page(query)).items.map((item: any) => `${item.at.slice(11, 13)} ${item.resourceUid} ${item.kind}`)

  it('tells of states, schedules and configuration, newest first [REP-20]', async () => {
    await see({}, 1)
    await see({}, 2)
    await see({ instanceType: 'm5.xlarge', hourlyRateUSD: 0.192, tags: { env: 'prod', app: 'shop', tier: '1' } }, 3)
    await schedule(4, ['i-1', 'i-2'])
    await see({ instanceType: 'm5.xlarge', hourlyRateUSD: 0.192, tags: { tier: '1' }, status: 'stopped' }, 5)
    const gone = { resourceUid: 'i-1', provider: 'aws', cloudAccountId: 'acct-1' } as const
    await org.publish(resourceDeleted, [gone], { time: at(6) })

    const { items, ...rest } = await page('&resource_uid=i-1')
    expect(rest).to.deep.equal({ total: 6, page: 1, limit: 20, hasMore: false })
    const item = (hour: number, kind: string, actor: string, summary: string, details: object) => ({
      id: undefined,
      at: at(hour).toISOString(),
      kind,
      resourceUid: 'i-1',
      summary,
      actor,
      actorName: null,
      details,
    })
    const told = items.map((one: object) => ({ ...one, id: undefined }))
    const tags = { from: { env: 'prod', app: 'shop' }, to: {} }
    expect(told[0]).to.deep.equal(item(6, 'state_transition', 'discovery', 'Gone.', { from: 'stopped', to: '' }))
    expect(told.slice(1, 3)).to.have.deep.members([
      item(5, 'state_transition', 'discovery', 'From running to stopped.', { from: 'running', to: 'stopped' }),
      item(5, 'configuration_change', 'discovery', 'Changed: tags.', { tags }),
    ])
    expect(told.slice(3)).to.deep.equal([
      item(4, 'scheduler_event', 'scheduler', "A schedule's stop completed.", {
        scheduleID: 's-1',
        action: 'stop',
        status: 'completed',
      }),
      item(3, 'configuration_change', 'discovery', 'Changed: instanceType, hourlyRateUSD, tags.', {
        instanceType: { from: 'm5.large', to: 'm5.xlarge' },
        hourlyRateUSD: { from: 0.096, to: 0.192 },
        tags: { from: { env: 'dev' }, to: { env: 'prod', tier: '1' } },
      }),
      item(1, 'state_transition', 'discovery', 'Discovered as running.', { from: '', to: 'running' }),
    ])
    expect(new Set(items.map(({ id }: any) => id)).size).to.equal(6)
  })

  it('is narrowed by resources, range and the inventory, a page at a time [REP-20]', async () => {
    await Promise.all([see({}, 1), see({ resourceUid: 'i-2', region: 'eu-west-1' }, 2)])
    await schedule(3, ['i-1', 'i-2', 'unknown-1'], 'failed')
    await schedule(3, ['i-1', 'i-2'], 'failed')
    const all = [
      '03 i-1 scheduler_event',
      '03 i-2 scheduler_event',
      '02 i-2 state_transition',
      '01 i-1 state_transition',
    ]
    expect(await brief()).to.deep.equal(all)
    expect(await brief('&resource_uid=i-1,none')).to.deep.equal([all[0], all[3]])
    expect(await brief('&region=eu-west-1')).to.deep.equal([all[1], all[2]])
    expect(await brief('&cloud_account_id=acct-2')).to.deep.equal([])
    expect(await brief('&limit=3&page=2')).to.deep.equal([all[3]])
    expect(await page('&limit=3&page=9')).to.deep.equal({ items: [], total: 4, page: 9, limit: 3, hasMore: false })
    const hours = 'from=2026-01-15T02:00:00Z&to=2026-01-15T03:00:00Z'
    expect((await org.get(`/reports/resources/activity?${hours}`)).body.data.total).to.equal(1)
    const uids = Array.from({ length: 51 }, (_, i) => `i-${i}`).join()
    expect((await org.get(`/reports/resources/activity?resource_uid=${uids}`)).status).to.equal(400)
    expect((await (await tenant()).get(`/reports/resources/activity?${day}`)).body.data.total).to.equal(0)
  })

  it('shows who may see only part of the costs only its resources [REP-20]', async () => {
    const { id: team } = (await org.send('POST', '/teams', { name: 'Ant' })).body.data
    await org.send('POST', `/teams/${team}/resources`, { resourceUIDs: ['i-3'] })
    const others = ['i-2', 'i-3'].map((resourceUid) => found({ resourceUid, cloudAccountId: 'acct-2' }))
    await Promise.all([see({}, 1), org.publish(resourceDiscovered, others, { time: at(2) })])
    await schedule(3, ['i-1', 'i-2', 'i-3'])
    const seen = async (reportScope: object) => {
      const role = { name: `Narrow ${JSON.stringify(reportScope)}`, permissions: ['service.view'], reportScope }
      const made = await org.send('POST', '/roles', role)
      const ben = await colleague({ accessToken: org.token, orgId: org.orgId } as Founder, made.body.data.id)
      const { body } = await ask('GET', `/reports/resources/activity?${day}`, { token: ben.accessToken })
      return body.data.items.map((item: any) => `${item.resourceUid} ${item.kind}`)
    }
    const scopes = [{ all: false }, { all: false, cloudAccountIDs: ['acct-1'], teamIDs: [team] }]
    const [nothing, part] = await Promise.all(scopes.map(seen))
    expect(nothing).to.deep.equal([])
    expect(part).to.deep.equal([
      'i-1 scheduler_event',
      'i-3 scheduler_event',
      'i-3 state_transition',
      'i-1 state_transition',
    ])
  })
})
