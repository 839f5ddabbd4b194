import { expect } from 'chai'
import type { OpenExport } from '#actors/account/bill/bills.ts'
import { decoder } from '#engine/value/schema.ts'
import { billingExportEnded } from '#streams/billing/messages.ts'
import { chosenExport, endsOf, missingParts, partOf, SentPeriods, uuid7 } from '#actors/account/export/bill-export.ts'

const at = '2026-02-01T03:00:00.000Z'
const nowMs = Date.parse('2026-02-02T00:00:00Z')

const open = (id: string, of: number, got: number[], more: Partial<OpenExport> = {}): OpenExport => ({
  id,
  at,
  periods: { '2026-01': got.length },
  parts: { of, got: Object.fromEntries(got.map((index) => [index, { '2026-01': 1 }])) },
  confirmed: false,
  state: 'waiting',
  counted: 0,
  since: at,
  ...more,
})

const asked = (index: number, of: number, more: { isNew?: boolean; confirmed?: boolean } = {}) => ({
  part: { index, of },
  isNew: false,
  confirmed: false,
  at: new Date(nowMs),
  nowMs,
  ...more,
})

describe('the export a command sends', () => {
  it('has an id that is a UUID of version 7: the later one is the greater text', () => {
    const shape = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
    const ids = [0, 1, nowMs - 1, nowMs, nowMs + 1, 2 ** 48 - 1].map(uuid7)
    for (const id of ids) expect(id).to.match(shape)
    expect(ids.toSorted()).to.deep.equal(ids)
    expect(uuid7(nowMs)).to.not.equal(uuid7(nowMs))
    expect(uuid7(Date.parse('2022-02-22T19:22:22Z')).slice(0, 13)).to.equal('017f22e2-79b0')
  })

  it('reads which part of how many it is, and nothing else', () => {
    expect(partOf('1/1')).to.deep.equal({ index: 1, of: 1 })
    expect(partOf('7/100')).to.deep.equal({ index: 7, of: 100 })
    for (const text of ['', '0/2', '3/2', '1/0', '1/101', '1', '1/2/3', '-1/2', '1/2 ', 'a/b'])
      expect(partOf(text), text).to.equal(undefined)
  })

  it('is a new one unless it is a part', () => {
    const { id, ...rest } = chosenExport([open('e', 2, [1])], { ...asked(1, 2), part: undefined })
    expect(id).to.not.equal('e')
    expect(rest).to.deep.equal({ at: new Date(nowMs).toISOString() })
  })

  it('continues the newest open export of as many parts that lacks the part', () => {
    const older = open('e-9', 2, [1], { at: '2026-01-31T00:00:00.000Z' })
    const all = [open('e-2', 2, [1]), open('e-1', 2, [1]), older, open('e-8', 3, [1])]
    expect(chosenExport(all, asked(2, 2))).to.deep.equal({ id: 'e-2', at, part: { index: 2, of: 2 } })
    expect(chosenExport(all, asked(3, 3))).to.deep.equal({ id: 'e-8', at, part: { index: 3, of: 3 } })
  })

  it('begins one where none of as many parts is open, or when it is told to', () => {
    for (const [given, wanted] of [
      [[], asked(2, 2)],
      [[open('e', 3, [1])], asked(2, 2)],
      [[open('e', 2, [1])], asked(2, 2, { isNew: true })],
      [[open('e', 2, [1])], asked(1, 2, { isNew: true })],
    ] as const) {
      const { id, at: time, part } = chosenExport(given, wanted)
      expect([id === 'e', time, part]).to.deep.equal([false, new Date(nowMs).toISOString(), wanted.part])
    }
  })

  it('refuses a part that the newest has, saying which it lacks', () => {
    const all = [open('e-1', 4, []), open('e-2', 4, [1, 3])]
    expect(() => chosenExport(all, asked(3, 4))).to.throw(
      `Part 3 of 4 was already sent for the open export of ${at}; missing parts: 2, 4. Start another export with --new.`,
    )
  })

  it('sends a part of a held one again to confirm it, and only then', () => {
    const held = [open('e', 2, [1, 2], { state: 'held' })]
    expect(chosenExport(held, asked(2, 2, { confirmed: true }))).to.deep.equal({
      id: 'e',
      at,
      part: { index: 2, of: 2 },
    })
    expect(() => chosenExport(held, asked(2, 2))).to.throw('no part is missing. It is on hold: apply it with --yes.')
    expect(() => chosenExport([open('e', 2, [2])], asked(2, 2, { confirmed: true }))).to.throw('missing parts: 1.')
  })

  it('knows which parts are missing', () => {
    expect(missingParts(open('e', 4, [3, 1]))).to.deep.equal([2, 4])
    expect(missingParts({})).to.deep.equal([])
  })
})

