/** From what is discovered, billed and measured to recommendations, by the real streams and stores. */
import { expect } from 'chai'
import { plantedPolicies } from '#test/harness/autoscaler-row.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { dayMs, dayOf } from '#engine/value/day.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { metricSample } from '#streams/metric/messages.ts'
import { resourceDeleted, resourceDiscovered } from '#streams/resource/messages.ts'
import { jobRequested } from '#streams/job.ts'
import { World } from '#test/harness/gathered.ts'
import { tenant, testProduct, until, type Tenant } from '#test/harness/product.ts'
import { found } from '#test/harness/tagged.ts'
import { deepIt } from '#test/harness/tier.ts'

const orphan = (resourceUid: string, more: object = {}) =>
  found(resourceUid, {
    type: 'aws-ebs-volume',
    instanceType: 'gp3',
    sizeGB: 500,
    specs: { state: 'available', days_detached: 40, volume_type: 'gp3', encrypted: true },
    ...more,
  })

describe('recommendations of an organization', () => {
  let org: Tenant
  beforeEach(async () => void (org = await tenant()))

  const list = async (query = ''): Promise<any[]> =>
    (await org.get(`/recommendations?size=100${query}`)).body.data.items
  const rulesOf = async (uid: string) =>
    (await list(`&resource_uid=${uid}`)).map((one) => `${one.ruleId} ${one.status}`).toSorted()
  /** Looks at everything, and waits for what was found. */
  const refresh = async (): Promise<void> => {
    const { body } = await org.send('POST', '/recommendations/refresh')
    expect(body.data.status).to.equal('queued')
    await until('the sweep', async () => {
      const { store } = (await testProduct()).connections
      const { rows } = await store.pool.query(
        `select from job where org_id = $1 and name = 'recommendation-sweep' and ended_run_id = $2`,
        [org.orgId, body.data.refreshID],
      )
      return rows.length === 1
    })
  }

  it('are there soon after the discovery of an orphaned disk, without a refresh [REC-55]', async () => {
    await org.publish(resourceDiscovered, [orphan('vol-1')])
    await until('the finding', async () => (await rulesOf('vol-1')).length > 0)
    expect(await rulesOf('vol-1')).to.deep.equal(['RC-1301 open'])
    const [one] = await list('&resource_uid=vol-1')
    expect(one.title).to.match(/^Delete EBS volume vol-1/)
    expect([one.titleParams.to, one.actionType, one.category]).to.deep.equal(['', 'delete', 'orphan'])
  })

  it('know after a refresh what it costs, by the bills of 30 days, and how serious that is for the organization [REC-13] [REC-31]', async () => {
    const today = Date.now()
    await org.publish(resourceDiscovered, [orphan('vol-1')])
    const lines = Array.from({ length: 30 }, (_, n) => {
      const usageDate = dayOf(new Date(today - (n + 1) * dayMs))
      const line = { cloudAccountId: 'acct-1', provider: 'aws' as const, usageDate, serviceName: 'Amazon EC2' }
      return [
        { ...line, lineId: `${usageDate}/vol`, resourceUid: 'vol-1', costUSD: '2' },
        { ...line, lineId: `${usageDate}/rest`, resourceUid: 'i-1', costUSD: '98' },
      ]
    }).flat()
    await org.publish(billingLine, lines)
    await until('the bills', async () => (await org.get('/reports/summary')).body.data.totalSpendUSD !== 0)
    await refresh()
    const [one] = await list('&resource_uid=vol-1')
    // 60 dollars of 3,000 are two per cent.
    expect([one.currentCostUsd, one.savingsUsd, one.optimizedCostUsd, one.severity]).to.deep.equal([60, 60, 0, 'high'])
    const { data } = (await org.get('/recommendations/summary')).body
    expect([data.totalOpen, data.totalSavings, data.totalOpenCost, data.highCount, data.awsResources]).to.deep.equal([
      1, 60, 60, 1, 1,
    ])
  })

  deepIt(
    'find a machine that does nothing once two weeks of it were measured, and tell by what [REC-13] [REC-27]',
    async () => {
      const machine = found('i-idle', {
        name: 'report-1',
        instanceType: 'm5.2xlarge',
        status: 'running',
        specs: { lifecycle: 'on-demand', created_at: '2024-01-01T00:00:00Z' },
        hourlyRateUSD: 0.384,
      })
      await org.publish(resourceDiscovered, [machine])
      const from = Math.floor(Date.now() / dayMs) * dayMs - 14 * dayMs
      const samples = (
        metric: 'cpu_percent' | 'network_in_bytes' | 'network_out_bytes' | 'memory_percent',
        value: number,
      ) =>
        Array.from({ length: 14 * 24 }, (_, n) => ({ metric, value, ts: new Date(from + n * 3_600_000).toISOString() }))
      const all = [
        ...samples('cpu_percent', 1.5),
        ...samples('memory_percent', 12),
        ...samples('network_in_bytes', 1000),
        ...samples('network_out_bytes', 1000),
      ]
      await org.publish(metricSample, [{ resourceUid: 'i-idle', samples: all }], { place: 'acct-1' })
      await refresh()
      const one = (await list('&resource_uid=i-idle')).find(({ ruleId }) => ruleId === 'RC-1001')
      expect(one?.status).to.equal('open')
      expect(one.evidence).to.deep.include({ metric: 'cpu_percent', windowDays: 14, p95: 1.5, sampleStepSeconds: 3600 })
      expect([one.actionType, one.titleParams.to, one.category]).to.deep.equal(['stop', '', 'idle'])
    },
  )

  deepIt('find a fleet that nobody scales though its load varies, until it has a policy [ASC-38]', async () => {
    const fleet = found('asg-web', {
      type: 'aws-asg',
      unitCount: 4,
      specs: { min_size: 4, max_size: 4, scaling_policy_count: 0, created_at: '2024-01-01T00:00:00Z' },
    })
    await org.publish(resourceDiscovered, [fleet])
    const from = Math.floor(Date.now() / dayMs) * dayMs - 14 * dayMs
    const samples = Array.from({ length: 14 * 24 }, (_, n) => ({
      metric: 'cpu_percent' as const,
      value: n % 24 < 8 ? 60 : 10,
      ts: new Date(from + n * 3_600_000).toISOString(),
    }))
    await org.publish(metricSample, [{ resourceUid: 'asg-web', samples }], { place: 'acct-1' })
    await refresh()
    const named = () => list('&rule_id=RC-ASC-001')
    expect(
      (await named()).map(({ resourceUid, status, titleParams }) => [resourceUid, status, titleParams]),
    ).to.deep.equal([['asg-web', 'open', { from: '4', to: '1 to 4' }]])
    await plantedPolicies(org, { target_uid: 'asg-web', mode: 'monitor', effective_mode: 'monitor' })
    await refresh()
    await until('the end', async () => (await named())[0]?.status === 'optimised')
  })

  it('are optimised when their reason or their resource goes, come back under the same id, and a late discovery brings nothing back [REC-47] [S-36]', async () => {
    await org.publish(resourceDiscovered, [orphan('vol-1'), orphan('vol-2')])
    await until('both', async () => (await list()).length === 2)
    const id = (await list('&resource_uid=vol-1'))[0].id
    await org.publish(resourceDiscovered, [orphan('vol-1', { specs: { state: 'in-use', days_detached: 0 } })])
    await until('the end', async () => (await rulesOf('vol-1'))[0] === 'RC-1301 optimised')
    await org.publish(resourceDiscovered, [orphan('vol-1')])
    await until('the return', async () => (await rulesOf('vol-1'))[0] === 'RC-1301 open')
    expect((await list('&resource_uid=vol-1'))[0].id).to.equal(id)
    const history = (await org.get(`/recommendations/${id}/history`)).body.data.map(({ event }: any) => event)
    expect(history).to.deep.equal(['generated', 'closed', 'reopened'])
    await org.publish(resourceDeleted, [{ resourceUid: 'vol-2', provider: 'aws', cloudAccountId: 'acct-1' }])
    await until('the end', async () => (await rulesOf('vol-2'))[0] === 'RC-1301 optimised')
  })

  deepIt('follow a policy within seconds: off, and on again with another figure [REC-47]', async () => {
    await org.publish(resourceDiscovered, [orphan('vol-1')])
    await until('the finding', async () => (await rulesOf('vol-1')).length > 0)
    const body = { domain: 'recommendation', targetType: 'organisation', name: 'Keep volumes', enabled: true }
    const made = await org.send('POST', '/policies', { ...body, spec: { ruleId: 'RC-1301', enabled: false } })
    expect(made.status).to.equal(201)
    await until('the end', async () => (await rulesOf('vol-1'))[0] === 'RC-1301 rule_retired')
    const { id } = made.body.data
    expect(
      (
        await org.send('PUT', `/policies/${id}`, {
          ...body,
          spec: { ruleId: 'RC-1301', params: { detached_days_min: 30 } },
        })
      ).status,
    ).to.equal(200)
    await until('the return', async () => (await rulesOf('vol-1'))[0] === 'RC-1301 open')
    const wrong = { ...body, name: 'x', spec: { ruleId: 'RC-1301', params: { nothing: 1 } } }
    const refused = await org.send('POST', '/policies', wrong)
    expect([refused.status, refused.body.errors.map(({ name, code }: any) => `${name} ${code}`)]).to.deep.equal([
      400,
      ['/spec/params/nothing unknown'],
    ])
    const negative = { ...body, name: 'x', spec: { ruleId: 'RC-1301', params: { detached_days_min: -1 } } }
    const below = await org.send('POST', '/policies', negative)
    expect([below.status, below.body.errors[0].name, below.body.errors[0].code]).to.deep.equal([
      400,
      '/spec/params/detached_days_min',
      'minimum',
    ])
  })

  deepIt(
    'hold back, after the first sweep already, the reservation of a machine that a commitment of its account contains',
    async () => {
      const world = new World(org, Math.floor(Date.now() / dayMs) * dayMs)
      const specs = { lifecycle: 'on-demand', created_at: '2024-01-01T00:00:00Z' }
      const machine = { instanceType: 'm5.2xlarge', status: 'running', specs } as const
      await world.discover('123456789012', 'aws-account')
      await org.publish(resourceDiscovered, [found('i-1', machine), found('i-2', machine)])
      const line = {
        ServiceName: 'AmazonEC2',
        SkuMeter: 'BoxUsage:m5.2xlarge',
        ConsumedUnit: 'Hrs',
        ConsumedQuantity: '24',
      }
      const days = Array.from({ length: 30 }, (_, n) => n + 1)
      await world.bill(
        ...days.flatMap((n) => ['i-1', 'i-2'].map((uid): [number, string, number, object] => [n, uid, 9.216, line])),
      )
      await refresh()
      const findings = async () =>
        (await list())
          .map((one) => `${one.resourceUid} ${one.ruleId} ${one.savingsUsd} ${one.heldBackBy ?? ''}`)
          .toSorted()
      // 27 % of 552.96 for the plan; a reservation of one machine would save less, and is contained.
      const first = ['i-1', 'i-2'].flatMap((uid) => [`${uid} RC-1502 0 RC-1501`, `${uid} RC-1605 0 `])
      expect(await findings()).to.deep.equal(['123456789012 RC-1501 149.3 ', ...first])
      await refresh()
      expect(await findings()).to.deep.equal(['123456789012 RC-1501 149.3 ', ...first])
    },
  )

  it('are swept one run at a time: asked for meanwhile, the run that goes on is answered [G-68]', async () => {
    const { product } = await testProduct()
    const asker = product.get(tokens.asker)
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((runId) => asker.ask(jobRequested, org.orgId, { job: 'recommendation-sweep', runId })),
    )
    expect(new Set(answers.map((one) => (one as { runId: string }).runId)).size).to.equal(1)
  })
})
