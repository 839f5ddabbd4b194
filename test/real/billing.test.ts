import { expect } from 'chai'
import { amount, deepIt, isDeep } from '#test/harness/tier.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { describeReal } from '#test/real/data.ts'
import {
  deliver,
  finer,
  ingest,
  linesBy,
  readBill,
  rollupBy,
  shuffled,
  tagKeys,
  tagPairs,
  views,
  type Bill,
} from '#test/real/billing/bill.ts'
import { billingFiles, type BillingFile, type Check, type Wanted } from '#test/real/billing/files.ts'
import { reportsEqual } from '#test/real/billing/reports.ts'
import { cents, isNear, type Groups } from '#test/real/billing/groups.ts'

/** Of every shuffle. */
const seed = 20_240_918

/** `npm test` runs this bill alone: some hundred rows of two clouds, and rows of another provider. */
const isSample = ({ name }: BillingFile): boolean => name.startsWith('focus_sample')

describeReal('bills of real accounts, through the whole product', (folder) => {
  for (const [at, file] of billingFiles(folder)
    .filter((one) => isDeep || isSample(one))
    .entries()) {
    describe(file.name, () => {
      let bill: Bill
      let wanted: Wanted
      before(async () => {
        wanted = await file.wanted()
        bill = await readBill(file)
      })

      it('reads every row, of whatever provider [STREAM-04]', () => {
        expect(bill.refused).to.deep.equal(wanted.refused)
        expect(bill.lines.length + Object.values(bill.refused).reduce((a, b) => a + b, 0)).to.equal(wanted.rows)
      })

      it('adds up in the facts and in every report to what its publisher adds up, ingested three times in two orders [STREAM-05] [STREAM-06]', async () => {
        const org = await tenant()
        await ingest(org, bill.lines)
        await factsEqual(org, bill, wanted)
        await ingest(org, [...bill.lines, ...shuffled(bill.lines, seed)])
        await factsEqual(org, bill, wanted)
        await reportsEqual(org, bill, wanted.checks)
      })

      if (at % amount(3, 3, 1) !== 0) return
      deepIt(
        'delivered as an export, and again shuffled under other line ids, tags and descriptions, counts once [STREAM-05] [STREAM-06]',
        async () => {
          const org = await tenant()
          await deliver(org, bill, 'e1', '2026-01-01T00:00:00Z', false)
          await factsEqual(org, bill, wanted)
          await deliver(org, bill, 'e2', '2026-01-02T00:00:00Z', true)
          const { tagKeys: _, tagPairs: __, ...untagged } = wanted
          await factsEqual(org, bill, untagged)
          const [found] = await org.facts(
            'SELECT groupUniqArray(x_ExportId) AS ids FROM cost_lines WHERE x_OrgId = {org:String}',
          )
          expect(found).to.deep.equal({ ids: bill.lines.length > 0 ? ['e2'] : [] })
        },
      )
    })
  }
})

async function factsEqual(org: Tenant, bill: Bill, { checks, tagKeys: keys, tagPairs: pairs }: Wanted): Promise<void> {
  const together = Map.groupBy(checks, ({ by }) => JSON.stringify(by))
  await Promise.all([...together.values()].map((list) => checked(org, bill, list)))
  const fine = finer(bill.lines, 'BilledCost')
  if (keys) same(await tagKeys(org), keys, 'tag keys', fine)
  if (!pairs) return
  const found = await tagPairs(org)
  const asked = Object.fromEntries(Object.keys(pairs).map((name) => [name, found[name]!]))
  same(asked, pairs, 'tag pairs', fine)
}

/** Checks that group by the same: all their costs are asked for at once. */
async function checked(org: Tenant, bill: Bill, checks: readonly Check[]): Promise<void> {
  const { by } = checks[0]!
  const lines = await linesBy(org, by)
  const rolled = await Promise.all(views.map(async (view) => ({ view, found: await rollupBy(org, view, by) })))
  for (const { cost, groups, title } of checks) {
    const fine = finer(bill.lines, cost)
    same(lines[cost], groups, `lines by ${title}`, fine)
    for (const { view, found } of rolled) if (found) same(found[cost], groups, `${view} by ${title}`, fine)
  }
}

/** Exactly, unless `fine` of the lines say more than the store's 14 decimals hold: then within their last digits, and to the cent. */
function same(found: Groups, wanted: Groups, what: string, fine: number): void {
  if (fine === 0) {
    expect(found, what).to.deep.equal(wanted)
    return
  }
  const rows = (groups: Groups) => Object.fromEntries(Object.entries(groups).map(([name, group]) => [name, group.rows]))
  const money = (groups: Groups) =>
    Object.fromEntries(Object.entries(groups).map(([name, { sum }]) => [name, cents(sum)]))
  expect(rows(found), what).to.deep.equal(rows(wanted))
  expect(money(found), what).to.deep.equal(money(wanted))
  const apart = Object.entries(wanted).filter(([name, { sum }]) => !isNear(sum, found[name]!.sum, fine))
  expect(apart, `${what}, to the last of 14 decimals`).to.deep.equal([])
}
