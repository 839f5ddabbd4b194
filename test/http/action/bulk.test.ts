import { expect } from 'chai'
import { fleet, type Fleet } from '#test/harness/fleet.ts'
import { until, type Answer } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'

const codeOf = async (answer: Promise<Answer>): Promise<string> => {
  const { status, body } = await answer
  return `${status} ${body.code}`
}

describe('bulk actions', () => {
  let f: Fleet
  beforeEach(async () => void (f = await fleet()))
  afterEach(() => f.end())
  const group = async (name: string, members: object[]) =>
    (await f.send('POST', '/resource-groups', { name, members })).body.data.id as string
  const ask = (type: string, groupID: string) => f.send('POST', '/actions/bulk', { type, groupID })

  deepIt(
    'start a group tier by tier and stop it the other way round [S-26] [ACT-02] [ACT-04] [ACT-05] [ACT-10] [ACT-11] [ACT-12] [HIST-04]',
    async () => {
      await f.discover(['A', 'B', 'C', 'D', 'E'], 'stopped')
      const groupID = await group('Shop', [
        { resourceUID: 'E', tier: 3 },
        { resourceUID: 'C', tier: 2 },
        { resourceUID: 'D', tier: 2 },
        { resourceUID: 'B', tier: 1, order: 1 },
        { resourceUID: 'A', tier: 1, order: 0 },
      ])
      expect(await codeOf(f.get('/actions/bulk/latest'))).to.equal('404 not_found')
      await f.fail([{ call: 'start', resourceUid: 'E', error: 'quota_exceeded' }])

      const { status, body } = await ask('start', groupID)
      const { bulkActionID } = body.data
      expect([status, body]).to.deep.equal([202, { data: { bulkActionID, status: 'queued', total: 5 } }])
      const { createdAt, ...started } = await f.ended(`/actions/bulk/${bulkActionID}`)
      expect(started).to.deep.equal({
        id: bulkActionID,
        groupID,
        type: 'start',
        status: 'completed',
        total: 5,
        completed: 4,
        failed: 1,
      })
      expect(new Date(createdAt).toISOString()).to.equal(createdAt)
      const calls = f.calls()
      expect([calls.slice(0, 2), calls.slice(2, 4).toSorted(), calls.slice(4)]).to.deep.equal([
        ['start A', 'start B'],
        ['start C', 'start D'],
        ['start E'],
      ])
      const history = (await f.get('/state-history?changed_by_type=bulk')).body.data
      const states = history.items.map((item: any) =>
        `${item.resourceUid} ${item.state} ${item.errorMessage ?? ''}`.trim(),
      )
      expect([history.total, states.toSorted()]).to.deep.equal([
        5,
        ['A running', 'B running', 'C running', 'D running', 'E failed Simulated fault: quota_exceeded.'],
      ])
      expect(new Set(history.items.map((item: any) => item.changedBy))).to.deep.equal(new Set([`bulk:${bulkActionID}`]))
      const failed = history.items.find((item: any) => item.resourceUid === 'E')
      expect((await f.get(`/actions/${failed.id}`)).body.data.errorMessage).to.equal('Simulated fault: quota_exceeded.')

      const second = (await ask('stop', groupID)).body.data.bulkActionID
      const stopped = await f.ended(`/actions/bulk/${second}`)
      expect([stopped.status, stopped.completed, stopped.failed]).to.deep.equal(['completed', 5, 0])
      // E was never started: it is so already, and no call is made of it.
      const later = f.calls().slice(5)
      expect([later.slice(0, 2).toSorted(), later.slice(2)]).to.deep.equal([
        ['stop C', 'stop D'],
        ['stop B', 'stop A'],
      ])
      expect((await f.get('/actions/bulk/latest')).body.data).to.deep.equal(stopped)
    },
  )

  // Tiers and orders: test/actors/bulk.test.ts, and with a cloud test/flows/action.test.ts.
  it('start the members of a group and show the counts, the end and the history [ACT-02] [ACT-04] [ACT-05] [ACT-10] [ACT-11] [HIST-04]', async () => {
    await f.discover(['A', 'E'], 'stopped')
    const groupID = await group('Small', [
      { resourceUID: 'E', tier: 2 },
      { resourceUID: 'A', tier: 1 },
    ])
    expect(await codeOf(f.get('/actions/bulk/latest'))).to.equal('404 not_found')
    await f.fail([{ call: 'start', resourceUid: 'E', error: 'quota_exceeded' }])
    const { status, body } = await ask('start', groupID)
    const { bulkActionID } = body.data
    expect([status, body]).to.deep.equal([202, { data: { bulkActionID, status: 'queued', total: 2 } }])
    const ended = await f.ended(`/actions/bulk/${bulkActionID}`)
    const { createdAt, ...rest } = ended
    const counts = { total: 2, completed: 1, failed: 1 }
    expect(rest).to.deep.equal({ id: bulkActionID, groupID, type: 'start', status: 'completed', ...counts })
    expect(new Date(createdAt).toISOString()).to.equal(createdAt)
    expect(f.calls()).to.deep.equal(['start A', 'start E'])
    const { items, total } = (await f.get('/state-history?changed_by_type=bulk')).body.data
    const states = items.map((item: any) =>
      [item.resourceUid, item.state, item.changedBy, item.errorMessage ?? ''].join(' ').trim(),
    )
    expect([total, states]).to.have.deep.members([
      2,
      [`E failed bulk:${bulkActionID} Simulated fault: quota_exceeded.`, `A running bulk:${bulkActionID}`],
    ])
    expect((await f.get('/actions/bulk/latest')).body.data).to.deep.equal(ended)
  })

  deepIt('are completed at once without members, and failed where all of them are [ACT-02] [G-61]', async () => {
    const none = (await ask('start', await group('Empty', []))).body.data
    expect(none.total).to.equal(0)
    expect((await f.get(`/actions/bulk/${none.bulkActionID}`)).body.data).to.include({ status: 'completed', total: 0 })
    await f.discover(['fixed'], 'stopped', { schedulable: false })
    const all = (await ask('start', await group('Strange', [{ resourceUID: 'fixed' }, { resourceUID: 'nowhere' }])))
      .body.data
    const { status, completed, failed } = await f.ended(`/actions/bulk/${all.bulkActionID}`)
    expect([all.total, status, completed, failed, f.calls()]).to.deep.equal([2, 'failed', 0, 2, []])
  })

  deepIt('are forgotten ninety days after their end, with the actions in them', async () => {
    const { pool } = f.connections.store
    await f.discover(['old', 'new'], 'running')
    const groupID = await group('Old', [{ resourceUID: 'old' }])
    const { bulkActionID } = (await ask('stop', groupID)).body.data
    await f.ended(`/actions/bulk/${bulkActionID}`)
    await f.act('new', 'stop')
    const left = async () => {
      const sql = `select resource_uid as what from action where org_id = $1 and ended_at is not null
        union all select group_id from bulk_action where org_id = $1`
      return (await pool.query<{ what: string }>(sql, [f.orgId])).rows.map(({ what }) => what).toSorted()
    }
    const all = ['new', 'old', groupID].toSorted()
    await until('both records', async () => (await left()).join() === all.join())
    const age = (table: string, days: number, id: string) =>
      pool.query(`update ${table} set ended_at = now() - make_interval(days => $2) where org_id = $1 and ${id}`, [
        f.orgId,
        days,
      ])
    await age('action', 91, `resource_uid = 'old'`)
    await age('action', 89, `resource_uid = 'new'`)
    await age('bulk_action', 91, 'true')
    expect((await f.send('POST', '/internal/jobs/retention/run', { orgId: f.orgId })).status).to.equal(202)
    await until('the old ones are gone', async () => (await left()).join() === 'new')
    expect(await codeOf(f.get(`/actions/bulk/${bulkActionID}`))).to.equal('404 not_found')
  })

  it('refuse a group that is not there and other verbs; each organization has its own [ACT-06]', async () => {
    expect(await codeOf(ask('start', 'none'))).to.equal('404 not_found')
    const groupID = await group('Own', [])
    expect(await codeOf(ask('reboot', groupID))).to.equal('400 validation_failed')
    const { bulkActionID } = (await ask('start', groupID)).body.data
    const other = await fleet()
    expect(await codeOf(other.get(`/actions/bulk/${bulkActionID}`))).to.equal('404 not_found')
    expect(await codeOf(other.get('/actions/bulk/latest'))).to.equal('404 not_found')
    expect(await codeOf(other.send('POST', '/actions/bulk', { type: 'start', groupID }))).to.equal('404 not_found')
    await other.end()
  })
})
