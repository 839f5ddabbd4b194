/** A bill that comes in several files: what one command or one upload makes of them, and what `--part` does, which reads each by itself. */
import { expect } from 'chai'
import { exportLine, SentPeriods } from '#actors/account/export/bill-export.ts'
import { UploadReading } from '#actors/billing/upload-read.ts'
import { sum } from '#engine/value/decimal.ts'
import { LineIds } from '#streams/billing/line/line-id.ts'
import { openBillingFile, surveyOf, type LineSink } from '#streams/billing/reader.ts'
import type { AcceptedLine } from '#streams/billing/row/reading.ts'
import { bytes, csv } from '#test/streams/billing/reading.ts'

const exportedAt = new Date('2026-02-01T00:00:00Z')
const given = { id: 'e-1', cloudAccountId: 'acct-1', exportedAt, format: 'auto', rates: {} } as const

const hour = {
  billing_account_id: 'B1',
  'service.description': 'Compute Engine',
  'location.region': 'europe-west1',
  usage_start_time: '2026-01-15 10:00:00 UTC',
  usage_end_time: '2026-01-15 11:00:00 UTC',
  currency: 'USD',
  cost_type: 'regular',
}
const fee = csv({ ...hour, 'sku.description': 'Commitment - dollar based v1: GCE', cost: '8', credits: '[]' })
const use = csv({
  ...hour,
  'sku.description': 'N2 core',
  cost: '12',
  credits: '[{"type":"COMMITTED_USAGE_DISCOUNT_DOLLAR_BASE","name":"CUD","amount":-12}]',
})

const aws = (id: string, cost: string, type = 'Usage', net = '') => ({
  'identity/LineItemId': id,
  'identity/TimeInterval': '2026-01-15T00:00:00Z/2026-01-15T01:00:00Z',
  'lineItem/LineItemType': type,
  'lineItem/UsageStartDate': '2026-01-15T00:00:00Z',
  'lineItem/UnblendedCost': cost,
  'lineItem/NetUnblendedCost': net,
})
/** Net of a discount of 20; the line of the discount says it again. */
const [netUse, discount] = [csv(aws('u', '200', 'Usage', '180')), csv(aws('d', '-20', 'EdpDiscount'))]

/** Lines of all files, as each way sends them. */
async function uploaded(...files: string[]): Promise<{ EffectiveCost: string; lineId: string }[]> {
  const lines: { EffectiveCost: string; lineId: string }[] = []
  const taker: LineSink = {
    begin: async () => {},
    takeSame: (_, { id, costs: [, effect] }) =>
      void lines.push({ lineId: id, EffectiveCost: String(effect!.whole + effect!.rest / 1e14) }),
    take: ({ cost }) => void lines.push({ ...cost, lineId: cost.x_LineId }),
    pause: async () => {},
  }
  const reading = new UploadReading(given, taker)
  for (const [n, content] of files.entries()) await reading.read(`${n}.csv`, bytes(content))
  await reading.finish()
  return lines
}

async function read(content: string, more: object): Promise<AcceptedLine[]> {
  const options = { accountId: 'acct-1', byPeriod: true, ids: new LineIds(), ...given, ...more }
  return (await Array.fromAsync((await openBillingFile(bytes(content), options)).rows)) as AcceptedLine[]
}

async function inOneCommand(...files: string[]): Promise<AcceptedLine[]> {
  const survey = await surveyOf(
    files.map((content) => ({ open: async () => bytes(content) })),
    'auto',
  )
  const ids = new LineIds()
  const all: AcceptedLine[] = []
  for (const content of files) all.push(...(await read(content, { ids, survey })))
  return all
}

const inParts = async (...files: string[]): Promise<AcceptedLine[]> =>
  (await Promise.all(files.map((content) => read(content, {})))).flat()

const effective = (lines: readonly { EffectiveCost?: unknown }[]) => lines.map((line) => String(line.EffectiveCost))
const costs = (all: readonly AcceptedLine[]) => effective(all.map(({ cost }) => cost))

describe('the files of one bill', () => {
  it('say together what committed use costs and which costs are net, in one command and in one upload; parts do not', async () => {
    expect(effective(await uploaded(fee, use))).to.deep.equal(['0', '8'])
    expect(effective(await uploaded(use, fee))).to.deep.equal(['8', '0'])
    expect(costs(await inOneCommand(fee, use))).to.deep.equal(['0', '8'])
    expect(costs(await inParts(fee, use))).to.deep.equal(['8', '0'])

    expect(effective(await uploaded(discount, netUse))).to.deep.equal(['0', '180'])
    expect(costs(await inOneCommand(discount, netUse))).to.deep.equal(['0', '180'])
    expect(costs(await inParts(discount, netUse))).to.deep.equal(['-20', '180'])
  })

  it('count a line that the bill names once, as the last of them says it, but once in each part', async () => {
    const [first, second] = [csv(aws('a', '1'), aws('b', '2')), csv(aws('b', '3'))]
    const one = { id: 'e-1', at: exportedAt.toISOString() }
    const counted = (all: readonly AcceptedLine[], idOf: (reading: AcceptedLine, n: number) => string) => {
      const sent = new SentPeriods()
      for (const reading of all) sent.add(reading.period, reading.cost, reading.isNew)
      const standing = new Map(all.map((reading, n) => [idOf(reading, n), reading.cost.BilledCost]))
      return [sum(standing.values()), standing.size, sent.periods()[0]!.lines]
    }
    const together = await inOneCommand(first, second)
    expect(counted(together, (reading) => exportLine(reading, one).lineId)).to.deep.equal(['4', 2, 2])
    const upload = await uploaded(first, second)
    expect(new Set(upload.map(({ lineId }) => lineId)).size).to.equal(2)
    const apart = await inParts(first, second)
    const ofPart = (reading: AcceptedLine, n: number) =>
      exportLine(reading, { ...one, part: { index: n < 2 ? 1 : 2, of: 2 } }).lineId
    expect(counted(apart, ofPart)[0]).to.equal('6')
    expect(counted(apart, ofPart)[1]).to.equal(3)
  })

  it('count lines that the bill does not name as often as they stand there, in parts too', async () => {
    const row = { BilledCost: '2', ChargePeriodStart: '2026-01-15', ProviderName: 'AWS', BillingCurrency: 'USD' }
    const ids = (all: readonly AcceptedLine[]) => new Set(all.map(({ line }) => line.lineId)).size
    expect(ids(await inOneCommand(csv(row, row), csv(row)))).to.equal(3)
    expect(
      new Set((await uploaded(csv(row, row), csv({ ...row, x_a: '' }))).map(({ lineId }) => lineId)).size,
    ).to.equal(3)
    const parts = [await inParts(csv(row, row)), await inParts(csv(row))]
    const one = { id: 'e-1', at: exportedAt.toISOString() }
    const apart = parts.flatMap((part, n) =>
      part.map((reading) => exportLine(reading, { ...one, part: { index: n + 1, of: 2 } }).lineId),
    )
    expect(new Set(apart).size).to.equal(3)
  })
})
