import { expect } from 'chai'
import type { Fault } from '#engine/value/fault.ts'
import { decoder } from '#engine/value/schema.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { costLine } from '#streams/billing/line/cost-line.ts'
import { Tally } from '#streams/billing/row/tally.ts'
import { accepted, codes, csv, lines, readAll } from '#test/streams/billing/reading.ts'

const row = {
  BilledCost: '0.1',
  ChargePeriodStart: '2026-01-15T00:00:00Z',
  ProviderName: 'AWS',
  BillingCurrency: 'USD',
  ResourceId: 'i-1',
}

describe('reading a bill', () => {
  it('lets out only what its consumer accepts, and tells what becomes of it', async () => {
    const found = await accepted(csv(row, { ...row, BillingCurrency: 'CAD' }), { rates: { CAD: '0.5' } })
    for (const { line, cost } of found)
      expect(costLine(decoder(billingLine.schema)(line), new Date('2020-01-01'))).to.deep.equal(cost)
    expect(found.map(({ row: at, cost }) => [at, cost.BilledCost])).to.deep.equal([
      [2, '0.1'],
      [3, '0.05'],
    ])
  })

  it('refuses a broken row and goes on with the next', async () => {
    const found = await readAll(`${csv(row)}1,2\n${csv(row).split('\n')[1]}\n`)
    expect(found.map((reading) => ('refused' in reading ? reading.refused : reading.row))).to.deep.equal([
      2,
      { code: 'row_ragged', message: 'The row has 2 cells, but the header has 5.' },
      4,
    ])
  })

  it('takes a cell of blanks for an empty one', async () => {
    const [found] = await accepted(csv({ ...row, EffectiveCost: '2', x_BilledCostInUsd: ' ' }, row))
    expect([found!.cost.EffectiveCost, found!.line.usdCosts, found!.warnings]).to.deep.equal([
      '2',
      undefined,
      undefined,
    ])
    expect(await codes(csv({ ...row, BilledCost: ' ' }))).to.deep.equal(['amount_missing'])
  })

  it('takes a line without a currency in that of the lines before it, and refuses it where they are in several', async () => {
    const none = { ...row, BillingCurrency: ' ' }
    const euros = { ...row, BillingCurrency: 'EUR' }
    const said = (reading: object | undefined) =>
      reading && 'refused' in reading ? reading.refused : (reading as { warnings?: object[] }).warnings?.[0]
    const costOf = (reading: object | undefined) => (reading as { cost: { BilledCost: string } }).cost.BilledCost
    const [bare] = await readAll(csv(none), {})
    expect([said(bare), costOf(bare)]).to.deep.equal([
      { code: 'currency_missing', message: 'The line names no currency: it was taken as USD.' },
      costOf((await readAll(csv(row), {}))[0]),
    ])
    const [eur, like, , left] = await readAll(csv(euros, none, { ...row, BillingCurrency: 'USD' }, none), {
      rates: { EUR: '2' },
    })
    expect([said(eur), said(like), costOf(like)]).to.deep.equal([
      undefined,
      { code: 'currency_missing', message: 'The line names no currency: it was taken as EUR.' },
      costOf(eur),
    ])
    expect(said(left)).to.deep.equal({
      code: 'currency_missing',
      message: 'The line names no currency, and lines before it are in EUR, USD.',
    })
  })

  it('says which figures in US dollars and which rates cannot be read', async () => {
    const euros = { ...row, BillingCurrency: 'EUR', x_BillingExchangeRate: '0.5' }
    const bill = csv({ ...euros, x_BilledCostInUsd: '0,2' }, { ...euros, x_BillingExchangeRate: '-1' })
    const found = await accepted(bill, { rates: { EUR: '2' } })
    expect(
      found.map(({ cost, warnings }) => [cost.BilledCost, ...warnings!.map(({ message }) => message)]),
    ).to.deep.equal([
      ['0.2', 'BilledCost in US dollars must be a decimal number below 1e18. The line was imported without it.'],
      ['0.2', 'The exchange rate must be a number above 0. The line was imported without it.'],
    ])
  })

  it('reads a date that is written otherwise than those of the file where it can be meant in one way alone', async () => {
    const at = (ChargePeriodStart: string) => ({ ...row, ChargePeriodStart })
    const days = [
      '2026-01-15',
      '25.01.2026',
      '01/26/2026',
      '02/02/2026',
      '01/02/2026',
      '02/13/2026 xyz',
      '13/02/2026 23:30 -05:00',
    ]
    const found = await readAll(csv(...days.map(at)))
    expect(found.map((one) => ('refused' in one ? one.refused.code : one.cost.x_Day))).to.deep.equal([
      '2026-01-15',
      '2026-01-25',
      '2026-01-26',
      '2026-02-02',
      'date_invalid',
      'date_invalid',
      '2026-02-14',
    ])
  })

  it('takes a row without the cells that cannot be read, and says which they were', async () => {
    const bad = {
      ...row,
      RegionId: 'a\u0000b',
      Tags: '{"team":"core","env":"pro',
      ListCost: 'n/a',
      ConsumedQuantity: '1,5',
      ChargePeriodEnd: 'soon',
      ServiceName: 'x'.repeat(9000),
    }
    const [found, ...more] = await accepted(csv(bad, row, { ...row, Tags: '5' }, { ...row, Tags: 'team=core' }))
    expect([found!.cost.BilledCost, found!.cost.ListCost, found!.line.Tags]).to.deep.equal([
      '0.1',
      '0.1',
      { team: 'core' },
    ])
    expect([found!.line.RegionId, found!.line.ServiceName!.length]).to.deep.equal(['ab', 8192])
    expect(found!.warnings!.map(({ code, message }) => `${code} ${message.slice(0, 30)}`).toSorted()).to.deep.equal([
      'cell_cut RegionId was shortened: it is ',
      'cell_cut ServiceName was shortened: it ',
      'cell_left_out ChargePeriodEnd must be a date',
      'cell_left_out ConsumedQuantity must be a dec',
      'cell_left_out ListCost must be a decimal num',
      'tags_left_out Some of the tags cannot be rea',
    ])
    expect(more.map(({ line, warnings }) => [line.Tags, warnings?.map(({ code }) => code)])).to.deep.equal([
      [undefined, undefined],
      [{}, ['tags_left_out']],
      [{}, ['tags_left_out']],
    ])
  })

  it('refuses a rate that is none before it opens the file', async () => {
    for (const rate of ['0', '-1', 'abc', '']) {
      const error: unknown = await readAll(csv(row), { rates: { CAD: rate } }).catch((thrown: unknown) => thrown)
      expect((error as Fault).code, rate).to.equal('rate_invalid')
    }
  })

  it('reads a bill whose cells stand between semicolons or tabs, and refuses its decimal commas', async () => {
    const wanted = await lines(csv(row, { ...row, BilledCost: '0.2' }))
    for (const delimiter of [';', '\t']) {
      const content = csv(row, { ...row, BilledCost: '0.2' }).replaceAll(',', delimiter)
      expect(await lines(content)).to.deep.equal(wanted)
      expect(await codes(content.replace('0.2', '0,2'))).to.deep.equal(['accepted', 'amount_invalid'])
    }
  })

  it('refuses a file of no known bill as a whole', async () => {
    const error: unknown = await readAll('a,b\n1,2\n').catch((thrown: unknown) => thrown)
    expect((error as Fault).code).to.equal('format_unknown')
  })
})

