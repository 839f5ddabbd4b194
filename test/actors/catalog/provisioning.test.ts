import { expect } from 'chai'
import { spaceIdOf } from '#actors/catalog/job/advance.ts'
import { nothingNeeded, type ProvisioningNeeds } from '#actors/catalog/needs.ts'
import { provisioningActor } from '#actors/catalog/job/provisioning.ts'
import { provisioningBegun, provisioningChanged, provisionReported } from '#streams/catalog.ts'
import { provisioningKinds, stepsOf } from '#streams/cloud/provision.ts'
import { failures, Job, jobId, type Answer } from '#test/harness/catalog-job.ts'
import { MemoryActor } from '#test/harness/turn.ts'

const { throttled, quota, unsupported } = failures
const place = { cloudAccountId: 'acct-1', jobId }
const hourMs = 3_600_000
const waiting = 'waiting' as const

describe('a provisioning job', () => {
  it('goes through the steps of its kind in their order, each called for once, and is ready [PROV-01] [PROV-03] [PROV-21]', () => {
    for (const kind of provisioningKinds) {
      const job = new Job(kind)
      const called = stepsOf[kind].filter((step) => step !== 'register_space' && step !== 'resource_sync')
      expect(
        job.calls.map((call) => call.split('/')[0]),
        kind,
      ).to.deep.equal(called)
      expect(job.row.phase, kind).to.equal('ready')
      expect(job.steps, kind).to.deep.equal(stepsOf[kind].map((step) => `${step} succeeded 1`))
      expect([job.row.awaited, job.row.currentStep, job.row.attempts, [...job.actor.reminders.keys()]]).to.deep.equal([
        null,
        null,
        1,
        [],
      ])
    }
  })

  it('is queued before its first step, and never goes back to an earlier phase [PROV-03]', () => {
    const order = ['queued', 'validating', 'provisioning', 'configuring', 'verifying', 'ready']
    const expected = {
      kubernetes: 'validating validating provisioning provisioning provisioning configuring',
      datastore: 'validating validating provisioning provisioning provisioning configuring verifying',
      vm_pool: 'validating validating provisioning provisioning configuring verifying',
      network: 'validating provisioning verifying',
      registry: 'validating provisioning verifying',
      load_balancer: 'validating provisioning verifying',
      component: 'validating provisioning verifying',
      existing_datastore: 'validating provisioning verifying',
    }
    for (const kind of provisioningKinds) {
      const seen: string[] = []
      class Watched extends Job {
        override answer(input: any): void {
          seen.push(this.row.phase)
          super.answer(input)
        }
      }
      const job = new Watched(kind)
      expect(seen.join(' '), kind).to.equal(expected[kind])
      const ranks = [...seen, job.row.phase].map((phase) => order.indexOf(phase))
      expect(ranks, kind).to.deep.equal(ranks.toSorted((a, b) => a - b))
    }
  })

  it('leaves a load balancer of machines out unless it is asked for [PROV-25]', () => {
    const job = new Job('vm_pool', { config: { createLoadBalancer: false } })
    expect(job.steps[4]).to.equal('load_balancer skipped 0')
    expect(job.calls.some((call) => call.startsWith('load_balancer'))).to.equal(false)
    expect(job.row.phase).to.equal('ready')
  })

  it('of a cluster makes it a space and has the account looked through, each once [PROV-27]', () => {
    const job = new Job('kubernetes')
    const spaceId = spaceIdOf('o1', 'acct-1', 'us-east-1', 'arn:shop')
    const [registered, refreshed] = job.told
    expect(registered).to.deep.equal({
      type: 'space.registered',
      data: {
        spaceId,
        cloudAccountId: 'acct-1',
        provider: 'aws',
        region: 'us-east-1',
        kind: 'cluster',
        clusterUid: 'arn:shop',
        name: 'shop',
        jobId,
      },
    })
    expect([refreshed!.type, refreshed!.data.accounts]).to.deep.equal([
      'refresh.requested',
      [{ cloudAccountId: 'acct-1', provider: 'aws' }],
    ])
    expect(job.told).to.have.length(2)
    job.command('delete')
    expect(job.told.slice(2).map(({ type }) => type)).to.deep.equal([
      'space.unregistered',
      'space.unregistered',
      'refresh.requested',
    ])
    expect(job.told.slice(2, 4).map(({ data }) => data)).to.deep.equal([
      { spaceId, jobId, isGoing: true },
      { spaceId, jobId },
    ])
  })

  it('looks again every 15 seconds while the cloud is at it, under a name of its own each time', () => {
    const job = new Job('registry', { answers: ['done', 'waiting', 'waiting', 'done'] })
    expect([job.row.phase, job.row.awaited!.call]).to.deep.equal(['provisioning', ''])
    const began = job.now
    expect(job.actor.reminders.get('again')).to.equal(began + 15_000)
    job.pass(began + 15_000)
    expect(job.actor.reminders.get('again')).to.equal(began + 30_000)
    job.pass(began + 30_000)
    expect(job.calls).to.deep.equal(['validate/1/1', 'create/1/2', 'create/1/3', 'create/1/4', 'verify/1/5'])
    expect(job.row.phase).to.equal('ready')
  })

  it('keeps what a step has put out so far while the cloud is at it, for its next call, and not for a retry', () => {
    const job = new Job('registry', { answers: ['done', 'lost', quota, 'lost'] })
    const output = { operations: { 'repositories/images': 'operation-1' } }
    const kept = () => job.row.steps.find(({ name }) => name === 'create')!.output
    const [{ step, attempt, call }] = job.open
    job.take(provisionReported, { ...place, step, attempt, call, status: 'waiting', output })
    expect(kept()).to.deep.equal(output)
    job.pass(job.now + 15_000)
    expect([job.row.phase, kept()]).to.deep.equal(['failed', output])
    job.command('retry')
    expect([job.row.phase, kept()]).to.deep.equal(['provisioning', undefined])
  })

  it('is begun once, in a space that is there and not disabled, and no more than a hundred at a time', () => {
    const space = { cloudAccountId: 'acct-1', region: 'us-east-1', clusterUid: null, status: 'active' as const }
    const fresh = (): Job['actor'] => new MemoryActor(provisioningActor, { place: 'acct-1', key: jobId })
    const begun = (needs: Partial<ProvisioningNeeds>, actor = fresh()) => {
      const where = { spaceId: 'space-1', provider: 'aws', region: 'us-east-1', clusterUid: null }
      const what = { kind: 'registry' as const, name: 'Shop', config: {}, tags: {}, expiresAt: null, userId: 'u-1' }
      const data = { ...place, ...where, ...what }
      return actor.take(provisioningBegun, data, { needs: { ...nothingNeeded, ...needs } }).refused
    }
    expect({
      again: begun({ space }, new Job('registry').actor),
      none: begun({ space: undefined }),
      elsewhere: begun({ space: { ...space, region: 'eu-west-1' } }),
      ofAnother: begun({ space: { ...space, cloudAccountId: 'acct-2' } }),
      disabled: begun({ space: { ...space, status: 'disabled' } }),
      last: begun({ space, live: 99 }),
      tooMany: begun({ space, live: 100 }),
    }).to.deep.equal({
      again: 'already_exists',
      none: 'not_found',
      elsewhere: 'not_found',
      ofAnother: 'not_found',
      disabled: 'space_disabled',
      last: undefined,
      tooMany: 'too_many_jobs',
    })
  })

  it('changes name, tags and end without a step of it being run again [PROV-04] [PROV-05]', () => {
    const job = new Job('registry')
    const { phase, steps, attempts } = job.row
    const said = { ...place, name: 'Images', tags: { team: 'web' }, userId: 'u-2' }
    expect(job.take(provisioningChanged, said).replies).to.deep.equal([{ jobId }])
    expect(job.row).to.deep.include({ name: 'Images', tags: { team: 'web' }, phase, steps, attempts })
    expect(job.calls).to.have.length(3)
  })
})

