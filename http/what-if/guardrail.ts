import { knownOf } from '#actors/workflow/guard/log.ts'
import type { GuardAnswer } from '#actors/workflow/guard/check.ts'
import { GuardReplay, isAnswer, type AskedAgain } from '#actors/workflow/guard/replay.ts'
import { guardrailDefaults, guardrailDomain, type GuardrailSpec } from '#actors/workflow/guard/guardrail.ts'
import { guardHistory } from '#analytics/workflow/questions.ts'
import { addDays, dayOf, days, startOf } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { Timestamp } from '#http/edge/parameter/field.ts'
import { scopeOf } from '#http/report/filter/filter.ts'
import { approximation, kind, policyChange, specGiven, type WhatIfRequest } from '#http/what-if/kind.ts'
import { guardAnswers, templateNames } from '#streams/workflow.ts'

const Change = t.Object({ spec: policyChange.spec })
type Change = Static<typeof Change>

const counts = { yes: t.Integer(), later: t.Integer(), no: t.Integer() }
type Counts = Record<(typeof guardAnswers)[number], number>

const AnswerView = t.Object({
  answer: t.Enum(guardAnswers),
  code: t.Optional(t.String({ description: 'violations, as in the output of the step' })),
  message: t.Optional(t.String()),
})

/** Maximum items of the list. */
const itemsMax = 100

const side = {
  ...counts,
  byCode: t.Array(t.Object({ code: t.String(), asks: t.Integer() }), {
    description: 'of later and no, most frequent first',
  }),
}

const GuardrailWhatIf = t.Object({
  kind: t.Literal('guardrail'),
  from: t.String(),
  to: t.String(),
  asks: t.Integer({ description: 'number of workflow requests to make their change' }),
  before: t.Object(side, { description: 'with the current guardrail, or the defaults if there is none' }),
  after: t.Object(side, { description: 'and with the other one' }),
  changedCount: t.Integer(),
  changed: t.Array(
    t.Object({
      at: Timestamp,
      jobID: t.String(),
      template: t.Enum(templateNames),
      cloudAccountID: t.String(),
      resourceUid: t.String(),
      resourceType: t.String(),
      before: AnswerView,
      after: AnswerView,
    }),
    { description: `requests with another answer or another code, in order, the first ${itemsMax}` },
  ),
  byDay: t.Array(t.Object({ date: t.String(), before: t.Object(counts), after: t.Object(counts) })),
  ...approximation,
})

/** Days before the range whose grants count. */
const leadDays = 35
/** Maximum questions: each is asked twice, and looks at the grants of 30 days. */
const asksMax = 10_000
/** Lines between two checks of the time limit. */
const stepMax = 100

async function answer(asked: WhatIfRequest<Change>): Promise<Static<typeof GuardrailWhatIf>> {
  const { from, to, change, caller, services, goOn } = asked
  const spec = (await specGiven(guardrailDomain, change, asked)) as GuardrailSpec
  const lines = await services.analytics(guardHistory, { since: addDays(from, -leadDays), from, to })
  if (lines.filter(isAnswer).length > asksMax)
    throw Fault.refused('report_too_large', `At most ${asksMax} requests can be replayed. Request fewer days.`)
  const known = await knownOf(services.em, caller.orgId, scopeOf(caller).scope, lines)
  const guardrails = { before: known.guardrail, after: { ...guardrailDefaults, ...spec } }
  const replay = new GuardReplay(guardrails, startOf(from), known)
  const found: AskedAgain[] = []
  for (const [n, line] of lines.entries()) {
    if (n % stepMax === 0) goOn()
    const one = replay.take(line)
    if (one && known.sees(line)) found.push(one)
  }
  return { kind: 'guardrail', from, to, ...toReply(found, [...days(from, to)]), approximate: true, reasons }
}

const reasons = [
  'Tags, environments and groups of resources, with their sizes, are the current ones.',
  'Requests that would have waited are not allowed later: the time of their retry is not logged.',
  'Requests that would have been allowed count as in progress until their workflow ended.',
]

const isOther = ({ before, after }: AskedAgain): boolean => before.answer !== after.answer || before.code !== after.code

function toReply(found: readonly AskedAgain[], dates: readonly string[]) {
  const changed = found.filter(isOther)
  const byDay = Map.groupBy(found, ({ line }) => dayOf(line.ms))
  return {
    asks: found.length,
    before: sideOf(found.map(({ before }) => before)),
    after: sideOf(found.map(({ after }) => after)),
    changedCount: changed.length,
    changed: changed.slice(0, itemsMax).map(itemOf),
    byDay: dates.map((date) => {
      const own = byDay.get(date) ?? []
      return {
        date,
        before: countsOf(own.map(({ before }) => before)),
        after: countsOf(own.map(({ after }) => after)),
      }
    }),
  }
}

function countsOf(answers: readonly GuardAnswer[]): Counts {
  const of = (wanted: GuardAnswer['answer']) => answers.filter(({ answer: is }) => is === wanted).length
  return { yes: of('yes'), later: of('later'), no: of('no') }
}

function sideOf(answers: readonly GuardAnswer[]) {
  const coded = Map.groupBy(
    answers.flatMap(({ code }) => code ?? []),
    (code) => code,
  )
  const byCode = [...coded]
    .map(([code, all]) => ({ code, asks: all.length }))
    .toSorted((a, b) => b.asks - a.asks || (a.code < b.code ? -1 : 1))
  return { ...countsOf(answers), byCode }
}

const itemOf = ({ line, before, after }: AskedAgain) => ({
  at: new Date(line.ms).toISOString(),
  jobID: line.job_id,
  template: line.template,
  cloudAccountID: line.cloud_account_id,
  resourceUid: line.resource_uid,
  resourceType: line.resource_type,
  before: answerOf(before),
  after: answerOf(after),
})

const answerOf = ({ answer: is, code, message }: GuardAnswer): Static<typeof AnswerView> => ({
  answer: is,
  ...(code !== undefined && { code }),
  ...(message !== undefined && { message }),
})

export const guardrailKind = kind({
  name: 'guardrail',
  summary: 'another guardrail, for past workflow requests',
  change: Change,
  reply: GuardrailWhatIf,
  example: { spec: { destructivePerHour: 5, protectedEnvs: ['prod'] } },
  answered: {
    kind: 'guardrail',
    from: '2026-01-01',
    to: '2026-01-31',
    asks: 12,
    before: { yes: 12, later: 0, no: 0, byCode: [] },
    after: { yes: 11, later: 1, no: 0, byCode: [{ code: 'outside_window', asks: 1 }] },
    changedCount: 1,
    changed: [
      {
        at: '2026-01-15T10:00:00.000Z',
        jobID: '7f0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a01',
        template: 'stop',
        cloudAccountID: 'acct-1',
        resourceUid: 'i-0a1b2c3d4e5f60718',
        resourceType: 'aws-ec2',
        before: { answer: 'yes' },
        after: { answer: 'later', code: 'outside_window', message: 'It is made between 20:00 and 06:00.' },
      },
    ],
    byDay: [{ date: '2026-01-15', before: { yes: 1, later: 0, no: 0 }, after: { yes: 0, later: 1, no: 0 } }],
    approximate: false,
    reasons: [],
  },
  answer,
})
