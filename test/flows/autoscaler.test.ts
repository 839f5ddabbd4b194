/** Autoscaler policies from outside, by the clock: scenario S-21, and others of its kind. */
import { expect } from 'chai'
import { tokens } from '#config/wiring/tokens.ts'
import { metricSample } from '#streams/metric/messages.ts'
import { atRest, fleetAt } from '#test/harness/control.ts'
import type { Fleet } from '#test/harness/fleet.ts'
import { setClock } from '#test/harness/people.ts'
import { until } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'

const startsAt = '2030-01-07T10:00:00Z'

describe('autoscaler policies from outside', () => {
  let f: Fleet
  let n = 0
  let uid: string
  beforeEach(async () => {
    f = await fleetAt(startsAt)
    uid = `asg-${++n}`
    await until('the verdict', async () => (await account()).permissionVerdict === 'read_write')
    await group(4)
  })
  afterEach(async () => {
    await atRest(f)
    await f.end()
  })

  const account = async () => (await f.get(`/cloud-accounts/${f.accountId}`)).body.data
  const clock = (at: string) => setClock(new Date(at), f.orgId)
  const group = (desired: number) =>
    f.discover([uid], 'running', {
      type: 'aws-asg',
      unitCount: desired,
      hourlyRateUSD: 0.8,
      specs: { min_size: 2, max_size: 10, desired },
    })
  const data = async (path: string) => (await f.get(path)).body.data
  const create = async (fields: object = {}): Promise<string> => {
    const answer = await f.send('POST', '/autoscaler-policies', {
      name: 'Web',
      mode: 'autopilot',
      cloudAccountID: f.accountId,
      target: { type: 'aws-asg', uid },
      min: 2,
      max: 10,
      targetCPUPercent: 60,
      cooldownSeconds: 300,
      triggers: [],
      ...fields,
    })
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201)
    return answer.body.data.id
  }
  const cpu = (value: number, ts: string) =>
    f.publish(metricSample, [{ resourceUid: uid, samples: [{ metric: 'cpu_percent', value, ts }] }], {
      place: f.accountId,
    })
  const one = (id: string) => data(`/autoscaler-policies/${id}`)
  const events = async (id: string): Promise<any[]> => data(`/autoscaler-policies/${id}/events?limit=100`)
  const kinds = async (id: string) => (await events(id)).map(({ kind }) => kind)
  /** Changes that the far side was asked for. */
  const writes = () =>
    f.product
      .get(tokens.clouds)
      .simulated.calls.filter(
        ({ call, resourceUid, cloudAccountId }) =>
          call === 'scale' && resourceUid === uid && cloudAccountId === f.accountId,
      ).length
  const counts = async (id: string) => {
    const { min, max, desired } = (await one(id)).currentTarget
    return [min, max, desired]
  }
  const reaches = (id: string, wanted: readonly number[]) =>
    until(`${String(wanted)}`, async () => String(await counts(id)) === String(wanted))

  deepIt('watch, and never write, in monitor mode [ASC-28] [ASC-02] [ASC-24] [S-21]', async () => {
    const id = await create({ mode: 'monitor' })
    await cpu(90, startsAt)
    await until('a recommendation', async () => (await kinds(id)).includes('recommendation'))
    const [event] = await events(id)
    expect(event).to.deep.include({
      kind: 'recommendation',
      fromMin: 2,
      fromMax: 10,
      toMin: 6,
      toMax: 10,
      appliedBy: null,
    })
    expect((await one(id)).latestRecommendation).to.include({ toMin: 6, toMax: 10 })
    await atRest(f)
    expect(writes()).to.equal(0)
  })

  deepIt(
    'write what somebody applies in recommend mode, who stands with it [ASC-07] [ASC-25] [ASC-29] [S-21]',
    async () => {
      const id = await create({ mode: 'recommend' })
      await cpu(90, startsAt)
      await until('a recommendation', async () => (await kinds(id)).includes('recommendation'))
      expect(writes()).to.equal(0)
      const applied = await f.send('POST', `/autoscaler-policies/${id}/apply`)
      expect(applied.status, JSON.stringify(applied.body)).to.equal(200)
      await reaches(id, [6, 10, 6])
      const event = (await events(id)).at(-1)
      expect(event).to.include({ kind: 'apply', toMin: 6, toMax: 10 })
      expect(event.appliedBy).to.be.a('string')
      expect(writes()).to.equal(1)
    },
  )

  it('write by themselves in autopilot, and again to the second once the cooldown is over [ASC-30] [ASC-36] [S-21]', async () => {
    const id = await create()
    await cpu(90, startsAt)
    await reaches(id, [6, 10, 6])
    const at = Date.parse((await one(id)).lastWriteAt)
    const later = (seconds: number) => new Date(at + seconds * 1000).toISOString()
    // The clock goes on while this is looked at.
    await clock(later(200))
    await cpu(95, later(200))
    await atRest(f)
    expect(writes()).to.equal(1)
    await clock(later(300))
    // 6 x 95 / 60 = 9.5.
    await reaches(id, [10, 10, 10])
    expect(writes()).to.equal(2)
    expect(Date.parse((await one(id)).lastWriteAt) - at).to.be.at.least(300_000)
    expect(await kinds(id)).to.deep.equal(['write', 'write'])
  })

  deepIt('do nothing within a tenth of their target, and keep to their maximum [ASC-30] [S-21]', async () => {
    const calm = await create()
    await cpu(62, startsAt)
    await atRest(f)
    expect(await kinds(calm)).to.deep.equal([])
    expect((await f.send('DELETE', `/autoscaler-policies/${calm}`)).status).to.equal(204)
    uid = `asg-${++n}`
    await group(8)
    const high = await create()
    await cpu(95, startsAt)
    await reaches(high, [10, 10, 10])
  })

  deepIt('are held to what the credentials allow, and told of it [ASC-26] [ASC-27] [S-21]', async () => {
    const id = await create()
    expect(await one(id)).to.include({ mode: 'autopilot', effectiveMode: 'autopilot', status: 'active' })
    await f.fail([{ call: 'verify', error: 'read_only' }])
    await f.send('POST', `/cloud-accounts/${f.accountId}/verify`)
    await until('monitor', async () => (await one(id)).effectiveMode === 'monitor')
    expect(await one(id)).to.include({ mode: 'autopilot' })
    await cpu(90, startsAt)
    await until('a recommendation', async () => (await kinds(id)).includes('recommendation'))
    expect(await kinds(id)).to.deep.equal(['mode_change', 'recommendation'])
    expect(writes()).to.equal(0)
  })

  deepIt(
    'are silent while they are paused, and judge anew once resumed [ASC-08] [ASC-09] [ASC-37] [S-21]',
    async () => {
      const id = await create()
      expect((await f.send('POST', `/autoscaler-policies/${id}/pause`)).body.data.status).to.equal('paused')
      expect((await f.send('POST', `/autoscaler-policies/${id}/pause`)).status).to.equal(409)
      await cpu(90, startsAt)
      await atRest(f)
      expect(await kinds(id)).to.deep.equal(['pause'])
      expect((await f.send('POST', `/autoscaler-policies/${id}/resume`)).body.data.status).to.equal('active')
      await reaches(id, [6, 10, 6])
      expect(await kinds(id)).to.deep.equal(['pause', 'resume', 'write'])
    },
  )

  deepIt(
    'leave their events behind when they are removed, and make room for another [ASC-10] [ASC-17] [S-21]',
    async () => {
      const id = await create()
      const removed = await f.send('POST', `/autoscaler-policies/${id}/remove`)
      expect([removed.status, removed.body.data?.status]).to.deep.equal([200, 'removed'])
      expect((await data('/autoscaler-policies')).items).to.deep.equal([])
      expect((await f.get(`/autoscaler-policies/${id}`)).status).to.equal(404)
      expect((await data(`/autoscaler-policies/${id}?include_removed=true`)).status).to.equal('removed')
      expect(await kinds(id)).to.deep.equal(['remove'])
      expect((await f.send('POST', `/autoscaler-policies/${id}/apply`)).status).to.equal(404)
      expect(await create()).not.to.equal(id)
    },
  )

  deepIt(
    'are raised by business hours in New York, in winter and in summer time, and not on Saturday [ASC-31] [ASC-19] [S-21]',
    async () => {
      const id = await create({ triggers: [{ preset: 'business-hours', timezone: 'America/New_York' }] })
      const stays = async (at: string, wanted: readonly number[]) => {
        await clock(at)
        await atRest(f)
        expect((await counts(id)).slice(0, 2), at).to.deep.equal(wanted)
      }
      await stays('2030-01-07T12:50:00Z', [2, 10])
      await clock('2030-01-07T13:00:00Z')
      await until('the raise', async () => (await counts(id))[0] === 6)
      await stays('2030-01-07T22:50:00Z', [6, 10])
      await clock('2030-01-07T23:00:00Z')
      await until('the end', async () => (await counts(id))[0] === 2)
      await stays('2030-01-12T16:00:00Z', [2, 10])
      await stays('2030-07-08T11:50:00Z', [2, 10])
      await clock('2030-07-08T12:00:00Z')
      await until('the raise in summer', async () => (await counts(id))[0] === 6)
      expect(new Set(await kinds(id))).to.deep.equal(new Set(['schedule']))
    },
  )

  deepIt(
    'halve their minimum at the weekend, where a raise at the same time counts [ASC-33] [ASC-32] [S-21]',
    async () => {
      const id = await create({
        triggers: [
          { preset: 'weekend-scale-down', timezone: 'America/New_York' },
          { preset: 'peak-hours', timezone: 'America/New_York', start: '12:00', end: '14:00', minCapacity: 5 },
        ],
      })
      await clock('2030-01-12T05:00:00Z')
      await until('Saturday', async () => (await counts(id))[0] === 1)
      await clock('2030-01-12T17:00:00Z')
      await until('noon', async () => (await counts(id))[0] === 5)
      await clock('2030-01-12T19:00:00Z')
      await until('afternoon', async () => (await counts(id))[0] === 1)
      await clock('2030-01-14T05:00:00Z')
      await until('Monday', async () => (await counts(id))[0] === 2)
    },
  )

  deepIt(
    'are in error behind three changes that fail, with their reason, until they are resumed [ASC-25]',
    async () => {
      const id = await create({ cooldownSeconds: 0 })
      await f.fail([{ call: 'scale', resourceUid: uid, error: 'quota_exceeded', times: 3 }])
      const begun = Date.parse(startsAt)
      for (let i = 0; i < 3; i++) {
        const at = new Date(begun + i * 60_000).toISOString()
        await clock(at)
        await cpu(90, at)
        await until(`failure ${i + 1}`, async () => (await kinds(id)).length >= i + 1)
      }
      await until('the error', async () => (await one(id)).status === 'error')
      expect((await one(id)).statusReason).to.include('quota_exceeded')
      expect(await kinds(id)).to.deep.equal(['failure', 'failure', 'failure'])
      await f.send('POST', `/autoscaler-policies/${id}/resume`)
      await until('a write', async () => (await kinds(id)).includes('write'))
      expect(await one(id)).to.include({ status: 'active' })
    },
  )
})