describe('a step that fails', () => {
  it('for now is tried again 1, 2, 4, 8 and 16 seconds later, and then fails the job as something that may pass [PROV-30] [PROV-32]', () => {
    const job = new Job('registry', { answers: ['done', ...Array.from({ length: 6 }, () => throttled)] })
    const pauses: number[] = []
    for (let due = job.actor.reminders.get('again'); due !== undefined; due = job.actor.reminders.get('again')) {
      pauses.push((due - job.now) / 1000)
      job.pass(due)
    }
    expect(pauses).to.deep.equal([1, 2, 4, 8, 16])
    expect(job.row.phase).to.equal('failed')
    expect(job.row.error).to.deep.equal({
      bucket: 'transient',
      message: 'Slow down.',
      retryable: true,
      stepName: 'create',
    })
    expect(job.steps).to.deep.equal(['validate succeeded 1', 'create failed 1', 'verify pending 0'])
    expect(job.command('retry').refused).to.equal(undefined)
    expect([job.row.phase, job.row.attempts, job.row.error]).to.deep.equal(['ready', 2, null])
    expect(job.steps).to.deep.equal(['validate succeeded 1', 'create succeeded 2', 'verify succeeded 1'])
  })

  it('twice for now goes on by itself [PROV-32]', () => {
    const job = new Job('registry', { answers: ['done', throttled, throttled] })
    job.pass(job.now + 3000)
    expect([job.row.phase, job.row.attempts, job.steps[1]]).to.deep.equal(['ready', 1, 'create succeeded 1'])
  })

  it('for what people have to mend fails at once, with what to do and where, and is tried again when they say so [PROV-07] [PROV-31]', () => {
    const job = new Job('kubernetes', { answers: ['done', 'done', 'done', 'done', quota] })
    const error = {
      bucket: 'user_action',
      message: 'Too many.',
      fixHint: 'Ask for more.',
      consoleUrl: 'https://console.example.com/quotas',
      retryable: false,
      stepName: 'node_groups',
    }
    expect(job.row.error).to.deep.equal(error)
    expect(job.row.steps[4]!.error).to.deep.equal(error)
    expect(job.steps).to.deep.equal([
      'validate succeeded 1',
      'quota_check succeeded 1',
      'network succeeded 1',
      'control_plane succeeded 1',
      'node_groups failed 1',
      'verify pending 0',
      'register_space pending 0',
      'resource_sync pending 0',
    ])
    expect([job.row.phase, job.mails, job.row.defects]).to.deep.equal(['failed', [], []])
    job.command('retry')
    expect(job.calls.slice(5)).to.deep.equal(['node_groups/2/6', 'verify/1/7'])
    expect([job.row.phase, job.steps[4], job.row.steps[4]!.error]).to.deep.equal([
      'ready',
      'node_groups succeeded 2',
      undefined,
    ])
  })

  it('for a fault of ours fails, is kept for us, told to administrators, and not tried again [PROV-33]', () => {
    const job = new Job('registry', { answers: ['done', unsupported] })
    expect(job.row.error).to.deep.equal({
      bucket: 'system',
      message: 'Not known.',
      retryable: false,
      stepName: 'create',
    })
    expect(job.row.defects).to.deep.equal([
      { at: new Date(job.now).toISOString(), step: 'create', code: 'unsupported_call', message: 'Not known.' },
    ])
    expect(job.mails).to.deep.equal([{ ...place, template: 'provisioning.failed', userId: 'u-admin' }])
    expect(job.command('retry').refused).to.equal('not_retryable')
    expect(job.row.phase).to.equal('failed')
    job.command('delete')
    expect(job.row.phase).to.equal('deleted')
  })

  it('is a fault of ours after six hours in it, and what comes of it later means nothing', () => {
    const job = new Job('registry', { answers: ['done', ...Array.from({ length: 1439 }, () => waiting), 'lost'] })
    const began = job.now
    job.pass(began + 6 * hourMs - 1)
    expect(job.row.phase).to.equal('provisioning')
    job.pass(began + 6 * hourMs)
    expect(job.row.error).to.include({ bucket: 'system', stepName: 'create' })
    expect(job.row.defects[0]).to.include({ code: 'abandoned' })
    job.report(job.open[0], { status: 'done' })
    expect([job.row.phase, job.steps[1]]).to.deep.equal(['failed', 'create failed 1'])
    expect(job.command('retry').refused).to.equal('not_retryable')
  })

  it('counts the six hours from when it was begun, also where it is looked at all the while', () => {
    const job = new Job('registry', { answers: ['done', ...Array.from({ length: 2000 }, () => waiting)] })
    const began = job.now
    job.pass(began + 6 * hourMs)
    expect(job.row.defects.map(({ code }) => code)).to.deep.equal(['abandoned'])
    expect(job.actor.reminders.has('again')).to.equal(false)
  })

  it('is not forgotten where its reminder comes before the six hours are over by the clock of turns', () => {
    const job = new Job('registry', { answers: ['done', 'lost'] })
    const end = job.now + 6 * hourMs
    job.actor.reminders.delete('abandoned')
    job.due('abandoned', end - 40)
    expect([job.row.phase, job.actor.reminders.get('abandoned')]).to.deep.equal(['provisioning', end])
  })

  it('is looked at once more before it is given up, where nobody was there to look for six hours', () => {
    const away = (answer: Answer): Job => {
      const job = new Job('registry', { answers: ['done', waiting, answer] })
      job.actor.reminders.delete('again')
      job.due('abandoned', job.now + 7 * hourMs)
      return job
    }
    expect(away('done').row.phase).to.equal('ready')
    const under = away(waiting)
    expect(under.row.phase).to.equal('provisioning')
    under.pass(under.now + 15_000)
    expect(under.row.phase).to.equal('ready')
    // Both reminders are overdue then, and both are sent at once.
    const both = new Job('registry', { answers: ['done', waiting, waiting] })
    const began = both.now
    both.actor.reminders.clear()
    both.due('again', began + 7 * hourMs)
    both.due('abandoned', began + 7 * hourMs)
    both.due('abandoned', began + 7 * hourMs)
    expect([both.row.phase, both.actor.reminders.get('abandoned')]).to.deep.equal([
      'provisioning',
      began + 7 * hourMs + 15 * 60_000,
    ])
    both.pass(both.now + 15_000)
    expect(both.row.phase).to.equal('ready')
    const silent = away('lost')
    const looked = silent.now
    expect([silent.row.phase, silent.calls.at(-1)]).to.deep.equal(['provisioning', 'create/1/3'])
    silent.pass(looked + 15 * 60_000 - 1)
    expect(silent.row.phase).to.equal('provisioning')
    silent.pass(looked + 15 * 60_000)
    expect([silent.row.phase, silent.row.defects.map(({ code }) => code)]).to.deep.equal(['failed', ['abandoned']])
  })
})

