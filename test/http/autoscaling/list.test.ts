/** Policies as people read them: lists, counts, one, and what it did. */
import { expect } from 'chai'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { at, plantedEvents, plantedPolicies, plantedRemovals } from '#test/harness/autoscaler-row.ts'
import { ask, colleague, type Founder } from '#test/harness/people.ts'
import { tenant, type Answer, type Tenant } from '#test/harness/product.ts'
import { found } from '#test/harness/tagged.ts'
import { deepIt } from '#test/harness/tier.ts'

const told = ({ status, body }: Answer) => [status, body?.code]
const names = ({ body }: Answer) => body.data.items.map((one: any) => one.name).join(' ')

describe('autoscaler policies', () => {
  let org: Tenant
  let ids: string[]
  let gone: string
  before(async () => {
    org = await tenant()
    await org.publish(resourceDiscovered, [found('i-1'), found('i-2', { cloudAccountId: 'acct-2', provider: 'gcp' })])
    ids = await plantedPolicies(
      org,
      { name: 'Web', updated_at: '2030-01-09T13:00:00.000Z' },
      {
        name: 'api',
        target_uid: 'svc-1',
        target_type: 'aws-ecs-service',
        mode: 'autopilot',
        effective_mode: 'monitor',
        status: 'paused',
        created_at: '2030-01-06T13:00:00.000Z',
      },
      {
        name: 'Batch 100%',
        cloud_account_id: 'acct-2',
        target_uid: 'mig-1',
        target_type: 'gcp-mig',
        provider: 'gcp',
        mode: 'monitor',
        effective_mode: 'monitor',
        status: 'error',
        status_reason: 'The target is gone.',
        created_at: '2030-01-08T13:00:00.000Z',
      },
    )
    ;[gone] = (await plantedRemovals(org, { name: 'Old', target_uid: 'asg-0' })) as [string]
  })
  const list = (query = '') => org.get(`/autoscaler-policies${query}`)

  it('are listed by name, with exactly these fields [ASC-12] [G-76]', async () => {
    const { status, body } = await list()
    expect([status, Object.keys(body.data)]).to.deep.equal([200, ['items', 'total', 'page', 'limit', 'hasMore']])
    expect(body.data.items.map((one: any) => one.name)).to.deep.equal(['Batch 100%', 'Web', 'api'])
    expect(body.data).to.include({ total: 3, page: 1, limit: 20, hasMore: false })
    const web = body.data.items.find((one: any) => one.name === 'Web')
    expect(web).to.deep.equal({
      id: ids[0],
      orgID: org.orgId,
      name: 'Web',
      mode: 'recommend',
      effectiveMode: 'recommend',
      status: 'active',
      cloudAccountID: 'acct-1',
      provider: 'aws',
      target: { type: 'aws-asg', uid: 'asg-1' },
      min: 2,
      max: 10,
      targetCPUPercent: 60,
      cooldownSeconds: 300,
      triggers: [],
      adoption: null,
      currentTarget: { min: 2, max: 10, desired: 4, cpuPercent: null, observedAt: at },
      createdAt: at,
      updatedAt: '2030-01-09T13:00:00.000Z',
    })
  })

  it('are narrowed by each filter, by stand-in names too [ASC-12] [G-76] [G-08]', async () => {
    const cases: Record<string, string> = {
      'status=paused': 'api',
      'status=paused,error': 'Batch 100% api',
      'mode=recommend': 'Web',
      'provider=gcp': 'Batch 100%',
      'provider=cloud-a': 'Web api',
      'target_type=aws-asg,aws-ecs-service': 'Web api',
      'target_type=cloud-b-mig': 'Batch 100%',
      'cloud_account_id=acct-2': 'Batch 100%',
      'search=WE': 'Web',
      'search=svc-': 'api',
      'search=100%25': 'Batch 100%',
      'search=%25b': '',
      'status=active&provider=gcp': '',
    }
    for (const [query, expected] of Object.entries(cases)) {
      const answer = await list(`?${query}&sort_by=created_at`)
      expect(answer.status, query).to.equal(200)
      expect(names(answer).split(' ').toSorted().join(' '), query).to.equal(expected.split(' ').toSorted().join(' '))
    }
  })

  it('are sorted and paged, equal ones by id [ASC-12] [G-76] [G-05]', async () => {
    expect(names(await list('?sort_by=created_at'))).to.equal('api Web Batch 100%')
    expect(names(await list('?sort_by=created_at&sort_order=desc'))).to.equal('Batch 100% Web api')
    expect(names(await list('?sort_by=mode'))).to.equal('api Batch 100% Web')
    expect(names(await list('?sort_by=status'))).to.equal('Web Batch 100% api')
    expect(names(await list('?sort_by=updated_at&sort_order=desc'))).to.match(/^Web /)
    const page = (await list('?sort_by=created_at&limit=2&page=2')).body.data
    expect([page.items.length, page.total, page.page, page.limit, page.hasMore]).to.deep.equal([1, 3, 2, 2, false])
    expect((await list('?limit=2')).body.data.hasMore).to.equal(true)
    expect((await list('?limit=500')).body.data.limit).to.equal(100)
    for (const wrong of ['limit=0', 'sort_by=max', 'status=open', 'mode=auto', 'provider=other', 'limits=3'])
      expect((await list(`?${wrong}`)).status, wrong).to.equal(400)
  })

  it('that were removed are shown only where they are asked for [ASC-10] [G-80]', async () => {
    expect(names(await list('?include_removed=true&sort_by=status&sort_order=desc'))).to.match(/^Old /)
    expect((await list('?include_removed=true')).body.data.total).to.equal(4)
    const { items } = (await list('?status=removed')).body.data
    expect(items.map((one: any) => [one.id, one.status, one.removedAt])).to.deep.equal([
      [gone, 'removed', '2030-01-08T13:00:00.000Z'],
    ])
    expect(told(await list(`/${gone}`))).to.deep.equal([404, 'not_found'])
    expect((await list(`/${gone}?include_removed=true`)).body.data).to.deep.equal(items[0])
  })

  it('are counted by status, with the filters of the list; the counts add up to its total [ASC-13] [G-76]', async () => {
    const none = { active: 0, paused: 0, event_hold: 0, error: 0, pending_infrastructure: 0 }
    expect((await list('/count')).body).to.deep.equal({ data: { ...none, active: 1, paused: 1, error: 1 } })
    expect((await list('/count?include_removed=true')).body.data).to.deep.equal({
      ...none,
      active: 1,
      paused: 1,
      error: 1,
      removed: 1,
    })
    for (const query of ['provider=aws', 'search=web', 'include_removed=true&target_type=aws-asg', 'status=paused']) {
      const counts = Object.values((await list(`/count?${query}`)).body.data as Record<string, number>)
      const { total } = (await list(`?${query}`)).body.data
      expect(
        counts.reduce((sum, one) => sum + one, 0),
        query,
      ).to.equal(total)
    }
  })

  it('say what they may be narrowed by: what the present ones have [ASC-14] [G-76]', async () => {
    expect((await list('/filters')).body.data).to.deep.equal({
      modes: ['monitor', 'recommend', 'autopilot'],
      targets: ['aws-asg', 'aws-ecs-service', 'gcp-mig'],
      cloudAccounts: [
        { id: 'acct-1', name: 'acct-1' },
        { id: 'acct-2', name: 'acct-2' },
      ],
    })
    expect((await (await tenant()).get('/autoscaler-policies/filters')).body.data).to.deep.equal({
      modes: [],
      targets: [],
      cloudAccounts: [],
    })
  })

  it('show what they recommend and what is known of their target [ASC-15] [G-75]', async () => {
    const recommendation = {
      id: 'r-1',
      fromMin: 2,
      fromMax: 10,
      toMin: 6,
      toMax: 10,
      toDesired: 6,
      need: 6,
      reason: 'CPU was 90% of 4 units in the last 5 minutes; the target is 60%.',
      createdAt: at,
    }
    const [id] = await plantedPolicies(org, {
      target_uid: 'asg-9',
      name: 'Whole',
      triggers: [{ preset: 'peak-hours', timezone: 'UTC', start: '12:00', end: '14:00', days: [1, 2], minCapacity: 5 }],
      adoption: 'adopt',
      step: { up: 3 },
      max_hourly_usd: 12.5,
      recommendation,
      current: { min: 2, max: 9, desired: 4, cpuPercent: 90.5, observedAt: at },
      last_write_at: '2030-01-07T12:00:00.000Z',
    })
    const { toDesired: _desired, need: _need, ...latestRecommendation } = recommendation
    const shown = (await list(`/${id}`)).body.data
    expect(shown).to.deep.include({
      triggers: [{ preset: 'peak-hours', timezone: 'UTC', start: '12:00', end: '14:00', days: [1, 2], minCapacity: 5 }],
      adoption: 'adopt',
      step: { up: 3 },
      maxHourlyUSD: 12.5,
      latestRecommendation,
      currentTarget: { min: 2, max: 9, desired: 4, cpuPercent: 90.5, observedAt: at },
      lastWriteAt: '2030-01-07T12:00:00.000Z',
    })
    expect(shown).to.not.have.any.keys('statusReason', 'removedAt')
    expect((await list(`/${ids[2]}`)).body.data.statusReason).to.equal('The target is gone.')
    expect(told(await list('/none'))).to.deep.equal([404, 'not_found'])
    await org.connections.store.pool.query('delete from autoscaler_policy where policy_id = $1', [id])
  })

  it('show what they did, the oldest first, page by page, with exactly these fields [ASC-11] [ASC-24] [ASC-25]', async () => {
    const none = { from_min: null, from_max: null, to_min: null, to_max: null }
    await plantedEvents(
      org,
      ids[0]!,
      { kind: 'recommendation', mode: 'recommend' },
      { kind: 'apply', applied_by: 'u-1' },
      { kind: 'pause', applied_by: 'u-1', reason: '', ...none },
      { kind: 'write' },
      { kind: 'failure', reason: 'Slow down.' },
    )
    const events = (query = '') => org.get(`/autoscaler-policies/${ids[0]}/events${query}`)
    const { body, headers } = await events()
    expect(headers.get('x-total-count')).to.equal('5')
    expect(body.data.map((one: any) => one.kind)).to.deep.equal([
      'recommendation',
      'apply',
      'pause',
      'write',
      'failure',
    ])
    expect(body.data.slice(0, 3)).to.deep.equal([
      {
        id: 'e-1',
        kind: 'recommendation',
        fromMin: 2,
        fromMax: 10,
        toMin: 6,
        toMax: 10,
        reason: 'CPU was high.',
        appliedBy: null,
        createdAt: '2030-01-07T13:00:00.000Z',
      },
      {
        id: 'e-2',
        kind: 'apply',
        fromMin: 2,
        fromMax: 10,
        toMin: 6,
        toMax: 10,
        reason: 'CPU was high.',
        appliedBy: 'u-1',
        createdAt: '2030-01-07T13:00:01.000Z',
      },
      {
        id: 'e-3',
        kind: 'pause',
        fromMin: null,
        fromMax: null,
        toMin: null,
        toMax: null,
        reason: '',
        appliedBy: 'u-1',
        createdAt: '2030-01-07T13:00:02.000Z',
      },
    ])
    const second = await events('?limit=2&page=2')
    expect(second.body.data.map((one: any) => one.id)).to.deep.equal(['e-3', 'e-4'])
    expect(second.headers.get('link')).to.contain('page=3').and.to.contain('page=1')
    const beyond = await events('?limit=2&page=9')
    expect([beyond.body.data, beyond.headers.get('x-total-count')]).to.deep.equal([[], '5'])
    expect((await org.get(`/autoscaler-policies/${ids[1]}/events`)).body).to.deep.equal({ data: [] })
  })

  it('show what removed ones did [ASC-10] [ASC-11]', async () => {
    await plantedEvents(org, gone, { kind: 'write' }, { kind: 'remove', applied_by: 'u-1' })
    const { status, body } = await org.get(`/autoscaler-policies/${gone}/events`)
    expect([status, body.data.map((one: any) => one.kind)]).to.deep.equal([200, ['write', 'remove']])
  })

  it('of another organization are not there', async () => {
    const other = await tenant()
    expect((await other.get('/autoscaler-policies?include_removed=true')).body.data.items).to.deep.equal([])
    for (const path of [`/${ids[0]}`, `/${ids[0]}/events`, `/${gone}?include_removed=true`, `/${gone}/events`])
      expect(told(await other.get(`/autoscaler-policies${path}`)), path).to.deep.equal([404, 'not_found'])
  })
})

