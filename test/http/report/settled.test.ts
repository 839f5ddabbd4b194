import { expect } from 'chai'
import { days } from '#engine/value/day.ts'
import { reportWorld } from '#test/http/report/world.ts'

/** On 2026-01-20: acct-1 is billed until yesterday, acct-2 until the 16th, acct-3 until the 10th. */
describe('the days that bills are settled through [G-115]', () => {
  const { line, billed, data, meta } = reportWorld()
  const daily = (account: string, to: string, cost: number) =>
    [...days('2025-12-01', to)].map((day) =>
      line(`${account}/${day}`, cost, { x_Day: day, x_CloudAccountId: account, ServiceName: account }),
    )
  const bills = () => [
    ...daily('acct-1', '2026-01-19', 10),
    ...daily('acct-2', '2026-01-16', 1),
    ...daily('acct-3', '2026-01-10', 5),
  ]

  it(
    'end both sides of a comparison, where its end is not asked for; a late account is named and waited for by nobody',
    billed(bills, async () => {
      // 16 days of 10 and 1 and 10 days of 5, compared with 16 days of all three.
      expect(await data('/reports/summary?compare=previous')).to.include({
        totalCostUSD: 226,
        previousUSD: 256,
        deltaUSD: -30,
        deltaPercent: -11.72,
        period: '2026-01-01..2026-01-16',
      })
      expect(await meta('/reports/summary?compare=previous&period=2026-01')).to.include({
        from: '2026-01-01',
        to: '2026-01-16',
        costsThrough: '2026-01-16',
        billedThrough: '2026-01-16',
        settledThrough: '2026-01-16',
      })
      const { compared, lateAccounts } = await meta('/reports/summary?compare=previous')
      expect([compared, lateAccounts]).to.deep.equal([{ from: '2025-12-01', to: '2025-12-16' }, ['acct-3']])
    }),
  )

  it(
    'are those of the accounts that are asked for',
    billed(bills, async () => {
      expect(await meta('/reports/trends?cloud_account_id=acct-1&from=2026-01-01&compare=previous')).to.deep.include({
        to: '2026-01-17',
        billedThrough: '2026-01-19',
        settledThrough: '2026-01-17',
        lateAccounts: [],
        compared: { from: '2025-12-01', to: '2025-12-17' },
      })
    }),
  )

  it(
    'end no range whose end is asked for, nor a report that compares nothing',
    billed(bills, async () => {
      const asked = await meta('/reports/drivers?from=2026-01-01&to=2026-01-20')
      expect([asked.to, asked.compared]).to.deep.equal(['2026-01-20', { from: '2025-12-01', to: '2025-12-20' }])
      const plain = await meta('/reports/summary')
      expect([plain.to, plain.settledThrough, plain.compared]).to.deep.equal(['2026-01-31', '2026-01-16', undefined])
      const drivers = await meta('/reports/drivers?from=2026-01-01')
      expect([drivers.to, drivers.compared]).to.deep.equal(['2026-01-16', { from: '2025-12-01', to: '2025-12-16' }])
    }),
  )

  it(
    'have no comparison before the first settled day of a range',
    billed(bills, async () => {
      const said = await data('/reports/summary?from=2026-01-18&compare=previous')
      expect(said).to.include({ totalCostUSD: 20 }).and.not.have.property('previousUSD')
      expect(await meta('/reports/summary?from=2026-01-18&compare=previous')).to.not.have.property('compared')
    }),
  )
})

/** On 2026-02-02: bills reach the 1st, and the newest settled day is of January. */
describe('a comparison of a month without a settled day [G-115]', () => {
  const { line, bill, data } = reportWorld({}, () => new Date('2026-02-02T12:00:00Z'))

  it('is left out, also where the month is not named; the month before is compared through its settled days', async () => {
    await bill(...[...days('2025-12-01', '2026-02-01')].map((day) => line(day, 10, { x_Day: day })))
    for (const query of ['', '&period=2026-02', '&from=2026-02-01'])
      expect(await data(`/reports/summary?compare=previous${query}`), query)
        .to.include({ totalCostUSD: 10 })
        .and.not.have.property('previousUSD')
    expect(await data('/reports/summary?compare=previous&period=2026-01')).to.include({
      totalCostUSD: 300,
      previousUSD: 300,
      period: '2026-01-01..2026-01-30',
    })
  })
})
