/** What an account shows after an admin removed a bill, in every state that a bill may be in. */
import { expect } from 'chai'
import { accountKey } from '#actors/account/needs.ts'
import { billingExportChecked } from '#streams/billing/messages.ts'
import { loneLinesRemoved } from '#streams/billing/removal.ts'
import { id, none } from '#test/harness/account.ts'
import { Bills, stored } from '#test/harness/bills.ts'

const [monday, tuesday, wednesday] = ['2026-01-12', '2026-01-13', '2026-01-14'].map(
  (day) => `${day}T03:00:00.000Z`,
) as [string, string, string]

const amount = (lines: number, usd: string) => ({ lines, billed: usd, effective: usd })
const nothing = amount(0, '0')
const days = ({ marks }: { marks: readonly { key: string }[] }): string[] =>
  marks.map(({ key }) => key.slice(-10)).toSorted()

describe('a bill that an admin removes', () => {
  it('leaves nothing of its period where it was shown alone, and an event that names who removed it [G-128]', () => {
    const one = new Bills()
    one.deliver('e1', monday, { '2026-01-03': '40', '2026-01-05': '2.5' })
    const done = one.remove('e1')
    expect(one.shown).to.deep.equal([])
    expect(days(done)).to.deep.equal(['2026-01-03', '2026-01-04', '2026-01-05'])
    const change = { period: '2026-01', before: amount(2, '42.5'), after: nothing }
    expect(done.replies).to.deep.equal([
      { removed: [{ ...change, exportId: 'e1', exportedAt: monday, removed: amount(2, '42.5'), shows: null }] },
    ])
    expect(one.bills.removed).to.deep.equal([
      {
        id: 'e1',
        at: monday,
        period: '2026-01',
        amount: amount(2, '42.5'),
        on: new Date(one.account.actor.now).toISOString(),
        by: 'ana',
      },
    ])
    expect(done.emitted.map(({ type, data }) => [type, data])).to.deep.include([
      'billing.export_told',
      { cloudAccountId: id, exportId: 'e1', state: 'removed', message: '' },
    ])
    const event = { cloudAccountId: id, exportId: 'e1', exportedAt: monday, periods: [change], removedBy: 'ana' }
    expect(done.emitted.find(({ type }) => type === 'billing.export_removed')?.data).to.deep.equal(event)
  })

  it('shows the whole export before it again, which can be removed in turn [G-128]', () => {
    const one = new Bills()
    one.deliver('e1', monday, { '2026-01-03': '40' })
    one.deliver('e2', tuesday, { '2026-01-04': '50' })
    one.deliver('e3', wednesday, { '2026-01-07': '700' })
    const [reply] = one.remove('e3').replies as [{ removed: object[] }]
    const change = { period: '2026-01', before: amount(1, '700'), after: amount(1, '50') }
    expect(reply.removed).to.deep.equal([
      { ...change, exportId: 'e3', exportedAt: wednesday, removed: amount(1, '700'), shows: 'e2' },
    ])
    expect(one.shown).to.deep.equal(['2026-01: e2'])
    expect(one.bills.shown['2026-01']!.before.map((past) => past.id)).to.deep.equal(['e1'])
    expect(days(one.remove('e2'))).to.deep.equal([3, 4, 5, 6, 7].map((day) => `2026-01-0${day}`))
    expect(one.shown).to.deep.equal(['2026-01: e1'])
  })

  it('passes over an export before it of which lines were swept [G-128]', () => {
    const one = new Bills()
    one.deliver('e1', monday, { '2026-01-03': '40' })
    one.deliver('e2', tuesday, { '2026-01-03': '50', '2026-01-04': '1' })
    one.deliver('e3', wednesday, { '2026-01-07': '700' })
    one.stored = one.stored.filter(({ export: of, day }) => of !== 'e2' || day !== '2026-01-04')
    one.remove('e3')
    expect(one.shown).to.deep.equal(['2026-01: e1'])
    one.stored = one.stored.filter(({ export: of }) => of !== 'e1')
    one.remove('e1')
    expect(one.shown).to.deep.equal([])
  })

  it('shows the one before, of which lines were swept while it was brought back, for an hour at most [G-128]', () => {
    const one = new Bills()
    one.deliver('e1', monday, { '2026-01-03': '40' })
    one.deliver('e2', tuesday, { '2026-01-03': '50' })
    one.deliver('e3', wednesday, { '2026-01-07': '700' })
    one.remove('e3')
    expect(one.account.actor.reminders.get('export-check/e2')).to.equal(one.account.actor.now + 3_600_000)
    one.stored = one.stored.filter(({ export: of }) => of !== 'e2')
    const check = (at: number) =>
      one.account.actor.take(billingExportChecked, { cloudAccountId: id }, { needs: one.needs, at })
    expect(days(check(one.account.actor.now + 1000))).to.include('2026-01-03')
    expect([one.shown, one.bills.shown['2026-01']!.isRestored]).to.deep.equal([['2026-01: e1'], true])
    check(one.account.actor.now + 3_600_000)
    expect([one.shown, one.bills.shown['2026-01']!.isRestored]).to.deep.equal([['2026-01: e1'], undefined])
  })

  it('is not shown again once it was removed while a newer one was shown [G-128]', () => {
    const one = new Bills()
    one.deliver('e1', monday, { '2026-01-03': '40' })
    one.deliver('e2', tuesday, { '2026-01-03': '50' })
    const done = one.remove('e1')
    expect([one.shown, days(done)]).to.deep.equal([['2026-01: e2'], []])
    one.remove('e2')
    expect(one.shown).to.deep.equal([])
  })

  it('leaves nothing behind where it was only begun [G-128]', () => {
    const one = new Bills()
    one.line('e1', monday)
    one.stored = stored('e1', monday, { '2026-01-03': '1' })
    expect(one.shown).to.deep.equal(['2026-01: e1?'])
    const done = one.remove('e1')
    expect([one.shown, days(done), one.bills.begun]).to.deep.equal([[], ['2026-01-03'], {}])
    expect(one.bills.removed.map((of) => of.amount)).to.deep.equal([amount(1, '1')])
  })

  it('lets an older export that has begun show by what came of it [G-128]', () => {
    const one = new Bills()
    one.line('e2', tuesday)
    one.line('e1', monday, '2026-01-04')
    one.stored = [...stored('e2', tuesday, { '2026-01-03': '1' }), ...stored('e1', monday, { '2026-01-04': '1' })]
    one.remove('e2')
    expect(one.shown).to.deep.equal(['2026-01: e1?'])
  })

  it('is closed where it is held, and the bill that stands goes on standing [G-108, G-128]', () => {
    const one = new Bills()
    one.deliver('e1', monday, { '2026-01-03': '40', '2026-01-04': '40' })
    one.deliver('e2', tuesday, { '2026-01-03': '4' })
    expect(one.bills.open.map(({ id: of, state }) => `${of} ${state}`)).to.deep.equal(['e2 held'])
    const [reply] = one.remove('e2').replies as [{ removed: object[] }]
    const change = { period: '2026-01', before: amount(2, '80'), after: amount(2, '80') }
    expect(reply.removed).to.deep.equal([
      { ...change, exportId: 'e2', exportedAt: tuesday, removed: amount(1, '4'), shows: 'e1' },
    ])
    expect([one.bills.open, one.shown]).to.deep.equal([[], ['2026-01: e1']])
  })

  it('lets a held export take its place where that is not half as small any more [G-108, G-128]', () => {
    const one = new Bills()
    one.deliver('e1', monday, { '2026-01-03': '400' })
    one.deliver('e2', tuesday, { '2026-01-03': '4' })
    one.remove('e1')
    expect([one.bills.open, one.shown]).to.deep.equal([[], ['2026-01: e2']])
  })

  it('is closed where parts or lines of it are missing, and is looked at no more [G-107, G-128]', () => {
    const one = new Bills()
    one.end('e1', monday, { '2026-01': 1 }, { part: { index: 1, of: 2 } })
    one.end('e2', tuesday, { '2026-02': 3 })
    expect([...one.account.actor.reminders.keys()]).to.have.members(['export-check/e1', 'export-check/e2'])
    one.remove('e1')
    one.remove('e2')
    expect([one.bills.open, [...one.account.actor.reminders.keys()]]).to.deep.equal([[], []])
    one.account.actor.take(billingExportChecked, { cloudAccountId: id }, { needs: one.needs })
    expect(one.bills.told.map(({ id: of, state }) => `${of} ${state}`)).to.deep.equal(['e1 removed', 'e2 removed'])
  })

  it('of two billing periods is removed of one, or of both [G-128]', () => {
    const one = new Bills()
    one.stored = [
      ...stored('e1', monday, { '2026-01-03': '40' }),
      ...stored('e1', monday, { '2026-02-03': '60' }, '2026-02'),
    ]
    one.end('e1', monday, { '2026-01': 1, '2026-02': 1 })
    expect(one.remove('e1', '2026-03').refused).to.equal('not_found')
    expect(days(one.remove('e1', '2026-02'))).to.deep.equal(['2026-02-03'])
    expect(one.shown).to.deep.equal(['2026-01: e1'])
    one.remove('e1')
    expect([one.shown, one.bills.removed.map(({ period }) => period)]).to.deep.equal([[], ['2026-02', '2026-01']])
  })

  it('of which nothing is known, or not any more, is refused and changes nothing [G-128]', () => {
    const one = new Bills()
    expect(one.remove('e1').refused).to.equal('not_found')
    one.deliver('e1', monday, { '2026-01-03': '40' })
    expect(one.remove('e2').refused).to.equal('not_found')
    one.remove('e1')
    const before = structuredClone(one.bills)
    expect(one.remove('e1').refused).to.equal('not_found')
    expect(one.bills).to.deep.equal(before)
  })

  it('is taken as any other when it is delivered again [G-128]', () => {
    const one = new Bills()
    one.deliver('e1', monday, { '2026-01-03': '40' })
    one.deliver('e2', tuesday, { '2026-01-03': '50' })
    one.remove('e2')
    one.line('e2', tuesday)
    expect(one.bills.removed).to.deep.equal([])
    one.end('e2', tuesday, { '2026-01': 1 })
    expect(one.shown).to.deep.equal(['2026-01: e2'])
  })

  it('lets lines from before exports were known count again [G-107, G-128]', () => {
    const one = new Bills()
    one.account.feed()
    one.account.state.oldThrough = '2026-01'
    one.stored = stored('', '', { '2026-01-02': '30' })
    one.deliver('e1', monday, { '2026-01-03': '40' })
    const [reply] = one.remove('e1').replies as [{ removed: { after: object }[] }]
    expect([one.shown, reply.removed[0]!.after]).to.deep.equal([[], amount(1, '30')])
  })
})