describe('autoscaler policies, to a role that sees some accounts and teams', () => {
  deepIt('are those of its resources, in every list and one by one', async () => {
    const own = await tenant()
    await own.publish(
      resourceDiscovered,
      ['1', '2', '3'].map((n) => found(`asg-${n}`, { cloudAccountId: `acct-${n}`, type: 'aws-asg' })),
    )
    const [mine, ofTeam, foreign] = (await plantedPolicies(
      own,
      ...['1', '2', '3'].map((n) => ({ name: `P${n}`, cloud_account_id: `acct-${n}`, target_uid: `asg-${n}` })),
    )) as [string, string, string]
    const team = (await own.send('POST', '/teams', { name: 'Core' })).body.data.id
    await own.send('POST', `/teams/${team}/resources`, { resourceUIDs: ['asg-2'] })
    const reportScope = { all: false, cloudAccountIDs: ['acct-1'], teamIDs: [team] }
    const permissions = ['service.view', 'service.create', 'service.update', 'service.delete']
    const role = (await own.send('POST', '/roles', { name: 'Narrow', permissions, reportScope })).body.data.id
    const who = await colleague({ accessToken: own.token, orgId: own.orgId } as Founder, role)
    const see = (method: string, path: string, body?: object) =>
      ask(method, `/autoscaler-policies${path}`, { token: who.accessToken, ...(body && { body }) })
    expect((await see('GET', '')).body.data.items.map((one: any) => one.id)).to.deep.equal([mine, ofTeam])
    expect((await see('GET', '/count')).body.data.active).to.equal(2)
    expect((await see('GET', '/filters')).body.data.cloudAccounts.map((one: any) => one.id)).to.deep.equal([
      'acct-1',
      'acct-2',
    ])
    for (const id of [mine, ofTeam]) expect((await see('GET', `/${id}`)).status).to.equal(200)
    // Of a uid that several accounts have, the first one is looked at in which the role sees it.
    await own.publish(resourceDiscovered, [found('asg-1', { cloudAccountId: 'acct-0', type: 'aws-asg' })])
    expect((await see('GET', '/existing-policies?target_type=aws-asg&target_uid=asg-1')).status).to.equal(200)
    for (const account of ['acct-1', 'acct-2'])
      expect((await see('GET', `/infrastructure-status?cloud_account_id=${account}`)).status, account).to.equal(200)
    for (const [method, path, body] of [
      ['GET', `/${foreign}`],
      ['GET', `/${foreign}/events`],
      ['PUT', `/${foreign}`, { max: 5 }],
      ['POST', `/${foreign}/pause`],
      ['POST', `/${foreign}/apply`],
      ['POST', `/${foreign}/remove`],
      ['DELETE', `/${foreign}`],
      ['GET', '/smart-defaults?cloud_account_id=acct-3&target_type=aws-asg&target_uid=asg-3'],
      ['GET', '/existing-policies?target_type=aws-asg&target_uid=asg-3'],
      ['GET', '/required-permissions?cloud_account_id=acct-3'],
      ['GET', '/infrastructure-status?cloud_account_id=acct-3'],
      ['POST', '/create-infrastructure', { cloudAccountID: 'acct-3' }],
    ] as const)
      expect(told(await see(method, path, body)), `${method} ${path}`).to.deep.equal([404, 'not_found'])
  })
})
