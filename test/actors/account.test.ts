import { expect } from 'chai'
import fc from 'fast-check'
import type { CloudAccount } from '#actors/account/entity.ts'
import { accountKey, blindedMax, blindKey, type AccountNeeds } from '#actors/account/needs.ts'
import { deepCopy } from '#engine/actor/row.ts'
import { accountBlinding, accountMetricsFailed, accountRescanDue, accountVerified } from '#streams/account/messages.ts'
import { billingDayClosed } from '#streams/billing/messages.ts'
import { metricCollected } from '#streams/metric/messages.ts'
import { scanEnded } from '#streams/refresh.ts'
import { Account, connection, gone, id, none } from '#test/harness/account.ts'
import type { Done } from '#test/harness/turn.ts'

describe('actor account', () => {
  let account: Account
  beforeEach(() => void (account = new Account()))

  it('is connected by a person, with what was said of it', () => {
    expect(account.connect().replies).to.deep.equal([{ id }])
    const at = new Date('2026-01-15T10:00:01Z')
    expect(deepCopy(account.state)).to.deep.include({
      ...connection,
      status: 'pending',
      permissionVerdict: 'unknown',
      createdAt: at,
      updatedAt: at,
    })
    expect(account.connect().refused).to.equal('already_exists')
  })

  it('comes to be with the first event that names it', () => {
    account.actor.take(billingDayClosed, { cloudAccountId: id, date: '2026-01-14' }, { needs: none })
    expect(account.state).to.include({ name: id, externalId: id, provider: '', status: 'connected' })
    account.feed()
    expect(account.state).to.include({ provider: 'aws', status: 'connected' })
    expect(account.state.createdAt).to.deep.equal(new Date('2026-01-15T10:00:01Z'))
    expect(account.connect().refused).to.equal('already_exists')
  })

  it('remembers the newest day its bills are closed for', () => {
    for (const date of ['2026-01-14', '2026-01-12', '2026-01-15', '2026-01-13']) {
      account.actor.take(billingDayClosed, { cloudAccountId: id, date }, { needs: none })
    }
    expect(account.state.billingClosedDay).to.equal('2026-01-15')
  })

  it('follows what its credentials turn out to be good for; no answer says nothing about them', () => {
    account.connect()
    const seen = [
      ['unknown', [], 'pending'],
      ['read_write', [], 'connected'],
      ['read_only', ['ec2:StopInstances'], 'degraded'],
      ['unknown', [], 'degraded'],
      ['read_write', [], 'connected'],
      ['none', ['ec2:DescribeInstances'], 'error'],
      ['unknown', [], 'error'],
      ['read_write', [], 'connected'],
    ] as const
    for (const [verdict, missing, status] of seen) {
      account.verify(verdict, ...missing)
      expect([account.state.permissionVerdict, account.state.missingPermissions, account.state.status]).to.deep.equal([
        verdict,
        missing,
        status,
      ])
    }
  })

  it('is degraded by what a scan is denied until one sees everything; what scans do not need stays missing', () => {
    account.connect()
    account.verify('read_write')
    const denied = { missingPermissions: ['ec2:DescribeVolumes'], message: 'EBS volumes could not be discovered.' }
    const scanned = (refreshId: string, fields: object = {}) => {
      account.scan(refreshId, 'completed', fields)
      return [account.state.status, account.state.missingPermissions]
    }
    expect(scanned('s1', denied)).to.deep.equal(['degraded', ['ec2:DescribeVolumes']])
    expect(scanned('s2', { message: 'RDS databases could not be discovered.' })).to.deep.equal([
      'degraded',
      ['ec2:DescribeVolumes'],
    ])
    expect(scanned('s3', { rescan: { types: ['aws-rds'], attempt: 1 } })).to.deep.equal([
      'degraded',
      ['ec2:DescribeVolumes'],
    ])
    expect(scanned('s4')).to.deep.equal(['connected', []])
    account.verify('read_only', 'ec2:StopInstances')
    expect(scanned('s5', denied)).to.deep.equal(['degraded', ['ec2:DescribeVolumes', 'ec2:StopInstances']])
    expect(scanned('s6')).to.deep.equal(['degraded', ['ec2:StopInstances']])
  })

  it('scans types again five minutes after a scan that could not read them, three times at most', () => {
    account.connect()
    account.verify('read_write')
    const types = ['aws-rds', 'aws-redshift']
    const message = 'RDS databases could not be discovered.'
    account.scan('s1', 'completed', { lostTypes: types, message })
    for (const attempt of [1, 2, 3]) {
      expect(account.actor.reminders.get('rescan')).to.equal(account.actor.now + 300_000)
      const due = { id, rescan: { types, attempt } }
      const at = account.actor.now + 300_000
      const { emitted } = account.actor.take(accountRescanDue, due, { needs: none, at, reminder: 'rescan' })
      const accounts = [{ cloudAccountId: id, provider: 'aws', rescan: { types, attempt } }]
      expect(emitted.map(({ type, data }) => [type, data.accounts])).to.deep.equal([['refresh.requested', accounts]])
      account.scan(`again-${attempt}`, 'completed', { lostTypes: types, message, rescan: { types, attempt } })
    }
    expect(account.actor.reminders.has('rescan')).to.equal(false)
    account.scan('s2', 'completed', { lostTypes: types, message })
    account.scan('again', 'completed', { rescan: { types, attempt: 1 } })
    expect([account.actor.reminders.has('rescan'), account.state.message]).to.deep.equal([false, null])
  })

  it('shows that its metrics could not be read until they are', () => {
    account.connect()
    account.verify('read_write')
    const collected = {
      cloudAccountId: id,
      from: '2026-01-15T09:00:00.000Z',
      through: '2026-01-15T10:00:00.000Z',
      fetched: {},
    }
    account.actor.take(accountMetricsFailed, { id, message: 'Rate exceeded' }, { needs: none })
    expect(account.state).to.include({ message: 'Metrics could not be read: Rate exceeded', status: 'connected' })
    account.actor.take(metricCollected, collected, { needs: none })
    expect(account.state.message).to.equal(null)
    account.scan('s1', 'completed', { message: 'EBS volumes could not be discovered.' })
    account.actor.take(metricCollected, collected, { needs: none })
    expect(account.state.message).to.equal('EBS volumes could not be discovered.')
  })

  it('has an error as soon as its cloud refuses the credentials, which no scan that was under way mends, nor one that fails or sees nothing, and a check does', () => {
    account.connect()
    const at = { read_write: Date.parse('2026-01-15T11:00:00Z'), read_only: Date.parse('2026-01-15T12:00:00Z') }
    for (const [verdict, ...missing] of [['read_write'], ['read_only', 'ec2:StopInstances']] as const) {
      account.verify(verdict, ...missing)
      account.scan(verdict, 'running', {}, none, at[verdict])
      account.refuse('Expired. Renew them.', { time: at[verdict] + 5000 })
      const refused = { status: 'error', permissionVerdict: 'none', message: 'Expired. Renew them.' }
      expect(account.state).to.include(refused)
      account.scan(verdict, 'completed')
      expect(account.state).to.include(refused)
      account.scan(`${verdict}-1`, 'running', {}, none, at[verdict] + 10_000)
      account.scan(`${verdict}-1`, 'completed', { complete: false })
      expect(account.state).to.include(refused)
      account.scan(`${verdict}-2`, 'failed', { message: 'Expired.' })
      expect(account.state).to.include(refused)
    }
    const mended = account.verify('read_write')
    expect(account.state).to.include({ status: 'connected', message: null })
    expect(mended.emitted.map(({ type, data }) => [type, data.accounts])).to.deep.equal([
      ['refresh.requested', [{ cloudAccountId: id, provider: 'aws' }]],
    ])
    expect(account.verify('read_write').emitted).to.deep.equal([])
  })

  it('is looked through again once its credentials work, also after the cloud was out of reach or it was disabled', () => {
    account.connect()
    account.verify('read_write')
    const refreshes = ({ emitted }: Done) => emitted.filter(({ type }) => type === 'refresh.requested').length
    account.refuse()
    expect([account.verify('unknown'), account.verify('read_write')].map(refreshes)).to.deep.equal([0, 1])
    account.verify('none')
    account.patch({ enabled: false })
    account.patch({ enabled: true })
    expect(refreshes(account.verify('read_only'))).to.equal(1)
  })

  it('stays disabled or removed whatever its cloud refuses, and takes no word from before its last good check', () => {
    account.connect()
    account.verify('read_write')
    const { now } = account.actor
    account.refuse('Old.', { time: now - 1 })
    expect(account.state).to.include({ status: 'connected', permissionVerdict: 'read_write', message: null })
    account.patch({ enabled: false })
    account.refuse()
    expect(account.state.status).to.equal('disabled')
    account.remove()
    const { refused } = account.refuse()
    expect([refused, account.state.status]).to.deep.equal([undefined, 'deleted'])
  })

  it('tells all its resources once that nobody sees them, a thousand a turn, and stops when it is mended', () => {
    account.connect()
    account.verify('read_write')
    const uids = Array.from({ length: 2 * blindedMax + 5 }, (_, n) => `i-${String(n).padStart(5, '0')}`)
    const behind = (after: string): AccountNeeds => {
      const next = uids.filter((uid) => uid > after).slice(0, blindedMax)
      return { ...none, blind: new Map([[blindKey('o1', id, after), next]]) }
    }
    const told = ({ emitted }: Done) =>
      emitted.map(({ type, data }) => (type === 'account.blinded' ? (data.resourceUid as string) : type))
    const goOn = (after: string) => {
      account.actor.reminders.delete('blinding')
      return told(account.actor.take(accountBlinding, { id, after }, { needs: behind(after), reminder: 'blinding' }))
    }
    const first = told(account.refuse('Expired.', { needs: behind('') }))
    expect(account.actor.reminders.get('blinding')).to.equal(account.actor.now)
    expect(told(account.refuse('Expired.', { needs: behind('') }))).to.deep.equal([])
    const second = goOn(first.at(-1)!)
    expect(account.actor.reminders.has('blinding')).to.equal(true)
    const third = goOn(second.at(-1)!)
    expect(account.actor.reminders.has('blinding')).to.equal(false)
    expect([...first, ...second, ...third]).to.deep.equal(uids)
    account.verify('read_write')
    expect(goOn(first.at(-1)!)).to.deep.equal([])
  })

  it('tells its resources too when a check finds the credentials good for nothing', () => {
    account.connect()
    account.verify('read_write')
    const needs = { ...none, blind: new Map([[blindKey('o1', id, ''), ['i-1']]]) }
    const data = { id, verdict: 'none' as const, missingPermissions: [], message: 'Refused.' }
    const check = () => account.actor.take(accountVerified, data, { needs }).emitted
    expect(check()).to.deep.equal([{ type: 'account.blinded', data: { id, resourceUid: 'i-1' } }])
    expect(check()).to.deep.equal([])
  })

  it('has all its bills read anew where they are somewhere else, once it is verified', () => {
    account.connect()
    const patch = (history: boolean) =>
      account
        .patch({ billingExport: { kind: 'focus', location: 's3://bills' }, history })
        .emitted.map(({ type, data }) => [type, data.history])
    expect(patch(true)).to.deep.equal([])
    account.verify('read_write')
    expect(patch(false)).to.deep.equal([])
    expect(patch(true)).to.deep.equal([['billing.sync_requested', true]])
    expect(account.state.billingExport).to.deep.equal({ kind: 'focus', location: 's3://bills' })
  })

  it('is disabled and enabled by a person only', () => {
    account.connect()
    account.verify('read_write')
    account.patch({ enabled: false })
    account.verify('read_write')
    expect(account.state.status).to.equal('disabled')
    account.patch({ name: 'Shop' })
    expect(account.state).to.include({ name: 'Shop', status: 'disabled' })
    account.patch({ enabled: true })
    expect(account.state.status).to.equal('pending')
  })

  it('takes its resources along when it is removed, forgets its credentials, and may be connected again', () => {
    account.connect()
    const removed = account.remove(gone('i-1', 'i-2'))
    expect(removed.emitted).to.deep.equal(
      ['i-1', 'i-2'].map((resourceUid) => ({
        type: 'resource.deleted',
        data: { resourceUid, provider: 'aws', cloudAccountId: id },
      })),
    )
    expect(account.state).to.include({ status: 'deleted', credentials: null })
    for (const refused of [account.remove(), account.patch({ name: 'x' }), account.verify('read_write')]) {
      expect(refused.refused).to.equal('not_found')
    }
    account.feed()
    expect(account.state.status).to.equal('deleted')
    expect(account.connect().refused).to.equal(undefined)
    expect(account.state).to.include({ status: 'pending', credentials: 'sealed' })
  })

  it('reports a scan and, once it has found everything, deletes what it did not find, the end behind the deletions [DISC-15]', () => {
    account.connect()
    const running = account.scan('r1', 'running')
    const told = { refreshId: 'r1', cloudAccountId: id, discovered: 0 }
    expect(running.emitted).to.deep.equal([
      { type: 'refresh.account_scanned', data: { ...told, status: 'running', at: '2026-01-15T10:00:02.000Z' } },
    ])
    expect(account.state).to.deep.include({ refreshId: 'r1', refreshStartedAt: new Date('2026-01-15T10:00:02Z') })
    const ended = account.scan('r1', 'completed', { discovered: 7 }, gone('i-9'))
    const data = { ...told, discovered: 7, status: 'completed' as const, at: '2026-01-15T10:00:03.000Z' }
    expect(ended.emitted).to.deep.equal([
      { type: 'resource.deleted', data: { resourceUid: 'i-9', provider: 'aws', cloudAccountId: id, refreshId: 'r1' } },
      { type: 'refresh.scan_ended', data },
    ])
    expect(account.state).to.deep.include({ refreshId: '', refreshStartedAt: null, lastSyncedAt: null })
    const over = account.actor.take(scanEnded, data, { needs: none })
    expect(over.emitted).to.deep.equal([{ type: 'refresh.account_scanned', data }])
    expect(account.state.lastSyncedAt).to.deep.equal(new Date('2026-01-15T10:00:03Z'))
  })

  it('deletes as of the end of the scan, however late that is taken, what had been seen before it [DISC-15]', () => {
    const began = Date.parse('2026-01-15T04:00:00Z')
    const ended = Date.parse('2026-01-15T04:05:00Z')
    account.scan('r1', 'running', {}, none, began)
    account.scan('r1', 'running', { discovered: 1 }, none, began + 1000)
    expect(account.state.refreshStartedAt).to.deep.equal(new Date(began))
    const seen = [ended - 1, ended, ended + 1].map((at) => ({
      uid: `i-${at - ended}`,
      provider: 'aws',
      seenAt: new Date(at),
    }))
    const needs = { ...none, gone: new Map([[accountKey('o1', id), seen]]) }
    const { emitted, times } = account.scan('r1', 'completed', {}, needs, ended)
    expect(emitted.map(({ type, data }, i) => [times[i], type, data.resourceUid])).to.deep.equal([
      ['2026-01-15T04:05:00.000Z', 'resource.deleted', 'i--1'],
      ['2026-01-15T10:00:03.000Z', 'refresh.scan_ended', undefined],
    ])
    const removed = account.remove(needs)
    expect(removed.times).to.deep.equal(Array.from(seen, () => '2026-01-15T10:00:04.000Z'))
  })

  it('deletes nothing after a scan that failed or saw only a part', () => {
    account.connect()
    const failed = account.scan('r1', 'failed', { message: 'Access denied.' }, gone('i-9'))
    expect(failed.emitted.map(({ type, data }) => [type, data.status])).to.deep.equal([
      ['refresh.account_scanned', 'failed'],
    ])
    expect(account.state).to.include({ message: 'Access denied.', lastSyncedAt: null })
    const partly = account.scan('r2', 'completed', { complete: false }, gone('i-9'))
    expect(partly.emitted.map(({ type }) => type)).to.deep.equal(['refresh.scan_ended'])
    expect(account.state.message).to.equal(null)
  })

  it('takes the end of a scan once, and no word of it after that', () => {
    account.connect()
    account.scan('r1', 'running')
    account.scan('r1', 'completed')
    const before = deepCopy(account.state)
    for (const status of ['completed', 'failed', 'running'] as const) {
      expect(account.scan('r1', status, {}, gone('i-9')).emitted).to.deep.equal([])
    }
    expect(deepCopy(account.state)).to.deep.equal(before)
  })
})