describe('the end of an export', () => {
  const decode = decoder(billingExportEnded.schema)

  it('is of some days where all its billing periods are shorter than a month by its lines', () => {
    const sent = new SentPeriods()
    const line = (day: string, from: string, to: string) => ({
      x_Day: day,
      BillingPeriodStart: `${from}T00:00:00`,
      BillingPeriodEnd: `${to}T00:00:00`,
    })
    const isOfSomeDays = () => sent.periods().map(({ someDays }) => someDays)
    sent.add('2026-03', line('2026-03-09', '2026-03-08', '2026-03-15'), true)
    sent.add('2026-04', line('2026-04-02', '2026-04-01', '2026-04-08'), true)
    expect(isOfSomeDays()).to.deep.equal([true, true])
    sent.add('2026-05', line('2026-05-02', '2026-05-01', '2026-06-01'), true)
    expect(isOfSomeDays()).to.deep.equal([undefined, undefined, undefined])
  })

  it('counts different lines of each billing period, in the order of time', () => {
    const sent = new SentPeriods()
    sent.add('2026-02', { x_Day: '2026-02-03' }, true)
    sent.add('2026-01', { x_Day: '2026-01-15' }, true)
    sent.add('2026-01', { x_Day: '2026-02-01' }, true)
    sent.add('2026-01', { x_Day: '2026-01-15' }, false)
    sent.add('2026-01', { x_Day: '2026-01-02' }, true)
    const periods = [
      { period: '2026-01', lines: 3, from: '2026-01-02', to: '2026-02-01' },
      { period: '2026-02', lines: 1, from: '2026-02-03', to: '2026-02-03' },
    ]
    expect(sent.periods()).to.deep.equal(periods)
    const end = {
      cloudAccountId: 'a',
      exportId: 'e',
      exportedAt: at,
      periods: [
        { period: '2026-01', lines: 3 },
        { period: '2026-02', lines: 1 },
      ],
    }
    expect(endsOf({ id: 'e', at }, 'a', periods, { confirmed: false, someDays: false }).map(decode)).to.deep.equal([
      end,
    ])
    const part = { index: 2, of: 3 }
    expect(endsOf({ id: 'e', at, part }, 'a', periods, { confirmed: true, someDays: false }).map(decode)).to.deep.equal(
      [{ ...end, part, confirmed: true }],
    )
  })

  it('is told in parts where one cannot name all periods, and not at all of nothing', () => {
    const months = Array.from({ length: 73 }, (_, n) => new Date(Date.UTC(2020, n)).toISOString().slice(0, 7))
    const sent = months.map((period) => ({ period, lines: 2, from: `${period}-01`, to: `${period}-01` }))
    const ends = endsOf({ id: 'e', at }, 'a', sent, { confirmed: false, someDays: false }).map(decode)
    expect(ends.map(({ part, periods }) => [part, periods.length])).to.deep.equal([
      [{ index: 1, of: 3 }, 36],
      [{ index: 2, of: 3 }, 36],
      [{ index: 3, of: 3 }, 1],
    ])
    expect(ends.flatMap(({ periods }) => periods.map(({ period }) => period))).to.deep.equal(months)
    expect(
      endsOf({ id: 'e', at }, 'a', sent.slice(0, 36), { confirmed: false, someDays: false }).map(({ part }) => part),
    ).to.deep.equal([undefined])
    expect(endsOf({ id: 'e', at }, 'a', [], { confirmed: false, someDays: false })).to.deep.equal([])
  })
})
