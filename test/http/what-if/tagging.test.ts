import { expect } from 'chai'
import { billingLine } from '#streams/billing/messages.ts'
import { ask } from '#test/harness/people.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { found, policy, Tagged } from '#test/harness/tagged.ts'
import { answerOf, daysAgo, errorsOf, seeing } from '#test/harness/what-if.ts'

const value = (...fields: string[]) => ({ fields, join: '-', standardize: true })
const where = (attr: string, ...values: string[]) => ({ all: [{ attr, op: 'in', values }] })
const specOf = (key: string, made: object, selector?: object) => policy(key, made, selector).spec

const bill = (resourceUid: string, costUSD: number, days: number, cloudAccountId = 'acct-1') => ({
  lineId: `${days}/${resourceUid}`,
  cloudAccountId,
  ...(resourceUid !== '' && { resourceUid }),
  costUSD,
  usageDate: daysAgo(days),
  provider: 'aws' as const,
  serviceName: 'ec2',
  exportedAt: new Date().toISOString(),
})

describe('what another tagging policy would have come to', () => {
  let org: Tagged & Tenant
  let older: string
  const range = { kind: 'tagging', from: daysAgo(4), to: daysAgo(1) }
  const ofWeb = specOf('loc', value('res.type'), where('name', 'web'))
  const onAws = specOf('loc', value('res.region'), where('provider', 'aws'))
  const whatIf = (spec: object, policyID?: string) => answerOf(org, { ...range, change: { spec, policyID } })

  before(async () => {
    org = await Tagged.begin()
    await org.discover(
      found('i-1', { name: 'web' }),
      found('i-2', { name: 'db', tags: { loc: 'here' } }),
      found('i-3', { name: 'batch', region: 'eu-west-1' }),
      found('i-4', { name: 'loose', region: '' }),
      found('i-5', { name: 'gone' }),
      found('v-1', { name: 'vm', type: 'gcp-vm', provider: 'gcp', cloudAccountId: 'acct-2' }),
    )
    await org.gone('i-5')
    await org.publish(billingLine, [
      bill('i-1', 0.1, 2),
      bill('i-1', 0.2, 4),
      bill('i-1', 100, 5),
      bill('i-1', 100, 0),
      bill('i-2', 5, 2),
      bill('i-3', 7, 4),
      bill('i-4', 1, 2),
      bill('i-5', 3, 2),
      bill('b-1', 11, 4),
      bill('', 50, 2),
      bill('v-1', 64, 2, 'acct-2'),
    ])
    older = await org.policy('loc', value('res.type'), where('name', 'web'))
  })

  it('is said in resources and exact dollars of the days, beside what the policies of now come to', async () => {
    const { reasons, ...said } = await whatIf(onAws)
    expect(reasons).to.have.length(2)
    expect(said).to.deep.equal({
      kind: 'tagging',
      from: daysAgo(4),
      to: daysAgo(1),
      key: 'loc',
      resources: 5,
      before: {
        taggedResources: 2,
        taggedUSD: 5.3,
        untaggedUSD: 72,
        valueCount: 2,
        values: [
          { value: 'here', resources: 1, costUSD: 5 },
          { value: 'aws-ec2', resources: 1, costUSD: 0.3 },
        ],
      },
      after: {
        taggedResources: 3,
        taggedUSD: 12.3,
        untaggedUSD: 65,
        valueCount: 3,
        values: [
          { value: 'eu-west-1', resources: 1, costUSD: 7 },
          { value: 'here', resources: 1, costUSD: 5 },
          { value: 'aws-ec2', resources: 1, costUSD: 0.3 },
        ],
      },
      goneUSD: 14,
      addedCount: 1,
      removedCount: 0,
      changedCount: 0,
      added: [
        {
          cloudAccountID: 'acct-1',
          resourceUid: 'i-3',
          resourceName: 'batch',
          costUSD: 7,
          before: null,
          after: { value: 'eu-west-1', tagSource: 'smart' },
        },
      ],
      removed: [],
      changed: [],
      byDay: [
        { date: daysAgo(4), before: 0.2, after: 7.2 },
        { date: daysAgo(3), before: 0, after: 0 },
        { date: daysAgo(2), before: 5.1, after: 5.1 },
        { date: daysAgo(1), before: 0, after: 0 },
      ],
      approximate: true,
    })
  })

  it('of a policy that there is says what its change would change, and nothing of none', async () => {
    const names = (list: any[]) => list.map((one) => `${one.resourceUid} ${one.before?.value} ${one.after?.value}`)
    const all = await whatIf(specOf('loc', value('res.region')), older)
    expect([names(all.added), names(all.removed), names(all.changed)]).to.deep.equal([
      ['v-1 undefined us-east-1', 'i-3 undefined eu-west-1'],
      [],
      ['i-1 aws-ec2 us-east-1'],
    ])
    const none = await whatIf(specOf('loc', value('res.type'), where('name', 'nothing')), older)
    expect([names(none.added), names(none.removed), names(none.changed)]).to.deep.equal([
      [],
      ['i-1 aws-ec2 undefined'],
      [],
    ])
    const same = await whatIf(ofWeb, older)
    expect([same.after, same.addedCount, same.removedCount, same.changedCount]).to.deep.equal([same.before, 0, 0, 0])
    expect((await whatIf(specOf('zone', value('res.region')), older)).reasons[2]).to.include('assigns the tag loc,')
  })

  it('counts what people accepted of predictions behind what policies derive', async () => {
    const own = await Tagged.begin()
    await own.discover(found('p-1', { name: 'shop-prod-1' }), found('p-2', { name: 'shop-prod-2' }))
    expect((await own.send('POST', '/autotagging/accept', { resourceUid: 'p-1' })).status).to.equal(200)
    const of = (name: string) =>
      answerOf(own, { ...range, change: { spec: specOf('env', value('res.region'), where('name', name)) } })
    expect((await of('none')).before.values).to.deep.equal([{ value: 'prod', resources: 1, costUSD: 0 }])
    const { changed } = await of('shop-prod-1')
    expect([changed[0].before, changed[0].after]).to.deep.equal([
      { value: 'prod', tagSource: 'auto' },
      { value: 'us-east-1', tagSource: 'smart' },
    ])
  })

  it('keeps nothing, and changes nothing', async () => {
    const stood = async () => [
      (await org.get('/policies')).body.data,
      (await org.get('/smart-tags?limit=100')).body.data,
      (await org.connections.store.pool.query('select * from resource_tagging where org_id = $1', [org.orgId])).rows,
    ]
    const then = await stood()
    await whatIf(onAws)
    expect(await stood()).to.deep.equal(then)
  })

  it('is of the accounts that a role sees, and of its own organization [RBAC-04]', async () => {
    const token = await seeing(org, 'acct-2')
    const body = { ...range, change: { spec: specOf('loc', value('res.region')) } }
    const { data } = (await ask('POST', '/what-if', { token, body })).body
    expect([data.resources, data.after.values, data.goneUSD]).to.deep.equal([
      1,
      [{ value: 'us-east-1', resources: 1, costUSD: 64 }],
      0,
    ])
    const other = await answerOf(await tenant(), body)
    expect([other.resources, other.before.untaggedUSD, other.goneUSD]).to.deep.equal([0, 0, 0])
  })

  it('refuses what can be no policy, saying where, and policies there are not', async () => {
    const of = (change: object) => errorsOf(org, { ...range, change })
    expect(await of({})).to.deep.equal([400, '/change/spec: required'])
    const wrong = specOf('loc', value('res.tags'))
    expect(await of({ spec: wrong })).to.deep.equal([400, '/change/spec/tag/value/fields/0: enum'])
    const unknown = specOf('loc', value('res.type'), { all: [{ attr: 'line.service', op: 'exists' }] })
    expect(await of({ spec: unknown })).to.deep.equal([400, '/change/spec/selector/all/0/attr: unknown'])
    expect(await of({ spec: onAws, budgetID: 'b' })).to.deep.equal([400, '/change/budgetID: unknown'])
    expect((await of({ spec: onAws, policyID: 'none' }))[0]).to.equal(404)
    const spec = { destructivePerHour: 3 }
    const guard = { domain: 'guardrail', targetType: 'organisation', name: 'Guard', spec, enabled: true }
    const { id } = (await org.send('POST', '/policies', guard)).body.data
    expect((await of({ spec: onAws, policyID: id }))[0]).to.equal(404)
    expect((await errorsOf(await tenant(), { ...range, change: { spec: onAws, policyID: older } }))[0]).to.equal(404)
  })
})
