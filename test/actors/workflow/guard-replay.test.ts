import { expect } from 'chai'
import fc from 'fast-check'
import { decide, leave } from '#actors/workflow/guard/decide.ts'
import type { Grant } from '#actors/workflow/guard/entity.ts'
import { GuardReplay } from '#actors/workflow/guard/replay.ts'
import { guardrailDefaults, type Guardrail } from '#actors/workflow/guard/guardrail.ts'
import type { GuardLine } from '#analytics/workflow/questions.ts'
import { asked, grounds, minuteMs, now } from './asking.ts'

const line = (event: GuardLine['event'], job: number, n: number, ms: number): GuardLine => ({
  ms,
  job_id: `j-${job}`,
  n,
  event,
  actor: 'system',
  template: 'stop',
  cloud_account_id: 'acct-1',
  resource_uid: `i-${job % 7}`,
  resource_type: 'aws-ec2',
  current_cost_usd: '100',
})
const inGroups = { groups: [{ id: 'g-1', name: 'Shop', size: 12 }] }
const known = { grounds: () => grounds({}, inGroups), windows: () => [] }
const of = (guardrail: Partial<Guardrail>): Guardrail => ({ ...guardrailDefaults, ...guardrail })

/** What a guard answers in truth, as the log has it: a workflow asks, and ends a while after it was let do something. */
function history(guardrail: Guardrail, asks: readonly { pauseMin: number; lastsMin: number }[]): GuardLine[] {
  const log: GuardLine[] = []
  let grants: Grant[] = []
  let ends: { job: number; ms: number }[] = []
  let at = now
  for (const [job, { pauseMin, lastsMin }] of asks.entries()) {
    at += pauseMin * minuteMs
    for (const end of ends.filter(({ ms }) => ms <= at).toSorted((a, b) => a.ms - b.ms)) {
      grants = leave(grants, { jobId: `j-${end.job}`, n: 2 })
      log.push(line('succeeded', end.job, 2, end.ms))
    }
    ends = ends.filter(({ ms }) => ms > at)
    const question = asked({ jobId: `j-${job}`, resourceUid: `i-${job % 7}`, approvals: 0 })
    const { answer, grants: kept } = decide(question, grants, grounds(guardrail, inGroups), new Date(at))
    grants = kept
    log.push(line(`guard_${answer!.answer}`, job, 1, at))
    if (answer!.answer === 'yes') ends.push({ job, ms: at + lastsMin * minuteMs })
  }
  return log
}

const asks = fc.array(
  fc.record({ pauseMin: fc.integer({ min: 0, max: 300 }), lastsMin: fc.integer({ min: 1, max: 900 }) }),
  {
    maxLength: 60,
  },
)
const guardrails = fc
  .record({
    destructivePerHour: fc.integer({ min: 1, max: 5 }),
    destructivePerDay: fc.integer({ min: 5, max: 12 }),
    concurrent: fc.integer({ min: 1, max: 6 }),
    groupSharePercent: fc.integer({ min: 1, max: 100 }),
    monthlyCostTouchedUsd: fc.integer({ min: 300, max: 6000 }),
  })
  .map(of)

describe('a log of the guard that is asked again', () => {
  it('answers by the guardrail of then as the guard did, from the beginning and from within', () => {
    fc.assert(
      fc.property(asks, guardrails, fc.nat(60), (some, guardrail, skipped) => {
        const log = history(guardrail, some)
        const fromMs = log[Math.min(skipped, log.length - 1)]?.ms ?? now
        const replay = new GuardReplay({ before: guardrail, after: guardrail }, fromMs, known)
        for (const one of log) {
          const again = replay.take(one)
          if (!again) continue
          expect(`guard_${again.before.answer}`).to.equal(one.event)
          expect(again.after).to.deep.equal(again.before)
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('has each guardrail go by what it let do itself', () => {
    const [none, one] = [of({ killSwitch: true }), of({ destructivePerHour: 1 })]
    const log = [0, 10, 61].map((minutes, job) => line('guard_yes', job, 1, now + minutes * minuteMs))
    const replay = new GuardReplay({ before: none, after: one }, now, known)
    const answers = log.map((each) => {
      const { before, after } = replay.take(each)!
      return [before.code ?? before.answer, after.code ?? after.answer]
    })
    // The second is not let do, so the third meets nothing of the last hour.
    expect(answers).to.deep.equal([
      ['halted', 'yes'],
      ['halted', 'limit_hour'],
      ['halted', 'yes'],
    ])
  })

  it('goes on with what was let do, however many of the same job are asked', () => {
    const replay = new GuardReplay({ before: of({ destructivePerHour: 1 }), after: of({ concurrent: 1 }) }, now, known)
    const yes = { answer: 'yes' }
    const take = (one: GuardLine) => replay.take(one)
    expect(take(line('guard_yes', 1, 1, now))).to.deep.include({ before: yes, after: yes })
    expect(take(line('call_succeeded', 1, 2, now + 1))).to.equal(undefined)
    expect(take(line('guard_yes', 1, 3, now + 2))).to.deep.include({ before: yes, after: yes })
    expect(take(line('guard_yes', 2, 1, now + 3))!.after.code).to.equal('concurrent')
    expect(take(line('succeeded', 1, 4, now + 4))).to.equal(undefined)
    expect(take(line('guard_yes', 2, 2, now + 5))!.after).to.deep.equal(yes)
  })
})
