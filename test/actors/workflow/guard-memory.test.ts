import { expect } from 'chai'
import fc from 'fast-check'
import { guardActor } from '#actors/workflow/guard/guard.ts'
import type { GuardRequest, Grounds } from '#actors/workflow/guard/check.ts'
import { decide, grantsMax, leave } from '#actors/workflow/guard/decide.ts'
import type { Grant } from '#actors/workflow/guard/entity.ts'
import type { Guardrail } from '#actors/workflow/guard/guardrail.ts'
import { guardAsked, guardLeft } from '#streams/workflow.ts'
import { MemoryActor } from '#test/harness/turn.ts'
import { asked, dayMs, grant, grants, grounds, hourMs, iso, minuteMs, now, ofShop, shop, yes } from './asking.ts'

interface Case {
  asked?: Partial<GuardRequest>
  guardrail: Partial<Guardrail>
  grounds: Partial<Grounds>
  grants: Grant[]
}
const answerTo = (row: Case) => decide(asked(row.asked), row.grants, grounds(row.guardrail, row.grounds), new Date(now))

describe('the rules of the guard', () => {
  it('are asked in their order: the first that stands against a change answers', () => {
    // Everything stands against it; one rule after the other is lifted.
    const all: Case = {
      guardrail: {
        killSwitch: true,
        frozenUntil: iso(now + hourMs),
        windows: [{ days: [4], from: '11:30', to: '12:00', timezone: 'UTC' }],
        protectedEnvs: ['prod'],
        concurrent: 1,
        destructivePerHour: 1,
        destructivePerDay: 1,
        monthlyCostTouchedUsd: 1,
      },
      grounds: { tags: { 'do-not-delete': 'yes' }, environment: 'prod', ...shop(4) },
      grants: [grant(1, minuteMs, { ...ofShop, resourceUid: 'i-1', isLive: true }), grant(2, minuteMs, ofShop)],
    }
    const lifts: readonly ((row: Case) => Case)[] = [
      (row) => ({ ...row, guardrail: { ...row.guardrail, killSwitch: false } }),
      (row) => ({ ...row, guardrail: { ...row.guardrail, frozenUntil: iso(now) } }),
      (row) => ({ ...row, guardrail: { ...row.guardrail, windows: [] } }),
      (row) => ({ ...row, grounds: { ...row.grounds, tags: {} } }),
      (row) => ({ ...row, asked: { approvals: 2 } }),
      (row) => ({ ...row, asked: { ...row.asked, resourceUid: 'i-2' } }),
      (row) => ({ ...row, guardrail: { ...row.guardrail, concurrent: 2 } }),
      (row) => ({ ...row, guardrail: { ...row.guardrail, destructivePerHour: 3 } }),
      (row) => ({ ...row, guardrail: { ...row.guardrail, destructivePerDay: 3 } }),
      (row) => ({ ...row, guardrail: { ...row.guardrail, monthlyCostTouchedUsd: 200 } }),
      (row) => ({ ...row, guardrail: { ...row.guardrail, groupSharePercent: 100 } }),
    ]
    let row = all
    const told = [answerTo(row).answer]
    for (const lift of lifts) told.push(answerTo((row = lift(row))).answer)
    expect(told.map((one) => one?.code ?? one?.answer)).to.deep.equal([
      'halted',
      'frozen',
      'outside_window',
      'protected',
      'needs_two_approvals',
      'resource_busy',
      'concurrent',
      'limit_hour',
      'limit_day',
      'limit_cost',
      'group_share',
      'yes',
    ])
  })
})

