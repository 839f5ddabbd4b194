import { expect } from 'chai'
import fc from 'fast-check'
import { makePolicy } from '#actors/policy/change.ts'
import { taggingDomain } from '#actors/tagging/policy/policy.ts'
import { resourceDeleted, resourceDiscovered } from '#streams/resource/messages.ts'
import { smartTagDecided, suggestionDecided, tagLook, tagRunWanted } from '#streams/tagging.ts'
import { policyOf, type Discovered } from '#test/harness/tagging.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { amount, deepIt, sample } from '#test/harness/tier.ts'

const account = 'acct-1'

const rowsOf = async (org: Tenant): Promise<any[]> => {
  const sql = `
    select uid, signals, evidence_env, parent_uid, neighbourhood, has_prediction, predicted_env, predicted_no_stop, extra_tags,
      confidence, reason, derived, accepted, parent_env, topology_env, facts_hash, deleted_at is not null as gone
    from resource_tagging where org_id = $1 order by uid`
  return (await org.connections.store.pool.query(sql, [org.orgId])).rows
}

let runs = 0

/** Runs over the organization's tags; how many resources were told. */
async function run(org: Tenant, wanted: (typeof tagRunWanted.examples)[number]['wanted']): Promise<number> {
  const runId = `run-${++runs}`
  await org.publish(tagRunWanted, [{ runId, wanted }])
  const sql = 'select status, resources from tag_run where org_id = $1 and run_id = $2'
  let resources = -1
  await until('the end of the run', async () => {
    const [row] = (await org.connections.store.pool.query(sql, [org.orgId, runId])).rows
    if (row?.status !== 'completed') return false
    resources = row.resources
    return true
  })
  // Behind all that the run has told the account.
  await org.publish(tagLook, [{ cloudAccountId: account, resourceUid: 'nobody' }])
  return resources
}

const sweep = (org: Tenant, whole = false) => run(org, { kind: 'sweep', whole })

async function policy(org: Tenant, name: string, spec: unknown): Promise<string> {
  const { id } = await org.connections.orm.em.fork().transactional((em) =>
    makePolicy({ em, orgId: org.orgId, now: () => new Date(), tell: async () => {} } as never, taggingDomain, {
      targetType: 'organisation',
      name,
      spec,
      enabled: true,
    }),
  )
  return id
}

const found = (resourceUid: string, own: Partial<Discovered> = {}): Discovered => ({
  resourceUid,
  cloudAccountId: account,
  name: resourceUid,
  type: 'aws-ec2',
  provider: 'aws',
  region: 'us-east-1',
  ...own,
})

const inVpc = (uid: string, own: Partial<Discovered> = {}) => found(uid, { specs: { vpc_id: 'vpc-1' }, ...own })

/** A cluster with children, a network of which four in five are production, and a group. */
const inventory: Discovered[] = [
  found('cluster', { type: 'aws-eks', tags: { Environment: 'staging', team: 'Ada' } }),
  found('pool', { type: 'aws-eks-nodegroup', parentUID: 'cluster' }),
  found('child-dev', { type: 'aws-eks-deployment', parentUID: 'cluster' }),
  ...['a', 'b', 'c', 'd'].map((one) => inVpc(`vm-${one}`, { name: `shop-prod-${one}` })),
  inVpc('vm-e', { name: 'quiet' }),
  inVpc('vm-f', { name: 'small', instanceType: 't3.micro' }),
  found('az-1', { type: 'azure-vm', provider: 'azure', resourceGroup: 'RG', tags: { env: 'dev' } }),
  found('az-2', { type: 'azure-vm', provider: 'azure', resourceGroup: 'rg' }),
]

