import { expect } from 'chai'
import { provisioningChanged, provisionReported } from '#streams/catalog.ts'
import { failures, Job, jobId } from '#test/harness/catalog-job.ts'

const { throttled, quota, unsupported } = failures
const place = { cloudAccountId: 'acct-1', jobId }
const dayMs = 86_400_000
const stepOf = (call: string): string => call.split('/')[0]!

describe('taking away what a job has made', () => {
  it('undoes its steps in reverse, those alone that leave something, and keeps the job [PROV-06]', () => {
    const job = new Job('kubernetes')
    const before = job.calls.length
    expect(job.command('delete').replies).to.deep.equal([{ jobId }])
    expect(job.calls.slice(before).map(stepOf)).to.deep.equal(['node_groups', 'control_plane', 'network'])
    expect([job.row.phase, job.row.undo, job.left, job.row.currentStep]).to.deep.equal(['deleted', [], 0, null])
  })

  it('leaves out steps that were never begun, and undoes the one that failed [PROV-06]', () => {
    const job = new Job('kubernetes', { answers: ['done', 'done', 'done', quota] })
    const before = job.calls.length
    job.command('delete')
    expect(job.calls.slice(before).map(stepOf)).to.deep.equal(['control_plane', 'network'])
    const first = new Job('registry', { answers: [quota] })
    first.command('delete')
    expect([first.calls, first.row.phase]).to.deep.equal([['validate/1/1'], 'deleted'])
  })

  it('tells the inventory what is gone, also where no scan would [PROV-06]', () => {
    const job = new Job('registry', { answers: ['done', 'done', 'done', 'lost'] })
    job.command('delete')
    const uids = ['registry/shop', 'registry/shop/policy']
    const told = job.report(job.open[0], { gone: uids }).emitted.filter(({ type }) => type === 'resource.deleted')
    expect(told.map(({ data }) => data)).to.deep.equal(
      uids.map((resourceUid) => ({ resourceUid, provider: 'aws', cloudAccountId: 'acct-1' })),
    )
    expect(job.row.phase).to.equal('deleted')
  })

  it('waits for what takes its time', () => {
    const job = new Job('registry', { answers: ['done', 'done', 'done', 'waiting'] })
    job.command('delete')
    expect([job.row.phase, job.row.currentStep]).to.deep.equal(['deleting', 'create'])
    job.pass(job.now + 15_000)
    expect(job.row.phase).to.equal('deleted')
  })

  it('keeps what is put out meanwhile for the next call, beside what the step has put out, until it is asked again', () => {
    const job = new Job('registry', { answers: ['done', 'done', 'done', 'lost', quota, 'lost'] })
    job.command('delete')
    const [{ step, attempt, call }] = job.open
    const outputs = job.row.steps.map(({ output }) => output)
    const output = { deletion: '/subscriptions/s/operationresults/1' }
    job.take(provisionReported, { ...place, step, attempt, call, status: 'waiting', output })
    expect([job.row.awaited?.progress, job.row.steps.map((one) => one.output)]).to.deep.equal([output, outputs])
    job.pass(job.now + 15_000)
    expect(job.row.phase).to.equal('delete_failed')
    job.command('delete')
    expect([job.row.phase, job.row.awaited?.progress]).to.deep.equal(['deleting', undefined])
  })

  it('is refused while the job is under way or being deleted, and when it is gone', () => {
    const job = new Job('registry', { answers: ['done', 'lost'] })
    expect(job.command('delete').refused).to.equal('job_active')
    expect(job.command('retry').refused).to.equal('job_active')
    const going = new Job('registry', { answers: ['done', 'done', 'done', 'lost'] })
    going.command('delete')
    expect([going.command('delete').refused, going.command('retry').refused]).to.deep.equal([
      'job_active',
      'invalid_transition',
    ])
    going.report(going.open[0], { status: 'done' })
    expect(going.row.phase).to.equal('deleted')
    expect([going.command('delete').refused, going.command('retry').refused]).to.deep.equal([
      'invalid_transition',
      'invalid_transition',
    ])
    expect(new Job('registry').command('retry').refused).to.equal('invalid_transition')
  })

  it('that fails for now is tried five times more, and goes on from there when it is asked for again [PROV-06]', () => {
    const made = Array.from({ length: 5 }, () => 'done' as const)
    const job = new Job('kubernetes', {
      answers: [...made, 'done', 'done', ...Array.from({ length: 6 }, () => throttled)],
    })
    job.command('delete')
    job.pass(job.now + 31_000)
    expect(job.row.phase).to.equal('delete_failed')
    expect(job.row.error).to.deep.equal({
      bucket: 'transient',
      message: 'Slow down.',
      retryable: true,
      stepName: 'control_plane',
    })
    expect([job.row.undo, job.left]).to.deep.equal([['control_plane', 'network'], 2])
    const before = job.calls.length
    job.command('delete')
    expect(job.calls.slice(before).map(stepOf)).to.deep.equal(['control_plane', 'network'])
    expect([job.row.phase, job.row.error, job.left]).to.deep.equal(['deleted', null, 0])
  })

  it('that people or we have to mend stops at once; each fault of ours is kept [PROV-33]', () => {
    const job = new Job('registry', { answers: ['done', 'done', 'done', quota, unsupported] })
    job.command('delete')
    expect([job.row.phase, job.row.error!.bucket, job.row.defects]).to.deep.equal(['delete_failed', 'user_action', []])
    job.command('delete')
    expect([job.row.phase, job.row.defects.map(({ code }) => code)]).to.deep.equal([
      'delete_failed',
      ['unsupported_call'],
    ])
    job.command('delete')
    expect([job.row.phase, job.left]).to.deep.equal(['deleted', 0])
  })

  it('of a server takes its databases and connections with it', () => {
    const job = new Job('datastore')
    job.needs = { ...job.needs, databases: ['db-1', 'db-2'], connections: ['c-1'] }
    job.command('delete')
    expect(job.told.map(({ type, data }) => [type, data.databaseId ?? data.connectionId])).to.deep.equal([
      ['database.forgotten', 'db-1'],
      ['database.forgotten', 'db-2'],
      ['connection.forgotten', 'c-1'],
    ])
  })
})

