import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { stateHistoryTable } from '#analytics/action/tables.ts'
import { changerTypes } from '#streams/action/messages.ts'
import { fleet, type Fleet } from '#test/harness/fleet.ts'
import { colleague, type Founder } from '#test/harness/people.ts'

/** Rows of long ago go by themselves. */
const yesterday = Date.now() - 86_400_000

/** A row as power appends it, for what other rooms bring about. */
const row = (orgId: string, n: number, fields: object = {}) => ({
  org_id: orgId,
  resource_uid: 'i-1',
  cloud_account_id: 'acct-1',
  action_id: `a-${n}`,
  state: 'stopped',
  changed_at: new Date(yesterday + n * 1000).toISOString().slice(0, -1),
  changed_by: 'schedule:Night: late:s-1',
  changed_by_type: 'schedule',
  schedule_id: 's-1',
  step: 'done',
  status: 'succeeded',
  error_message: '',
  action: 'stop',
  attempts: 1,
  x_Version: '1',
  ...fields,
})

describe('the history of states', () => {
  let f: Fleet
  before(async () => {
    f = await fleet()
    const values = changerTypes.map((changed_by_type, n) =>
      row(f.orgId, n, { changed_by_type, ...(n > 0 && { changed_by: `${changed_by_type}:x`, schedule_id: '' }) }),
    )
    const table = stateHistoryTable.name
    await f.put(table, values)
  })
  after(() => f.end())
  const get = async (query = '') => (await f.get(`/state-history${query}`)).body.data

  it('holds exactly these fields, the newest first [HIST-01] [HIST-02] [HIST-03] [HIST-05] [HIST-07]', async () => {
    await f.discover(['i-2'])
    const action = await f.act('i-2', 'stop')
    const mine = await get('?resource_uid=i-2')
    const [{ changedBy, changedByName, ...item }] = mine.items
    expect(Object.keys(mine)).to.have.members(['items', 'total', 'page', 'limit'])
    expect([mine.total, mine.page, mine.limit]).to.deep.equal([1, 1, 20])
    expect(item).to.deep.equal({
      id: action.id,
      resourceUid: 'i-2',
      state: 'stopped',
      changedAt: action.completedAt,
      scheduleId: null,
      executionState: { step: 'done', status: 'succeeded' },
      errorMessage: null,
    })
    expect(changedBy).to.match(/^manual:.+/)
    expect(changedByName).to.equal(null)
    const others = await get('?resource_uid=i-1')
    expect(others.items.map(({ id }: { id: string }) => id)).to.deep.equal(['a-4', 'a-3', 'a-2', 'a-1', 'a-0'])
    const night = { changedBy: 'schedule:Night: late:s-1', changedByName: null, scheduleId: 's-1' }
    expect(others.items.at(-1)).to.include(night)
  })

  it('says what the person is called who changed it, and nothing of who is no member', async () => {
    const ben = await colleague({ accessToken: f.token, orgId: f.orgId } as Founder, 'viewer')
    const values = [ben.userId, randomUUID()].map((id, n) =>
      row(f.orgId, n, {
        resource_uid: 'named',
        changed_by: `manual:${id}`,
        changed_by_type: 'manual',
        schedule_id: '',
      }),
    )
    await f.put(stateHistoryTable.name, values)
    const { items } = await get('?resource_uid=named')
    expect(items.map(({ id, changedByName }: any) => [id, changedByName])).to.deep.equal([
      ['a-1', null],
      ['a-0', 'Ben'],
    ])
  })

  it('is narrowed by who changed it, one of five [HIST-04]', async () => {
    for (const [n, type] of changerTypes.entries()) {
      const { items } = await get(`?resource_uid=i-1&changed_by_type=${type}`)
      expect(
        items.map(({ id }: { id: string }) => id),
        type,
      ).to.deep.equal([`a-${n}`])
    }
    const { status, body } = await f.get('/state-history?changed_by_type=autoscaler')
    expect([status, body.errors[0].name]).to.deep.equal([400, 'changed_by_type'])
  })

  it('is read a page at a time, with its total also beyond the last [HIST-01]', async () => {
    const page = async (n: number) => {
      const { items, total, page: shown, limit } = await get(`?resource_uid=i-1&page=${n}&limit=2`)
      return [items.map(({ id }: { id: string }) => id).join(' '), total, shown, limit]
    }
    expect(await page(1)).to.deep.equal(['a-4 a-3', 5, 1, 2])
    expect(await page(3)).to.deep.equal(['a-0', 5, 3, 2])
    expect(await page(4)).to.deep.equal(['', 5, 4, 2])
    expect((await get('?resource_uid=nobody')).total).to.equal(0)
  })

  it('is shown to its organization alone', async () => {
    const other = await fleet()
    expect((await other.get('/state-history')).body.data).to.deep.equal({ items: [], total: 0, page: 1, limit: 20 })
    await other.end()
  })
})
