/** The tables of machines, against all that can happen to their actors. */
import { expect } from 'chai'
import { provisioningMachine } from '#actors/catalog/job/machine.ts'
import { provisioningActor } from '#actors/catalog/job/provisioning.ts'
import { nothingNeeded } from '#actors/catalog/needs.ts'
import { deliveryActor } from '#actors/notification/delivery/delivery.ts'
import { deliveryMachine } from '#actors/notification/delivery/machine.ts'
import { refreshActor } from '#actors/refresh/actor.ts'
import { refreshMachine } from '#actors/refresh/machine.ts'
import { scheduleActor } from '#actors/schedule/actor.ts'
import { scheduleMachine } from '#actors/schedule/machine.ts'
import type { Subject } from '#engine/actor/subject.ts'
import { provisioningBegun, provisioningCommanded, provisioningDue, provisionReported } from '#streams/catalog.ts'
import {
  deliveryDropped,
  deliveryDue,
  deliveryFolded,
  deliveryRecorded,
  deliveryReleased,
  deliveryReported,
  deliveryWanted,
} from '#streams/notification/messages.ts'
import { accountScanned, refreshCancelled, refreshRequested, refreshStalled } from '#streams/refresh.ts'
import { scheduleDue, scheduleRemoved, scheduleSaved } from '#streams/schedule.ts'
import { failures } from '#test/harness/catalog-job.ts'
import { listedMoves, watchMoves } from '#test/harness/moves.ts'
import { event, spike } from '#test/harness/told.ts'
import { MemoryActor } from '#test/harness/turn.ts'
import { Random } from '#test/sim/scheduler.ts'

type Message = readonly [Subject<any>, object]

