import { expect } from 'chai'
import { exportIdOf, syncWork } from '#actors/billing/sync.ts'
import type { SyncInput } from '#actors/billing/actor.ts'
import { Publisher } from '#engine/run/publisher.ts'
import { decoder } from '#engine/value/schema.ts'
import { ExportId, type BillingLine } from '#streams/billing/messages.ts'
import type { BillRefusals } from '#streams/cloud/bill/refusals.ts'
import { BillWarnings } from '#streams/billing/warning.ts'
import { cloudFault } from '#streams/cloud/connector.ts'

const cloudAccountId = 'acct-1'
const lineOf = (day: string, lineId: string, more: Partial<BillingLine> = {}): BillingLine => ({
  lineId,
  cloudAccountId: 'whatever the provider calls it',
  provider: 'aws',
  usageDate: day,
  costUSD: 1,
  exportedAt: '2020-01-01T00:00:00Z',
  ...more,
})

/** One account whose provider says what the test says; what its runs publish, message by message. */
class Bills {
  now = new Date('2026-02-05T02:00:00Z')
  billingExport: object | null = null
  /** Lines, page by page, of the days asked for; a page that is an error is thrown. */
  bill: (from: string, to: string, refusals: BillRefusals) => (BillingLine[] | Error)[] = () => []
  asked: string[] = []
  logged: object[] = []
  messages: { id: string; subject: string; events: { type: string; data: any }[] }[] = []

  async run(input: Partial<SyncInput> = {}, attempt = 1): Promise<string[]> {
    this.messages = []
    const clock = { now: () => this.now.getTime(), sleep: async () => {} }
    const publish = async ({ id, subject, body }: { id: string; subject: string; body: string }) => {
      const read = [JSON.parse(body)].flat() as { type: string; data: any }[]
      this.messages.push({ id, subject, events: read.map(({ type, data }) => ({ type, data })) })
      return { lane: 0, seq: this.messages.length }
    }
    const row = { name: 'a', external_id: '1', regions: [], credentials: null, status: 'connected' }
    const connector = {
      bill: (_: unknown, from: string, to: string, refusals: BillRefusals) => this.read(from, to, refusals),
    }
    const work = syncWork({
      reads: { rows: async () => [{ ...row, billing_export: this.billingExport }], facts: async () => [] } as never,
      publisher: new Publisher({ publish } as never, clock, 'test'),
      lineStore: () => ({ flush: async () => {} }) as never,
      cloudOf: () => connector as never,
      open: () => null,
      now: () => this.now,
      report: { warn: (detail: object) => this.logged.push(detail) } as never,
    })
    const given = { cloudAccountId, provider: 'aws', runId: 'r1', check: false, ...input } as const
    const call = { key: 'billing/o1/acct-1/r1/x', orgId: 'o1', attempt, signal: new AbortController().signal }
    await work.run(input.month === undefined ? { from: '2026-02-01', ...given } : given, call)
    return this.types
  }
  /** A word for each message, with how many events of a kind it holds. */
  get types(): string[] {
    return this.messages.map(({ events }) => `${events.length} ${[...new Set(events.map(({ type }) => type))].join()}`)
  }
  of(type: string): any[] {
    return this.messages.flatMap(({ events }) => events.filter((event) => event.type === type).map(({ data }) => data))
  }
  private async *read(from: string, to: string, refusals: BillRefusals): AsyncGenerator<BillingLine[]> {
    this.asked.push(`${from}..${to}`)
    for (const page of this.bill(from, to, refusals)) {
      if (page instanceof Error) throw page
      yield page
      this.now = new Date(this.now.getTime() + 1000)
    }
  }
}

