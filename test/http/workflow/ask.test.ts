/** What the routes of workflows ask of their actor, and what they write down of it: no store takes part. */
import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import type { Subject } from '#engine/actor/subject.ts'
import type { Services } from '#http/edge/services.ts'
import { workflows } from '#http/workflow/routes.ts'
import { problem, scopeOf, served } from '#test/http/serving.ts'
import { statements } from '#test/http/statements.ts'
import { plan, steps } from '#test/harness/workflow.ts'
import { deepIt } from '#test/harness/tier.ts'

const at = '2026-01-15 10:00:00+00'
const job = {
  id: 'j-1',
  cloud_account_id: 'acct-1',
  recommendation_id: 'rec-1',
  resource_uid: 'i-1',
  subject_type: 'resource',
  subject_id: 'i-1',
  template: 'stop',
  status: 'awaiting_user',
  step_id: 'stop/approve/1',
  plan,
  plan_hash: 'h',
  steps,
  audit: [],
  reason: '',
  created_by: 'ana',
  created_at: at,
  updated_at: at,
  completed_at: null,
  template_revision: 1,
  title: plan.title,
}
const recommendation = { id: 'rec-1', cloud_account_id: 'acct-1', resource_uid: 'i-1', rule_id: 'RC-1001' }
const known = { jobID: 'j-1', recommendationID: 'rec-1', resourceUID: 'i-1', cloudAccountID: 'acct-1' }

