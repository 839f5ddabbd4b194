import { expect } from 'chai'
import fc from 'fast-check'
import { isZone, next, parse, previous } from '#streams/cron/messages.ts'
import { checkSteps } from '#streams/cron/step.ts'
import type { Fault } from '#engine/value/fault.ts'
import { amount, deepIt, sample } from '#test/harness/tier.ts'

const minuteMs = 60_000
const at = (text: string) => new Date(`${text}Z`)
/** The fires in [`from`, `to`), as text without seconds. */
function fires(rule: string, zone: string, from: string, to: string, skip: readonly string[] = []): string[] {
  const found: string[] = []
  const skipped = new Set(skip)
  let fire = next(parse(rule), zone, new Date(at(from).getTime() - 1), skipped)
  for (; fire && fire < at(to); fire = next(parse(rule), zone, fire, skipped))
    found.push(fire.toISOString().slice(0, 16))
  return found
}

describe('rules of schedules', () => {
  it('fire by the wall clock of their zone [G-21]', () => {
    const weekdays = (day: string) => fires('0 20 * * 1-5', 'Europe/Berlin', `${day}T00:00`, `${day}T23:59`)
    expect(weekdays('2030-01-07')).to.deep.equal(['2030-01-07T19:00'])
    expect(weekdays('2030-07-08')).to.deep.equal(['2030-07-08T18:00'])
    expect(weekdays('2030-01-06')).to.deep.equal([])
  })

  it('fire behind a gap of the clock once, and in a repeated hour the first time alone [G-21]', () => {
    const berlin = (rule: string, day: string) =>
      fires(rule, 'Europe/Berlin', `${day}T00:00`, `${day}T12:00`).filter((fire) => fire < `${day}T02:00`)
    expect(berlin('30 2 * * *', '2030-03-31')).to.deep.equal(['2030-03-31T01:00'])
    expect(berlin('30 2 * * *', '2030-10-27')).to.deep.equal(['2030-10-27T00:30'])
    expect(berlin('*/15 2 * * *', '2030-03-31')).to.deep.equal(['2030-03-31T01:00'])
    expect(fires('*/30 1-3 * * *', 'Europe/Berlin', '2030-10-26T22:00', '2030-10-27T04:00')).to.deep.equal([
      '2030-10-26T23:00',
      '2030-10-26T23:30',
      '2030-10-27T00:00',
      '2030-10-27T00:30',
      '2030-10-27T02:00',
      '2030-10-27T02:30',
    ])
    // Lord Howe's gap is half an hour, and Apia had no 30 December 2011.
    expect(fires('10 2 6 10 *', 'Australia/Lord_Howe', '2030-01-01T00:00', '2031-01-01T00:00')).to.deep.equal([
      '2030-10-05T15:30',
    ])
    expect(fires('0 12 30 12 *', 'Pacific/Apia', '2011-01-01T00:00', '2012-06-01T00:00')).to.deep.equal([
      '2011-12-30T10:00',
    ])
  })

  it('take either of days of the month and of the week where both are given', () => {
    expect(fires('0 0 13 * fri', 'UTC', '2030-09-01T00:00', '2030-09-28T00:00')).to.deep.equal([
      '2030-09-06T00:00',
      '2030-09-13T00:00',
      '2030-09-20T00:00',
      '2030-09-27T00:00',
    ])
    expect(fires('0 0 10 * fri', 'UTC', '2030-09-01T00:00', '2030-09-14T00:00')).to.deep.equal([
      '2030-09-06T00:00',
      '2030-09-10T00:00',
      '2030-09-13T00:00',
    ])
    expect(fires('0 0 * * fri', 'UTC', '2030-09-01T00:00', '2030-09-14T00:00')).to.deep.equal([
      '2030-09-06T00:00',
      '2030-09-13T00:00',
    ])
  })

  it('are of five fields with lists, ranges, steps and names; 7 is Sunday', () => {
    const same = (one: string, other: string) => expect(parse(one), one).to.deep.equal(parse(other))
    same('0 0 * * 7', '0 0 * * SUN')
    same('0 0 * * 0,6', '0 0 * * 6-7')
    same('0 0 * * fri-sun', '0 0 * * 5,6,0')
    same('0 0 1 Jan-mar *', '0  0 1 1,2,3 *')
    same(' */20 9-17/4 * * *', '0,20,40 9,13,17 * * *')
    expect(parse('5,1-3 1 * * *').times).to.deep.equal([61, 62, 63, 65])
  })

  it('fire on 29 February alone where that is what they say', () => {
    expect(fires('0 0 29 2 *', 'UTC', '2026-01-01T00:00', '2033-01-01T00:00')).to.deep.equal([
      '2028-02-29T00:00',
      '2032-02-29T00:00',
    ])
    const skipped = ['2028-02-29', '2032-02-29']
    expect(fires('0 0 29 2 *', 'UTC', '2026-01-01T00:00', '2037-01-01T00:00', skipped)).to.deep.equal([
      '2036-02-29T00:00',
    ])
  })

  it('are refused with what is wrong with them', () => {
    const told = (rule: string) => {
      try {
        parse(rule)
        return 'taken'
      } catch (error) {
        const { kind, code, message } = error as { kind: string; code: string; message: string }
        expect(kind, rule).to.equal('invalid')
        return `${code}: ${message}`
      }
    }
    const wrong: readonly [string, string][] = [
      ['* * * *', 'has 4 fields, not minute, hour, day of month, month, day of week'],
      ['0 * * * * *', 'has 6 fields, not minute, hour, day of month, month, day of week'],
      ['@daily', 'has 1 fields, not minute, hour, day of month, month, day of week'],
      ['60 * * * *', 'minute: "60" is not 0 to 59'],
      ['0 24 * * *', 'hour: "24" is not 0 to 23'],
      ['0 0 0 * *', 'day of month: "0" is not 1 to 31'],
      ['0 0 * 13 *', 'month: "13" is not 1 to 12 or jan to dec'],
      ['0 0 * * 8', 'day of week: "8" is not 0 to 7 or sun to sat'],
      ['0 0 L * *', 'day of month: "L" is not 1 to 31'],
      ['0 0 15W * *', 'day of month: "15W" is not 1 to 31'],
      ['0 0 * * 5#2', 'day of week: "5#2" is not a number, range, list, step or *'],
      ['0 0 ? * *', 'day of month: "?" is not a number, range, list, step or *'],
      ['-5 0 * * *', 'minute: "-5" is not a number, range, list, step or *'],
      ['1, 0 * * *', 'minute: "" is not a number, range, list, step or *'],
      ['*/0 * * * *', 'minute: "*/0" has no step'],
      ['5/15 * * * *', 'minute: "5/15" has a step without a range; write 5-59/15'],
      ['0 17-9 * * *', 'hour: "17-9" ends before it begins'],
    ]
    for (const [rule, message] of wrong) expect(told(rule)).to.equal(`cron_invalid: ${message}`)
    expect(told('0 0 30 2 *')).to.equal('cron_never: never runs: none of its months has such a day')
    expect(told('0 0 31 2,4,6,9,11 *')).to.match(/^cron_never/)
    expect([told('0 0 30 2 1'), told('0 0 29 2 *'), told('0 0 31 2,3 *')]).to.deep.equal(['taken', 'taken', 'taken'])
  })

  it('know the zones of IANA and no others', () => {
    expect(
      ['Europe/Berlin', 'UTC', 'Asia/Kolkata', 'Etc/GMT+5', 'America/Argentina/Ushuaia'].map(isZone),
    ).to.not.include(false)
    expect(['Europe/Munich', '+02:00', '', 'Berlin', 'Europe/Berlin ', '../UTC'].map(isZone)).to.not.include(true)
    expect(() => next(parse('0 0 * * *'), 'Europe/Munich', at('2030-01-01T00:00'))).to.throw('is not an IANA time zone')
  })

  it('do not fire on days that are skipped; a fire that a gap moves counts to the day it comes on', () => {
    const nights = (skip: string[]) =>
      fires('0 20 * * *', 'Europe/Berlin', '2030-01-01T00:00', '2030-01-05T00:00', skip)
    expect(nights(['2030-01-02', '2030-01-03'])).to.deep.equal(['2030-01-01T19:00', '2030-01-04T19:00'])
    // Local days: 23:30 in New York is the next day in UTC.
    const late = (skip: string[]) =>
      fires('30 23 * * *', 'America/New_York', '2030-01-02T00:00', '2030-01-04T00:00', skip)
    expect(late(['2030-01-02'])).to.deep.equal(['2030-01-02T04:30'])
    // 24:00 of 3 November 2018 led to 01:00 of the 4th in Sao Paulo, and 29 December 2011 to the 31st in Apia.
    const apia = (skip: string[]) => fires('0 12 30 12 *', 'Pacific/Apia', '2011-01-01T00:00', '2012-06-01T00:00', skip)
    expect(apia(['2011-12-30'])).to.deep.equal(['2011-12-30T10:00'])
    expect(apia(['2011-12-31'])).to.deep.equal([])
    const paulo = fires('30 0 * * *', 'America/Sao_Paulo', '2018-11-03T12:00', '2018-11-05T12:00', ['2018-11-04'])
    expect(paulo).to.deep.equal(['2018-11-05T02:30'])
    // Nuuk's clock goes from 23:00 of 30 March 2030 to midnight.
    const nuuk = (skip: string) =>
      fires('30 22,23 * * *', 'America/Nuuk', '2030-03-30T12:00', '2030-03-31T12:00', [skip])
    expect(nuuk('2030-03-30')).to.deep.equal(['2030-03-31T01:00'])
    expect(nuuk('2030-03-31')).to.deep.equal(['2030-03-31T00:30'])
    const last = previous(parse('30 22,23 * * *'), 'America/Nuuk', at('2030-03-31T12:00'), new Set(['2030-03-31']))
    expect(last).to.deep.equal(at('2030-03-31T00:30'))
  })

  deepIt('are worked out a hundred thousand times in a second', () => {
    const rule = parse('0 20 * * 1-5')
    next(rule, 'Europe/Berlin', at('2030-01-01T00:00'))
    let fire = at('2030-01-01T00:00')
    const began = performance.now()
    for (let i = 0; i < 100_000; i++) {
      if (fire > at('2030-12-01T00:00')) fire = at('2030-01-01T00:00')
      fire = next(rule, 'Europe/Berlin', fire)!
    }
    expect(performance.now() - began).to.be.below(1000)
  })
})