describe('a run of a billing sync', () => {
  let bills: Bills
  beforeEach(() => void (bills = new Bills()))

  it('sends each billing period as one export, its end behind its lines, then the days, then its own end [G-107]', async () => {
    bills.bill = (from) =>
      from === '2026-01-01'
        ? [[lineOf('2026-01-30', 'a', { BillingPeriodStart: '2025-12-01T00:00:00Z' })], [lineOf('2026-01-31', 'a')]]
        : [[lineOf('2026-02-04', 'a')]]
    expect(await bills.run({ from: '2026-01-01' })).to.deep.equal([
      '1 billing.line',
      '1 billing.line',
      '1 billing.export_ended',
      '1 billing.line',
      '1 billing.export_ended',
      '35 billing.day_closed',
      '1 billing.synced',
    ])
    expect(bills.asked).to.deep.equal(['2026-01-01..2026-01-31', '2026-02-01..2026-02-04'])
    const january = { exportId: 'r1-2026-01-1', exportedAt: '2026-02-05T02:00:00.000Z' }
    const february = { exportId: 'r1-2026-02-1', exportedAt: '2026-02-05T02:00:02.000Z' }
    const [first, ...others] = bills.of('billing.line')
    expect(first).to.deep.equal({
      lineId: 'a',
      cloudAccountId,
      provider: 'aws',
      usageDate: '2026-01-30',
      costUSD: 1,
      BillingPeriodStart: '2025-12-01T00:00:00Z',
      billingPeriod: '2026-01',
      ...january,
    })
    expect(others).to.deep.equal([
      { ...lineOf('2026-01-31', 'a'), cloudAccountId, billingPeriod: '2026-01', ...january },
      { ...lineOf('2026-02-04', 'a'), cloudAccountId, billingPeriod: '2026-02', ...february },
    ])
    expect(bills.of('billing.export_ended')).to.deep.equal([
      { cloudAccountId, ...january, periods: [{ period: '2026-01', lines: 2 }] },
      { cloudAccountId, ...february, periods: [{ period: '2026-02', lines: 1 }] },
    ])
    const days = bills.of('billing.day_closed').map(({ date }) => date as string)
    expect([days[0], days[30], days[31], days[34]]).to.deep.equal([
      '2026-01-01',
      '2026-01-31',
      '2026-02-01',
      '2026-02-04',
    ])
    expect(bills.of('billing.synced')).to.deep.equal([
      {
        cloudAccountId,
        runId: 'r1',
        through: '2026-02-04',
        lines: 3,
        at: '2026-02-05T02:00:03.000Z',
        periods: ['2026-01', '2026-02'],
      },
    ])
    expect(new Set(bills.messages.map(({ id }) => id)).size).to.equal(7)
  })

  it('sends a month of history as one export, up to the newest day that is over [BILL-07] [G-107]', async () => {
    bills.bill = (from, to) => [[lineOf(from, 'a'), lineOf(to, 'b')]]
    expect(await bills.run({ month: '2026-02' })).to.deep.equal([
      '2 billing.line',
      '1 billing.export_ended',
      '4 billing.day_closed',
      '1 billing.month_synced',
    ])
    expect(bills.of('billing.export_ended')).to.deep.equal([
      {
        cloudAccountId,
        exportId: 'r1-2026-02-h1',
        exportedAt: '2026-02-05T02:00:00.000Z',
        periods: [{ period: '2026-02', lines: 2 }],
      },
    ])
    await bills.run({ month: '2025-12' })
    expect(bills.asked).to.deep.equal(['2026-02-01..2026-02-04', '2025-12-01..2025-12-31'])
    expect(bills.of('billing.month_synced')[0]).to.include({ month: '2025-12', through: '2025-12-31', lines: 2 })
  })

  it('counts different lines of a day, whichever column says the day [G-107]', async () => {
    bills.bill = () => [
      [lineOf('2026-02-01', 'a'), lineOf('2026-02-01', 'a', { costUSD: 2 }), lineOf('2026-02-02', 'a')],
      [
        lineOf('2026-02-02', 'b', { ChargePeriodStart: '2026-02-02T00:30:00+01:00' }),
        lineOf('2026-02-01', 'b', { ChargePeriodStart: '' }),
        lineOf('2026-02-03', 'b', { ChargePeriodStart: '2026-02-01 23:00:00' }),
      ],
      [lineOf('2026-02-04', 'c', { ChargePeriodStart: 'soon' }), lineOf('2026-02-01', 'a')],
    ]
    await bills.run()
    expect(bills.of('billing.line')).to.have.length(8)
    // a on the first and the second, b on the first, c on no day.
    expect(bills.of('billing.export_ended')[0].periods).to.deep.equal([{ period: '2026-02', lines: 4 }])
    expect(bills.of('billing.synced')[0].lines).to.equal(8)
  })

  it('tells no end of an attempt that broke; the next one is another export, and a later one [G-107]', async () => {
    const pages = [[lineOf('2026-02-01', 'a')], [lineOf('2026-02-02', 'a')]]
    bills.bill = () => [pages[0]!, cloudFault('transient', 'throttled', 'Later.')]
    const broke = await bills.run({}, 1).then(
      () => '',
      (error: Error) => error.message,
    )
    expect([broke, bills.types]).to.deep.equal(['Later.', ['1 billing.line']])
    expect(bills.of('billing.line')[0]).to.include({
      exportId: 'r1-2026-02-1',
      exportedAt: '2026-02-05T02:00:00.000Z',
    })
    const [before] = bills.messages
    bills.bill = () => pages
    await bills.run({}, 2)
    const again = { exportId: 'r1-2026-02-2', exportedAt: '2026-02-05T02:00:01.000Z' }
    expect(bills.of('billing.line').map(({ exportId, exportedAt }) => ({ exportId, exportedAt }))).to.deep.equal([
      again,
      again,
    ])
    expect(bills.of('billing.export_ended')).to.deep.equal([
      { cloudAccountId, ...again, periods: [{ period: '2026-02', lines: 2 }] },
    ])
    expect(bills.messages.map(({ id }) => id)).to.not.include(before!.id)
  })

  it('says nothing of a billing period without a line, nor of its days where no other has one [BILL-08]', async () => {
    expect(await bills.run()).to.deep.equal(['1 billing.synced'])
    expect(await bills.run({ month: '2026-01' })).to.deep.equal(['1 billing.month_synced'])
    bills.bill = (from) => (from === '2026-01-01' ? [[lineOf('2026-01-31', 'a')]] : [[]])
    await bills.run({ from: '2026-01-01' })
    expect(bills.of('billing.export_ended').map(({ exportId }) => exportId)).to.deep.equal(['r1-2026-01-1'])
    expect(bills.of('billing.day_closed')).to.have.length(35)
  })

  it('confirms bills that shrink where the account is set to take them [G-108]', async () => {
    bills.bill = () => [[lineOf('2026-02-01', 'a')]]
    const confirmed = async (billingExport: object | null) => {
      bills.billingExport = billingExport
      await bills.run()
      return bills.of('billing.export_ended')[0].confirmed
    }
    const there = { kind: 'cur', location: 's3://bills' }
    expect(await confirmed({ ...there, acceptShrink: true })).to.equal(true)
    expect(await confirmed({ ...there, acceptShrink: false })).to.equal(undefined)
    expect(await confirmed(there)).to.equal(undefined)
    expect(await confirmed(null)).to.equal(undefined)
  })

  it('reads the whole month of the day it is to begin at', async () => {
    await bills.run({ from: '2026-01-12' })
    expect(bills.asked).to.deep.equal(['2026-01-01..2026-01-31', '2026-02-01..2026-02-04'])
  })

  it('sends the end as a message of its own, behind messages of 500 lines at most', async () => {
    bills.bill = () => [Array.from({ length: 1001 }, (_, n) => lineOf('2026-02-01', `${n}`))]
    expect((await bills.run()).slice(0, 4)).to.deep.equal([
      '500 billing.line',
      '500 billing.line',
      '1 billing.line',
      '1 billing.export_ended',
    ])
  })

  it('replaces with what is good where at most a thousandth of the dollars is refused, and tells of it; else with nothing', async () => {
    const wrong = { refused: { code: 'date_missing', message: 'The line has no day.' } }
    const run = async (refusedUsd: string | undefined) => {
      bills.bill = (_from, _to, refusals) => {
        refusals.take({ BilledCost: '999' })
        refusals.refuse('bill.csv, line 7', { ...wrong, ...(refusedUsd !== undefined && { billedUsd: refusedUsd }) })
        return [[lineOf('2026-02-04', 'a')]]
      }
      try {
        return [await bills.run(), bills.of('billing.synced')[0]?.message]
      } catch (error) {
        return (error as Error).message
      }
    }
    const all = ['1 billing.line', '1 billing.export_ended', '4 billing.day_closed', '1 billing.synced']
    expect(await run('1')).to.deep.equal([
      all,
      '2026-02: 1 row rejected, 1.00 of 1000.00 USD. First: bill.csv, line 7: The line has no day.',
    ])
    const held = (dollars: string, whole: string) =>
      `1 row rejected, ${dollars} of ${whole} USD. First: bill.csv, line 7: The line has no day. Nothing was replaced.`
    expect(await run('1.01')).to.equal(held('1.01', '1000.01'))
    expect(bills.types).to.deep.equal(['1 billing.line'])
    // Of which nobody knows what it costs, it counts as any other.
    expect(await run(undefined)).to.equal(held('999.00', '1998.00'))
  })
})