describe('all bills of an account that an admin removes', () => {
  it('leave nothing: no period, no open export, no line that came alone [G-128]', () => {
    const one = new Bills()
    one.deliver('e1', monday, { '2026-01-03': '40' })
    one.deliver('e2', tuesday, { '2026-01-04': '50' })
    one.deliver('e3', tuesday, { '2026-02-04': '7' }, '2026-02')
    one.end('e4', wednesday, { '2026-03': 2 })
    const done = one.removeAll()
    expect([one.bills.shown, one.bills.open, [...one.account.actor.reminders.keys()]]).to.deep.equal([{}, [], []])
    expect(days(done)).to.deep.equal(['2026-01-03', '2026-01-04', '2026-02-04'])
    expect(one.bills.removed.map(({ id: of, all }) => [of, all])).to.deep.equal([
      ['e2', true],
      ['e3', true],
    ])
    const [page] = done.emitted.filter(({ type }) => type === loneLinesRemoved.name)
    expect(page!.data).to.deep.include({ cloudAccountId: id, afterDay: '1900-01-01', afterLineId: '' })
  })

  it('are refused of an account that nobody knows [G-128]', () => {
    expect(new Bills().removeAll().refused).to.equal('not_found')
  })

  it('take lines that came alone away page by page, each by a row of its own time [G-128]', () => {
    const one = new Bills()
    one.account.feed()
    const page = (count: number) => {
      const exportedAt = '2026-01-16T03:00:00.000'
      const lines = Array.from({ length: count }, (_, n) => ({
        day: '2026-01-15',
        lineId: `l-${n}`,
        provider: 'aws',
        exportedAt,
      }))
      const data = { cloudAccountId: id, sequence: '7', afterDay: '1900-01-01', afterLineId: '' }
      const needs = { ...none, lone: new Map([[accountKey('o1', id), lines]]) }
      return one.account.actor.take(loneLinesRemoved, data, { needs })
    }
    const last = page(2)
    expect(last.emitted).to.deep.equal([])
    expect(last.facts.map(({ row }) => [row.x_LineId, row.x_Day, row.x_ExportedAt, row.x_Deleted])).to.deep.equal([
      ['l-0', '2026-01-15', '2026-01-16T03:00:00.000', 1],
      ['l-1', '2026-01-15', '2026-01-16T03:00:00.000', 1],
    ])
    expect(days(last)).to.deep.equal(['2026-01-15'])
    expect(page(2000).emitted.map(({ data }) => data)).to.deep.equal([
      { cloudAccountId: id, sequence: '7', afterDay: '2026-01-15', afterLineId: 'l-1999' },
    ])
  })
})