/** Zones by what is odd about them, with the first of three years in which it shows. */
const odd: readonly [string, number][] = [
  ['Europe/Berlin', 2029],
  ['America/New_York', 2029],
  ['Australia/Lord_Howe', 2029],
  ['Africa/Casablanca', 2029],
  // A whole day is jumped over.
  ['Pacific/Apia', 2010],
  ['Asia/Kolkata', 2029],
  ['UTC', 2029],
  ['America/Sao_Paulo', 2016],
  // An hour before midnight is jumped over: what fires in it counts to the next day.
  ['America/Nuuk', 2029],
]

interface Minutes {
  /** The first minute, since 1970. */
  from: number
  /** Of every minute, what the clock shows; and whether it shows it for the first time. */
  wall: Int32Array
  isFirst: Uint8Array
}

/** The clock of a zone read minute by minute, from what Intl says of its parts. */
function minutesOf(zone: string, year: number): Minutes {
  const part = { timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' } as const
  const format = new Intl.DateTimeFormat('en-US', { ...part, hour: 'numeric', minute: 'numeric' })
  const shown = (minute: number) => {
    const parts = Object.fromEntries(format.formatToParts(minute * minuteMs).map(({ type, value }) => [type, +value]))
    return Date.UTC(parts.year!, parts.month! - 1, parts.day, parts.hour, parts.minute) / minuteMs
  }
  const from = Date.UTC(year, 0, 1) / minuteMs
  const count = Date.UTC(year + 3, 0, 1) / minuteMs - from
  const wall = new Int32Array(count)
  const fill = (begin: number, end: number): void => {
    const first = shown(from + begin)
    const isEven = shown(from + end - 1) - first === end - 1 - begin
    if (isEven && end - begin <= 720) for (let i = begin; i < end; i++) wall[i] = first + i - begin
    else if (end - begin === 1) wall[begin] = first
    else {
      const middle = (begin + end) >> 1
      fill(begin, middle)
      fill(middle, end)
    }
  }
  fill(0, count)
  const seen = new Set<number>()
  const isFirst = new Uint8Array(count)
  // What an hour repeats was shown at most a day ago.
  for (let i = 0; i < count; i++) {
    isFirst[i] = seen.has(wall[i]!) ? 0 : 1
    seen.add(wall[i]!)
    if (i >= 1440) seen.delete(wall[i - 1440]!)
  }
  return { from, wall, isFirst }
}

interface Drawn {
  minutes: readonly number[]
  hours: readonly number[]
  days: readonly number[] | '*'
  months: readonly number[] | '*'
  weekdays: readonly number[] | '*'
}

const some = (min: number, max: number, count: number) =>
  fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: count })