describe('the tally of a run', () => {
  it('counts rows by what became of them, with the first ten places of each reason and exact sums by currency', async () => {
    const tally = new Tally()
    const nameless = Array.from({ length: 12 }, () => ({ ...row, ProviderName: '' }))
    const rows = [
      row,
      { ...row, BilledCost: '0.2' },
      ...nameless,
      { ...row, BillingCurrency: 'CAD', BilledCost: '1e-20' },
      { ...row, BilledCost: 'x' },
    ]
    for (const reading of await readAll(csv(...rows), { rates: { CAD: '0.73' } })) tally.add('a.csv', 'line', reading)
    expect(tally.report()).to.deep.equal({
      rows: 16,
      accepted: 3,
      refused: 13,
      rounded: 1,
      reasons: [
        {
          code: 'provider_unsupported',
          rows: 12,
          message: 'The line has no FOCUS provider column, and its provider is not one of aws, gcp, azure, other: none',
          first: [4, 5, 6, 7, 8, 9, 10, 11, 12, 13].map((at) => ({ file: 'a.csv', row: at })),
        },
        {
          code: 'amount_invalid',
          rows: 1,
          message: 'BilledCost must be a decimal number below 1e18.',
          first: [{ file: 'a.csv', row: 17 }],
        },
      ],
      warnings: [],
      billed: { USD: '0.3', CAD: '0.00000000000000000001' },
      billedUsd: '0.3',
    })
  })

  it('counts rows with an amount that is stored rounded to 14 decimal places, in dollars [G-07]', async () => {
    const tally = new Tally()
    const rows = [
      { BilledCost: '0.12345678901234' },
      { BilledCost: '0.12345678901234000' },
      { BilledCost: '0.123456789012345', EffectiveCost: '0.000000000000004' },
      { ListCost: '1e-15' },
      // 10^-12 x 0.73 = 7.3 x 10^-13 is kept; 10^-14 x 0.73 = 7.3 x 10^-15 is not.
      { BillingCurrency: 'CAD', BilledCost: '0.000000000001' },
      { BillingCurrency: 'CAD', BilledCost: '0.00000000000001' },
    ]
    const found = await readAll(csv(...rows.map((one) => ({ ...row, EffectiveCost: '', ListCost: '', ...one }))), {
      rates: { CAD: '0.73' },
    })
    for (const reading of found) tally.add('a.csv', 'line', reading)
    const { accepted, rounded, billed } = tally.report()
    expect([accepted, rounded]).to.deep.equal([6, 3])
    expect(billed['CAD']).to.equal('0.00000000000101')
    const costs = found.map((reading) => ('cost' in reading ? reading.cost : undefined))
    expect(costs[2]).to.include({ BilledCost: '0.12345678901235', EffectiveCost: '0' })
    expect(costs.slice(4).map((cost) => cost!.BilledCost)).to.deep.equal(['0.00000000000073', '0.00000000000001'])
  })

  it('calls the places of a JSON array elements', async () => {
    const tally = new Tally()
    for (const reading of await readAll(JSON.stringify([row, { ...row, BilledCost: 'x' }])))
      tally.add('a.json', 'element', reading)
    expect(tally.report().reasons[0]!.first).to.deep.equal([{ file: 'a.json', element: 2 }])
  })
})