describe('warnings of a run of a billing sync', () => {
  const file = { code: 'column_twice', message: 'The header has cost more than once: the first of them counts.' }

  it('go with its end and into the log, by billing period, the newest first; a period without any has none', async () => {
    const bills = new Bills()
    bills.bill = (from, _to, { warnings }) => {
      if (from === '2026-02-01') return [[lineOf('2026-02-04', 'a')]]
      warnings.ofRow({ file: 'a.csv', row: 7 }, { code: 'tags_left_out', message: 'x'.repeat(600) })
      warnings.ofFile('b.csv', file)
      return [[lineOf(from, 'a')]]
    }
    await bills.run({ from: '2025-12-31' })
    const [{ periods, warnings }] = bills.of('billing.synced')
    expect(periods).to.deep.equal(['2025-12', '2026-01', '2026-02'])
    const ofMonth = (period: string) => [
      { period, ...file, count: 1, first: [{ file: 'b.csv' }] },
      { period, code: 'tags_left_out', message: 'x'.repeat(500), count: 1, first: [{ file: 'a.csv', row: 7 }] },
    ]
    expect(warnings).to.deep.equal([...ofMonth('2026-01'), ...ofMonth('2025-12')])
    expect(bills.logged).to.deep.equal(warnings.map((one: object) => ({ orgId: 'o1', cloudAccountId, ...one })))
  })

  it('are at most ten kinds of files and ten of rows with five places each, whatever the bill is', () => {
    const warnings = new BillWarnings()
    for (let n = 1; n <= 30; n++) {
      warnings.ofFile(`${'d'.repeat(300)}/${n}.csv`, { code: 'column_twice', message: `The header has c${n} twice.` })
      const cut = { code: n % 3 === 0 ? 'cell_cut' : 'tags_left_out', message: 'Cut.' }
      for (let cells = 0; cells < 2; cells++) warnings.ofRow({ file: 'a.csv', row: n }, cut)
    }
    const all = warnings.list('2026-01')
    // Ten messages of the thirty are kept; what is said later counts with the first of its code.
    expect(all.map(({ code, count }) => `${code} ${count}`)).to.deep.equal([
      'column_twice 21',
      ...Array<string>(9).fill('column_twice 1'),
      'tags_left_out 20',
      'cell_cut 10',
    ])
    expect(all[0]!.first.map(({ file }) => [file.length, file.slice(-7)])).to.deep.equal(
      [1, 11, 12, 13, 14].map((n) => [200, `d/${n}.csv`.slice(-7).padStart(7, 'd')]),
    )
    expect(all.at(-2)!.first.map(({ row }) => row)).to.deep.equal([1, 2, 4, 5, 7])
  })
})