const orAll = <T>(values: fc.Arbitrary<T>) => fc.oneof(fc.constant('*' as const), values)
const drawn = fc.record({
  minutes: some(0, 59, 3),
  hours: fc.oneof(some(0, 3, 4), some(0, 23, 4), fc.constant([...Array(24).keys()])),
  days: orAll(some(1, 29, 6)),
  months: orAll(some(1, 12, 8)),
  weekdays: orAll(some(0, 6, 3)),
})
const field = (values: readonly number[] | '*') => (values === '*' ? '*' : values.join(','))
const textOf = ({ minutes, hours, days, months, weekdays }: Drawn) =>
  [minutes, hours, days, months, weekdays].map(field).join(' ')

const dateOf = (wall: number) => new Date(wall * minuteMs).toISOString().slice(0, 10)

function named({ minutes, hours, days, months, weekdays }: Drawn): (wall: number) => boolean {
  const known = new Map<number, boolean>()
  const isDay = (day: number) => {
    const date = new Date(day * 1440 * minuteMs)
    const inMonth = months === '*' || months.includes(date.getUTCMonth() + 1)
    const ofMonth = days !== '*' && days.includes(date.getUTCDate())
    const ofWeek = weekdays !== '*' && weekdays.includes(date.getUTCDay())
    return inMonth && (days === '*' && weekdays === '*' ? true : ofMonth || ofWeek)
  }
  const times = new Uint8Array(1440)
  for (const hour of hours) for (const minute of minutes) times[hour * 60 + minute] = 1
  return (wall) => {
    if (times[wall % 1440] === 0) return false
    const day = Math.floor(wall / 1440)
    if (!known.has(day)) known.set(day, isDay(day))
    return known.get(day)!
  }
}

