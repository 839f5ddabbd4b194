import { expect } from 'chai'
import { metricSample, type Metric } from '#streams/metric/messages.ts'
import { fleet, type Fleet } from '#test/harness/fleet.ts'
import { begun, discoverTargets, made, planBody, policyFor, policyOn, reach } from '#test/harness/readiness.ts'
import { deepIt } from '#test/harness/tier.ts'

const minuteMs = 60_000

/** Samples of now and of the times before. */
function samplesOf(metric: Metric, values: readonly number[], everyMs = minuteMs) {
  const now = Date.now() - minuteMs
  return values.map((value, i) => ({ metric, value, ts: new Date(now - i * everyMs).toISOString() }))
}
const measure = (f: Fleet, uid: string, metric: Metric, values: readonly number[], everyMs = minuteMs): Promise<void> =>
  f.publish(metricSample, [{ resourceUid: uid, samples: samplesOf(metric, values, everyMs) }], { place: f.accountId })

/** What was found, by its uid. */
const database = { type: 'aws-rds', instanceType: 'db.m5.large', specs: { engine: 'postgres' } }
const targets = {
  'asg-a': {},
  'asg-b': {},
  'asg-served': {},
  'asg-e': {},
  'db-1': database,
  'db-2': database,
  'db-3': { type: 'aws-rds' },
  'asg-1': { hourlyRateUSD: 0.8 },
  'asg-2': { unitCount: 3, specs: { unit_hourly_usd: 0.5 } },
  'asg-3': {},
}

let f: Fleet
/** Ids of the policies of targets. */
const policies = new Map<string, string>()
const policyOf = (uid: string) => policies.get(uid)!