describe('a machine makes every move that its table lists, and no other:', () => {
  it('a refresh', () => {
    const random = new Random(1)
    const watch = watchMoves(refreshActor, refreshMachine)
    let actor = new MemoryActor(refreshActor, { place: '-', key: 'current' })
    const accounts = (['aws', 'gcp'] as const).map((provider) => ({ cloudAccountId: provider, provider }))
    for (let n = 0; n < 5000; n++) {
      if (n % 50 === 0) actor = new MemoryActor(refreshActor, { place: '-', key: 'current' })
      const { refreshId, scans } = actor.state
      const scan = random.pick([
        ...scans.filter((one) => one.status === 'running'),
        { scanId: 'r', cloudAccountId: 'aws' },
      ])
      const scanned = { refreshId: scan.scanId, cloudAccountId: scan.cloudAccountId, discovered: 1 }
      const status = random.pick(['running', 'completed', 'failed'] as const)
      const [subject, data] = random.pick<Message>([
        [refreshRequested, { refreshId: `r-${n}`, accounts: accounts.slice(random.below(3)) }],
        [accountScanned, { ...scanned, status: 'completed', at: new Date(actor.now).toISOString() }],
        [accountScanned, { ...scanned, status, at: new Date(actor.now).toISOString() }],
        [refreshCancelled, {}],
        [refreshStalled, { refreshId }],
      ])
      actor.take(subject, data)
    }
    expect(watch.stop()).to.deep.equal(listedMoves(refreshMachine))
  })

  it('a schedule', () => {
    const random = new Random(1)
    const watch = watchMoves(scheduleActor, scheduleMachine)
    const actor = new MemoryActor(scheduleActor, { place: 's-1', key: 's-1' })
    const [{ terms }] = scheduleSaved.examples as any
    const scheduleId = 's-1'
    for (let n = 0; n < 500; n++) {
      const change = { ...terms, enabled: random.chance(0.5) }
      const due = { scheduleId, revision: actor.state.revision, fire: new Date(actor.now).toISOString() }
      const [subject, data] = random.pick<Message>([
        [scheduleSaved, { scheduleId, isNew: random.chance(0.5), terms: change }],
        [scheduleRemoved, { scheduleId }],
        [scheduleDue, due],
      ])
      actor.take(subject, data, { needs: new Map() })
    }
    expect(watch.stop()).to.deep.equal(listedMoves(scheduleMachine))
  })

  it('a delivery', () => {
    const random = new Random(1)
    const watch = watchMoves(deliveryActor, deliveryMachine)
    const actor = new MemoryActor(deliveryActor, { place: 'c-1', key: 'd-1' })
    const of = { channelId: 'c-1', deliveryId: 'd-1' }
    const quiet = { quietHours: { timezone: 'UTC', from: '00:00', to: '23:59' } }
    const take = (subject: Subject<any>, data: object, isBroken: boolean, more: object = {}) => {
      const channel = { exists: true, isMail: false, options: {}, hasFailed: true, nextProbeAt: null, waiting: 0 }
      const brokenSince = isBroken ? new Date(0) : null
      actor.take(subject, data, { needs: new Map([['o1\0c-1', { ...channel, brokenSince, ...more }]]) })
    }
    const failed = { ...of, outcome: 'retry', responseStatus: 0, message: '' }
    // The fifth attempt tests a channel that works by then.
    take(deliveryWanted, { ...of, event: event() }, true)
    for (const tries of [1, 2, 3, 4, 5]) {
      take(deliveryReleased, of, true)
      take(deliveryReported, { ...failed, tries }, tries < 5)
    }
    for (let n = 0; n < 5000; n++) {
      const report = { ...failed, tries: Math.max(actor.state.tries, 1) }
      const sent = { ...of, event: event(), kind: 'test', responseStatus: 0, message: '' }
      const goesOn: Message[] = [
        [deliveryReported, report],
        [deliveryDue, { ...of, why: 'retry' }],
        [deliveryDue, { ...of, why: 'quiet' }],
        [deliveryReleased, of],
      ]
      const begins: Message[] = [
        [deliveryWanted, { ...of, event: random.pick([event(), spike('critical')]) }],
        [deliveryRecorded, { ...sent, delivered: random.chance(0.5) }],
      ]
      const ends: Message[] = [
        [deliveryReported, { ...report, outcome: 'delivered' }],
        [deliveryReported, { ...report, outcome: 'final', isGone: random.chance(0.5) }],
        [deliveryDue, { ...of, why: 'limit' }],
        [deliveryDropped, { ...of, message: '' }],
        [deliveryFolded, { ...of, into: 'd-2' }],
      ]
      const isThere = actor.state.createdAt.getTime() > 0
      const [subject, data] = random.pick(isThere ? (random.chance(0.8) ? goesOn : ends) : begins)
      const options = random.pick([{}, { digest: 'daily' }, quiet, { fold: true }])
      take(subject, data, random.chance(0.5), { exists: random.chance(0.9), options })
    }
    expect(watch.stop()).to.deep.equal(listedMoves(deliveryMachine))
  })

  it('a provisioning job', () => {
    const random = new Random(1)
    const watch = watchMoves(provisioningActor, provisioningMachine)
    const of = { cloudAccountId: 'acct-1', jobId: 'j-1' }
    const where = { spaceId: 's-1', provider: 'aws', region: 'us-east-1', clusterUid: null }
    const space = { cloudAccountId: 'acct-1', region: 'us-east-1', clusterUid: null, status: 'active' as const }
    for (let n = 0; n < 300; n++) {
      const actor = new MemoryActor(provisioningActor, { place: 'acct-1', key: 'j-1' })
      const what = {
        kind: random.pick(['datastore', 'kubernetes', 'registry']),
        name: 'Shop',
        config: {},
        tags: {},
        userId: 'u-1',
      }
      const expiresAt = new Date(actor.now + 3_600_000).toISOString()
      const take = (subject: Subject<any>, data: object, at = actor.now) =>
        actor.take(subject, data, { at, needs: { ...nothingNeeded, space } })
      take(provisioningBegun, { ...of, ...where, ...what, expiresAt })
      for (let step = 0; step < 60; step++) {
        const { step: name = 'validate', call = '' } = actor.state.awaited ?? {}
        const { attempts: attempt = 1 } = actor.state.steps.find((one) => one.name === name) ?? {}
        const report = { ...of, step: name, attempt: Math.max(attempt, 1), call }
        const [subject, data] = random.pick<Message>([
          [provisionReported, { ...report, status: 'done' }],
          [provisionReported, { ...report, status: 'done' }],
          [provisionReported, { ...report, status: random.pick(['waiting', 'skipped'] as const) }],
          [provisionReported, { ...report, status: 'failed', failure: random.pick(Object.values(failures)) }],
          [provisioningDue, { ...of, what: 'again' }],
          [provisioningDue, { ...of, what: 'abandoned' }],
          [provisioningDue, { ...of, what: random.pick(['warn', 'expired'] as const) }],
          [provisioningCommanded, { ...of, verb: 'retry', userId: 'u-1' }],
          [provisioningCommanded, { ...of, verb: 'delete', userId: random.pick(['u-1', 'expiry']) }],
        ])
        take(subject, data, actor.now + ('what' in data && data.what === 'abandoned' ? 7 * 3_600_000 : 1000))
      }
    }
    expect(watch.stop()).to.deep.equal(listedMoves(provisioningMachine))
  })
})
