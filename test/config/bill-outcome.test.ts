import { expect } from 'chai'
import {
  noBills,
  type Amount,
  type Bills,
  type OpenExport,
  type PastBill,
  type ToldExport,
} from '#actors/account/bill/bills.ts'
import { verdictOf } from '#actors/account/export/verdict.ts'
import { seenAt, toldRefused, toldUnread, toldVerdict, type BillsChange } from '#config/state/bill-outcome.ts'
import type { ExportIdentity } from '#actors/account/export/bill-export.ts'
import { delivery, type BillOptions } from '#config/command/ingest/bill-delivery.ts'
import type { Target } from '#config/command/ingest/ingest.ts'
import type { Input } from '#config/command/ingest/inputs.ts'
import { bytes, csv } from '#test/streams/billing/reading.ts'

const amount = (lines: number, billed: string): Amount => ({ lines, billed, effective: billed })
const [older, at, newer] = ['2024-10-01T03:00:00.000Z', '2024-10-02T03:00:00.000Z', '2024-10-03T03:00:00.000Z']
const one: ExportIdentity = { id: 'e-2', at }
const sent = [{ period: '2024-09', lines: 4, from: '2024-09-19', to: '2024-09-30' }]
const again = 'npm run -s tidemark -- ingest billing a.csv --yes'

const shown = (id: string, time: string, complete = true, before: PastBill[] = []) => ({
  '2024-09': { id, at: time, complete, from: '', to: '', amount: amount(4, '100'), since: '', before },
})
const told = (state: ToldExport['state'], periods: ToldExport['periods'], id = one.id, time = at): ToldExport => ({
  id,
  at: time,
  state,
  periods,
  on: '',
})
const turned = [{ period: '2024-09', before: amount(4, '100'), after: amount(4, '98.404') }]
const open = (more: Partial<OpenExport>): OpenExport => ({
  id: one.id,
  at,
  periods: { '2024-09': 4 },
  confirmed: false,
  state: 'waiting',
  counted: 3,
  since: '',
  ...more,
})
const bills = (more: Partial<Bills>): Bills => ({ ...noBills(), ...more })

/** What is said of the export when the account keeps `after`, and kept `before` when its end was sent. */
function said(
  after: Partial<Bills>,
  before: Partial<Bills> = {},
  more: Partial<BillsChange & ExportIdentity> = {},
): string[] {
  const standing = { before: bills(before), after: bills(after), oldThrough: more.oldThrough ?? '' }
  const mine = more.part ? { ...one, part: more.part } : one
  return toldVerdict(verdictOf(standing.after, mine), mine, sent, standing, again)
}

const hint = 'to send another part of the same bill use --part; to add lines to it use --add'

