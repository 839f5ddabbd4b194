import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { findAnomalies } from '#actors/anomaly/detect.ts'
import { addDays, days } from '#engine/value/day.ts'
import { fact, testClickHouse } from '#test/harness/clickhouse.ts'
import { amount, deepIt } from '#test/harness/tier.ts'
import { detectTools, writeFacts, type Fact } from '#test/harness/detection.ts'

/** An account that is added today brings the 101 days that are looked at, or 13 months. */
const begun = addDays('2026-06-01', -amount(101, 396, 396))
const isFriday = (day: string): boolean => new Date(day).getUTCDay() === 5

describe('detection over the costs of an account', () => {
  let ch: Awaited<ReturnType<typeof testClickHouse>>
  before(async () => {
    ch = await testClickHouse()
  })
  const found = async (org: string, day: string) =>
    (await findAnomalies(detectTools(ch), org, day, 'daily')).toSorted((a, b) => (a.type < b.type ? -1 : 1))

  it('notifies nobody of taxes on the 1st and a load of every Friday, once their history is there [G-118]', async () => {
    const org = `org-${randomUUID()}`
    const facts = [...days(begun, '2026-06-01')].flatMap((x_Day): Fact[] => [
      fact(org, `${x_Day}/r1`, 100, { x_Day, ResourceId: 'r1' }),
      fact(org, `${x_Day}/r2`, isFriday(x_Day) ? 80 : 20, { x_Day, ResourceId: 'r2' }),
      ...(x_Day.endsWith('-01')
        ? [fact(org, `${x_Day}/tax`, 60, { x_Day, ServiceName: 'Tax', ChargeCategory: 'Tax' })]
        : []),
    ])
    await writeFacts(ch, facts)
    const quiet = async (day: string) =>
      (await found(org, day)).map((one) => [one.type, one.actualUsd, one.recurrence, one.isQuiet, one.story])
    // The week before has 900 US dollars, a Friday of 180 among them: 180 are 40 per cent above the mean.
    const first = (key: string) => ['on the 1st of each month', true, { key, part: 0, size: 0, place: 0 }]
    expect(await quiet('2026-06-01')).to.deep.equal([
      ['cloud_account', 180, ...first('charges')],
      ['org', 180, ...first('charges')],
    ])
    const friday = ['every Friday', true, { key: 'resource/r2', part: 0, size: 0, place: 0 }]
    expect(await quiet('2026-05-29')).to.deep.equal([
      ['cloud_account', 180, ...friday],
      ['org', 180, ...friday],
      ['resource', 80, ...friday],
    ])
    expect(await quiet('2026-05-28')).to.deep.equal([])
  })

  deepIt(
    'tells of a new account, and of no new resource in one that is known or brings its history [G-118] [ANOM-32]',
    async () => {
      const opened = async (from: string, account: string) => {
        const org = `org-${randomUUID()}`
        const known = [...days('2026-02-20', '2026-03-21')].map((x_Day) =>
          fact(org, `${x_Day}/r1`, 100, { x_Day, ResourceId: 'r1' }),
        )
        const more = [...days(from, '2026-03-21')].map((x_Day) =>
          fact(org, `${x_Day}/r2`, 60, { x_Day, ResourceId: 'r2', x_CloudAccountId: account }),
        )
        await writeFacts(ch, [...known, ...more])
        return (await found(org, '2026-03-21')).map(
          (one) => `${one.type} ${one.suppressed} ${one.rootCause.split(':')[0]}`,
        )
      }
      expect(await opened('2026-03-21', 'acct-2')).to.deep.equal(['org false New-account onboarding'])
      expect(await opened('2026-03-21', 'acct-1')).to.deep.equal([
        'cloud_account true New resources',
        'org true New resources',
      ])
      expect(await opened('2026-02-20', 'acct-2')).to.deep.equal([])
    },
  )

  it('finds the day on which credits end, and says what they covered [G-119]', async () => {
    const org = `org-${randomUUID()}`
    const credit = { ServiceName: 'Credits', ChargeCategory: 'Credit' }
    const facts = [...days('2026-03-01', '2026-03-21')].flatMap((x_Day): Fact[] => [
      fact(org, `${x_Day}/r1`, 10, { x_Day, ResourceId: 'r1' }),
      ...(x_Day < '2026-03-21' ? [fact(org, `${x_Day}/credit`, -10, { x_Day, ...credit })] : []),
      // Of less than a dollar a day nothing is said.
      fact(org, `${x_Day}/small`, 0.99, { x_Day, ResourceId: 'r2', x_CloudAccountId: 'acct-2' }),
      ...(x_Day < '2026-03-21'
        ? [fact(org, `${x_Day}/small-credit`, -0.99, { x_Day, ...credit, x_CloudAccountId: 'acct-2' })]
        : []),
    ])
    await writeFacts(ch, facts)
    const told =
      'Credits ended: 10.00 USD of 10.00 USD a day were covered by credits until 2026-03-20, which explains 10.00 of the 10.00'
    const [account, whole, ...others] = await found(org, '2026-03-21')
    expect(others).to.deep.equal([])
    expect([account!.type, account!.key, account!.severity, account!.actualUsd, account!.expectedUsd]).to.deep.equal([
      'cloud_account',
      'acct-1',
      'critical',
      10,
      0,
    ])
    expect(account!.rootCause).to.equal(`${told} US dollars above the baseline (100 %).`)
    // 10.99 covered of 10.99 a day.
    expect([whole!.type, whole!.actualUsd, whole!.deviationPercent]).to.deep.equal(['org', 10.99, 100])
    expect([account, whole].map((one) => [one!.recurrence, one!.isQuiet, one!.story])).to.deep.equal([
      ['', false, { key: 'credits', part: 0, size: 2, place: 1 }],
      ['', false, { key: 'credits', part: 0, size: 2, place: 0 }],
    ])
    expect(await found(org, '2026-03-20')).to.deep.equal([])
  })
})
