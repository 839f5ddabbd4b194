import { expect } from 'chai'
import { reachOf, type AccountReach } from '#analytics/cost/settled-days.ts'

const today = '2026-03-20'
const account = (id: string, billedThrough: string, more: Partial<AccountReach> = {}): AccountReach => ({
  id,
  billedSince: '2020-01-01',
  billedThrough,
  confirmedThrough: '',
  closedThrough: '',
  ...more,
})
const settled = (...accounts: AccountReach[]) => reachOf(accounts, today)?.settledThrough

describe('the days of bills that are settled [G-115]', () => {
  it('end 48 hours after a day has ended, and never later than the bills', () => {
    expect(settled(account('a', '2026-03-20'))).to.equal('2026-03-17')
    expect(settled(account('a', '2026-03-18'))).to.equal('2026-03-17')
    expect(settled(account('a', '2026-03-16'))).to.equal('2026-03-16')
  })

  it('end earlier than that where a later export brought a day again unchanged, or its producer called it finished', () => {
    expect(settled(account('a', '2026-03-19', { confirmedThrough: '2026-03-18' }))).to.equal('2026-03-18')
    expect(settled(account('a', '2026-03-17', { closedThrough: '2026-03-19' }))).to.equal('2026-03-19')
    // An old confirmation takes nothing back, and today is not over.
    expect(settled(account('a', '2026-03-19', { confirmedThrough: '2026-03-02' }))).to.equal('2026-03-17')
    expect(settled(account('a', '2026-03-20', { closedThrough: '2026-03-20' }))).to.equal('2026-03-19')
  })

  it('of several accounts end with the first, and wait for none that is more than three days late', () => {
    const [fast, slow, late] = [account('a', '2026-03-19'), account('b', '2026-03-16'), account('c', '2026-03-15')]
    expect(reachOf([fast, slow], today)).to.deep.equal({
      billedThrough: '2026-03-16',
      settledThrough: '2026-03-16',
      lateAccounts: [],
    })
    expect(reachOf([late, fast], today)).to.deep.equal({
      billedThrough: '2026-03-19',
      settledThrough: '2026-03-17',
      lateAccounts: ['c'],
    })
  })

  it('are counted across the ends of months and years, and over a leap day', () => {
    expect(reachOf([account('a', '2026-01-01')], '2026-01-02')?.settledThrough).to.equal('2025-12-30')
    expect(reachOf([account('a', '2024-03-01')], '2024-03-02')?.settledThrough).to.equal('2024-02-28')
    expect(reachOf([account('a', '2024-03-03')], '2024-03-03')?.settledThrough).to.equal('2024-02-29')
  })

  it('do not wait for an account whose first bill is of a day that is not settled yet', () => {
    const fresh = account('b', '2026-03-20', { billedSince: '2026-03-18' })
    expect(settled(account('a', '2026-03-19'), fresh)).to.equal('2026-03-17')
    expect(reachOf([fresh], today)).to.deep.equal({
      billedThrough: '2026-03-20',
      settledThrough: null,
      lateAccounts: [],
    })
  })

  it('are none where nothing was billed', () => {
    expect(reachOf([], today)).to.equal(undefined)
    expect(reachOf([account('a', '', { billedSince: '' })], today)).to.equal(undefined)
  })
})