describe('what a command says of a bill it sent', () => {
  it('replaces an older one, with the figures before and after, and how to add instead', () => {
    const after = { shown: shown(one.id, at), told: [told('replaced', turned)] }
    const replaced = '2024-09: replaces the export of 2024-10-01T03:00:00Z: 4 lines, 100.00 -> 98.40 USD'
    expect(said(after, { shown: shown('e-1', older) })).to.deep.equal([replaced, hint])
    const fewer = [{ period: '2024-09', before: amount(5, '-0.005'), after: amount(1, '0.005') }]
    expect(said({ told: [told('replaced', fewer)] }, { shown: shown('e-1', older) })[0]).to.equal(
      '2024-09: replaces the export of 2024-10-01T03:00:00Z: 5 -> 1 line, -0.01 -> 0.01 USD',
    )
  })

  it('names what it replaced though that was read after the command began', () => {
    const past = [
      { id: 'e-0', at: newer, since: '' },
      { id: 'e-1', at: older, since: '' },
    ]
    const after = { shown: shown(one.id, at, true, past), told: [told('replaced', turned)] }
    expect(said(after)[0]).to.contain('replaces the export of 2024-10-01T03:00:00Z')
    const since = [...past, { id: one.id, at, since: '' }]
    expect(said({ ...after, shown: shown('e-3', newer, true, since) })[0]).to.contain(
      'replaces the export of 2024-10-01',
    )
  })

  it('names one that never became whole, and lines from before exports were known', () => {
    const after = { told: [told('replaced', turned)] }
    expect(said(after, { shown: shown('e-1', older, false) })[0]).to.contain('replaces the unfinished export of')
    expect(said(after, {}, { oldThrough: '2024-09' })[0]).to.contain(
      'replaces data stored before exports were tracked: 4 lines, 100.00 -> 98.40 USD',
    )
  })

  it('speaks of no replacing at a first delivery, though its own lines counted as they came', () => {
    const self = [{ period: '2024-09', before: amount(4, '98.4'), after: amount(4, '98.4') }]
    const after = { shown: shown(one.id, at), told: [told('replaced', self)] }
    expect(said(after, { shown: shown(one.id, at, false) })).to.deep.equal(['2024-09: 4 lines, 98.40 USD'])
  })

  it('says that a newer one is shown already, of all its periods or of some', () => {
    const line = '2024-09: the newer export of 2024-10-03T03:00:00Z is already current; nothing changed'
    expect(said({ shown: shown('e-3', newer), told: [told('over', [])] })).to.deep.equal([line])
    expect(said({ shown: shown('e-3', newer), told: [told('replaced', [])] })).to.deep.equal([line])
  })

  it('says both figures of one that is held, and the command that takes it', () => {
    const held = [{ period: '2024-09', before: amount(4, '100'), after: amount(1, '20') }]
    const after = { open: [open({ state: 'held' })], told: [told('held', held)] }
    expect(said(after)).to.deep.equal([
      'on hold: less than half of the current bill. Nothing was replaced',
      '2024-09: the current bill has 4 lines, 100.00 USD, this export has 1 line, 20.00 USD',
      'to replace it anyway:',
      `  ${again}`,
    ])
    expect(verdictOf(bills(after), one)).to.deep.include({ state: 'held', periods: held })
  })

  it('says of one whose rows were refused what stands, and the command that takes it', () => {
    const standing = [{ period: '2024-09', before: amount(4, '100'), after: null }]
    expect(toldRefused(standing, 1, true, again)).to.deep.equal([
      'on hold: 1 row was rejected, so this bill is incomplete, and the current bill is complete. Nothing was replaced',
      '2024-09: 4 lines, 100.00 USD stand',
      'to replace it anyway:',
      `  ${again}`,
    ])
    expect(toldRefused([], 2, false, again)[0]).to.contain(
      '2 rows were rejected, and earlier lines are still being processed',
    )
  })

  it('says which parts are missing, and how many lines', () => {
    const parts = { of: 3, got: { 2: {} } }
    expect(said({ open: [open({ parts })] }, {}, { part: { index: 2, of: 3 } })).to.deep.equal([
      'part 2 of 3 received; still missing: 1, 3. Nothing is replaced until all parts have arrived',
    ])
    expect(said({ open: [open({ state: 'incomplete' })] })).to.deep.equal([
      'incomplete: 3 of 4 lines received; nothing is replaced until all have arrived',
    ])
  })

  it('goes by the newest that was told, and by what is shown where that is forgotten', () => {
    const first = told('held', turned)
    expect(verdictOf(bills({ told: [first, told('replaced', turned)] }), one).state).to.equal('replaced')
    expect(verdictOf(bills({ shown: shown(one.id, at) }), one)).to.deep.equal({
      state: 'replaced',
      periods: [{ period: '2024-09', before: null, after: amount(4, '100') }],
      missing: [],
    })
    expect(verdictOf(bills({ shown: shown(one.id, at, false) }), one).state).to.equal('unknown')
    expect(said({})).to.deep.equal(['this export is unknown; "tidemark dead-letters list" may show the reason'])
  })

  it('says whether anybody reads what was sent', () => {
    expect(toldUnread(false)).to.equal('sent; Tidemark is not running and will process it on the next start')
    expect(toldUnread(true)).to.contain('being processed; see "tidemark doctor" and the sync status')
  })

  it('says where the newest three periods are to be seen', () => {
    const months = ['2024-06', '2024-07', '2024-08'].map((period) => ({
      period,
      lines: 1,
      from: `${period}-01`,
      to: `${period}-02`,
    }))
    expect(seenAt([...months, ...sent], 'http://a:1')).to.deep.equal([
      'bills from 2024-07-01 to 2024-07-02: http://a:1/reports/summary?period=2024-07',
      'bills from 2024-08-01 to 2024-08-02: http://a:1/reports/summary?period=2024-08',
      'bills from 2024-09-19 to 2024-09-30: http://a:1/reports/summary?period=2024-09',
    ])
    expect(seenAt(sent, undefined)[0]).to.contain(': $URL/reports/summary?period=2024-09')
  })

  it('reports what replaced as `summing` until reports show it, and then as `replaced`', async () => {
    const row = { BilledCost: '3', ChargePeriodStart: '2024-09-19', ProviderName: 'AWS', BillingCurrency: 'USD' }
    const given = {
      format: 'auto',
      rates: {},
      exported: new Date(at),
      isConfirmed: false,
      part: { index: 1, of: 1 },
      again,
    } as unknown as BillOptions
    const endedWhen = async (isShown: boolean) => {
      let kept = noBills()
      const query = async (text: string) =>
        text.includes('exists') ? { rows: [{ others: false }] } : { rows: [{ bills: kept, oldThrough: '' }] }
      const target = {
        org: 'o1',
        account: 'a',
        instance: {
          url: 'http://a:1',
          connections: { clock: { now: () => Date.parse(newer) }, store: { pool: { query } } },
        },
        isRunning: true,
        send: async () => {},
        sendLast: async ({ data }: { data: { exportId: string } }) => {
          kept = bills({ shown: shown(data.exportId, at), told: [told('replaced', [], data.exportId)] })
        },
        isCaughtUp: async () => true,
        isRead: async () => true,
        isShown: async () => isShown,
      } as unknown as Target
      const errand = await delivery(given, target, { files: [], warnings: [] })
      const file = { open: async () => bytes(csv(row)), at: new Date(at) } as unknown as Input
      await errand.read('a.csv', await errand.open(file), () => {})
      const { data, lines, code } = await errand.end!()
      return [(data as { state: string }).state, lines.filter((line) => line.includes('aggregated')), code]
    }
    const message = 'its days are being aggregated and will appear in reports shortly'
    expect(await endedWhen(false)).to.deep.equal(['summing', [message], undefined])
    expect(await endedWhen(true)).to.deep.equal(['replaced', [], undefined])
  })
})