describe('tags of an inventory, on the engine', () => {
  deepIt('end in the same rows in every organization, whatever the order in which it is found [AUTO-19]', async () => {
    const whole = { minLength: inventory.length, maxLength: inventory.length }
    const [shuffled] = fc.sample(fc.shuffledSubarray(inventory, whole), 1)
    const atOnce = amount(6, 1, 1)
    const orders = sample([inventory, shuffled!, inventory.toReversed()])
    const found = await Promise.all(
      orders.map(async (order) => {
        const org = await tenant()
        for (let n = 0; n < order.length; n += atOnce) await org.publish(resourceDiscovered, order.slice(n, n + atOnce))
        await sweep(org)
        const rows = await rowsOf(org)
        return { rows, again: await sweep(org) }
      }),
    )
    const [one, ...others] = found
    expect(one!.rows).to.have.length(inventory.length)
    const uids = orders.map((order) => order.map(({ resourceUid }) => resourceUid).join(' ')).join('; ')
    for (const { rows } of others) expect(rows, uids).to.deep.equal(one!.rows)
    // Nothing says anything new: nobody is told again.
    expect(found.map(({ again }) => again)).to.deep.equal(orders.map(() => 0))
    const said = one!.rows.map((row) => [row.uid, row.predicted_env, row.confidence, row.reason])
    expect(said).to.deep.equal([
      ['az-1', 'dev', 78, 'The tag env=dev indicates dev.'],
      ['az-2', 'dev', 55, 'Its neighborhood indicates dev.'],
      ['child-dev', 'dev', 50, 'The name (dev) indicates dev, but its parent indicates staging.'],
      ['cluster', 'staging', 78, 'The tag Environment=staging indicates staging.'],
      ['pool', 'staging', 60, 'Its parent indicates staging.'],
      // Of the five others of vm-a three say production; of those of vm-e four.
      ['vm-a', 'prod', 70, 'The name (prod) indicates prod.'],
      ['vm-b', 'prod', 70, 'The name (prod) indicates prod.'],
      ['vm-c', 'prod', 70, 'The name (prod) indicates prod.'],
      ['vm-d', 'prod', 70, 'The name (prod) indicates prod.'],
      ['vm-e', 'prod', 55, 'Its neighborhood indicates prod.'],
      ['vm-f', 'prod', 35, 'Its neighborhood indicates prod, but the size t3.micro indicates dev.'],
    ])
  })

  it('know the parent of the same message, and do without one that is gone', async () => {
    const org = await tenant()
    const cluster = found('z-cluster', { tags: { env: 'prod' } })
    const pool = found('pool', { parentUID: 'z-cluster' })
    await org.publish(resourceDiscovered, [pool, cluster])
    const envOf = async (uid: string) => (await rowsOf(org)).find((row) => row.uid === uid)?.predicted_env
    await until('the look behind the commit', async () => (await envOf('pool')) === 'prod')
    await org.publish(resourceDeleted, [{ resourceUid: 'z-cluster', provider: 'aws', cloudAccountId: account }])
    expect(await sweep(org)).to.equal(1)
    expect(await envOf('pool')).to.equal('')
  })

  it('name a team that is made later at the next sight of them [AUTO-14]', async () => {
    const org = await tenant()
    const ownerOf = async () => (await rowsOf(org))[0].extra_tags.owner
    await org.publish(resourceDiscovered, [found('vm', { name: 'web_shop-prod-1' })])
    expect(await ownerOf()).to.equal(undefined)
    const made = await org.send('POST', '/teams', { name: 'Web Shop' })
    expect(made.status).to.be.oneOf([200, 201])
    await org.publish(resourceDiscovered, [found('vm', { name: 'web_shop-prod-1' })])
    expect(await ownerOf()).to.equal('Web Shop')
  })
})

