/** What the account refuses of an export: times that contradict one another, and ends that contradict themselves. */
import { expect } from 'chai'
import type { AccountNeeds } from '#actors/account/needs.ts'
import { accountKey } from '#actors/account/needs.ts'
import { billingExportEnded, billingLine } from '#streams/billing/messages.ts'
import { Account, id, none } from '#test/harness/account.ts'

const at = '2026-01-11T00:00:00.000Z'
const later = '2026-01-11T06:00:00.000Z'

const line = (lineId: string, exportedAt?: string) => ({
  lineId,
  cloudAccountId: id,
  provider: 'aws' as const,
  serviceName: 's',
  usageDate: '2026-01-03',
  costUSD: '1',
  exportId: 'e1',
  ...(exportedAt !== undefined && { exportedAt }),
})
const end = (fields: object = {}) => ({
  cloudAccountId: id,
  exportId: 'e1',
  exportedAt: at,
  periods: [{ period: '2026-01', lines: 2 }],
  ...fields,
})

function account() {
  const one = new Account()
  const send = (lineId: string, exportedAt?: string) =>
    one.actor.take(billingLine, line(lineId, exportedAt) as never, { needs: none }).refused
  const ends = (fields: object, needs: AccountNeeds = none) =>
    one.actor.take(billingExportEnded, end(fields) as never, { needs }).refused
  return { one, send, ends }
}

describe('an export in the account', () => {
  it('has one time: lines and ends of any other time are refused', () => {
    const { one, send, ends } = account()
    expect([send('a', at), send('b', later), send('c', at)]).to.deep.equal([
      undefined,
      'export_time_differs',
      undefined,
    ])
    expect(ends({ exportedAt: later })).to.equal('export_time_differs')
    expect(one.state.bills.open).to.deep.equal([])
    expect(ends({ exportedAt: at })).to.equal(undefined)
    expect(one.state.bills.open.map((open) => [open.id, open.state])).to.deep.equal([['e1', 'waiting']])
  })

  it('is refused at its end where the lines that are stored name another time', () => {
    const { one, ends } = account()
    const stored = { period: '2026-01', export: 'e1', day: '2026-01-03', lines: 2, billed: '2', effective: '2' }
    const needs = (time: string): AccountNeeds => ({
      ...none,
      counts: new Map([[accountKey('o1', id), [{ ...stored, oldest: time, newest: time } as never]]]),
    })
    expect(ends({}, needs(later))).to.equal('export_time_differs')
    expect([one.state.bills.open, one.state.bills.shown]).to.deep.equal([[], {}])
    expect(ends({}, needs(at))).to.equal(undefined)
    expect(one.state.bills.shown['2026-01']).to.include({ id: 'e1', complete: true })
  })

  it('must say its time, of a day that has come', () => {
    const { one, send, ends } = account()
    expect(send('a')).to.equal('export_time_missing')
    const now = one.actor.now
    const ahead = (hours: number) => new Date(now + hours * 3_600_000).toISOString()
    expect(send('a', ahead(25))).to.equal('export_in_future')
    expect(ends({ exportedAt: ahead(25) })).to.equal('export_in_future')
    expect([one.state.bills.open, one.state.bills.shown]).to.deep.equal([[], {}])
    expect(send('a', ahead(23))).to.equal(undefined)
  })

  it('names each billing period once, and no part beyond their number', () => {
    const { one, ends } = account()
    const twice = [1, 2].map((lines) => ({ period: '2026-01', lines }))
    expect(ends({ periods: twice })).to.equal('period_repeated')
    expect(ends({ part: { index: 3, of: 2 } })).to.equal('part_invalid')
    expect(one.state.bills.open).to.deep.equal([])
    expect(ends({ part: { index: 2, of: 2 } })).to.equal(undefined)
  })
})
