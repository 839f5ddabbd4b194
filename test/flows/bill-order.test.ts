// tier: deep
import { expect } from 'chai'
import { told } from '#test/harness/anomaly.ts'
import { billsOf, dayCosts, deliver, sendEnd, sendLines, type Delivery, type Item } from '#test/harness/delivery.ts'
import { advance, resetClock } from '#test/harness/people.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { deepIt } from '#test/harness/tier.ts'

const items: Item[] = [
  ['2026-01-03', 'a', 40],
  ['2026-01-04', 'b', 30],
]
const other: Item[] = [
  ['2026-01-03', 'c', 41],
  ['2026-01-05', 'd', 31],
]
const older = (more: Partial<Delivery> = {}): Delivery => ({ id: 'e1', at: '2026-01-10T00:00:00Z', items, ...more })
const newer = (more: Partial<Delivery> = {}): Delivery => ({
  id: 'e2',
  at: '2026-01-11T00:00:00Z',
  items: other,
  ...more,
})
const ofOlder = { '2026-01-03': 40, '2026-01-04': 30 }
const ofNewer = { '2026-01-03': 41, '2026-01-05': 31 }
const january = (org: Tenant) => dayCosts(org, '2026-01-01', '2026-01-31')
const states = async (org: Tenant) => (await billsOf(org)).open.map((open: any) => `${open.id} ${open.state}`)
const outcomes = async (org: Tenant) => (await billsOf(org)).told.map((one: any) => `${one.id} ${one.state}`)
const deadLetters = async (org: Tenant): Promise<string[]> => {
  const { rows } = await org.connections.store.pool.query(
    'select code from dead_letter where org_id = $1 order by seq',
    [org.orgId],
  )
  return rows.map(({ code }) => code)
}