describe('the id of an export of a connector', () => {
  const decode = decoder(ExportId)
  const idOf = (runId: string, attempt = 1): string => decode(exportIdOf({ runId }, '2026-01', attempt))

  it('is the run, the billing period and the attempt, where that can be an id', () => {
    const run = '9f4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a01'
    expect([idOf(run), idOf(run, 12), idOf('2026-01-16T02:00:00.000Z')]).to.deep.equal([
      `${run}-2026-01-1`,
      `${run}-2026-01-12`,
      '2026-01-16T02:00:00.000Z-2026-01-1',
    ])
    expect(idOf('r'.repeat(54))).to.equal(`${'r'.repeat(54)}-2026-01-1`)
  })

  it('has a name of the run’s in its place where it is too long or has other characters: the same each time', () => {
    const strange = ['r'.repeat(55), 's'.repeat(512), 'run 1', 'lauf-ä']
    for (const runId of strange) {
      expect(idOf(runId)).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}-2026-01-1$/)
      expect(idOf(runId)).to.equal(idOf(runId))
    }
    expect(new Set(strange.map((runId) => idOf(runId))).size).to.equal(4)
  })

  it('is another where a run reads the same billing period as history and as one of the newest', () => {
    const ids = [undefined, '2026-01'].map((month) =>
      exportIdOf({ runId: 'r1', ...(month && { month }) }, '2026-01', 1),
    )
    expect(ids).to.deep.equal(['r1-2026-01-1', 'r1-2026-01-h1'])
  })
})