describe('the memory of the guard', () => {
  it('remembers what it let be done', () => {
    const { grants: kept } = decide(asked(), [], grounds({}, shop(3)), new Date(now))
    expect(kept).to.deep.equal([
      {
        jobId: 'j-1',
        n: 1,
        cloudAccountId: 'acct-1',
        resourceUid: 'i-1',
        template: 'stop',
        at: '2026-01-15T10:00:00.000Z',
        costUsd: 100,
        groups: ['g-1'],
        isLive: true,
      },
    ])
  })

  it('answers the same question the same, whatever has changed, and counts it once', () => {
    const first = decide(asked(), [], grounds(), new Date(now))
    const again = decide(asked(), first.grants, grounds({ killSwitch: true }), new Date(now + hourMs))
    expect(again).to.deep.equal({ answer: yes, grants: first.grants })
    const older = decide(
      asked({ n: 1 }),
      decide(asked({ n: 2 }), [], grounds(), new Date(now)).grants,
      grounds(),
      new Date(now),
    )
    expect([older.answer, older.grants.length]).to.deep.equal([undefined, 1])
  })

  it('counts a job once: a later question of it takes the place of the earlier', () => {
    const first = decide(asked(), [], grounds(), new Date(now))
    const limits = { concurrent: 1, destructivePerHour: 1, destructivePerDay: 1, monthlyCostTouchedUsd: 100 }
    const second = decide(asked({ n: 3 }), first.grants, grounds(limits), new Date(now + minuteMs))
    expect(second.answer).to.deep.equal(yes)
    expect(second.grants.map(({ n, at }) => [n, at])).to.deep.equal([[3, '2026-01-15T10:01:00.000Z']])
    const refused = decide(asked({ n: 4 }), second.grants, grounds({ killSwitch: true }), new Date(now + hourMs))
    expect(refused.grants).to.deep.equal(second.grants)
  })

  it('lets go by the number it was asked under, or a larger one', () => {
    const { grants: kept } = decide(asked({ n: 2 }), [], grounds(), new Date(now))
    const live = (n: number, jobId = 'j-1') => leave(kept, { jobId, n }).map(({ isLive }) => isLive)
    expect([live(1), live(2), live(3), live(2, 'j-2')]).to.deep.equal([[true], [false], [false], [true]])
  })

  it('forgets what is over for 30 days, and never more than it must', () => {
    const kept = (...some: Grant[]) => decide(asked(), some, grounds(), new Date(now)).grants.map(({ jobId }) => jobId)
    expect(
      kept(
        grant(1, 35 * dayMs, { isLive: true }),
        grant(2, 31 * dayMs, { isLive: true }),
        grant(3, 30 * dayMs + 1),
        grant(4, 30 * dayMs),
      ),
    ).to.deep.equal(['other-1', 'other-2', 'other-4', 'j-1'])
  })

  it('keeps 5,000 at most: starts go first, then the oldest, never what is live', () => {
    const full = grants(grantsMax - 1, 2 * dayMs)
    const ids = (some: Grant[]) =>
      new Set(decide(asked(), some, grounds(), new Date(now)).grants.map(({ jobId }) => jobId))
    const last = grant(7000, dayMs, { template: 'start' })
    const withLive = ids([grant(6000, 3 * dayMs, { isLive: true }), ...full])
    expect([withLive.size, withLive.has('other-6000'), withLive.has('other-0')]).to.deep.equal([grantsMax, true, false])
    const withStart = ids([...full, last])
    expect([withStart.size, withStart.has('other-7000'), withStart.has('other-0')]).to.deep.equal([
      grantsMax,
      false,
      true,
    ])
  })
})

describe('actor guard', () => {
  const needs = (found: Grounds) => () => found

  it('answers by a message, with whom it answers and which question', () => {
    const guard = new MemoryActor(guardActor, { place: '-', key: 'all' })
    const ask = (fields: Partial<GuardRequest>, found = grounds({ concurrent: 1 })) =>
      guard.take(guardAsked, asked(fields), { at: now, needs: needs(found) }).emitted
    const answered = (data: object) => [{ type: 'guard.answered', data: { cloudAccountId: 'acct-1', ...data } }]
    expect(ask({ n: 2 })).to.deep.equal(answered({ jobId: 'j-1', n: 2, answer: 'yes' }))
    expect(ask({ n: 1 })).to.deep.equal([])
    expect(ask({ n: 2 })).to.deep.equal(answered({ jobId: 'j-1', n: 2, answer: 'yes' }))
    const other = { jobId: 'j-2', resourceUid: 'i-2' }
    expect(ask(other)).to.deep.equal(
      answered({
        jobId: 'j-2',
        n: 1,
        answer: 'later',
        code: 'concurrent',
        message: 'The limit of 1 concurrent workflows is reached.',
        retryAt: '2026-01-15T10:00:30.000Z',
      }),
    )
    guard.take(guardLeft, { cloudAccountId: 'acct-1', jobId: 'j-1', n: 2 })
    expect(guard.state.grants.map(({ jobId, isLive }) => [jobId, isLive])).to.deep.equal([['j-1', false]])
    guard.now = now
    expect(ask({ ...other, n: 2 })).to.deep.equal(answered({ jobId: 'j-2', n: 2, answer: 'yes' }))
  })

  it('has no row for what leaves that it never let do anything', () => {
    expect(guardActor.reactions.get(guardLeft.name)!.existing).to.equal(true)
  })
})