describe('exports of a bill in any order', () => {
  afterEach(resetClock)

  it('end in the newest, when the older one is sent whole behind it', async () => {
    const org = await tenant()
    await deliver(org, newer())
    await deliver(org, older())
    expect(await january(org)).to.deep.equal(ofNewer)
    expect(await outcomes(org)).to.deep.equal(['e2 replaced', 'e1 over'])
    expect((await billsOf(org)).ignored).to.equal(2)
  })

  deepIt('end in the newest, when the lines of both are interleaved and the older one ends last', async () => {
    const org = await tenant()
    await sendLines(org, older({ items: items.slice(0, 1) }))
    await sendLines(org, newer({ items: other.slice(0, 1) }))
    await sendLines(org, older({ items: items.slice(1) }))
    expect(await january(org)).to.deep.equal(ofOlder)
    await sendLines(org, newer({ items: other.slice(1) }))
    await sendEnd(org, newer())
    expect(await january(org)).to.deep.equal(ofNewer)
    await sendEnd(org, older())
    expect(await january(org)).to.deep.equal(ofNewer)
  })

  deepIt('show the oldest that has begun while none is whole, whichever came first', async () => {
    const org = await tenant()
    await sendLines(org, newer())
    expect(await january(org)).to.deep.equal(ofNewer)
    await sendLines(org, older())
    await advance(2)
    await until('the older is shown', async () => (await billsOf(org)).shown['2026-01'].id === 'e1')
    await sendLines(org, newer({ account: 'acct-2', items: [] }))
    await until('the sums', async () => JSON.stringify(await january(org)) === JSON.stringify(ofOlder))
    await sendEnd(org, newer())
    expect(await january(org)).to.deep.equal(ofNewer)
  })

  deepIt('count when the end came before the lines, and again, and lines twice', async () => {
    const org = await tenant()
    await deliver(org, older())
    await sendEnd(org, newer())
    await sendEnd(org, newer())
    expect(await states(org)).to.deep.equal(['e2 waiting'])
    await sendLines(org, newer())
    await sendLines(org, newer())
    // The newer is looked at again within a second, which may be over: never half of it is shown.
    expect([ofOlder, ofNewer]).to.deep.include(await january(org))
    await advance(2)
    await until('the state', async () => (await states(org)).length === 0)
    await until('the sums', async () => JSON.stringify(await january(org)) === JSON.stringify(ofNewer))
    await sendEnd(org, newer())
    expect(await outcomes(org)).to.deep.equal(['e1 replaced', 'e2 replaced'])
  })

  deepIt('of several parts count once all parts are told', async () => {
    const org = await tenant()
    await deliver(org, older())
    const parts = other.map((item, i) => newer({ items: [item], part: { index: i + 1, of: 2 } }))
    await deliver(org, parts[1]!)
    expect(await january(org)).to.deep.equal(ofOlder)
    await deliver(org, parts[0]!)
    expect(await january(org)).to.deep.equal(ofNewer)
  })

  deepIt(
    'of parts with periods of their own count with the last part, though a newer one stands in the period of the first',
    async () => {
      const org = await tenant()
      const february = { billingPeriod: '2026-02' }
      await deliver(org, { id: 'n', at: '2026-04-02T00:00:00Z', items: [['2026-01-03', 'a', 1]] })
      await deliver(org, { id: 'd', at: '2026-03-31T00:00:00Z', items: [['2026-01-04', 'b', 2, february]] })
      const both = { id: 'e', at: '2026-04-01T00:00:00Z' }
      await deliver(org, { ...both, items: [['2026-01-03', 'c', 10]], part: { index: 1, of: 2 } })
      expect(await states(org)).to.deep.equal(['e waiting'])
      await deliver(org, {
        ...both,
        items: [
          ['2026-01-04', 'd', 20, february],
          ['2026-01-05', 'e', 30, february],
        ],
        part: { index: 2, of: 2 },
      })
      expect(await january(org)).to.deep.equal({ '2026-01-03': 1, '2026-01-04': 20, '2026-01-05': 30 })
    },
  )

  deepIt('replace only the billing periods they name, also where one day has lines of two', async () => {
    const org = await tenant()
    const two = (id: string, at: string, cost: number): Delivery => ({
      id,
      at,
      items: [
        ['2026-01-31', 'a', cost],
        ['2026-01-31', 'a', cost * 10, { billingPeriod: '2026-02' }],
      ],
    })
    await deliver(org, two('e1', '2026-02-10T00:00:00Z', 1))
    expect(await january(org)).to.deep.equal({ '2026-01-31': 11 })
    await deliver(org, {
      id: 'f2',
      at: '2026-02-12T00:00:00Z',
      items: [['2026-01-31', 'z', 9, { billingPeriod: '2026-02' }]],
    })
    expect(await january(org)).to.deep.equal({ '2026-01-31': 10 })
    await deliver(org, two('e3', '2026-02-11T00:00:00Z', 2))
    expect(await january(org)).to.deep.equal({ '2026-01-31': 11 })
  })

  deepIt('leave lines that came alone where they are, and estimates give way to actual lines of either', async () => {
    const org = await tenant()
    const alone = { cloudAccountId: 'acct-1', provider: 'aws', usageDate: '2026-01-03', serviceName: 's' }
    await org.publish(billingLine, [
      { ...alone, lineId: 'x', costUSD: 5 },
      { ...alone, lineId: 'y', costUSD: 7, resourceUid: 'a', source: 'estimate' },
    ])
    expect(await january(org)).to.deep.equal({ '2026-01-03': 12 })
    await deliver(org, older())
    expect(await january(org)).to.deep.equal({ '2026-01-03': 45, '2026-01-04': 30 })
    await deliver(org, newer())
    expect(await january(org)).to.deep.equal({ '2026-01-03': 53, '2026-01-05': 31 })
  })
})

