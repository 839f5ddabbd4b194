import { expect } from 'chai'
import {
  guardrailDefaults,
  guardrailDomain,
  guardrailErrors,
  guardrailOf,
  GuardrailSpec,
} from '#actors/workflow/guard/guardrail.ts'
import { windowsText } from '#actors/workflow/guard/window.ts'
import { firstMinute, isOpen } from '#streams/cron/window.ts'
import { decoder } from '#engine/value/schema.ts'
import type { ChangeWindow } from '#streams/workflow.ts'

const nights: ChangeWindow = { days: [1, 2, 3, 4, 5], from: '22:00', to: '04:00', timezone: 'Europe/Berlin' }
const policy = (spec: unknown, id = 'p-1') => ({ id, name: id, spec, createdAt: new Date(0) })
const told = (spec: GuardrailSpec) => guardrailErrors(spec).map(({ path, code }) => `${path} ${code}`)

describe('the guardrail of an organization', () => {
  it('is what the design says where no policy says otherwise', () => {
    expect(guardrailOf([])).to.deep.equal({
      killSwitch: false,
      destructivePerHour: 20,
      destructivePerDay: 100,
      groupSharePercent: 25,
      concurrent: 5,
      protectedTags: ['tidemark-protect', 'do-not-delete'],
      protectedEnvs: [],
      windows: [],
    })
  })

  it('is that of the oldest policy, with defaults for what it leaves out', () => {
    const found = guardrailOf([policy({ killSwitch: true, protectedTags: [] }), policy({ concurrent: 9 }, 'p-2')])
    expect(found).to.deep.equal({ ...guardrailDefaults, killSwitch: true, protectedTags: [] })
  })

  it('takes its own example, and nothing at all', () => {
    for (const spec of [...guardrailDomain.examples, {}]) {
      expect(() => decoder(GuardrailSpec)(spec)).to.not.throw()
      expect(guardrailErrors(spec as GuardrailSpec)).to.deep.equal([])
    }
  })

  it('is one an organization, of owners and admins', () => {
    const { name, max, adminOnly } = guardrailDomain
    expect([name, max, adminOnly]).to.deep.equal(['guardrail', 1, true])
  })

  it('keeps the bounds of its figures', () => {
    const decode = decoder(GuardrailSpec)
    const isTaken = (spec: object) => {
      try {
        decode(spec)
        return true
      } catch {
        return false
      }
    }
    for (const [name, min, max] of [
      ['destructivePerHour', 1, 10_000],
      ['destructivePerDay', 1, 100_000],
      ['groupSharePercent', 1, 100],
      ['concurrent', 1, 1000],
    ] as const)
      expect(
        [min - 1, min, max, max + 1, 1.5].map((value) => isTaken({ [name]: value })),
        name,
      ).to.deep.equal([false, true, true, false, false])
    expect([-0.01, 0, 0.5].map((usd) => isTaken({ monthlyCostTouchedUsd: usd }))).to.deep.equal([false, true, true])
    expect([20, 21].map((n) => isTaken({ windows: Array(n).fill(nights) }))).to.deep.equal([true, false])
    expect([isTaken({ protectedEnvs: ['qa'] }), isTaken({ protectedTags: [''] })]).to.deep.equal([false, false])
  })

  it('is refused with every error by its place', () => {
    const wrong = { ...nights, to: '22:00', timezone: 'Europe/Atlantis' }
    expect(told({ destructivePerHour: 30, destructivePerDay: 29, windows: [nights, wrong] })).to.deep.equal([
      '/destructivePerHour maximum',
      '/windows/1/to range',
      '/windows/1/timezone format',
    ])
    expect(told({ windows: [{ ...nights, timezone: '+02:00' }] })).to.deep.equal(['/windows/0/timezone format'])
    expect(told({ frozenUntil: '2026-13-01T00:00:00Z' })).to.deep.equal(['/frozenUntil format'])
  })

  it('has no more changes an hour than a day, which are 100 unless given', () => {
    expect(told({ destructivePerHour: 100 })).to.deep.equal([])
    expect(told({ destructivePerHour: 101 })).to.deep.equal(['/destructivePerHour maximum'])
    expect(told({ destructivePerHour: 101, destructivePerDay: 101 })).to.deep.equal([])
    // Twenty an hour are the default, and never come to pass.
    expect(told({ destructivePerDay: 10 })).to.deep.equal([])
  })
})

/** Whether the window is open at each of these moments. */
const opens = (window: ChangeWindow, ...moments: string[]) => moments.map((at) => isOpen(window, Date.parse(at)))