/** Six resources, in two groups of four and of five. */
const world = Array.from({ length: 6 }, (_, i) => ({
  uid: `i-${i}`,
  costUsd: 10 * (i + 1),
  groups: [...(i < 4 ? ['g-1'] : []), ...(i > 0 ? ['g-2'] : [])],
}))
const sizes: Readonly<Record<string, number>> = { 'g-1': 4, 'g-2': 5 }

/** What each job does; every sixth is at the same resource. */
const templateOf = (job: number) => (['stop', 'start', 'manual', 'delete', 'stop'] as const)[job % 5]!

const event = fc.record({
  waitMs: fc.oneof(fc.integer({ min: 0, max: 40 * minuteMs }), fc.integer({ min: 0, max: 2 * dayMs })),
  job: fc.integer({ min: 0, max: 11 }),
  leaves: fc.boolean(),
  repeats: fc.boolean(),
})
const limits = fc.record({
  destructivePerHour: fc.integer({ min: 1, max: 3 }),
  destructivePerDay: fc.integer({ min: 1, max: 5 }),
  concurrent: fc.integer({ min: 1, max: 3 }),
  groupSharePercent: fc.constantFrom(25, 50, 60),
  monthlyCostTouchedUsd: fc.option(fc.constantFrom(30, 90, 150), { nil: undefined }),
})

interface Allowed {
  job: number
  uid: string
  at: number
  isStart: boolean
}

describe('the guard of workflows, whatever it is asked', () => {
  it('never lets more be done than its limits say, in any time, and never two at one resource', () => {
    let allowedMost = 0
    fc.assert(
      fc.property(limits, fc.array(event, { minLength: 1, maxLength: 40 }), (allowed, events) => {
        const done = played(allowed as Guardrail, events)
        allowedMost = Math.max(allowedMost, done.length)
        for (const one of done.filter(({ isStart }) => !isStart)) {
          const since = (ms: number) => done.filter(({ isStart, at }) => !isStart && at <= one.at && at > one.at - ms)
          const distinct = (list: readonly Allowed[], by: 'job' | 'uid') => new Set(list.map((each) => each[by]))
          expect(distinct(since(hourMs), 'job').size).to.be.at.most(allowed.destructivePerHour)
          expect(distinct(since(dayMs), 'job').size).to.be.at.most(allowed.destructivePerDay)
          for (const [id, size] of Object.entries(sizes)) {
            if (!world.find(({ uid }) => uid === one.uid)!.groups.includes(id)) continue
            const members = [...distinct(since(dayMs), 'uid')].filter((uid) =>
              world.find((each) => each.uid === uid)!.groups.includes(id),
            )
            const most = Math.max(1, Math.floor((size * allowed.groupSharePercent) / 100))
            expect(members.length).to.be.at.most(most)
          }
          const cost = [...distinct(since(30 * dayMs), 'job')].reduce<number>(
            (sum, job) => sum + world[Number(job) % 6]!.costUsd,
            0,
          )
          expect(cost).to.be.at.most(allowed.monthlyCostTouchedUsd ?? Infinity)
        }
      }),
      { numRuns: 2000 },
    )
    // The histories come to something.
    expect(allowedMost).to.be.at.least(5)
  })
})

/** What was let be done, in order; checks what is live by the way. */
function played(
  guardrail: Guardrail,
  events: readonly (typeof event extends fc.Arbitrary<infer T> ? T : never)[],
): Allowed[] {
  const done: Allowed[] = []
  const live = new Map<number, string>()
  const asks = new Map<number, number>()
  let kept: Grant[] = []
  let at = now
  for (const { waitMs, job, leaves, repeats } of events) {
    at += waitMs
    const template = templateOf(job)
    const n = (asks.get(job) ?? 0) + (repeats && asks.has(job) ? 0 : 1)
    const { uid, costUsd, groups } = world[job % 6]!
    const one = asked({ jobId: `j-${job}`, n, resourceUid: uid, costUsd, template })
    const found = grounds(guardrail, { groups: groups.map((id) => ({ id, name: id, size: sizes[id]! })) })
    const isKnown = kept.some(({ jobId, n: by }) => jobId === one.jobId && by === n)
    const { answer, grants: next } = decide(one, kept, found, new Date(at))
    asks.set(job, n)
    kept = next
    if (answer?.answer === 'yes' && !isKnown) {
      done.push({ job, uid, at, isStart: template === 'start' })
      live.set(job, uid)
    }
    expect([live.size <= guardrail.concurrent, new Set(live.values()).size]).to.deep.equal([true, live.size])
    if (!leaves) continue
    kept = leave(kept, { jobId: one.jobId, n })
    live.delete(job)
  }
  return done
}
