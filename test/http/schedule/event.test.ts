import { expect } from 'chai'
import { internalToken } from '#http/identity/session/authenticate.ts'
import { deriveKey, sealKey } from '#config/secrets/seal.ts'
import { ask } from '#test/harness/people.ts'
import { tenant, type Answer, type Tenant } from '#test/harness/product.ts'

/** The key of the test product is known, and what its services sign with follows from it. */
const secret = deriveKey(sealKey(Buffer.alloc(32, 7).toString('base64')), 'internal-token').toString('base64')
const scheduler = (orgId?: string) => internalToken(secret, 'scheduler', new Date(), orgId)

const stop = (fields: object = {}) => ({
  scheduleID: 's-1',
  action: 'stop',
  resources: ['i-1', 'i-2'],
  status: 'triggered',
  triggeredAt: '2026-01-15T20:00:00.000Z',
  ...fields,
})

describe('scheduler events', () => {
  let org: Tenant
  beforeEach(async () => void (org = await tenant()))
  const tell = (body: object) => ask('POST', '/events', { token: scheduler(org.orgId), body })
  const facts = async () =>
    (
      await org.facts(
        `SELECT resource_uid, status, event_id FROM scheduler_event FINAL WHERE org_id = {org:String} ORDER BY resource_uid`,
      )
    ).map(({ resource_uid, status }) => `${resource_uid} ${status}`)

  it('are written down by our own services and listed with exactly these fields [ACT-16] [ACT-17] [ACT-18]', async () => {
    const made = await tell(stop({ triggeredAt: '2026-01-15T21:00:00+01:00', resources: ['i-2', 'i-1', 'i-2'] }))
    expect(made.status).to.equal(201)
    const { id, ...rest } = made.body.data
    expect(id).to.match(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    expect(rest).to.deep.equal(stop({ resources: ['i-2', 'i-1'] }))
    const { status, body, headers } = await org.get('/events')
    expect([status, body, headers.get('x-total-count')]).to.deep.equal([200, { data: [{ id, ...rest }] }, '1'])
    expect(await facts()).to.deep.equal(['i-1 triggered', 'i-2 triggered'])
  })

  it('are refused to people, and to services that name no organization [ACT-17]', async () => {
    expect(await codeOf(org.send('POST', '/events', stop()))).to.equal('403 forbidden')
    expect(await codeOf(ask('POST', '/events', { body: stop() }))).to.equal('401 unauthenticated')
    const nameless = ask('POST', '/events', { token: scheduler(), body: stop() })
    expect(await codeOf(nameless)).to.equal('403 organization_required')
    expect(await codeOf(ask('GET', '/events', { token: scheduler(org.orgId) }))).to.equal('403 forbidden')
    expect((await org.get('/events')).body.data).to.deep.equal([])
  })

  it('of the same schedule, time and action replace each other, and resources left out are taken off [ACT-17]', async () => {
    const first = (await tell(stop())).body.data
    const again = (await tell(stop({ status: 'partial', resources: ['i-2', 'i-3'] }))).body.data
    expect(again).to.deep.equal({ ...first, status: 'partial', resources: ['i-2', 'i-3'] })
    expect((await org.get('/events')).body.data).to.deep.equal([again])
    expect(await facts()).to.deep.equal(['i-1 ', 'i-2 partial', 'i-3 partial'])

    await tell(stop({ status: 'completed', resources: [] }))
    expect(await facts()).to.deep.equal(['i-1 ', 'i-2 ', 'i-3 '])
    const others = [{ action: 'start' }, { scheduleID: 's-2' }, { triggeredAt: '2026-01-15T20:00:00.001Z' }]
    for (const other of others) await tell(stop(other))
    expect((await org.get('/events')).headers.get('x-total-count')).to.equal('4')
  })

  it('end the same in PostgreSQL and in ClickHouse when one is told many times at once [ACT-17]', async () => {
    const uids = Array.from({ length: 8 }, (_, i) => `i-${i}`)
    const answers = await Promise.all(uids.map((uid) => tell(stop({ resources: [uid], status: 'failed' }))))
    expect(answers.map(({ status }) => status)).to.deep.equal(uids.map(() => 201))
    const [event, ...more] = (await org.get('/events')).body.data
    expect([more, event.resources.length]).to.deep.equal([[], 1])
    const standing = (await facts()).filter((row) => !row.endsWith(' '))
    expect(standing).to.deep.equal([`${event.resources[0]} failed`])
  })

  it('are listed newest first, narrowed by schedule and range, a page at a time [ACT-16]', async () => {
    for (const day of ['14', '16', '15'])
      await tell(stop({ triggeredAt: `2026-01-${day}T20:00:00.000Z`, scheduleID: day === '16' ? 's-2' : 's-1' }))
    const days = async (query: string) => {
      const { body, headers } = await org.get(`/events?${query}`)
      const listed = body.data.map(({ triggeredAt }: { triggeredAt: string }) => triggeredAt.slice(8, 10)).join(' ')
      return [listed, headers.get('x-total-count'), headers.get('link')]
    }
    expect(await days('')).to.deep.equal(['16 15 14', '3', null])
    expect(await days('schedule_id=s-1')).to.deep.equal(['15 14', '2', null])
    expect(await days('from=2026-01-15&to=2026-01-15')).to.deep.equal(['15', '1', null])
    const edge = 'from=2026-01-14T20:00:00Z&to=2026-01-16T20:00:00Z'
    expect(await days(edge)).to.deep.equal(['15 14', '2', null])
    expect(await days('limit=2')).to.deep.equal(['16 15', '3', '</events?limit=2&page=2>; rel="next"'])
    expect(await days('limit=2&page=2')).to.deep.equal(['14', '3', '</events?limit=2&page=1>; rel="prev"'])
  })

  it('take 2000 resources and not one more, and refuse what is not one of the words or times [ACT-17] [ACT-18]', async () => {
    const uids = (count: number) => Array.from({ length: count }, (_, i) => `i-${i}`)
    expect((await tell(stop({ resources: uids(2000) }))).body.data.resources).to.have.length(2000)
    const wrong: [object, string][] = [
      [{ resources: uids(2001) }, '/resources'],
      [{ action: 'restart' }, '/action'],
      [{ status: '' }, '/status'],
      [{ scheduleID: '' }, '/scheduleID'],
      [{ triggeredAt: 'yesterday' }, '/triggeredAt'],
      [{ triggeredAt: '1969-12-31T23:59:59Z' }, '/triggeredAt'],
    ]
    for (const [fields, name] of wrong) {
      const { status, body } = await tell(stop(fields))
      expect([status, body.errors?.[0]?.name], JSON.stringify(fields).slice(0, 80)).to.deep.equal([400, name])
    }
  })

  it('of another organization are not seen', async () => {
    await tell(stop())
    const other = await tenant()
    expect((await other.get('/events')).body.data).to.deep.equal([])
  })
})

const codeOf = async (answer: Promise<Answer>) => {
  const { status, body } = await answer
  return `${status} ${body.code}`
}
