/** Bulk actions from outside: asked for over REST, seen by the cloud's own record of calls, the stream of events and the history. */
import { expect } from 'chai'
import {
  atRest,
  callsOf,
  expectSound,
  historyOf,
  spelled,
  statusOf,
  told,
  type PowerCall,
} from '#test/harness/control.ts'
import { fleet, type Fleet } from '#test/harness/fleet.ts'
import { advance, resetClock } from '#test/harness/people.ts'
import { until } from '#test/harness/product.ts'
import { deepIt, isDeep } from '#test/harness/tier.ts'

type Member = { resourceUID: string; tier?: number; order?: number }

describe('bulk actions from outside', () => {
  let f: Fleet
  let accounts: string[]
  beforeEach(async () => {
    f = await fleet()
    accounts = [f.accountId]
  })
  afterEach(async () => {
    await atRest(f, accounts)
    await expectSound(f, accounts)
    await f.end()
    await resetClock()
  })

  const group = async (name: string, members: readonly Member[]) => {
    const { status, body } = await f.send('POST', '/resource-groups', { name, members })
    expect(status, JSON.stringify(body)).to.equal(201)
    return body.data.id as string
  }
  const ask = async (type: string, groupID: string) =>
    (await f.send('POST', '/actions/bulk', { type, groupID })).body.data as { bulkActionID: string; total: number }
  const carry = async (type: string, groupID: string) => {
    const { bulkActionID } = await ask(type, groupID)
    return f.ended(`/actions/bulk/${bulkActionID}`)
  }
  const counts = ({ status, total, completed, failed }: any) => [status, total, completed, failed]
  const shop: readonly Member[] = [
    { resourceUID: 'A', tier: 1, order: 0 },
    { resourceUID: 'B', tier: 1, order: 1 },
    { resourceUID: 'C', tier: 2, order: 0 },
    { resourceUID: 'D', tier: 2, order: 0 },
    { resourceUID: 'E', tier: 3, order: 0 },
  ]
  /** Another account of the organization. */
  const connect = async () => {
    const body = { name: 'Second', provider: 'aws', externalID: `second-${f.accountId}` }
    const id = (await f.send('POST', '/cloud-accounts', body)).body.data.id as string
    accounts.push(id)
    return id
  }
  /** Steps of a bulk action as its calls show them: those that nobody need wait for together. */
  const steps = (calls: readonly PowerCall[], ...sizes: number[]) => {
    let from = 0
    return sizes.map((size) => spelled(calls.slice(from, (from += size))).toSorted())
  }

  const stopped = async (groupID: string, first: readonly string[]) => {
    const second = await carry('stop', groupID)
    expect(counts(second)).to.deep.equal(['completed', 5, 5, 0])
    await atRest(f)
    const calls = (await callsOf(f)).slice(5)
    expect(steps(calls, 2, 1, 1)).to.deep.equal([['stop C', 'stop D'], ['stop B'], ['stop A']])
    expect(calls.length).to.equal(4)
    expect(await told(f)).to.deep.equal([...first, ...['A', 'B', 'C', 'D'].map((uid) => `resource.stopped ${uid}`)])
    expect((await f.get('/actions/bulk/latest')).body.data).to.deep.equal(second)
    for (const uid of ['A', 'B', 'C', 'D', 'E']) expect(await statusOf(f, uid), uid).to.equal('stopped')
  }

  it('start A, B, {C, D}, E though E is refused, stop {C, D}, B, A, and tell of each once [S-26] [ACT-02] [ACT-05] [ACT-12] [ACT-15] [HIST-06] [STREAM-04]', async () => {
    await f.discover(['A', 'B', 'C', 'D', 'E'], 'stopped')
    const groupID = await group('Shop', shop)
    await f.fail([{ call: 'start', resourceUid: 'E', error: 'quota_exceeded' }])
    const asked = await ask('start', groupID)
    expect(asked).to.deep.include({ status: 'queued', total: 5 })
    expect(counts(await f.ended(`/actions/bulk/${asked.bulkActionID}`))).to.deep.equal(['completed', 5, 4, 1])
    await atRest(f)
    const started = await callsOf(f)
    expect(steps(started, 1, 1, 2, 1)).to.deep.equal([['start A'], ['start B'], ['start C', 'start D'], ['start E']])
    expect(started.length).to.equal(5)
    const rows = await historyOf(f, '&changed_by_type=bulk')
    expect(rows.map(({ resourceUid, state }) => `${resourceUid} ${state}`).toSorted()).to.deep.equal([
      'A running',
      'B running',
      'C running',
      'D running',
      'E failed',
    ])
    const failed = rows.find(({ resourceUid }) => resourceUid === 'E')!
    expect([failed.executionState, failed.errorMessage]).to.deep.equal([
      { step: 'cloud_call', status: 'failed' },
      'Simulated fault: quota_exceeded.',
    ])
    expect((await f.get(`/actions/${failed.id}`)).body.data).to.include({
      status: 'failed',
      errorMessage: 'Simulated fault: quota_exceeded.',
    })
    const first = ['resource.failed E', ...['A', 'B', 'C', 'D'].map((uid) => `resource.started ${uid}`)]
    expect(await told(f)).to.deep.equal(first)
    // In `npm test` test/actors/bulk.test.ts alone shows that a stop goes the other way.
    if (isDeep) await stopped(groupID, first)
  })

  deepIt(
    'try a throttled member three times, 30 seconds and two minutes apart, then tell of both failures once [S-26] [G-60]',
    async () => {
      await f.discover(['A', 'B', 'C', 'D', 'E'], 'stopped')
      const groupID = await group('Shop', shop)
      await f.fail([{ call: 'start', resourceUid: 'A', error: 'throttled', times: 3 }])
      const { bulkActionID } = await ask('start', groupID)
      const ofA = async () => (await callsOf(f)).filter(({ resourceUid }) => resourceUid === 'A')
      for (const [n, pause] of [30, 120].entries()) {
        await until(`try ${n + 1}`, async () => (await ofA()).length === n + 1)
        await atRest(f)
        await advance(pause - 20, f.orgId)
        await atRest(f)
        expect((await ofA()).length, 'not before its time').to.equal(n + 1)
        expect(spelled(await callsOf(f)), 'nobody goes before A has ended').to.not.include('start B')
        await advance(21, f.orgId)
      }
      expect(counts(await f.ended(`/actions/bulk/${bulkActionID}`))).to.deep.equal(['completed', 5, 4, 1])
      await atRest(f)
      expect((await ofA()).map(({ outcome }) => outcome)).to.deep.equal(['transient', 'transient', 'transient'])
      expect(steps((await callsOf(f)).slice(3), 1, 2, 1)).to.deep.equal([
        ['start B'],
        ['start C', 'start D'],
        ['start E'],
      ])
      const started = ['B', 'C', 'D', 'E'].map((uid) => `resource.started ${uid}`)
      expect(await told(f)).to.deep.equal(['resource.failed A', 'resource.retry_exhausted A', ...started].toSorted())
      const [row] = await historyOf(f, '&resource_uid=A')
      expect([row!.state, row!.errorMessage]).to.deep.equal(['failed', 'Simulated fault: throttled.'])
    },
  )

  deepIt('carry out at most ten of one order at once [G-23] [ACT-11] [ACT-12]', async () => {
    const uids = Array.from({ length: 25 }, (_, i) => `n-${String(i).padStart(2, '0')}`)
    await f.discover([...uids, 'last'], 'stopped')
    const members = [...uids.map((resourceUID) => ({ resourceUID })), { resourceUID: 'last', order: 1 }]
    const groupID = await group('Many', members)
    await f.fail([{ call: 'start', times: 26, settleSeconds: 30 }])
    const { bulkActionID, total } = await ask('start', groupID)
    expect(total).to.equal(26)
    const path = `/actions/bulk/${bulkActionID}`
    for (const [made, completed] of [
      [10, 0],
      [20, 10],
      [25, 20],
      [26, 25],
    ] as const) {
      await until(`${made} calls`, async () => (await callsOf(f)).length >= made)
      await until('all are under way', async () => {
        const { rows } = await f.connections.store.pool.query(
          `select count(*)::int as n from power where org_id = $1 and live ->> 'isTaken' = 'true'`,
          [f.orgId],
        )
        return rows[0].n === made - completed
      })
      expect([(await callsOf(f)).length, counts((await f.get(path)).body.data)]).to.deep.equal([
        made,
        ['running', 26, completed, 0],
      ])
      await advance(31, f.orgId)
    }
    expect(counts(await f.ended(path))).to.deep.equal(['completed', 26, 26, 0])
    await atRest(f)
    expect(
      spelled(await callsOf(f))
        .slice(0, 25)
        .toSorted(),
    ).to.deep.equal(uids.map((uid) => `start ${uid}`))
    expect(spelled(await callsOf(f))[25]).to.equal('start last')
    expect(await told(f)).to.deep.equal(['last', ...uids].map((uid) => `resource.started ${uid}`).toSorted())
  })

  deepIt('act on what has odd names, in groups that have', async () => {
    const odd = [
      'arn:aws:ec2:eu-west-1:1:instance/i-1',
      'a b.c.*.>',
      'ü🌙"\'\\%_',
      '..',
      "x' OR 1=1 --",
      '{}[]',
      'ＡＢ',
      '1e3',
    ]
    await f.discover(odd, 'running', { name: 'a: b\t"<x>" 🌙' })
    const groupID = await group(
      'Nacht: "alle" 🌙 <b>',
      odd.map((resourceUID, i) => ({ resourceUID, tier: i + 1 })),
    )
    expect(counts(await carry('stop', groupID))).to.deep.equal(['completed', 8, 8, 0])
    await atRest(f)
    expect(spelled(await callsOf(f))).to.deep.equal(odd.toReversed().map((uid) => `stop ${uid}`))
    expect(await told(f)).to.deep.equal(odd.map((uid) => `resource.stopped ${uid}`).toSorted())
    for (const uid of odd) {
      expect(await statusOf(f, uid), uid).to.equal('stopped')
      const rows = await historyOf(f, `&resource_uid=${encodeURIComponent(uid)}`)
      expect(rows.map(({ resourceUid, state }) => [resourceUid, state])).to.deep.equal([[uid, 'stopped']])
    }
  })

  deepIt('act on accounts that nobody has connected, whatever they are called', async () => {
    const odd = ['shop/prod.eu', 'a b*c.>', '1:2:ü🌙']
    accounts.push(...odd)
    for (const [n, cloudAccountId] of odd.entries()) await f.discover([`m-${n}`], 'running', { cloudAccountId })
    const groupID = await group(
      'Fed',
      odd.map((_, n) => ({ resourceUID: `m-${n}` })),
    )
    expect(counts(await carry('stop', groupID))).to.deep.equal(['completed', 3, 3, 0])
    for (const [n, cloudAccountID] of odd.entries()) {
      const { status, body } = await f.send('POST', '/actions', { ...f.of(`m-${n}`, 'start'), cloudAccountID })
      expect(status, JSON.stringify(body)).to.equal(202)
      const shown = await f.ended(`/actions/${body.data.actionID}`)
      expect([shown.status, shown.cloudAccountID]).to.deep.equal(['succeeded', cloudAccountID])
    }
    await atRest(f, accounts)
    const calls = await callsOf(f, odd)
    expect(calls.map((one) => `${one.call} ${one.cloudAccountId}`).toSorted()).to.deep.equal(
      odd.flatMap((id) => [`start ${id}`, `stop ${id}`]).toSorted(),
    )
  })

  deepIt('act on a uid in every account that has it, as one member that fails where one of them does', async () => {
    const other = await connect()
    await f.discover(['twin', 'after'], 'stopped')
    await f.discover(['twin'], 'stopped', { cloudAccountId: other })
    const groupID = await group('Twins', [{ resourceUID: 'twin' }, { resourceUID: 'after', tier: 2 }])
    await f.fail([{ call: 'start', cloudAccountId: other, error: 'access_denied' }])
    const asked = await ask('start', groupID)
    expect(asked.total).to.equal(2)
    expect(counts(await f.ended(`/actions/bulk/${asked.bulkActionID}`))).to.deep.equal(['completed', 2, 1, 1])
    await atRest(f, accounts)
    const calls = await callsOf(f, accounts)
    expect(
      calls.map((one) => `${one.cloudAccountId === other ? 'other' : 'first'} ${one.resourceUid} ${one.outcome}`),
    ).to.have.members(['first twin ok', 'other twin user_action', 'first after ok'])
    expect(calls[2]!.resourceUid).to.equal('after')
    const rows = await historyOf(f, '&resource_uid=twin')
    expect(rows.map(({ state }) => state).toSorted()).to.deep.equal(['failed', 'running'])
    expect(await told(f)).to.deep.equal(['resource.failed twin', 'resource.started after', 'resource.started twin'])
    expect(counts(await carry('stop', groupID))).to.deep.equal(['completed', 2, 2, 0])
    await atRest(f, accounts)
    expect(spelled((await callsOf(f, accounts)).slice(3))).to.deep.equal(['stop after', 'stop twin'])
  })

  deepIt('count members that are busy, unknown or never started as failed, and go on [G-61]', async () => {
    await f.discover(['busy', 'good'], 'running')
    await f.discover(['fixed'], 'running', { schedulable: false })
    await f.fail([{ call: 'stop', resourceUid: 'busy', settleSeconds: 60 }])
    const { body } = await f.send('POST', '/actions', f.of('busy', 'stop'))
    await until('it is under way', async () => (await statusOf(f, 'busy')) === 'stopping')
    const members = ['busy', 'fixed', 'nowhere', 'good'].map((resourceUID, order) => ({ resourceUID, order }))
    const ended = await carry('stop', await group('Mixed', members))
    expect(counts(ended)).to.deep.equal(['completed', 4, 1, 3])
    expect(spelled(await callsOf(f))).to.deep.equal(['stop busy', 'stop good'])
    await advance(61, f.orgId)
    expect((await f.ended(`/actions/${body.data.actionID}`)).status).to.equal('succeeded')
    await atRest(f)
    const by = (await historyOf(f)).map(({ resourceUid, changedBy }) => `${resourceUid} ${changedBy.split(':')[0]}`)
    expect(by.toSorted()).to.deep.equal(['busy manual', 'good bulk'])
    expect(await told(f)).to.deep.equal(['resource.stopped busy', 'resource.stopped good'])
  })
})
