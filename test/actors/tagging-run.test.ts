import { expect } from 'chai'
import { refreshActor } from '#actors/refresh/actor.ts'
import { tagRunActor } from '#actors/tagging/run/run.ts'
import type { TagRun } from '#actors/tagging/run/entity.ts'
import { accountScanned, refreshRequested } from '#streams/refresh.ts'
import { tagRunEnded, tagRunWanted } from '#streams/tagging.ts'
import { MemoryActor, type Done } from '#test/harness/turn.ts'

const runs = (key = 'sweep') => new MemoryActor<TagRun>(tagRunActor as never, { place: '-', key })
const sweep = (run: MemoryActor<TagRun>, runId: string, whole = false) =>
  run.take(tagRunWanted, { runId, wanted: { kind: 'sweep', whole } })
const ended = (run: MemoryActor<TagRun>, runId: string, more: { failure?: string } = {}) =>
  run.take(tagRunEnded, { kind: 'sweep', runId, resources: 7, ...more })
const calls = (done: Done) => done.calls.map(({ name, key, input }) => [name, key, input.wanted])

describe('actor tag-run', () => {
  it('sweeps one at a time: what is wanted meanwhile begins behind it, once, and whole if any was', () => {
    const run = runs()
    const first = sweep(run, 'r1')
    expect(first.replies).to.deep.equal([{ runId: 'r1', status: 'queued' }])
    expect(calls(first)).to.deep.equal([['tag-run', 'tag-run/o1/r1', { kind: 'sweep', whole: false }]])
    const meanwhile = [sweep(run, 'r2'), sweep(run, 'r3', true), sweep(run, 'r4')]
    expect(meanwhile.map(({ replies, calls: begun }) => [replies, begun])).to.deep.equal(
      Array(3).fill([[{ runId: 'r1', status: 'queued' }], []]),
    )
    const [next] = ended(run, 'r1').calls
    expect([next!.input.wanted, next!.key]).to.deep.equal([
      { kind: 'sweep', whole: true },
      `tag-run/o1/${next!.input.runId}`,
    ])
    expect(run.state).to.deep.include({ status: 'queued', again: null, runId: next!.input.runId })
    expect(ended(run, 'r1').calls).to.deep.equal([])
    expect(run.state.status).to.equal('queued')
    expect(ended(run, next!.input.runId).calls).to.deep.equal([])
    expect(run.state).to.deep.include({ status: 'completed', resources: 7, failure: null })
    expect(sweep(run, 'r5').replies).to.deep.equal([{ runId: 'r5', status: 'queued' }])
  })

  it('says why a run failed, and begins another when it is wanted', () => {
    const run = runs()
    sweep(run, 'r1')
    ended(run, 'r1', { failure: 'away' })
    expect(run.state).to.deep.include({ status: 'failed', failure: 'away' })
    sweep(run, 'r2')
    expect(run.state).to.deep.include({ status: 'queued', failure: null, resources: 0, endedAt: null })
  })

  it('accepts beside sweeps, each run by itself', () => {
    const run = runs('a1')
    const wanted = { kind: 'accept', key: 'owner', userId: 'u-1' } as const
    const done = run.take(tagRunWanted, { runId: 'a1', wanted })
    expect(calls(done)).to.deep.equal([['tag-run', 'tag-run/o1/a1', wanted]])
    run.take(tagRunEnded, { kind: 'accept', runId: 'a1', resources: 3 })
    expect([run.state.status, run.state.resources]).to.deep.equal(['completed', 3])
  })
})

describe('the end of a refresh', () => {
  it('wants the tags of the organization looked at, unless nothing was found [SMART-17]', () => {
    const wantedBy = (statuses: ('completed' | 'failed')[]) => {
      const refresh = new MemoryActor(refreshActor as never, { place: '-', key: 'current' })
      const accounts = statuses.map((_, i) => ({ cloudAccountId: `a${i}`, provider: 'aws' as const }))
      refresh.take(refreshRequested, { refreshId: 'r1', accounts })
      const at = new Date(refresh.now).toISOString()
      const done = statuses.map((status, i) =>
        refresh.take(accountScanned, { refreshId: 'r1', cloudAccountId: `a${i}`, status, discovered: 1, at }),
      )
      return done.flatMap(({ emitted }) => emitted.map(({ type, data }) => [type, data.wanted]))
    }
    const sweeps = [['tag_run.wanted', { kind: 'sweep', whole: false }]]
    expect(wantedBy(['completed', 'completed'])).to.deep.equal(sweeps)
    expect(wantedBy(['failed', 'completed'])).to.deep.equal(sweeps)
    expect(wantedBy(['failed', 'failed'])).to.deep.equal([])
  })
})