/** Every fire behind the first day, by looking at every minute. */
function bruteForce(rule: Drawn, { from, wall, isFirst }: Minutes, skipDates: ReadonlySet<string>): number[] {
  const isNamed = named(rule)
  const found: number[] = []
  for (let i = 1440; i < wall.length; i++) {
    let isFire = isFirst[i] === 1 && isNamed(wall[i]!)
    for (let gone = wall[i - 1]! + 1; gone < wall[i]! && !isFire; gone++) isFire = isNamed(gone)
    if (isFire && !(skipDates.size > 0 && skipDates.has(dateOf(wall[i]!)))) found.push((from + i) * minuteMs)
  }
  return found
}

describe('rules of schedules, against a look at every minute of three years', () => {
  for (const [zone, year] of sample(odd, 3)) {
    it(`fire when they should, later each time, and the last fire mirrors the next: ${zone}`, function () {
      this.timeout(180_000)
      const minutes = minutesOf(zone, year)
      const dates = fc.uniqueArray(
        fc.integer({ min: 0, max: 1095 }).map((day) => dateOf(minutes.from + day * 1440)),
        { maxLength: 40 },
      )
      const law = fc.property(drawn, fc.oneof(fc.constant<string[]>([]), dates), (one, skip) => {
        const skipped = new Set(skip)
        const rule = parse(textOf(one))
        const expected = bruteForce(one, minutes, skipped)
        const end = (minutes.from + minutes.wall.length) * minuteMs
        const found: number[] = []
        let fire = next(rule, zone, new Date((minutes.from + 1440) * minuteMs - 1), skipped)?.getTime() ?? end
        while (fire < end) {
          found.push(fire)
          fire = next(rule, zone, new Date(fire), skipped)?.getTime() ?? end
        }
        expect(found).to.deep.equal(expected)
        const step = Math.ceil(found.length / 300)
        for (let i = 1; i < found.length; i += step) {
          const last = (time: number) => previous(rule, zone, new Date(time), skipped)!.getTime()
          expect([last(found[i]! - 1), last(found[i]!), last(found[i]! + 59_999)]).to.deep.equal([
            found[i - 1],
            found[i],
            found[i],
          ])
        }
        // In the second pass of a repeated hour nothing fires, and what fired in the first one is over.
        for (let i = 1440; i < minutes.wall.length; i += 11) {
          if (minutes.isFirst[i] === 1) continue
          const now = (minutes.from + i) * minuteMs
          const fires = [previous(rule, zone, new Date(now), skipped), next(rule, zone, new Date(now), skipped)]
          const [before, after] = [found.findLast((one) => one <= now), found.find((one) => one > now)]
          if (before !== undefined) expect(fires[0]!.getTime()).to.equal(before)
          if (after !== undefined) expect(fires[1]!.getTime()).to.equal(after)
        }
      })
      fc.assert(law, { numRuns: amount(3, 20, 200) })
    })
  }
})