describe('an export that is not what it says', () => {
  afterEach(resetClock)

  deepIt('is incomplete ten minutes after its last line, is told so and replaces nothing', async () => {
    const org = await tenant()
    const heard = told(org, 'billing')
    await deliver(org, older())
    await deliver(org, newer({ told: { '2026-01': 3 } }))
    expect([await january(org), await states(org)]).to.deep.equal([ofOlder, ['e2 waiting']])
    await advance(601)
    await until('the state', async () => (await states(org))[0] === 'e2 incomplete')
    const message = async () => (await org.get('/billing/sync-status')).body.data[0].message
    await until('the message', async () => (await message()) !== undefined)
    expect(await message()).to.equal(
      'The export of 2026-01-11T00:00:00.000Z (2026-01) is incomplete: 2 of 3 lines arrived. Nothing was replaced. Rejected lines are in the dead letters.',
    )
    const events = (await heard()).map(({ exportId, periods }) => [exportId, periods])
    expect(events).to.deep.equal([
      [
        'e1',
        [
          {
            period: '2026-01',
            before: { lines: 0, billed: '0', effective: '0' },
            after: { lines: 2, billed: '70', effective: '70' },
          },
        ],
      ],
      ['e2', []],
    ])
    await sendLines(org, newer({ items: [['2026-01-06', 'late', 1]] }))
    await advance(2)
    await until('the state', async () => (await states(org)).length === 0)
    await until(
      'the sums',
      async () => JSON.stringify(await january(org)) === JSON.stringify({ ...ofNewer, '2026-01-06': 1 }),
    )
  })

  deepIt('replaces nothing with more lines than it tells, nor with none unless that is confirmed', async () => {
    const org = await tenant()
    await deliver(org, older())
    await deliver(org, newer({ told: { '2026-01': 1 } }))
    await sendEnd(org, { id: 'e3', at: '2026-01-12T00:00:00Z', items: [], told: { '2026-01': 0 } })
    expect([await january(org), await states(org)]).to.deep.equal([ofOlder, ['e2 waiting', 'e3 held']])
    await sendEnd(org, { id: 'e3', at: '2026-01-12T00:00:00Z', items: [], told: { '2026-01': 0 }, confirmed: true })
    expect([await january(org), await states(org)]).to.deep.equal([{}, []])
  })

  deepIt('is set aside with another time than before, or of a day that has not come', async () => {
    const org = await tenant()
    await deliver(org, older())
    await sendLines(org, older({ at: '2026-01-12T00:00:00Z', items: [['2026-01-09', 'q', 1]] }))
    const future = new Date(Date.now() + 2 * 86_400_000).toISOString()
    await deliver(org, newer({ at: future, items: other.slice(0, 1) }))
    await org.publish(billingLine, [
      { lineId: 'n', cloudAccountId: 'acct-1', provider: 'aws', usageDate: '2026-01-03', costUSD: 1, exportId: 'e9' },
    ])
    expect(await deadLetters(org)).to.deep.equal([
      'export_time_differs',
      'export_in_future',
      'export_in_future',
      'export_time_missing',
    ])
    expect(await january(org)).to.deep.equal(ofOlder)
  })

  deepIt('is set aside at its end where its lines said another time, and replaces nothing', async () => {
    const org = await tenant()
    await deliver(org, older())
    await sendLines(org, newer())
    await sendEnd(org, newer({ at: '2026-01-11T06:00:00Z' }))
    expect([await january(org), await deadLetters(org), await states(org)]).to.deep.equal([
      ofOlder,
      ['export_time_differs'],
      [],
    ])
    await sendEnd(org, newer())
    expect(await january(org)).to.deep.equal(ofNewer)
  })

  deepIt('changes nothing of another account or organization by an end that names its export', async () => {
    const [org, stranger] = [await tenant(), await tenant()]
    await deliver(org, older())
    await sendLines(org, newer({ items: other.slice(0, 1) }))
    await sendEnd(stranger, newer({ items: other.slice(0, 1) }))
    await sendEnd(org, newer({ account: 'acct-2', items: other.slice(0, 1) }))
    expect(await january(org)).to.deep.equal(ofOlder)
    expect(await january(stranger)).to.deep.equal({})
    expect((await billsOf(org, 'acct-2')).open[0]).to.deep.include({ id: 'e2', state: 'waiting', counted: 0 })
  })

  deepIt('is forgotten, and told as incomplete, when sixteen newer ones are open', async () => {
    const org = await tenant()
    await deliver(org, older())
    for (let n = 10; n < 27; n++)
      await sendEnd(org, { id: `o${n}`, at: `2026-01-12T00:00:${n}Z`, items: [], told: { '2026-01': 9 } })
    const { open, told: ended } = await billsOf(org)
    expect(open.map(({ id }: any) => id)).to.deep.equal(Array.from({ length: 16 }, (_, i) => `o${i + 11}`))
    expect(ended.at(-1)).to.deep.include({ id: 'o10', state: 'incomplete' })
  })
})