describe('derived tags, on the engine', () => {
  let org: Tenant
  const accepted = () =>
    org.facts(
      `SELECT resource_uid AS uid, source, tags FROM accepted_tag FINAL WHERE org_id = {org:String} ORDER BY ALL`,
    )
  const derived = async () => (await rowsOf(org)).map((row) => [row.uid, row.derived, row.accepted])

  before(async () => {
    org = await tenant()
    await org.publish(resourceDiscovered, [found('i-1'), found('i-2', { region: 'eu-west-1' })])
  })

  it('follow policies at the next sight of a resource, and all of them at a sweep [SMART-11, SMART-17, SMART-21]', async () => {
    const { spec } = policyOf('', 'loc', ['res.provider', 'res.region'])
    await policy(org, 'location', spec)
    expect(await derived()).to.deep.equal([
      ['i-1', {}, {}],
      ['i-2', {}, {}],
    ])
    await org.publish(resourceDiscovered, [found('i-1')])
    expect(await derived()).to.deep.equal([
      ['i-1', { loc: 'aws-us-east-1' }, {}],
      ['i-2', {}, {}],
    ])
    // i-1 is up to date already.
    expect(await sweep(org)).to.equal(1)
    expect(await derived()).to.deep.equal([
      ['i-1', { loc: 'aws-us-east-1' }, {}],
      ['i-2', { loc: 'aws-eu-west-1' }, {}],
    ])
    expect(await sweep(org, true)).to.equal(2)
  })

  it('are accepted together by policy, key and selector, and count from then on [SMART-13]', async () => {
    const kind = await policy(org, 'kind', policyOf('', 'kind', ['res.type']).spec)
    await sweep(org)
    const selector = { all: [{ attr: 'region', op: 'in', values: ['EU-west-1'] }] }
    const accept = { kind: 'accept', userId: 'u-1' } as const
    expect(await run(org, { ...accept, policyId: kind, selector })).to.equal(1)
    expect(await accepted()).to.deep.equal([{ uid: 'i-2', source: 'smart', tags: { kind: 'aws-ec2' } }])
    expect(await run(org, { ...accept, key: 'loc' })).to.equal(2)
    expect(await run(org, { ...accept, key: 'loc' })).to.equal(0)
    const both = [
      { uid: 'i-1', source: 'smart', tags: { loc: 'aws-us-east-1' } },
      { uid: 'i-2', source: 'smart', tags: { kind: 'aws-ec2', loc: 'aws-eu-west-1' } },
    ]
    expect(await accepted()).to.deep.equal(both)
    // Whoever is gone keeps the tags of its past costs, until it is found again.
    const gone = { resourceUid: 'i-2', provider: 'aws', cloudAccountId: account } as const
    await org.publish(resourceDeleted, [gone])
    expect([(await derived())[1], await accepted()]).to.deep.equal([['i-2', {}, {}], both])
    await org.publish(resourceDiscovered, [found('i-2', { region: 'eu-west-1' })])
    expect((await accepted())[1]).to.deep.equal({ uid: 'i-2', source: 'smart', tags: {} })
  })

  it('and suggestions say in the timeline of a resource who decided them', async () => {
    const at = { cloudAccountId: account, resourceUid: 'i-3', userId: 'u-7' }
    await org.publish(resourceDiscovered, [found('i-3', { name: 'a-prod', tags: { owner: 'Ada' } })])
    await org.publish(smartTagDecided, [{ ...at, accepted: true, keys: ['kind'] }])
    await org.publish(suggestionDecided, [{ ...at, status: 'rejected' }])
    const { body } = await org.get('/reports/resources/activity?resource_uid=i-3')
    expect(
      body.data.items.map(({ kind, actor, summary, details }: any) => [kind, actor, summary, details]),
    ).to.deep.equal([
      [
        'configuration_change',
        'user:u-7',
        'Suggested tags rejected.',
        {
          suggestion: { status: 'rejected', predictedEnv: 'prod', predictedNoStop: false, extraTags: { owner: 'Ada' } },
          userId: 'u-7',
        },
      ],
      [
        'configuration_change',
        'user:u-7',
        'Changed: smartTags.',
        { smartTags: { from: {}, to: { kind: 'aws-ec2' } }, userId: 'u-7' },
      ],
      ['state_transition', 'discovery', 'Discovered as pending.', { from: '', to: 'pending' }],
    ])
  })

  it('come back neither by a late discovery behind a deletion, nor by a sweep [S-36]', async () => {
    const time = new Date()
    const gone = { resourceUid: 'i-4', provider: 'aws', cloudAccountId: account } as const
    await org.publish(resourceDiscovered, [found('i-4', { name: 'a-prod' })], { time: new Date(+time - 2000) })
    await org.publish(resourceDeleted, [gone], { time })
    await org.publish(resourceDiscovered, [found('i-4', { name: 'a-prod' })], { time: new Date(+time - 1000) })
    await sweep(org, true)
    const row = (await rowsOf(org)).find(({ uid }) => uid === 'i-4')
    expect(row).to.deep.include({ gone: true, has_prediction: false, derived: {}, accepted: {}, neighbourhood: '' })
  })
})
