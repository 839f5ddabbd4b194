/** What a resource shows while it is started or stopped, and what is seen of it meanwhile, in every order. */
import { expect } from 'chai'
import { resourceDeleted, resourceDiscovered, type ResourceStatus } from '#streams/resource/messages.ts'
import { atRest, callsOf, expectSound, spelled, statusOf } from '#test/harness/control.ts'
import { fleet, type Fleet } from '#test/harness/fleet.ts'
import { advance, resetClock } from '#test/harness/people.ts'
import { until } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'

describe('the status of a resource [RES-39] [G-31]', () => {
  let f: Fleet
  beforeEach(async () => void (f = await fleet()))
  afterEach(async () => {
    try {
      await atRest(f)
      await expectSound(f)
    } finally {
      await f.end()
      await resetClock()
    }
  })

  const shows = (status: ResourceStatus, uid = 'vm') =>
    until(`${uid} shows ${status}`, async () => (await statusOf(f, uid)) === status)
  const submit = async (type: 'start' | 'stop', uid = 'vm') => {
    const { status, body } = await f.send('POST', '/actions', f.of(uid, type))
    expect(status, JSON.stringify(body)).to.equal(202)
    return `/actions/${body.data.actionID}`
  }
  /** The cloud has taken it: what comes of that is committed. */
  const underWay = async (uid = 'vm') => {
    await until('it is under way', async () => {
      const sql = `select 1 from power where org_id = $1 and resource_uid = $2 and live ->> 'isTaken' = 'true'`
      return (await f.connections.store.pool.query(sql, [f.orgId, uid])).rows.length > 0
    })
  }
  /** Seen at a moment of the product's clock, `ago` milliseconds back. */
  const seen = (status: ResourceStatus | undefined, ago = 0, uid = 'vm') =>
    f.publish(
      resourceDiscovered,
      [
        {
          resourceUid: uid,
          name: uid,
          type: 'aws-ec2',
          provider: 'aws',
          cloudAccountId: f.accountId,
          region: 'us-east-1',
          ...(status && { status }),
        },
      ],
      { time: new Date(f.connections.clock.now() - ago) },
    )

  it('is stopping, then stopped, and starting, then running, whatever a scan says on the way', async () => {
    await f.fail([
      { call: 'stop', settleSeconds: 60 },
      { call: 'start', settleSeconds: 60 },
    ])
    await f.discover(['vm'])
    expect(await statusOf(f, 'vm')).to.equal('running')
    for (const [type, on, from, to] of [
      ['stop', 'stopping', 'running', 'stopped'],
      ['start', 'starting', 'stopped', 'running'],
    ] as const) {
      const path = await submit(type)
      await underWay()
      await shows(on)
      await seen(from)
      expect(await statusOf(f, 'vm'), `seen ${from}`).to.equal(on)
      await seen(undefined)
      expect(await statusOf(f, 'vm'), 'seen, without a word of it').to.equal(on)
      expect((await f.get(`/resources?status=${on}`)).body.data.map(({ uid }: any) => uid)).to.deep.equal(['vm'])
      await advance(61, f.orgId)
      expect((await f.ended(path)).status).to.equal('succeeded')
      await shows(to)
      await seen(from, 30_000)
      expect(await statusOf(f, 'vm'), 'what a scan saw before the end is older').to.equal(to)
      await seen(to)
      expect(await statusOf(f, 'vm')).to.equal(to)
    }
  })

  deepIt(
    'is what was seen once that is the end of it, though the action goes on, and the action ends as it does',
    async () => {
      await f.discover(['vm'])
      await f.fail([{ call: 'stop', settleSeconds: 60 }])
      const path = await submit('stop')
      await underWay()
      await shows('stopping')
      await seen('stopped')
      expect(await statusOf(f, 'vm')).to.equal('stopped')
      expect((await f.get(path)).body.data.status).to.equal('running')
      await seen('running')
      expect(await statusOf(f, 'vm'), 'somebody has started it').to.equal('running')
      await advance(61, f.orgId)
      expect((await f.ended(path)).status).to.equal('succeeded')
      await shows('stopped')
      expect(spelled(await callsOf(f))).to.deep.equal(['stop vm'])
    },
  )

  deepIt('is what was last seen where the action fails, also where that was seen on the way', async () => {
    for (const [uid, before, onTheWay, after] of [
      ['a', 'running', undefined, 'running'],
      ['b', 'running', 'running', 'running'],
      ['c', 'running', 'stopped', 'stopped'],
    ] as const) {
      await f.discover([uid], before)
      await f.fail([{ call: 'stop', resourceUid: uid, settleSeconds: 86_400, times: 3 }])
      const path = await submit('stop', uid)
      await underWay(uid)
      await shows('stopping', uid)
      if (onTheWay) await seen(onTheWay, 0, uid)
      await f.fail([{ call: 'stop', resourceUid: uid, error: 'access_denied' }])
      await advance(601, f.orgId)
      await until('a pause', async () => (await f.get(path)).body.data.status === 'pending')
      await advance(31, f.orgId)
      expect((await f.ended(path)).errorMessage, uid).to.equal('Simulated fault: access_denied.')
      await shows(after, uid)
    }
  })

  deepIt('is pending where nothing was heard for a quarter of an hour, until somebody sees [G-31]', async () => {
    await f.discover(['vm'])
    await f.fail([{ call: 'stop', settleSeconds: 86_400, times: 3 }])
    const path = await submit('stop')
    await underWay()
    await shows('stopping')
    const { pool } = f.connections.store
    // Nobody says anything any more: as of an executor that is gone with its reminders.
    await pool.query(`delete from reminder where org_id = $1 and kind = 'power'`, [f.orgId])
    await advance(870, f.orgId)
    await f.discover(['other'])
    expect(await statusOf(f, 'vm')).to.equal('stopping')
    await advance(31, f.orgId)
    await shows('pending')
    await seen('running')
    expect(await statusOf(f, 'vm')).to.equal('running')
    expect((await f.get(path)).body.data.status).to.equal('running')
    await f.publish(resourceDeleted, [{ provider: 'aws', cloudAccountId: f.accountId, resourceUid: 'vm' }])
    await pool.query('delete from power where org_id = $1', [f.orgId])
  })

  deepIt('is none any more where it is deleted on the way, and the action ends all the same', async () => {
    await f.discover(['vm'])
    await f.fail([{ call: 'stop', settleSeconds: 60 }])
    const path = await submit('stop')
    await underWay()
    await shows('stopping')
    await f.publish(resourceDeleted, [{ provider: 'aws', cloudAccountId: f.accountId, resourceUid: 'vm' }])
    expect((await f.get('/resources/by-uids?uids=vm')).body.data).to.deep.equal([])
    await advance(61, f.orgId)
    const { status, errorMessage } = await f.ended(path)
    expect([status, errorMessage]).to.deep.equal(['failed', 'the resource no longer exists'])
    expect((await f.get('/resources/by-uids?uids=vm')).body.data).to.deep.equal([])
    await seen('stopped')
    expect(await statusOf(f, 'vm')).to.equal('stopped')
  })

  deepIt('is the same in the end, in whatever order the end and what is seen come', async () => {
    const words: [string, ResourceStatus, number][] = [
      ['running before it began', 'running', 120_000],
      ['running on the way', 'running', 30_000],
      ['stopped behind it', 'stopped', 0],
    ]
    const orders = [
      [0, 1, 2],
      [0, 2, 1],
      [1, 0, 2],
      [1, 2, 0],
      [2, 0, 1],
      [2, 1, 0],
    ]
    const uids = orders.map((order) => `vm-${order.join('')}`)
    await f.discover(uids)
    await f.fail([{ call: 'stop', settleSeconds: 60, times: 6 }])
    const paths = await Promise.all(uids.map((uid) => submit('stop', uid)))
    for (const uid of uids) await underWay(uid)
    await advance(61, f.orgId)
    for (const path of paths) await f.ended(path)
    for (const uid of uids) await shows('stopped', uid)
    for (const [n, order] of orders.entries())
      for (const nth of order) {
        const [about, status, ago] = words[nth]!
        await seen(status, ago, uids[n])
        expect(await statusOf(f, uids[n]!), `${uids[n]}: ${about}`).to.equal('stopped')
      }
    // What is seen behind the end wins, also over what the service has done.
    for (const uid of uids) await seen('running', 0, uid)
    for (const uid of uids) expect(await statusOf(f, uid)).to.equal('running')
  })

  deepIt('is what a scan finds, on the way and behind it, and no scan undoes the end [RES-39]', async () => {
    const connecting = { name: 'Analytics', provider: 'aws', externalID: 'sim-aws-analytics' }
    const id = (await f.send('POST', '/cloud-accounts', connecting)).body.data.id as string
    await until('its first scan', async () => (await f.get(`/cloud-accounts/${id}`)).body.data.lastSyncedAt !== null)
    type Shown = Record<'cloudAccountID' | 'uid' | 'type' | 'status' | 'region', string>
    const all = (await f.get('/resources?limit=100')).body.data as Shown[]
    const { uid, region } = all.find((one) => one.type === 'aws-ec2' && one.status === 'running')!
    const scan = async () => {
      const { refreshID } = (await f.send('POST', '/resources/refresh', {})).body.data
      await until('the end of the scan', async () => {
        const { data } = (await f.get(`/resources/refresh/status?refreshID=${refreshID}`)).body
        return !['queued', 'running'].includes(data.status)
      })
    }
    await f.send('POST', '/internal/sim/faults', {
      faults: [{ call: 'stop', cloudAccountId: id, times: 1, settleSeconds: 60 }],
    })
    const body = { ...f.of(uid, 'stop'), cloudAccountID: id, region }
    const { actionID } = (await f.send('POST', '/actions', body)).body.data
    await underWay(uid)
    await shows('stopping', uid)
    await scan()
    expect(await statusOf(f, uid)).to.equal('stopping')
    await advance(61, f.orgId)
    expect((await f.ended(`/actions/${actionID}`)).status).to.equal('succeeded')
    await shows('stopped', uid)
    await scan()
    expect(await statusOf(f, uid)).to.equal('stopped')
    await atRest(f, [f.accountId, id])
    const others = ((await f.get('/resources?limit=100')).body.data as Shown[]).filter((one) => one.uid !== uid)
    expect(others.map((one) => `${one.uid} ${one.status}`)).to.deep.equal(
      all.filter((one) => one.uid !== uid).map((one) => `${one.uid} ${one.status}`),
    )
  })
})
