import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { engineRetries, pauseBefore, retryAfterOf, type RetrySchedule } from '#engine/actor/retry.ts'
import { Fault } from '#engine/value/fault.ts'
import { retries } from '#streams/retry.ts'
import { retryPage } from '#test/streams/retry-page.ts'

const pausesOf = (schedule: RetrySchedule, attempts: number) =>
  Array.from({ length: attempts - 1 }, (_, n) => pauseBefore(schedule, n + 2))

describe('retries', () => {
  it('pause as listed, repeat the last pause, and end after the last attempt', () => {
    expect(pausesOf({ tries: 5, pausesMs: [10, 20] }, 6)).to.deep.equal([10, 20, 20, 20, undefined])
    expect(pausesOf({ tries: 1, pausesMs: [10] }, 3)).to.deep.equal([undefined, undefined])
  })

  it('double up to the longest pause, however often they are made', () => {
    const endless = { tries: Infinity, pausesMs: { first: 500, doubledTo: 3000 } }
    expect(pausesOf(endless, 6)).to.deep.equal([500, 1000, 2000, 3000, 3000])
    expect(pauseBefore(endless, 1_000_000)).to.equal(3000)
  })

  it('take the time that the far side asks for, if it is a number', () => {
    const asked = (retryAfterMs: unknown) => retryAfterOf(new Fault('transient', 'busy', '', { retryAfterMs }))
    expect([asked(0), asked(1500), asked(-1), asked('soon'), asked(undefined)]).to.deep.equal([
      0,
      1500,
      undefined,
      undefined,
      undefined,
    ])
  })

  it('are those that were decided: notifications [G-94], calls of workflows [G-60], readiness, turns', () => {
    expect(pausesOf(retries.delivery, 6)).to.deep.equal([1000, 5000, 30_000, 120_000, undefined])
    expect(pausesOf(retries.workflowCall, 4)).to.deep.equal([30_000, 120_000, undefined])
    expect(pausesOf(retries.action, 4)).to.deep.equal([30_000, 120_000, undefined])
    expect(pausesOf(retries.planRestore, 5)).to.deep.equal([60_000, 600_000, 3_600_000, undefined])
    expect(pausesOf(retries.planHold, 8)).to.deep.equal([10_000, 30_000, 60_000, 120_000, 300_000, 300_000, 300_000])
    expect(pausesOf(retries.provisioningStep, 7)).to.deep.equal([1000, 2000, 4000, 8000, 16_000, undefined])
    expect(pausesOf(engineRetries.publish, 10)).to.deep.equal([100, 200, 400, 800, 1600, 3200, 6400, 12_800, undefined])
    expect(engineRetries.turn.tries).to.equal(5)
  })

  it('are each on the page that is generated from them', () => {
    const page = readFileSync('docs/retries.md', 'utf8')
    expect(page, 'npm run generate').to.equal(retryPage())
    expect(page).to.include('| 5 | 1 s, 5 s, 30 s, 2 min | The delivery is `failed`')
    expect(page).to.include('| no limit | 10 s, 30 s, 1 min, 2 min, then 5 min each time |')
    expect(page).to.include('| 12 | 500 ms, doubled each time, at most 5 min |')
  })
})
