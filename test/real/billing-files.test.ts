import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { LineIds } from '#streams/billing/line/line-id.ts'
import { openBillingFile } from '#streams/billing/reader.ts'
import type { AcceptedLine, RefusedRow } from '#streams/billing/row/reading.ts'
import { openSource } from '#streams/billing/file/source.ts'
import { sum } from '#engine/value/decimal.ts'
import { describeReal } from '#test/real/data.ts'

interface Group {
  rows: number
  sum: string
}
type Groups = Record<string, Group>
interface FocusFile {
  files: string[]
  rows: number
  sums: Record<string, { sum: string }>
  billed: { byProvider: Groups; byDay: Groups; byService: Groups; byChargeCategory: Groups; byProviderDay?: Groups }
  effective: { byProvider: Groups; byDay: Groups }
}
/** A file of which only the sums of its columns are known. */
interface RawFile {
  rows: number
  sums: Record<string, string>
}
interface RawSums {
  rows: number
  sums: Record<string, { sum: string }>
}
interface CurFile {
  rows: number
  sums: Record<string, { sum: string }>
  currency: Record<string, number>
  unblended: { byBillingPeriod: Groups; byProductCode: Groups; byUsageAccount: Groups; byRegion: Groups; byDay: Groups }
}
interface AzureFile {
  rows: number
  sum: string
  currency: Record<string, number>
  byMeterCategory: Groups
  bySubscription: Groups
  byChargeType?: Groups
}
interface GoogleFile {
  rows: number
  cost: string
  net: string
  byProject: Groups
  byService: Groups
  byUsageDayUTC: Groups
}

interface Read {
  accepted: AcceptedLine[]
  refused: RefusedRow[]
}

/** Every row of a file. Each currency is taken at par, so that sums stay those of the file. */
async function read(path: string, currencies: readonly string[] = []): Promise<Read> {
  const rates = Object.fromEntries(currencies.filter((code) => code !== 'USD').map((code) => [code, '1']))
  const out: Read = { accepted: [], refused: [] }
  const options = {
    format: 'auto' as const,
    accountId: 'a',
    rates,
    exportedAt: new Date('2026-01-01'),
    ids: new LineIds(),
  }
  for await (const reading of (await openBillingFile(path, options)).rows) {
    if ('refused' in reading) out.refused.push(reading)
    else out.accepted.push(reading)
  }
  return out
}

const billed = ({ line }: AcceptedLine): string => `${line.BilledCost}`
const idsOf = ({ accepted }: Read): number => new Set(accepted.map(({ line }) => line.lineId)).size

/** Rows and exact sums by `key`. */
function grouped(found: readonly AcceptedLine[], key: (one: AcceptedLine) => string, amount = billed): Groups {
  const groups = Map.groupBy(found, key)
  return Object.fromEntries([...groups].map(([name, all]) => [name, { rows: all.length, sum: sum(all.map(amount)) }]))
}

const bare = (groups: Groups): Groups =>
  Object.fromEntries(Object.entries(groups).map(([name, group]) => [name, { rows: group.rows, sum: group.sum }]))

