import { expect } from 'chai'
import { billingDayClosed } from '#streams/billing/messages.ts'
import { billsOf, dayCosts, deliver, sendEnd, sendLines, type Delivery, type Item } from '#test/harness/delivery.ts'
import { advance, resetClock } from '#test/harness/people.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { sweepReplaced } from '#config/upkeep/sweep-bills.ts'
import { deepIt } from '#test/harness/tier.ts'

const first: Item[] = [
  ['2026-01-03', 'i-1', 40],
  ['2026-01-03', 'i-2', 25],
  ['2026-01-04', 'i-1', 30],
  ['2026-01-05', 'tax', 5],
]
const month = (id: string, at: string, items: readonly Item[], more: Partial<Delivery> = {}): Delivery => ({
  id,
  at,
  items,
  ...more,
})

/** A sweep so many hours from now, to which nothing of other organizations counts as replaced: those of the files before can be very many. */
async function swept({ orgId, connections }: Tenant, hours = 0) {
  await connections.store.pool.query(
    `update cloud_account set bills = jsonb_set(bills, '{shown}', '{}') where org_id <> $1 and bills -> 'shown' <> '{}'`,
    [orgId],
  )
  const { clock } = connections
  const later = Object.assign(Object.create(clock) as typeof clock, { now: () => clock.now() + hours * 3_600_000 })
  return sweepReplaced({ ...connections, clock: later })
}

/** Of which exports lines are kept. */
const left = async (org: Tenant): Promise<string[]> => {
  const found = await org.facts('SELECT groupUniqArray(x_ExportId) AS ids FROM bill_line WHERE x_OrgId = {org:String}')
  return found[0].ids.toSorted()
}

describe('a bill as a snapshot', () => {
  afterEach(resetClock)

  it('delivered again under other line ids and tags counts once, without what it does not hold any more [STREAM-05]', async () => {
    const org = await tenant()
    await deliver(org, month('e1', '2026-01-10T00:00:00Z', first))
    expect(await dayCosts(org, '2026-01-01', '2026-01-31')).to.deep.equal({
      '2026-01-03': 65,
      '2026-01-04': 30,
      '2026-01-05': 5,
    })
    const again = first.map(([day, name, cost]): Item => [
      day,
      `${name}/x`,
      cost,
      { resourceUid: name, Tags: { a: 'b' } },
    ])
    await deliver(org, month('e2', '2026-01-11T00:00:00Z', again.slice(0, 3)))
    expect(await dayCosts(org, '2026-01-01', '2026-01-31')).to.deep.equal({ '2026-01-03': 65, '2026-01-04': 30 })
    const [lines] = await org.facts(
      `SELECT count() AS n, groupUniqArray(x_ExportId) AS ids FROM cost_lines WHERE x_OrgId = {org:String}`,
    )
    expect(lines).to.deep.equal({ n: 3, ids: ['e2'] })
  })

  deepIt('loses what the newer export does not hold any more', async () => {
    const org = await tenant()
    await deliver(org, month('e1', '2026-01-10T00:00:00Z', first))
    await deliver(org, month('e2', '2026-01-11T00:00:00Z', first.slice(0, 3)))
    expect(await dayCosts(org, '2026-01-01', '2026-01-31')).to.deep.equal({ '2026-01-03': 65, '2026-01-04': 30 })
  })

  deepIt('shows what was whole until the newer one is, then all of it at once', async () => {
    const org = await tenant()
    const newer = month(
      'e2',
      '2026-01-11T00:00:00Z',
      first.map(([day, name, cost]): Item => [day, name, Number(cost) + 1]),
    )
    await deliver(org, month('e1', '2026-01-10T00:00:00Z', first))
    await sendLines(org, { ...newer, items: newer.items.slice(0, 3) })
    await sendEnd(org, newer)
    expect(await dayCosts(org, '2026-01-01', '2026-01-31')).to.deep.equal({
      '2026-01-03': 65,
      '2026-01-04': 30,
      '2026-01-05': 5,
    })
    expect((await billsOf(org)).open).to.have.length(1)
    await sendLines(org, { ...newer, items: newer.items.slice(3) })
    await advance(2)
    await org.publish(billingDayClosed, [{ cloudAccountId: 'acct-1', date: '2026-01-05' }])
    const turned = async () => (await dayCosts(org, '2026-01-01', '2026-01-31'))['2026-01-03'] !== 65
    await until('the account to look again', turned)
    expect(await dayCosts(org, '2026-01-01', '2026-01-31')).to.deep.equal({
      '2026-01-03': 67,
      '2026-01-04': 31,
      '2026-01-05': 6,
    })
  })

  deepIt('is held when it shrinks by more than half, and taken when that is confirmed', async () => {
    const org = await tenant()
    await deliver(org, month('e1', '2026-01-10T00:00:00Z', first))
    const smaller = month('e2', '2026-01-11T00:00:00Z', first.slice(3))
    await deliver(org, smaller)
    expect(Object.values(await dayCosts(org, '2026-01-01', '2026-01-31'))).to.deep.equal([65, 30, 5])
    await sendEnd(org, { ...smaller, confirmed: true })
    expect(await dayCosts(org, '2026-01-01', '2026-01-31')).to.deep.equal({ '2026-01-05': 5 })
  })

  deepIt('can be asked for as it stood: sums and lines of then, and once these are swept its sums alone', async () => {
    const org = await tenant()
    const { clock } = org.connections
    await deliver(org, month('e1', '2026-01-10T00:00:00Z', first))
    await advance(60)
    const then = new Date(clock.now()).toISOString()
    await advance(60)
    await deliver(org, month('e2', '2026-01-11T00:00:00Z', first.slice(0, 3)))
    const receipt = async (query = '') => {
      const { body } = await org.get(`/reports/receipt?from=2026-01-01&to=2026-01-31${query}`)
      const { items, totalUSD, linesDropped = false } = body.data
      return [items.map(({ exportId, costUSD }: any) => `${exportId} ${costUSD}`), totalUSD, linesDropped]
    }
    expect(await receipt()).to.deep.equal([['e2 40', 'e2 25', 'e2 30'], '95', false])
    expect(await receipt(`&asOf=${then}`)).to.deep.equal([['e1 40', 'e1 25', 'e1 30', 'e1 5'], '100', false])
    expect(await dayCosts(org, '2026-01-01', '2026-01-31', `&asOf=${then}`)).to.deep.equal({
      '2026-01-03': 65,
      '2026-01-04': 30,
      '2026-01-05': 5,
    })
    // Of other organizations there may be more.
    expect((await swept(org, 49))!.exports).to.be.at.least(1)
    expect(await left(org)).to.deep.equal(['e2'])
    expect(await receipt(`&asOf=${then}`)).to.deep.equal([[], '100', true])
    expect(await receipt()).to.deep.equal([['e2 40', 'e2 25', 'e2 30'], '95', false])
  })

  deepIt('is swept no earlier than two days after it was replaced', async () => {
    const org = await tenant()
    for (const [n, hours] of [20, 20, 20, 20].entries()) {
      await deliver(org, month(`e${n}`, `2026-01-1${n}T00:00:00Z`, first))
      await advance(hours * 3600)
    }
    await swept(org)
    expect(await left(org)).to.deep.equal(['e1', 'e2', 'e3'])
  })
})