describe('routes of workflows', () => {
  const asked: { name: string; data: any }[] = []
  const written: { type: string; detail: object; userId: string; principal: string }[] = []
  /** What the row is said to be, one look after the other; the last again and again. */
  let states: (string | undefined)[] = []
  let answer: () => unknown = () => ({ jobId: 'j-1' })
  let drawn = 0
  /** How often a status was read. */
  let looks = 0
  const db = statements((sql, params) => {
    if (sql.includes('from "recommendation"')) return params.includes('rec-1') ? [recommendation] : []
    if (/^select "w"."status" from/.test(sql)) {
      looks++
      const state = states.length > 1 ? states.shift() : states[0]
      return state === undefined ? [] : [{ status: state }]
    }
    return params.includes('j-1') ? [job] : []
  })
  const tx = {
    count: async () => 0,
    create: (_: unknown, event: any) => event,
    persist: (event: any) => written.push(event),
    flush: async () => {},
    execute: async () => {},
  }
  const em = { getKysely: () => db, transactional: (work: (on: object) => Promise<void>) => work(tx) }
  const services = {
    em,
    now: () => new Date('2026-01-15T10:00:00Z'),
    newId: () => `new-${++drawn}`,
    ask: async (subject: Subject, data: unknown) => {
      asked.push({ name: subject.name, data })
      return answer()
    },
  }
  const site = served(workflows, scopeOf(services as unknown as Services))
  beforeEach(() => {
    asked.length = written.length = drawn = 0
    states = ['awaiting_user']
    answer = () => ({ jobId: 'j-1' })
  })
  const events = () => written.map(({ type, detail, userId, principal }) => [type, detail, userId, principal])

  it('ask for a workflow at the account of the recommendation, and say where it is [REC-15] [REM-01]', async () => {
    const wanted = {
      cloudAccountId: 'acct-1',
      jobId: 'new-1',
      recommendationId: 'rec-1',
      subjectType: 'resource',
      subjectId: 'i-1',
      userId: 'ana',
    }
    const started = await site.send('POST', '/recommendations/rec-1/workflow')
    expect([started.status, started.headers.get('location'), await started.json()]).to.deep.equal([
      202,
      '/workflows/j-1',
      { data: { jobID: 'j-1' } },
    ])
    const body = { recommendationID: 'rec-1', subjectType: 'resource_group', subjectID: 'g-1' }
    const made = await site.send('POST', '/remediation-jobs', body)
    expect([made.status, made.headers.get('location')]).to.deep.equal([202, '/remediation-jobs/j-1'])
    expect(((await made.json()) as any).data).to.include({ id: 'j-1', status: 'awaiting_user' })
    const grouped = { ...wanted, jobId: 'new-3', subjectType: 'resource_group', subjectId: 'g-1' }
    expect(asked).to.deep.equal([
      { name: 'workflow.wanted', data: wanted },
      { name: 'workflow.wanted', data: grouped },
    ])
    const begun = ['workflow_started', { ...known, ruleID: 'RC-1001' }, 'ana', 'pat:t1']
    expect(events()).to.deep.equal([begun, begun])
  })

  it('answer once a workflow is parked or over', async () => {
    const looked = async (...seen: (string | undefined)[]) => {
      states = seen
      looks = 0
      expect((await site.send('POST', '/recommendations/rec-1/workflow')).status).to.equal(202)
      return looks
    }
    expect(await looked(undefined, undefined, 'pending', 'running', 'running', 'awaiting_user')).to.equal(6)
    for (const over of ['succeeded', 'failed', 'cancelled']) expect(await looked(over), over).to.equal(1)
  })

  deepIt('answer after three seconds whatever a workflow is', async () => {
    states = ['running']
    const began = performance.now()
    expect((await site.send('POST', '/recommendations/rec-1/workflow')).status).to.equal(202)
    expect(performance.now() - began).to.be.within(2950, 20_000)
  })

  it('name the step by its id, percent-encoded, or by its name, of either family alike [WF-04] [WF-05] [WF-06] [WF-07] [WF-17] [REM-03] [REM-04] [REM-05] [REM-06]', async () => {
    for (const family of ['/workflows', '/remediation-jobs'])
      for (const verdict of ['approve', 'reject'])
        for (const [place, by] of [
          ['steps-by-id/stop%2Fapprove%2F1', { stepId: 'stop/approve/1' }],
          ['steps-by-id/stop%2fapprove%2f1', { stepId: 'stop/approve/1' }],
          ['steps/approval', { stepName: 'approval' }],
        ] as const) {
          asked.length = written.length = 0
          const path = `${family}/j-1/${place}/${verdict}`
          const done = await site.send('POST', path, { reason: 'Agreed.' })
          expect([done.status, ((await done.json()) as any).data.id], path).to.deep.equal([200, 'j-1'])
          const data = { cloudAccountId: 'acct-1', jobId: 'j-1', ...by, verdict, userId: 'ana', reason: 'Agreed.' }
          expect(asked, path).to.deep.equal([{ name: 'workflow.decided', data }])
          const type = verdict === 'approve' ? 'workflow_approved' : 'workflow_rejected'
          expect(events(), path).to.deep.equal([[type, { ...known, stepID: 'stop/approve/1' }, 'ana', 'pat:t1']])
        }
  })

  it('say of addressing a step by its name that it is deprecated, and until when [WF-04] [WF-05] [REM-05] [REM-06] [VER-04]', async () => {
    for (const family of ['/workflows', '/remediation-jobs'])
      for (const verdict of ['approve', 'reject']) {
        const { headers } = await site.send('POST', `${family}/j-1/steps/approval/${verdict}`)
        expect(['deprecation', 'sunset', 'link'].map((name) => headers.get(name))).to.deep.equal([
          '@1767225600',
          'Sat, 01 Jan 2028 00:00:00 GMT',
          '</docs>; rel="deprecation"',
        ])
        const byId = await site.send('POST', `${family}/j-1/steps-by-id/stop%2Fapprove%2F1/${verdict}`)
        expect(byId.headers.get('deprecation')).to.equal(null)
      }
  })

  it('end a workflow, with a reason or without one [WF-03] [REM-02]', async () => {
    for (const family of ['/workflows', '/remediation-jobs'])
      for (const [body, reason] of [
        [undefined, {}],
        [{}, {}],
        [{ reason: '' }, {}],
        [{ reason: 'Not this month.' }, { reason: 'Not this month.' }],
      ] as const) {
        asked.length = written.length = 0
        expect((await site.send('POST', `${family}/j-1/cancel`, body)).status).to.equal(200)
        const data = { cloudAccountId: 'acct-1', jobId: 'j-1', userId: 'ana', ...reason }
        expect(asked).to.deep.equal([{ name: 'workflow.cancelled', data }])
        expect(events()).to.deep.equal([['workflow_cancelled', known, 'ana', 'pat:t1']])
      }
  })

  it('pass on what the actor refuses, and write down nothing then', async () => {
    const begin = '/recommendations/rec-1/workflow'
    const approve = '/remediation-jobs/j-1/steps-by-id/stop%2Fapprove%2F1/approve'
    for (const [fault, status, paths] of [
      [Fault.conflict('job_active', 'There is one.'), 409, [begin]],
      [Fault.conflict('invalid_transition', 'It is over.'), 409, [begin, '/workflows/j-1/cancel', approve]],
      [Fault.conflict('not_awaiting', 'It does not wait.'), 409, [approve]],
      [Fault.refused('limit_reached', 'Too many.'), 422, [begin]],
      [Fault.forbidden('four_eyes', 'Somebody else.'), 403, [approve]],
    ] as const) {
      answer = () => {
        throw fault
      }
      for (const path of paths) {
        const refused = await problem(await site.send('POST', path))
        expect([refused['status'], refused['code'], refused['detail']], path).to.deep.equal([
          status,
          fault.code,
          fault.message,
        ])
      }
    }
    expect(written).to.deep.equal([])
  })

  it('ask nothing of what there is not: a recommendation, a workflow, a step of it', async () => {
    for (const [path, detail] of [
      ['/recommendations/rec-2/workflow', 'No such recommendation.'],
      ['/workflows/j-2/cancel', 'No such workflow.'],
      ['/workflows/j-2/steps/approval/approve', 'No such workflow.'],
      ['/workflows/j-1/steps/approve/approve', 'No such step.'],
      ['/workflows/j-1/steps-by-id/approval/reject', 'No such step.'],
      ['/workflows/j-1/steps-by-id/stop%252Fapprove%252F1/reject', 'No such step.'],
      ['/workflows/j-1/steps-by-id/stop/approve/1/reject', 'No such path.'],
    ] as const) {
      const refused = await problem(await site.send('POST', path))
      expect([refused['status'], refused['detail']], path).to.deep.equal([404, detail])
    }
    expect(asked).to.deep.equal([])
  })

  it('refuse reasons of more than a thousand characters, and bodies with anything else [LIM-05]', async () => {
    const decide = '/workflows/j-1/steps/approval/approve'
    const whole = { recommendationID: 'rec-1', subjectType: 'resource', subjectID: 'i-1' }
    for (const [path, body, errors] of [
      [decide, { reason: 'x'.repeat(1001) }, ['/reason maxLength']],
      [decide, { reason: 5 }, ['/reason type']],
      [decide, { note: 'x' }, ['/note additionalProperties']],
      ['/workflows/j-1/cancel', { reason: 'x'.repeat(1001) }, ['/reason maxLength']],
      ['/remediation-jobs', {}, ['/recommendationID required', '/subjectType required', '/subjectID required']],
      ['/remediation-jobs', { ...whole, subjectType: 'team' }, ['/subjectType enum']],
      ['/remediation-jobs', { ...whole, subjectID: '' }, ['/subjectID minLength']],
      ['/recommendations/rec-1/workflow', { force: true }, ['/force additionalProperties']],
    ] as const) {
      const refused = await problem(await site.send('POST', path, body))
      expect(refused['status'], path).to.equal(400)
      expect(
        refused['errors'].map((e: any) => `${e.name} ${e.code}`),
        path,
      ).to.deep.equal(errors)
    }
    expect((await site.send('POST', decide, { reason: 'x'.repeat(1000) })).status).to.equal(200)
    expect(asked).to.have.length(1)
  })
})
