import { expect } from 'chai'
import { BillAccountNames, subAccountId } from '#streams/billing/line/bill-account.ts'
import type { CostLine } from '#streams/billing/line/cost-line.ts'

const line = (x_Provider: string, SubAccountId?: string, BillingAccountId?: string) =>
  ({ x_Provider, ...(SubAccountId && { SubAccountId }), ...(BillingAccountId && { BillingAccountId }) }) as CostLine

describe('the accounts that a bill names', () => {
  it('are written as accounts are connected by them [G-116]', () => {
    const ids = [
      ['aws', '12345678901'],
      ['aws', '123456789012'],
      ['aws', 'sim-aws-1'],
      ['gcp', '123'],
      ['azure', '/subscriptions/0A1B'],
      ['azure', '0A1B'],
    ] as const
    expect(ids.map(([provider, id]) => subAccountId(provider, id))).to.deep.equal([
      '012345678901',
      '123456789012',
      'sim-aws-1',
      '123',
      '0a1b',
      '0a1b',
    ])
  })

  it('are known by billing period, each once, and billing accounts of lines without a sub-account alone [G-116]', () => {
    const names = new BillAccountNames()
    for (const sub of ['7', '000000000007', '222222222222']) names.add('2026-01', line('aws', sub, 'payer'))
    names.add('2026-01', line('aws', undefined, 'payer'))
    names.add('2026-02', line('aws', '8'))
    names.add('2026-02', line('aws'))
    expect(['2026-01', '2026-02', '2026-03'].map((period) => names.of(period))).to.deep.equal([
      { subAccounts: ['000000000007', '222222222222'], billingAccounts: ['payer'], zerosAdded: ['000000000007'] },
      { subAccounts: ['000000000008'], billingAccounts: [], zerosAdded: ['000000000008'] },
      { subAccounts: [], billingAccounts: [], zerosAdded: [] },
    ])
  })
})
