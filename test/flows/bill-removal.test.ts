import { expect } from 'chai'
import { billCommands } from '#config/command/cost/bill.ts'
import { UsageError } from '#config/command/line/command.ts'
import { calm } from '#test/harness/chat.ts'
import { commanded, rowsOf, tidemark } from '#test/harness/command.ts'
import { dayCosts, deliver, sendEnd, sendLoneLines, type Item } from '#test/harness/delivery.ts'
import { advance, resetClock } from '#test/harness/people.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { sweepReplaced } from '#config/upkeep/sweep-bills.ts'
import { deepIt } from '#test/harness/tier.ts'

const first: Item[] = [
  ['2026-01-03', 'i-1', 40],
  ['2026-01-04', 'i-1', 30],
]
/** The wrong one: ten times as much, and a day more. */
const wrong: Item[] = [
  ['2026-01-03', 'i-1', 400],
  ['2026-01-04', 'i-1', 300],
  ['2026-01-09', 'i-2', 99],
]
const right = { '2026-01-03': 40, '2026-01-04': 30 }
const [monday, tuesday] = ['2026-01-10T00:00:00.000Z', '2026-01-11T00:00:00.000Z']

describe('a wrong bill', () => {
  let org: Tenant
  beforeEach(async () => void (org = await tenant()))
  afterEach(resetClock)

  const costs = (query = '') => dayCosts(org, '2026-01-01', '2026-01-31', query)
  const reach = async (wanted: Record<string, number>) => {
    await calm(org)
    expect(await costs()).to.deep.equal(wanted)
  }
  const receipt = async (query = '') => {
    const { items, totalUSD } = (await org.get(`/reports/receipt?from=2026-01-01&to=2026-01-31${query}`)).body.data
    return [items.map(({ exportId, costUSD }: any) => `${exportId} ${costUSD}`), totalUSD]
  }
  const listed = async () => {
    const { items } = (await org.get('/billing/exports?period=2026-01')).body.data
    return items.map(({ id, state, billedUSD }: any) => `${id} ${state} ${billedUSD}`)
  }
  const events = async () =>
    (await org.get('/security-events?type=bill_removed')).body.data.items.map(({ detail }: any) => detail)

  it('that an admin removes leaves the bill before it, in reports and receipts; asOf keeps what was shown [G-128]', async () => {
    await deliver(org, { id: 'e1', at: monday, items: first })
    await deliver(org, { id: 'e2', at: tuesday, items: wrong })
    await sendLoneLines(org, [['2026-01-20', 'lone', 7]])
    await advance(60)
    const then = new Date(org.connections.clock.now()).toISOString()
    await advance(60)
    const wrongSums = { '2026-01-03': 400, '2026-01-04': 300, '2026-01-09': 99, '2026-01-20': 7 }
    expect(await costs()).to.deep.equal(wrongSums)
    expect(await listed()).to.deep.equal(['e2 shown 799', 'e1 previous 70'])
    const missing = await org.send('DELETE', '/billing/exports/e9?cloud_account_id=acct-1')
    expect(missing.status).to.equal(404)
    // Another organization has an account of the same id, and learns nothing of these bills [GEN-10].
    const other = await tenant()
    await deliver(other, { id: 'e7', at: monday, items: first })
    const theirs = (await other.get('/billing/exports')).body.data.items
    expect(theirs.map(({ id }: any) => id)).to.deep.equal(['e7'])
    const tried = await other.send('DELETE', '/billing/exports/e2?cloud_account_id=acct-1')
    expect([tried.status, tried.body.code]).to.deep.equal([404, 'not_found'])
    expect(await listed()).to.deep.equal(['e2 shown 799', 'e1 previous 70'])
    const { status, body } = await org.send('DELETE', '/billing/exports/e2?cloud_account_id=acct-1')
    expect([status, body.data]).to.deep.equal([
      200,
      {
        removed: [
          {
            exportID: 'e2',
            exportedAt: tuesday,
            period: '2026-01',
            lines: 3,
            billedUSD: '799',
            before: { lines: 3, billedUSD: '799' },
            after: { lines: 2, billedUSD: '70' },
            showsExportID: 'e1',
          },
        ],
      },
    ])
    await reach({ ...right, '2026-01-20': 7 })
    expect(await receipt()).to.deep.equal([['e1 40', 'e1 30', ' 7'], '77'])
    expect(await costs(`&asOf=${then}`)).to.deep.equal(wrongSums)
    expect(await receipt(`&asOf=${then}`)).to.deep.equal([['e2 400', 'e2 300', 'e2 99', ' 7'], '806'])
    expect(await listed()).to.deep.equal(['e2 removed 799', 'e1 shown 70'])
    expect(await events()).to.deep.equal([
      { cloudAccountID: 'acct-1', exportID: 'e2', periods: '2026-01', billedUSD: '799' },
    ])
    expect((await org.send('DELETE', '/billing/exports/e2?cloud_account_id=acct-1')).status).to.equal(404)
    const all = await commanded('bill', 'remove', '--all', '--account', 'acct-1', '--org', org.orgId, '--yes')
    expect(all.stdout.trim()).to.equal('2026-01: removed e1: 70.00 -> 0.00 USD; no export is current')
    await reach({})
  })

  deepIt("of a payer leaves the account's own bill, which counts again, to the cent [G-116, G-128]", async () => {
    const of = { name: 'Member', provider: 'aws', externalID: '111111111111' }
    const member = (await org.send('POST', '/cloud-accounts', of)).body.data.id as string
    const sub = { SubAccountId: '111111111111' }
    const own: Item[] = [
      ['2026-01-03', 'i-1', '71.15', sub],
      ['2026-01-05', 'i-1', '3', sub],
    ]
    const payers: Item[] = [
      ['2026-01-03', 'i-1', '70.1', sub],
      ['2026-01-03', 'i-9', '5'],
      ['2026-01-04', 'i-1', '9', sub],
    ]
    await deliver(org, { id: 'm1', at: monday, items: own, account: member })
    await deliver(org, { id: 'e1', at: monday, items: payers })
    // The payer's counts where both have a day: 70.1 + 5, not 71.15.
    await reach({ '2026-01-03': 75.1, '2026-01-04': 9, '2026-01-05': 3 })
    const { status } = await org.send('DELETE', '/billing/exports/e1?cloud_account_id=acct-1')
    expect(status).to.equal(200)
    await reach({ '2026-01-03': 71.15, '2026-01-05': 3 })
    const { data } = (await org.get('/reports/bill-overlaps?from=2026-01-01&to=2026-01-31')).body
    expect(data.items).to.deep.equal([])
  })

  deepIt('is shown again once its end comes again, while its lines are stored [G-107, G-128]', async () => {
    await deliver(org, { id: 'e1', at: monday, items: first })
    await deliver(org, { id: 'e2', at: tuesday, items: wrong })
    await org.send('DELETE', '/billing/exports/e2?cloud_account_id=acct-1')
    await reach(right)
    await sendEnd(org, { id: 'e2', at: tuesday, items: wrong })
    await reach({ '2026-01-03': 400, '2026-01-04': 300, '2026-01-09': 99 })
  })

  deepIt('is swept two days after it was removed, and what is shown is not [G-128]', async () => {
    await deliver(org, { id: 'e1', at: monday, items: first })
    await deliver(org, { id: 'e2', at: tuesday, items: wrong })
    await org.send('DELETE', '/billing/exports/e2?cloud_account_id=acct-1')
    await reach(right)
    const sweptAfter = async (hours: number): Promise<string[]> => {
      const { clock, store } = org.connections
      await store.pool.query(
        `update cloud_account set bills = bills || '{"shown": {}, "removed": []}' where org_id <> $1`,
        [org.orgId],
      )
      const later = Object.assign(Object.create(clock) as typeof clock, { now: () => clock.now() + hours * 3_600_000 })
      await sweepReplaced({ ...org.connections, clock: later })
      const [{ ids }] = await org.facts(
        'SELECT groupUniqArray(x_ExportId) AS ids FROM bill_line WHERE x_OrgId = {org:String}',
      )
      return ids.toSorted()
    }
    expect(await sweptAfter(47)).to.deep.equal(['e1', 'e2'])
    expect(await sweptAfter(49)).to.deep.equal(['e1'])
    expect(await costs()).to.deep.equal(right)
  })

  deepIt(
    'is listed and removed by the command line, all bills of an account with the lines that came alone [G-128]',
    async () => {
      await deliver(org, { id: 'e1', at: monday, items: first })
      await deliver(org, { id: 'e2', at: tuesday, items: wrong })
      await sendLoneLines(org, [['2026-01-20', 'lone', 7]])
      const of = ['--org', org.orgId, '--account', 'acct-1']
      const list: any[] = await tidemark('bill', 'list', ...of)
      expect(list.map(({ id, state }) => `${id} ${state}`)).to.deep.equal(['e2 shown', 'e1 previous'])
      const { stdout } = await commanded('bill', 'remove', 'e2', ...of, '--yes')
      expect(stdout.trim()).to.equal('2026-01: removed e2: 799.00 -> 70.00 USD; export e1 is now current')
      await reach({ ...right, '2026-01-20': 7 })
      const all = await commanded('bill', 'remove', '--all', ...of, '--yes')
      expect(all.stdout.trim()).to.equal('2026-01: removed e1: 70.00 -> 0.00 USD; no export is current')
      await reach({})
      expect((await events()).map(({ exportID, billedUSD }: any) => `${exportID} ${billedUSD}`)).to.deep.equal([
        'all 70',
        'e2 799',
      ])
      const told = await commanded('bill', 'list', ...of)
      const removed = rowsOf(told.stdout).find((cells) => cells[3] === 'e2')
      expect(removed?.toSpliced(7, 1).toSpliced(4, 1)).to.deep.equal([
        'acct-1',
        '2026-01',
        'removed',
        'e2',
        '3',
        '799.00',
        'operator',
      ])
      await sendLoneLines(org, [['2026-01-20', 'lone', 7]])
      await reach({ '2026-01-20': 7 })
    },
  )
})