describe('events and what their targets come to', () => {
  before(async () => {
    f = await fleet()
    const cpu = samplesOf('cpu_percent', [30, 40, 35])
    const requests = samplesOf('request_count', [800, 1000, 1200])
    const old = { metric: 'cpu_percent' as const, value: 99, ts: '2020-01-01T00:00:00Z' }
    await discoverTargets(f, targets)
    await f.publish(
      metricSample,
      [
        { resourceUid: 'asg-b', samples: [...cpu, old] },
        { resourceUid: 'asg-served', samples: [...cpu, ...requests] },
        { resourceUid: 'db-1', samples: samplesOf('cpu_percent', [70]) },
      ],
      { place: f.accountId },
    )
    await Promise.all(
      ['asg-a', 'asg-b', 'asg-served', 'asg-e', 'asg-1', 'asg-2', 'asg-3', 'db-1'].map(async (uid) => {
        const fields = uid === 'asg-a' ? { target: 60 } : uid === 'db-1' ? { type: 'aws-rds' } : {}
        policies.set(uid, await policyOn(f, uid, fields))
      }),
    )
  })
  after(() => f.end())

  describe('what targets would be for an event', () => {
    const calculate = async (query: string) => (await f.get(`/event-readiness/calculate?${query}`)).body.data
    const shown = (scaledMin: number, scaledMax: number, scaledDesired: number, rest: object) => ({
      scaledMin,
      scaledMax,
      scaledDesired,
      ...rest,
    })

    it('are worked out by 50 % of 70 % without samples [S-19] [EVR-02] [EVR-21] [EVR-22] [EVR-24]', async () => {
      const id = policyOf('asg-a')
      const estimated = { method: 'multiplier', isEstimated: true, estimationReason: 'no_cpu_metrics' }
      expect(await calculate(`policy_id=${id}&multiplier=3`)).to.deep.equal(
        shown(5, 22, 9, { multiplier: 3, ...estimated }),
      )
      expect(await calculate(`policy_id=${id}&multiplier=3&expected_requests=100000`)).to.deep.equal(
        shown(5, 22, 9, { multiplier: 3, ...estimated }),
      )
      // 4 units answer 4,000 requests a minute.
      const guessed = { method: 'absolute', isEstimated: true, estimationReason: 'no_request_metrics' }
      expect(await calculate(`policy_id=${id}&expected_requests=12000`)).to.deep.equal(
        shown(5, 22, 9, { multiplier: 3, ...guessed }),
      )
    })

    it('are worked out by the means of 14 days [S-19] [EVR-02] [EVR-22] [G-83]', async () => {
      const id = policyOf('asg-b')
      const measured = { method: 'multiplier', isEstimated: false }
      expect(await calculate(`policy_id=${id}&multiplier=4`)).to.deep.equal(
        shown(4, 20, 8, { multiplier: 4, ...measured }),
      )
      expect(await calculate(`policy_id=${id}&multiplier=1`)).to.deep.equal(
        shown(2, 10, 4, { multiplier: 1, ...measured }),
      )
      const guessed = { method: 'absolute', isEstimated: true, estimationReason: 'no_request_metrics' }
      expect(await calculate(`policy_id=${id}&expected_requests=16000`)).to.deep.equal(
        shown(4, 20, 8, { multiplier: 4, ...guessed }),
      )
      expect(await calculate(`policy_id=${policyOf('asg-served')}&expected_requests=2500`)).to.deep.equal(
        shown(3, 13, 5, { multiplier: 2.5, method: 'absolute', isEstimated: false }),
      )
    })

    deepIt('take a sample of requests for the total of its interval, also where one is missing', async () => {
      const id = await policyFor(f, 'asg-c')
      const hour = 60 * minuteMs
      await measure(f, 'asg-c', 'requests', [60_000, 60_000, 60_000], hour)
      await measure(f, 'asg-c', 'cpu_percent', [70])
      const multiplier = async () => (await calculate(`policy_id=${id}&expected_requests=3000`)).multiplier as number
      expect(await multiplier()).to.equal(3)
      const now = Date.now() - minuteMs
      const late = [{ metric: 'requests' as const, value: 60_000, ts: new Date(now - 9 * hour).toISOString() }]
      await f.publish(metricSample, [{ resourceUid: 'asg-c', samples: late }], { place: f.accountId })
      expect(await multiplier()).to.be.closeTo(3, 0.01)
    })

    it('need a policy and one of the two [EVR-23]', async () => {
      const id = policyOf('asg-a')
      const told = async (query: string) => {
        const { status, body } = await f.get(`/event-readiness/calculate?${query}`)
        return [status, body.errors?.[0]?.name ?? body.code]
      }
      expect(await told('multiplier=2')).to.deep.equal([400, 'policy_id'])
      expect(await told(`policy_id=${id}`)).to.deep.equal([400, 'multiplier'])
      expect(await told(`policy_id=${id}&multiplier=0`)).to.deep.equal([400, 'multiplier'])
      expect(await told(`policy_id=${id}&multiplier=101`)).to.deep.equal([400, 'multiplier'])
      expect(await told(`policy_id=${id}&expected_requests=1.5`)).to.deep.equal([400, 'expected_requests'])
      expect(await told('policy_id=none&multiplier=2')).to.deep.equal([404, 'not_found'])
    })

    it('are larger classes of databases [EVR-03] [EVR-06] [G-85]', async () => {
      const [id, web] = [policyOf('db-1'), policyOf('asg-e')]
      const of = async (query: string) => {
        const { status, body } = await f.get(`/event-readiness/calculate-db?${query}`)
        return status === 200 ? body.data : `${status} ${body.code}`
      }
      const larger = { currentClass: 'db.m5.large', recommendedClass: 'db.m5.2xlarge', steps: 2, isEstimated: false }
      expect(await of(`policy_id=${id}&multiplier=4`)).to.deep.equal(larger)
      expect(await of('target_uid=db-1&multiplier=4')).to.deep.equal(larger)
      // Without a policy and without samples: 4 x 50 / 70.
      expect(await of('target_uid=db-2&multiplier=4')).to.deep.equal({ ...larger, isEstimated: true })
      expect(await of(`policy_id=${web}&multiplier=4`)).to.equal('422 not_a_database')
      expect(await of('target_uid=db-3&multiplier=4')).to.equal('422 class_unknown')
      expect(await of('target_uid=none&multiplier=4')).to.equal('404 not_found')
      expect(await of('multiplier=4')).to.equal('400 validation_failed')

      const plan = await made(f, [web, id], { expectedMultiplier: 4 })
      const impact = { policyId: id, currentClass: 'db.m5.large', recommendedClass: 'db.m5.2xlarge' }
      expect((await f.get(`/event-readiness/${plan}/db-impact`)).body.data).to.deep.equal([
        { ...impact, cpuDelta: 6, ramGbDelta: 24, iopsDelta: 0 },
      ])
      const machines = await made(f, [web])
      expect((await f.get(`/event-readiness/${machines}/db-impact`)).body.data).to.deep.equal([])
      // 5.25 hours by 0.712 less 0.178 are 2.8035.
      const costs = (await f.get(`/event-readiness/${plan}/cost-estimate`)).body.data
      expect(costs.perTarget[1]).to.deep.equal({ policyId: id, extraCost: 2.8 })
    })
  })

  describe('what plans cost', () => {
    let ids: string[]
    before(() => void (ids = [policyOf('asg-1'), policyOf('asg-2')]))

    const extra = (...costs: number[]) => ids.map((policyId, i) => ({ policyId, extraCost: costs[i] }))

    it('is hours by units by price, and the sum of its targets [S-19] [EVR-07] [EVR-25] [EVR-26]', async () => {
      const plan = await made(f, ids)
      const { status, body } = await f.get(`/event-readiness/${plan}/cost-estimate`)
      expect([status, body.data]).to.deep.equal([
        200,
        { currency: 'USD', estimatedExtraCost: 15.75, perTarget: extra(5.25, 10.5) },
      ])
      expect((await f.get('/event-readiness/none/cost-estimate')).status).to.equal(404)
    })

    it('is known beforehand, without the time before and behind [S-19] [EVR-05]', async () => {
      const { eventStart, eventEnd, expectedMultiplier, targets } = planBody(ids)
      const asked = { eventStart, eventEnd, expectedMultiplier, targets }
      const preview = (body: object) => f.send('POST', '/event-readiness/cost-preview', body)
      await f.fail([{ call: '*', error: 'system', times: 100 }])
      const { status, body } = await preview(asked)
      expect([status, body.data]).to.deep.equal([
        200,
        { currency: 'USD', estimatedExtraCost: 12, perTarget: extra(4, 8) },
      ])
      const name = async (fields: object) => (await preview({ ...asked, ...fields })).body.errors[0].name
      expect(await name({ eventEnd: eventStart })).to.equal('/eventEnd')
      expect(await name({ targets: [{ policyId: 'none' }] })).to.equal('/targets/0/policyId')
      expect(await name({ preScaleMinutes: 30 })).to.equal('/preScaleMinutes')
      await f.fail([])
    })

    it('is nothing where nobody knows the price, and says so [G-84]', async () => {
      const free = policyOf('asg-3')
      const plan = await made(f, [...ids, free])
      const { data } = (await f.get(`/event-readiness/${plan}/cost-estimate`)).body
      expect(data.perTarget[2]).to.deep.equal({ policyId: free, extraCost: 0 })
      expect([data.estimatedExtraCost, data.warnings]).to.deep.equal([15.75, ['The price of asg-3 is not known.']])
    })

    deepIt('goes by what was captured and raised, once it is', async () => {
      const policy = await policyFor(f, 'asg-4', { hourlyRateUSD: 0.8, unitCount: 4 })
      const plan = await made(f, [policy], begun())
      await f.send('POST', `/event-readiness/${plan}/schedule`)
      await reach(f, plan, 'scheduled')
      await reach(f, plan, 'active', { results: [{ policyId: policy, min: 5, max: 22, desired: 9 }] })
      // Load that comes meanwhile says nothing of what has been decided on.
      await measure(f, 'asg-4', 'cpu_percent', [5])
      const { data } = (await f.get(`/event-readiness/${plan}/cost-estimate`)).body
      expect(data).to.deep.equal({
        currency: 'USD',
        estimatedExtraCost: 2,
        perTarget: [{ policyId: policy, extraCost: 2 }],
      })
      await f.send('POST', `/event-readiness/${plan}/cancel`)
    })
  })
})