describe('steps of rules', () => {
  const said = (rule: string) => {
    try {
      checkSteps(rule)
      return 'fine'
    } catch (error) {
      return (error as Fault).message
    }
  }

  it('that are longer than their range are refused, with the rules to write instead', () => {
    expect(said('*/90 * * * 1-5')).to.equal(
      'minute: "*/90" matches minute 0 only; write 0. Every 90 minutes is "0 */3 * * 1-5" and "30 1-22/3 * * 1-5"',
    )
    expect(said('*/120 * * * *')).to.equal(
      'minute: "*/120" matches minute 0 only; write 0. Every 120 minutes is "0 */2 * * *"',
    )
    expect(said('*/100 * * * *')).to.equal(
      'minute: "*/100" matches minute 0 only; write 0. No rules run every 100 minutes: that does not divide a day',
    )
    expect(said('*/90 8-18 * * *')).to.equal('minute: "*/90" matches minute 0 only; write 0')
    expect(said('0 */24 * * *')).to.equal('hour: "*/24" matches hour 0 only; write 0')
    expect(said('0 8-10/3 * * *')).to.equal('hour: "8-10/3" matches hour 8 only; write 8')
    expect(said('0 0 */31 * *')).to.equal('day of month: "*/31" matches day of month 1 only; write 1')
    expect(said('0 0 * */12 *')).to.equal('month: "*/12" matches month 1 only; write 1')
    expect(said('0 0 * * 1,*/7')).to.equal('day of week: "*/7" matches day of week 0 only; write 0')
  })

  it('within their range are taken, and names', () => {
    const rules = [
      '*/59 * * * *',
      '*/1 */23 */30 */11 */6',
      '5-5/1 8-10/2 * * *',
      '0 0 * jan-mar/2 mon-fri/2',
      '0,*/15 * * * *',
    ]
    expect(rules.map(said)).to.deep.equal(rules.map(() => 'fine'))
  })
})