describe('a change window', () => {
  it('is open from its first minute to before its last, on its days', () => {
    const window: ChangeWindow = { days: [1, 3], from: '09:00', to: '17:30', timezone: 'UTC' }
    // 12 January 2026 is a Monday.
    expect(
      opens(
        window,
        '2026-01-12T08:59:59Z',
        '2026-01-12T09:00:00Z',
        '2026-01-12T17:29:59Z',
        '2026-01-12T17:30:00Z',
        '2026-01-13T12:00:00Z',
        '2026-01-14T12:00:00Z',
        '2026-01-18T12:00:00Z',
      ),
    ).to.deep.equal([false, true, true, false, false, true, false])
  })

  it('over midnight is of the day on which it begins', () => {
    const friday: ChangeWindow = { days: [5], from: '22:00', to: '04:00', timezone: 'UTC' }
    // 16 January 2026 is a Friday.
    expect(
      opens(
        friday,
        '2026-01-16T03:00:00Z',
        '2026-01-16T21:59:59Z',
        '2026-01-16T22:00:00Z',
        '2026-01-17T03:59:59Z',
        '2026-01-17T04:00:00Z',
        '2026-01-17T23:00:00Z',
      ),
    ).to.deep.equal([false, false, true, true, false, false])
    const sunday: ChangeWindow = { ...friday, days: [7] }
    expect(opens(sunday, '2026-01-18T23:00:00Z', '2026-01-19T03:00:00Z', '2026-01-18T03:00:00Z')).to.deep.equal([
      true,
      true,
      false,
    ])
  })

  it('goes by the clock and the day of its zone', () => {
    const tokyo: ChangeWindow = { days: [1], from: '00:30', to: '02:00', timezone: 'Asia/Tokyo' }
    // Sunday, 15:30 UTC is Monday, 00:30 in Tokyo.
    expect(opens(tokyo, '2026-01-11T15:29:00Z', '2026-01-11T15:30:00Z', '2026-01-11T17:00:00Z')).to.deep.equal([
      false,
      true,
      false,
    ])
  })

  it('loses the hour that the clock jumps over', () => {
    // Berlin, 29 March 2026: 01:59 is followed by 03:00, at 01:00 UTC.
    const sunday = { days: [7], timezone: 'Europe/Berlin' }
    const gone: ChangeWindow = { ...sunday, from: '02:00', to: '03:00' }
    expect(opens(gone, '2026-03-29T00:59:00Z', '2026-03-29T01:00:00Z', '2026-03-29T01:30:00Z')).to.deep.equal([
      false,
      false,
      false,
    ])
    const cut: ChangeWindow = { ...sunday, from: '02:30', to: '03:30' }
    expect(
      opens(cut, '2026-03-29T00:59:00Z', '2026-03-29T01:00:00Z', '2026-03-29T01:29:00Z', '2026-03-29T01:30:00Z'),
    ).to.deep.equal([false, true, true, false])
    expect(opens({ ...nights, days: [6] }, '2026-03-29T01:59:00Z', '2026-03-29T02:00:00Z')).to.deep.equal([true, false])
  })

  it('is open both times in an hour that the clock shows twice', () => {
    // Berlin, 25 October 2026: 02:59 is followed by 02:00, at 01:00 UTC.
    const window: ChangeWindow = { days: [7], from: '02:00', to: '02:30', timezone: 'Europe/Berlin' }
    expect(
      opens(
        window,
        '2026-10-24T23:59:00Z',
        '2026-10-25T00:00:00Z',
        '2026-10-25T00:30:00Z',
        '2026-10-25T01:00:00Z',
        '2026-10-25T01:29:00Z',
        '2026-10-25T01:30:00Z',
      ),
    ).to.deep.equal([false, true, false, true, true, false])
  })

  it('of no length, or of a zone that is not known any more, is never open', () => {
    const all = Array.from({ length: 48 }, (_, i) => new Date(Date.UTC(2026, 0, 12, 0, i * 30)).toISOString())
    const days = [1, 2, 3, 4, 5, 6, 7]
    expect(opens({ days, from: '00:00', to: '00:00', timezone: 'UTC' }, ...all)).to.not.include(true)
    expect(opens({ days, from: '00:00', to: '23:59', timezone: 'Europe/Atlantis' }, ...all)).to.not.include(true)
  })

  it('is looked for minute by minute, no further than asked', () => {
    const at = Date.parse('2026-01-12T20:15:30.250Z')
    const found = (from: string) =>
      new Date(
        firstMinute(at, 3_600_000, (moment) => isOpen({ ...nights, from, timezone: 'UTC' }, moment)),
      ).toISOString()
    expect([found('20:16'), found('21:15'), found('21:16')]).to.deep.equal([
      '2026-01-12T20:16:00.000Z',
      '2026-01-12T21:15:00.000Z',
      '2026-01-12T21:15:30.250Z',
    ])
  })

  it('is named in sentences, the first three of many', () => {
    const text = 'Mon, Tue, Wed, Thu, Fri 22:00 to 04:00 Europe/Berlin'
    expect(windowsText([nights])).to.equal(text)
    expect(windowsText(Array(5).fill(nights))).to.equal(`${text}; ${text}; ${text}; and 2 more`)
  })
})
