import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import { faultOf } from '#http/store/fault.ts'

const failed = (message: string, code?: string, cause?: unknown): Error =>
  Object.assign(new Error(message, { cause }), code === undefined ? {} : { code })

describe('a store that is away', () => {
  const away = {
    'refuses connections': failed('connect ECONNREFUSED 127.0.0.1:1', 'ECONNREFUSED'),
    'drops a connection': failed('socket hang up', 'ECONNRESET'),
    'is starting up': failed('the database system is starting up', '57P03'),
    'is shut down under a query': failed('terminating connection due to administrator command', '57P01'),
    'ends a connection in mid-air': failed('Connection terminated unexpectedly'),
    'does not answer in time': failed('Timeout error.'),
    'has no socket while it starts anew': Object.assign(failed('connect ENOENT /run/store.sock', 'ENOENT'), {
      syscall: 'connect',
    }),
    'ends a statement that takes too long': failed('canceling statement due to statement timeout', '57014'),
    'waits too long for a lock': failed('canceling statement due to lock timeout', '55P03'),
    'takes this one of two that wait for one another': failed('deadlock detected', '40P01'),
    'is hidden in a cause': failed('the driver failed', undefined, failed('gone', 'EPIPE')),
  }
  for (const [name, error] of Object.entries(away)) {
    it(`is unavailable, not broken, when it ${name}`, () => {
      const fault = faultOf(error)
      expect([fault.kind, fault.code, fault.cause]).to.deep.equal(['transient', 'unavailable', error])
      expect(fault.message).to.equal('A data store of the service is not responding.')
    })
  }

  it('is a conflict when somebody else wrote first what must be there once, and says nothing of the table', () => {
    const { kind, code, message } = faultOf(failed('duplicate key value violates "role_name"', '23505'))
    expect([kind, code, message]).to.deep.equal(['conflict', 'already_exists', 'It already exists.'])
  })

  it('leaves faults as they are, and every other error a defect', () => {
    const fault = Fault.missing('thing', 'x')
    expect(faultOf(fault)).to.equal(fault)
    expect(faultOf(failed('not null', '23502')).kind).to.equal('defect')
    expect(faultOf(new TypeError('x is not a function')).kind).to.equal('defect')
    const missing = Object.assign(failed('open ENOENT /etc/rate.csv', 'ENOENT'), { syscall: 'open' })
    expect(faultOf(missing).kind).to.equal('defect')
    expect(faultOf('a text').kind).to.equal('defect')
  })
})
