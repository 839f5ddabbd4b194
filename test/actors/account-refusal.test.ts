import { expect } from 'chai'
import { Account, none } from '#test/harness/account.ts'

describe('an account in error because its cloud refused the credentials', () => {
  let account: Account
  const at = (second: number) => Date.parse(`2026-01-15T10:00:${String(second).padStart(2, '0')}Z`)
  const scanned = (from: number, fields: object = {}) => {
    account.scan(`s-${from}`, 'running', {}, none, at(from))
    return account.scan(`s-${from}`, 'completed', fields)
  }
  beforeEach(() => {
    account = new Account()
    account.connect()
  })

  it('is what it was before once a scan that began later sees something', () => {
    for (const [verdict, status, ...missing] of [
      ['read_write', 'connected'],
      ['read_only', 'degraded', 'ec2:StopInstances'],
    ] as const) {
      account.verify(verdict, ...missing)
      account.refuse('Expired.', { time: at(5) })
      account.refuse('Expired still.', { time: at(10) })
      scanned(7)
      expect(account.state).to.include({ status: 'error', message: 'Expired still.' })
      scanned(12)
      expect(account.state).to.include({ status, permissionVerdict: verdict, message: null, refusal: null })
      expect(account.state.missingPermissions).to.deep.equal(missing)
    }
  })

  it('is degraded where that scan lacks something, and says what was not seen', () => {
    account.verify('read_write')
    account.refuse('Expired.', { time: at(5) })
    scanned(6, { missingPermissions: ['logs:DescribeLogGroups'], message: 'Log groups could not be seen.' })
    expect(account.state).to.include({ status: 'degraded', message: 'Log groups could not be seen.' })
  })

  it('waits to be verified where nobody knew what they were good for, or they are others now', () => {
    account.refuse('Expired.', { time: at(5) })
    expect(scanned(6).emitted.map(({ type }) => type)).to.not.include('billing.sync_requested')
    expect(account.state).to.include({ status: 'pending', permissionVerdict: 'unknown' })
    account.verify('read_write')
    account.refuse('Expired.', { time: at(10) })
    account.patch({ credentials: 'others' })
    scanned(30)
    expect(account.state).to.include({ status: 'pending', permissionVerdict: 'unknown' })
  })

  it('stays so where a check said it: a scan is no check', () => {
    account.verify('none')
    account.refuse('Expired.', { time: at(5) })
    scanned(6)
    expect(account.state).to.include({ status: 'error', permissionVerdict: 'none' })
  })
})