describe('what answers a job', () => {
  it('means nothing for a call, step or attempt that is not awaited', () => {
    const job = new Job('registry', { answers: ['done', 'lost'] })
    const [open] = job.open
    const before = JSON.stringify(job.row)
    for (const other of [
      { ...open, call: 'create/1/1' },
      { ...open, step: 'verify' },
      { ...open, attempt: 2 },
      { ...open, call: 'validate/1/1', step: 'validate' },
    ]) {
      job.report(other, { status: 'done' })
      job.report(other, { status: 'failed', failure: quota })
    }
    expect(JSON.stringify(job.row)).to.equal(before)
    job.report(open, { status: 'done' })
    expect(job.row.phase).to.equal('ready')
    job.report(open, { status: 'failed', failure: unsupported })
    expect(job.row.phase).to.equal('ready')
  })

  it('too late, of the attempt before a retry, does not resume it', () => {
    const job = new Job('registry', { answers: ['done', quota, 'lost'] })
    const first = { step: 'create', attempt: 1, call: 'create/1/2' }
    job.command('retry')
    expect(job.row.awaited!.call).to.equal('create/2/3')
    job.report(first, { status: 'done' })
    expect([job.row.phase, job.steps[1]]).to.deep.equal(['provisioning', 'create running 2'])
  })

  it('keeps the sealed secrets that a step made, and none behind the end of the job', () => {
    const job = new Job('datastore', { answers: ['done', 'done', 'done', 'done', 'done', 'lost'] })
    job.report(job.open[0], {
      status: 'done',
      output: { user: 'admin', secretRef: 'secret://x/admin' },
      secrets: 's1.x.y',
    })
    expect([job.row.phase, job.row.secrets]).to.deep.equal(['ready', 's1.x.y'])
    job.command('delete')
    expect([job.row.phase, job.row.secrets]).to.deep.equal(['deleted', null])
  })
})
