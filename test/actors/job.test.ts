import { expect } from 'chai'
import { jobActor } from '#actors/job/actor.ts'
import { nextDue } from '#actors/job/schedule.ts'
import { jobDue, jobEnded, jobRequested, jobWanted, type JobName } from '#streams/job.ts'
import { MemoryActor } from '#test/harness/turn.ts'

const at = (text: string): number => Date.parse(text)
const iso = (ms: number | undefined): string | undefined => (ms === undefined ? undefined : new Date(ms).toISOString())

describe('the times of jobs', () => {
  const next = (job: JobName, last: string, now = last) => nextDue(job, new Date(last), new Date(now)).toISOString()

  it('are 04:30 UTC for anomalies, two hours and a half behind the bills [ANOM-07] [BILL-08]', () => {
    expect(next('anomaly-detection', '2026-01-15T04:29:59.999Z')).to.equal('2026-01-15T04:30:00.000Z')
    expect(next('anomaly-detection', '2026-01-15T04:30:00Z')).to.equal('2026-01-16T04:30:00.000Z')
    expect(next('billing-sync', '2026-01-15T01:59:59Z')).to.equal('2026-01-15T02:00:00.000Z')
  })

  it('are 05:00 UTC on the third for snapshots, over the ends of years [SNAP-02]', () => {
    expect(next('monthly-snapshot', '2026-01-03T04:59:59Z')).to.equal('2026-01-03T05:00:00.000Z')
    expect(next('monthly-snapshot', '2026-12-03T05:00:00Z')).to.equal('2027-01-03T05:00:00.000Z')
  })

  it('make up for the last ones of an outage and leave out what is older', () => {
    expect(next('anomaly-detection', '2026-01-15T04:30:00Z', '2026-01-18T12:00:00Z')).to.equal(
      '2026-01-16T04:30:00.000Z',
    )
    expect(next('anomaly-detection', '2026-01-15T04:30:00Z', '2026-03-15T12:00:00Z')).to.equal(
      '2026-03-09T04:30:00.000Z',
    )
    expect(next('budget-evaluation', '2026-01-15T04:00:00Z', '2026-01-18T12:20:00Z')).to.equal(
      '2026-01-18T12:00:00.000Z',
    )
    expect(next('billing-sync', '2026-01-15T02:00:00Z', '2026-01-18T12:00:00Z')).to.equal('2026-01-18T02:00:00.000Z')
  })
})

describe('the times of jobs that ask clouds', () => {
  const hourMs = 3_600_000
  const start = new Date('2026-01-15T00:00:00Z')
  const first = (job: JobName, org: string) => nextDue(job, start, start, org).getTime() - start.getTime()
  const orgs = Array.from({ length: 200 }, (_, i) => `org-${i}`)

  it('are every six hours for discovery and every quarter of an hour for states, of each organization', () => {
    for (const [job, everyMs] of [
      ['discovery', 6 * hourMs],
      ['status-scan', hourMs / 4],
    ] as const)
      for (const org of orgs) {
        const due = nextDue(job, start, start, org)
        expect(due.getTime() - start.getTime(), `${job} ${org}`).to.be.within(1, everyMs)
        expect(nextDue(job, due, due, org).getTime() - due.getTime(), `${job} ${org}`).to.equal(everyMs)
      }
  })

  it('are spread evenly over the time between: no tenth of it has more than twice its share', () => {
    const tenths = new Map<number, number>()
    for (const org of orgs) {
      const tenth = Math.floor(((first('discovery', org) - 1) / (6 * hourMs)) * 10)
      tenths.set(tenth, (tenths.get(tenth) ?? 0) + 1)
    }
    expect(tenths.size).to.equal(10)
    expect(Math.max(...tenths.values())).to.be.at.most(40)
  })
})

describe('a job of an organization', () => {
  const job = 'anomaly-detection'
  const begun = () => {
    const actor = new MemoryActor(jobActor, { place: '-', key: job })
    actor.take(jobWanted, { job }, { at: at('2026-01-15T10:00:00Z') })
    return actor
  }

  it('waits for its next time once it is wanted, and only once', () => {
    const actor = begun()
    actor.take(jobWanted, { job }, { at: at('2026-01-20T10:00:00Z') })
    expect(iso(actor.reminders.get('due'))).to.equal('2026-01-16T04:30:00.000Z')
  })

  it('runs once a due time, however late, and waits for the next', () => {
    const actor = begun()
    const due = '2026-01-16T04:30:00.000Z'
    const { calls } = actor.take(jobDue, { job, due }, { at: at('2026-01-16T04:31:07Z'), reminder: 'due' })
    expect(calls).to.deep.equal([
      {
        name: 'run-job',
        key: `job/o1/${job}/${due}`,
        input: { job, runId: due, at: due, isDue: true, through: '' },
      },
    ])
    expect(iso(actor.reminders.get('due'))).to.equal('2026-01-17T04:30:00.000Z')
  })

  it('runs beside its times when it is asked to', () => {
    const actor = begun()
    const asked = { job, runId: 'r-1', date: '2026-01-10' } as const
    const { calls, replies } = actor.take(jobRequested, asked, { at: at('2026-01-16T01:00:00Z') })
    expect(calls[0]!.input).to.deep.equal({ ...asked, at: '2026-01-16T01:00:00.000Z', isDue: false, through: '' })
    expect(replies).to.deep.equal([{ runId: 'r-1' }])
    expect(iso(actor.reminders.get('due'))).to.equal('2026-01-16T04:30:00.000Z')
  })

  it('remembers the last twenty runs, newest first: others end while somebody waits for one', () => {
    const actor = begun()
    for (let i = 1; i <= 22; i++)
      actor.take(jobEnded, { job, runId: `r-${i}`, ...(i === 21 && { failure: 'No bill.' }) })
    expect(actor.state.ended).to.have.length(20)
    expect([actor.state.ended.slice(0, 2), actor.state.ended.at(-1)]).to.deep.equal([
      [
        { runId: 'r-22', failure: null },
        { runId: 'r-21', failure: 'No bill.' },
      ],
      { runId: 'r-3', failure: null },
    ])
  })

  it('remembers how far it came, and what the last run failed by', () => {
    const actor = begun()
    actor.take(jobEnded, { job, runId: 'r-2', through: '2026-01-15' })
    actor.take(jobEnded, { job, runId: 'r-1', through: '2026-01-12' })
    expect([actor.state.through, actor.state.endedRunId, actor.state.failure]).to.deep.equal([
      '2026-01-15',
      'r-1',
      null,
    ])
    actor.take(jobEnded, { job, runId: 'r-3', failure: 'No.' })
    expect([actor.state.through, actor.state.failure]).to.deep.equal(['2026-01-15', 'No.'])
  })
})