describe('a job that has an end', () => {
  const inDays = (days: number): string => new Date(Date.parse('2026-01-15T10:00:00Z') + days * dayMs).toISOString()

  it('is told of a day before, and then deleted as if somebody had', () => {
    const job = new Job('registry', { expiresAt: inDays(3) })
    job.pass(Date.parse(inDays(2)) - 1)
    expect(job.mails).to.deep.equal([])
    job.pass(Date.parse(inDays(2)))
    expect(job.mails).to.deep.equal([{ ...place, template: 'provisioning.expiring', userId: 'u-admin' }])
    job.pass(Date.parse(inDays(3)) - 1)
    expect(job.row.phase).to.equal('ready')
    job.pass(Date.parse(inDays(3)))
    expect([job.row.phase, job.left]).to.deep.equal(['deleted', 0])
  })

  it('of less than a day is told of at once', () => {
    const job = new Job('registry', { expiresAt: inDays(0.5) })
    job.pass(job.now)
    expect(job.mails).to.deep.equal([{ ...place, template: 'provisioning.expiring', userId: 'u-admin' }])
    job.pass(Date.parse(inDays(0.5)) - 1)
    expect(job.mails).to.have.length(1)
  })

  it('is kept where somebody gives it another end, or none', () => {
    const job = new Job('registry', { expiresAt: inDays(3) })
    job.take(provisioningChanged, { ...place, expiresAt: inDays(9), userId: 'u-1' })
    job.pass(Date.parse(inDays(7)))
    expect([job.row.phase, job.mails]).to.deep.equal(['ready', []])
    job.take(provisioningChanged, { ...place, expiresAt: null, userId: 'u-1' })
    job.pass(Date.parse(inDays(30)))
    expect([job.row.phase, job.row.expiresAt, job.mails]).to.deep.equal(['ready', null, []])
  })

  it('is deleted when it is done with what it was at', () => {
    const job = new Job('registry', { expiresAt: inDays(0.1), answers: ['done', 'lost'] })
    job.pass(Date.parse(inDays(0.1)) + 60_000)
    expect(job.row.phase).to.equal('provisioning')
    job.report(job.open[0], { status: 'done' })
    expect(job.row.phase).to.equal('ready')
    job.pass(job.now + 5 * 60_000)
    expect(job.row.phase).to.equal('deleted')
  })

  it('is taken away again each hour until it is gone, where it would not go when it had expired', () => {
    const hourMs = 3_600_000
    const throttles = Array.from({ length: 6 }, () => throttled)
    const job = new Job('registry', { expiresAt: inDays(3), answers: ['done', 'done', 'done', ...throttles, quota] })
    const end = Date.parse(inDays(3))
    job.pass(end + 31_000)
    expect([job.row.phase, job.actor.reminders.get('expired')]).to.deep.equal(['delete_failed', end + 31_000 + hourMs])
    job.pass(end + 31_000 + hourMs)
    expect([job.row.phase, job.row.error!.bucket]).to.deep.equal(['delete_failed', 'user_action'])
    job.pass(end + 31_000 + 2 * hourMs)
    expect([job.row.phase, job.left]).to.deep.equal(['deleted', 0])
    const early = new Job('registry', { answers: ['done', 'done', 'done', quota] })
    early.command('delete')
    expect([early.row.phase, [...early.actor.reminders.keys()]]).to.deep.equal(['delete_failed', []])
  })

  it('that only we can mend is taken away again once a day, and told of each time [PROV-33]', () => {
    const job = new Job('registry', {
      expiresAt: inDays(3),
      answers: ['done', 'done', 'done', unsupported, unsupported],
    })
    job.pass(Date.parse(inDays(4)) - 1)
    expect([job.row.phase, job.row.defects.length]).to.deep.equal(['delete_failed', 1])
    job.pass(Date.parse(inDays(4)))
    expect([job.row.phase, job.row.defects.length]).to.deep.equal(['delete_failed', 2])
    job.pass(Date.parse(inDays(5)))
    expect([job.row.phase, job.left]).to.deep.equal(['deleted', 0])
  })

  it('is not forgotten where its reminder comes before its end by the clock of turns', () => {
    const job = new Job('registry', { expiresAt: inDays(3) })
    job.actor.reminders.delete('expired')
    job.due('expired', Date.parse(inDays(3)) - 40)
    expect([job.row.phase, job.actor.reminders.get('expired')]).to.deep.equal(['ready', Date.parse(inDays(3))])
  })

  it('is not deleted twice: one that is gone, or going, has heard of it', () => {
    const job = new Job('registry', { expiresAt: inDays(3) })
    job.command('delete')
    expect([job.row.phase, [...job.actor.reminders.keys()]]).to.deep.equal(['deleted', []])
    expect(job.command('delete', 'expiry').refused).to.equal(undefined)
  })

  it('leaves a server that no job has created, and refuses while databases of the job are on it', () => {
    const job = new Job('existing_datastore')
    job.needs = { ...job.needs, databases: ['db-1'] }
    expect([job.command('delete').refused, job.row.phase]).to.deep.equal(['databases_exist', 'ready'])
    job.needs = { ...job.needs, databases: [] }
    job.command('delete')
    expect([job.calls.map(stepOf).slice(-1), job.row.phase]).to.deep.equal([['connect'], 'deleted'])
  })

  it('that has expired is tried again later while databases are on a server that no job has created', () => {
    const job = new Job('existing_datastore', { expiresAt: inDays(3) })
    job.needs = { ...job.needs, databases: ['db-1'] }
    job.pass(Date.parse(inDays(3)))
    expect(job.row.phase).to.equal('ready')
    job.needs = { ...job.needs, databases: [] }
    job.pass(Date.parse(inDays(3)) + 5 * 60_000)
    expect(job.row.phase).to.equal('deleted')
  })
})