describe('tidemark bill', () => {
  const of = { org: 'o1', account: 'acct-1' }
  const wrongly: [name: string, positionals: string[], values: object, why: RegExp][] = [
    ['bill list', [], {}, /--org/],
    ['bill remove', ['e1'], { org: 'o1', yes: true }, /--account/],
    ['bill remove', [], { ...of, yes: true }, /^Give either an export ID or --all\./],
    ['bill remove', ['e1'], { ...of, all: true, yes: true }, /^Give either an export ID or --all\./],
    ['bill remove', [], { ...of, all: true, period: '2026-01', yes: true }, /cannot be combined with --period/],
    ['bill remove', ['e1'], { ...of, period: '2026-01' }, /^Remove export e1 of acct-1 in 2026-01\? .*--yes/],
    ['bill remove', [], { ...of, all: true }, /^Remove all bills of acct-1\? Nothing was changed/],
  ]
  for (const [name, positionals, values, why] of wrongly)
    it(`refuses ${[name, ...positionals, ...Object.keys(values)].join(' ')} before anything is opened [G-128]`, async () => {
      const command = billCommands.find((one) => one.name === name)!
      const refused = await command.run({ positionals, values } as never).catch((error: unknown) => error)
      expect(refused).to.be.instanceOf(UsageError)
      expect((refused as Error).message).to.match(why)
    })
})