const provider = ({ line }: AcceptedLine): string => `${line.ProviderName ?? line.ServiceProviderName}`
describeReal('the billing files', (folder) => {
  const expected = <T>(name: string): T => JSON.parse(readFileSync(join(folder, 'expected', name), 'utf8')) as T
  /** Expected values name files from the folder above. */
  const fileOf = (name: string): string => join(folder, name.slice(name.indexOf('/') + 1))

  function checksFocus(file: FocusFile): void {
    it(`reads ${file.files.map((name) => name.split('/').at(-1)).join(', ')} to the last digit`, async () => {
      const reads = await Promise.all(file.files.map((name) => read(fileOf(name))))
      const accepted = reads.flatMap((one) => one.accepted)
      const refused = reads.flatMap((one) => one.refused)
      expect([accepted.length, refused]).to.deep.equal([file.rows, []])
      expect(reads.map(idsOf)).to.deep.equal(reads.map((one) => one.accepted.length))
      expect(grouped(accepted, provider)).to.deep.equal(bare(file.billed.byProvider))
      expect(grouped(accepted, provider, ({ line }) => `${line.EffectiveCost}`)).to.deep.equal(
        bare(file.effective.byProvider),
      )
      if (file.billed.byProviderDay) {
        const byDay = grouped(accepted, (one) => `${provider(one)} ${one.cost.x_Day}`)
        expect(byDay).to.deep.equal(bare(file.billed.byProviderDay))
      }
      expect(grouped(accepted, ({ cost }) => cost.x_Day)).to.deep.equal(bare(file.billed.byDay))
      expect(grouped(accepted, ({ line }) => line.ServiceName ?? '')).to.deep.equal(bare(file.billed.byService))
      expect(grouped(accepted, ({ line }) => `${line.ChargeCategory}`)).to.deep.equal(
        bare(file.billed.byChargeCategory),
      )
      const list = sum(accepted.map(({ line }) => `${line.ListCost}`))
      expect(list).to.equal(file.sums['ListCost']?.sum)
    })
  }

  function checksRaw(name: string, file: RawFile): void {
    it(`reads every row of ${name.split('/').at(-1)}, and refuses those that name no provider`, async () => {
      const rows: Record<string, unknown>[] = []
      for await (const found of (await openSource(fileOf(name))).rows) if ('fields' in found) rows.push(found.fields)
      expect(rows.length).to.equal(file.rows)
      for (const [column, total] of Object.entries(file.sums)) {
        expect(sum(rows.map((row) => `${row[column] as string}`.replaceAll(/[$, ]/g, '') || 0)), column).to.equal(total)
      }
      const { accepted, refused } = await read(fileOf(name))
      const nameless = rows.filter((row) => !row['ProviderName'] && !row['ServiceProviderName'])
      const unnamed = refused.filter(({ refused: { code } }) => code === 'provider_unsupported')
      expect([accepted.length + refused.length, unnamed.length]).to.deep.equal([rows.length, nameless.length])
    })
  }

  describe('FOCUS 1.0, real', () => {
    const names = readdirSync(join(folder, 'expected')).filter((name) =>
      /^focus_(?!spec|generated).*\.json$/.test(name),
    )
    for (const name of names) checksFocus(expected<FocusFile>(name))
  })

  describe('FOCUS 1.2 and 1.3, generated', () => {
    const files = expected<Record<string, FocusFile | RawSums>>('focus_generated_1.2_1.3.json')
    for (const [name, file] of Object.entries(files)) {
      if ('files' in file) checksFocus(file)
      else
        checksRaw(name, {
          rows: file.rows,
          sums: Object.fromEntries(Object.entries(file.sums).map(([column, all]) => [column, all.sum])),
        })
    }
  })

  describe('AWS Cost and Usage Reports', () => {
    for (const [name, file] of Object.entries(expected<Record<string, CurFile>>('aws_cur.json'))) {
      it(`reads ${name.split('/').at(-1)} to the last digit, no two lines of one id`, async () => {
        const found = await read(fileOf(name), Object.keys(file.currency))
        const { accepted } = found
        expect([accepted.length, found.refused.length, idsOf(found)]).to.deep.equal([file.rows, 0, file.rows])
        expect(sum(accepted.map(billed))).to.equal(file.sums['lineItem/UnblendedCost']?.sum)
        expect(sum(accepted.map(({ line }) => line.ListCost ?? 0))).to.equal(
          file.sums['pricing/publicOnDemandCost']?.sum,
        )
        expect(sum(accepted.map(({ line }) => line.ConsumedQuantity ?? 0))).to.equal(
          file.sums['lineItem/UsageAmount']?.sum,
        )
        expect(grouped(accepted, ({ line }) => `${line.ServiceName}`)).to.deep.equal(bare(file.unblended.byProductCode))
        expect(grouped(accepted, ({ line }) => `${line.SubAccountId}`)).to.deep.equal(
          bare(file.unblended.byUsageAccount),
        )
        expect(grouped(accepted, ({ line }) => line.RegionId ?? '')).to.deep.equal(bare(file.unblended.byRegion))
        expect(grouped(accepted, ({ cost }) => cost.x_Day)).to.deep.equal(bare(file.unblended.byDay))
        const months = grouped(accepted, ({ cost }) => `${cost['BillingPeriodStart'] as string}`.slice(0, 7))
        expect(months).to.deep.equal(bare(file.unblended.byBillingPeriod))
      })
    }
  })

  describe('Azure and Google exports', () => {
    for (const [name, file] of Object.entries(expected<Record<string, AzureFile & GoogleFile>>('other_exports.json'))) {
      if (name.includes('/azure-export/'))
        it(`reads ${name.split('/').at(-1)} to the last digit`, () => checkAzure(fileOf(name), file))
      if (name.includes('/gcp-export/'))
        it(`reads ${name.split('/').at(-1)} to the last digit`, () => checkGoogle(fileOf(name), file))
    }
  })

  describe('the examples of the FOCUS specification', () => {
    for (const [name, file] of Object.entries(expected<Record<string, RawFile>>('focus_spec_examples.json')))
      checksRaw(name, file)
  })
})

async function checkAzure(path: string, file: AzureFile): Promise<void> {
  const found = await read(path, Object.keys(file.currency))
  const { accepted } = found
  expect([accepted.length, found.refused.length, idsOf(found)]).to.deep.equal([file.rows, 0, file.rows])
  expect(sum(accepted.map(billed))).to.equal(file.sum)
  const currencies = Object.entries(file.currency).map(([code]) => [
    code,
    accepted.filter(({ line }) => line.BillingCurrency === code).length,
  ])
  expect(Object.fromEntries(currencies)).to.deep.equal(file.currency)
  expect(grouped(accepted, ({ line }) => line.ServiceName ?? '')).to.deep.equal(bare(file.byMeterCategory))
  expect(grouped(accepted, ({ line }) => line.SubAccountId ?? '')).to.deep.equal(bare(file.bySubscription))
  if (file.byChargeType)
    expect(grouped(accepted, ({ line }) => `${line.ChargeCategory}`)).to.deep.equal(bare(file.byChargeType))
}

async function checkGoogle(path: string, file: GoogleFile): Promise<void> {
  const found = await read(path)
  const { accepted } = found
  expect([accepted.length, found.refused.length, idsOf(found)]).to.deep.equal([file.rows, 0, file.rows])
  expect([sum(accepted.map(billed)), sum(accepted.map(({ line }) => line.ListCost ?? 0))]).to.deep.equal([
    file.net,
    file.cost,
  ])
  const cost = ({ line }: AcceptedLine): string => `${line.ListCost}`
  expect(grouped(accepted, ({ line }) => line.SubAccountId ?? '', cost)).to.deep.equal(bare(file.byProject))
  expect(grouped(accepted, ({ line }) => line.ServiceName ?? '', cost)).to.deep.equal(bare(file.byService))
  expect(grouped(accepted, (one) => one.cost.x_Day, cost)).to.deep.equal(bare(file.byUsageDayUTC))
}