describe('a line that comes alone', () => {
  const at = (exportedAt: string, usageDate: string, costUSD: number) => ({
    lineId: 'w',
    cloudAccountId: 'acct-1',
    provider: 'aws',
    serviceName: 's',
    usageDate,
    costUSD,
    exportedAt: `2026-04-${exportedAt}T00:00:00Z`,
  })

  deepIt('stays on its newest day, whatever older exports of it come together [STREAM-05]', async () => {
    const org = await tenant()
    await org.publish(billingLine, [at('05', '2026-01-05', 7)])
    await org.publish(billingLine, [at('03', '2026-01-05', 1), at('04', '2026-01-04', 2), at('02', '2026-01-03', 3)])
    expect(await january(org)).to.deep.equal({ '2026-01-05': 7 })
    const [line] = await org.facts('SELECT count() AS n FROM cost_lines WHERE x_OrgId = {org:String}')
    expect(line).to.deep.equal({ n: 1 })
  })

  deepIt('is on its last day alone after several moves in one message', async () => {
    const org = await tenant()
    await org.publish(billingLine, [at('01', '2026-01-02', 1)])
    await org.publish(billingLine, [at('02', '2026-01-03', 2), at('03', '2026-01-04', 3), at('04', '2026-01-05', 4)])
    expect(await january(org)).to.deep.equal({ '2026-01-05': 4 })
  })
})

describe('lines from before exports were known', () => {
  deepIt(
    'are the oldest export of their period: replaced by the first whole one, not doubled, and guarded',
    async () => {
      const org = await tenant()
      const { clickhouse, store } = org.connections
      await store.pool.query(
        `insert into cloud_account (org_id, id, name, provider, external_id, status, created_at, updated_at, old_through)
       values ($1, 'acct-1', 'acct-1', 'aws', 'acct-1', 'connected', now(), now(), '2026-02')`,
        [org.orgId],
      )
      await org.publish(
        billingLine,
        [
          { lineId: '2026-01-03/a', cloudAccountId: 'acct-1', usageDate: '2026-01-03', costUSD: 40 },
          { lineId: '2026-01-04/b', cloudAccountId: 'acct-1', usageDate: '2026-01-04', costUSD: 30 },
          { lineId: '2026-01-04/c', cloudAccountId: 'acct-1', usageDate: '2026-01-04', costUSD: 2 },
          { lineId: '2026-03-01/m', cloudAccountId: 'acct-1', usageDate: '2026-03-01', costUSD: 8 },
        ].map((line) => ({ ...line, provider: 'aws', serviceName: 's' })),
      )
      await clickhouse.command({
        query: 'ALTER TABLE cost_fact UPDATE x_Lone = 0 WHERE x_OrgId = {org:String} SETTINGS mutations_sync = 2',
        query_params: { org: org.orgId },
      })
      const first = older({
        items: [
          ['2026-01-03', 'a', 39],
          ['2026-01-05', 'e', 1],
        ],
      })
      await sendLines(org, first)
      expect(await january(org)).to.deep.equal({ '2026-01-03': 40, '2026-01-04': 32 })
      await deliver(org, { id: 'e0', at: '2026-01-09T00:00:00Z', items: [['2026-01-05', 'x', 35]] })
      expect(await states(org)).to.deep.equal(['e0 held'])
      await sendEnd(org, first)
      expect(await january(org)).to.deep.equal({ '2026-01-03': 39, '2026-01-05': 1 })
      expect(await dayCosts(org, '2026-03-01', '2026-03-31')).to.deep.equal({ '2026-03-01': 8 })
      const [lines] = await org.facts(`SELECT sum(BilledCost) AS cost FROM cost_lines WHERE x_OrgId = {org:String}`)
      expect(Number(lines.cost)).to.equal(48)
    },
  )
})