type Command =
  | 'refused'
  | 'connect'
  | 'feed'
  | 'remove'
  | 'on'
  | 'off'
  | 'rename'
  | CloudAccount['permissionVerdict']
  | 'degraded'
const commands: readonly Command[] = [
  'connect',
  'feed',
  'remove',
  'on',
  'off',
  'rename',
  'none',
  'unknown',
  'read_only',
  'read_write',
  'degraded',
  'refused',
]

const act = (account: Account, command: Command): Done => {
  if (command === 'connect') return account.connect()
  if (command === 'feed') return account.feed()
  if (command === 'refused') return account.refuse()
  if (command === 'remove') return account.remove()
  if (command === 'rename') return account.patch({ name: 'x' })
  if (command === 'on' || command === 'off') return account.patch({ enabled: command === 'on' })
  return command === 'degraded' ? account.verify('read_only', 'ec2:StopInstances') : account.verify(command)
}

/** Section 9 of the decisions; `none`: nothing has named it yet. */
const moves: Record<string, readonly string[]> = {
  none: ['pending', 'connected'],
  pending: ['connected', 'degraded', 'error', 'disabled', 'deleted'],
  connected: ['degraded', 'error', 'disabled', 'deleted'],
  degraded: ['connected', 'error', 'disabled', 'deleted'],
  error: ['connected', 'degraded', 'disabled', 'deleted'],
  disabled: ['pending', 'deleted'],
  deleted: ['pending'],
}

describe('actor account, whatever is done to it', () => {
  it('never leaves the listed transitions, and a refusal changes nothing', () => {
    const statusOf = ({ state }: Account) => (state.createdAt.getTime() === 0 ? 'none' : state.status)
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...commands), { maxLength: 30 }), (list) => {
        const account = new Account()
        for (const command of list) {
          const before = deepCopy(account.state)
          const from = statusOf(account)
          const { refused } = act(account, command)
          const to = statusOf(account)
          if (from !== to) expect(moves[from], `${command}: ${from} -> ${to}`).to.include(to)
          if (refused !== undefined) expect(deepCopy(account.state)).to.deep.equal(before)
          if (['none', 'deleted'].includes(from) && !['connect', 'feed', 'refused'].includes(command)) {
            expect(refused).to.equal('not_found')
          }
        }
      }),
      { numRuns: 500 },
    )
  })
})
