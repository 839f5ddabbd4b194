/** Workflows from outside: what the routes come to where the actor, the guard and the simulated cloud take part. */
import { expect } from 'chai'
import { spelled } from '#test/harness/control.ts'
import { fleet, type Fleet } from '#test/harness/fleet.ts'
import { ask } from '#test/harness/people.ts'
import { until, type Answer } from '#test/harness/product.ts'
import { recommended } from '#test/harness/recommendation.ts'
import { amount, deepIt, sample } from '#test/harness/tier.ts'
import { orphanOf } from '#test/harness/workflow.ts'

const told = ({ status, body }: Answer) => [status, body?.code]
const approval = 'delete%2Fapprove%2F1'
const stepsOf = (job: any): string[] => job.steps.map((step: any) => `${step.name} ${step.status}`)
const auditOf = (job: any): string[] => job.audit.map((one: any) => `${one.stepName} ${one.eventType}`)

describe('workflows from outside', () => {
  let f: Fleet
  let count = 0
  /** Made beforehand, all at once. */
  const disks: { uid: string; rec: string }[] = []
  before(async () => {
    f = await fleet()
    disks.push(...(await Promise.all(Array.from({ length: amount(5, 8, 8) }, () => newDisk()))))
  })
  after(() => f.end())
  const disk = () => disks.shift()!
  const newDisk = async () => {
    const uid = `vol-${++count}-${f.orgId}`
    return { uid, rec: await orphanOf({ accessToken: f.token, orgId: f.orgId }, f.accountId, uid) }
  }
  const start = async (rec: string): Promise<string> => {
    const { status, body } = await f.send('POST', `/recommendations/${rec}/workflow`)
    expect(status, JSON.stringify(body)).to.equal(202)
    await begun(body.data.jobID)
    return body.data.jobID
  }
  const jobOf = async (id: string) => (await f.get(`/workflows/${id}`)).body.data
  /** An answer waits for three seconds only. */
  const begun = (id: string) =>
    until('it waits or is over', async () => !['pending', 'running'].includes((await jobOf(id)).status))
  const over = async (id: string) => {
    await until('the end', async () => ['succeeded', 'failed', 'cancelled'].includes((await jobOf(id)).status))
    return jobOf(id)
  }
  const waiting = async () => (await f.get('/workflows/pending-approval')).body.data.map((one: any) => one.jobID)
  const callsOf = async (uid: string) => {
    const { calls } = (await f.get('/internal/sim/calls')).body.data
    return spelled(calls.filter((one: any) => one.resourceUid === uid && one.call !== 'look'))
  }

  it('are looked at beforehand without a trace, then wait; a second one is refused [REC-14] [REC-15] [WF-01] [WF-08] [WF-10] [S-28]', async () => {
    const { uid, rec } = disk()
    const { data } = (await f.get(`/recommendations/${rec}/workflow`)).body
    expect(data.steps.map((step: any) => [step.id, step.kind, step.reversible])).to.deep.equal([
      ['delete/precondition/1', 'precondition', true],
      ['delete/approve/1', 'approval', true],
      ['delete/execute/1', 'execute', false],
      ['delete/validate/1', 'validate', true],
    ])
    const { steps: _steps, planHash, ...rest } = data
    expect(planHash).to.match(/^[0-9a-f]{64}$/)
    expect(rest).to.deep.equal({
      recommendationID: rec,
      template: 'delete',
      templateRevision: 1,
      operation: `Take a snapshot of it, then delete it: aws-ebs-volume ${uid}`,
      was: { exists: true },
      approvalRequired: true,
    })
    expect((await f.get(`/workflows?recommendation_id=${rec}`)).body.data.total).to.equal(0)
    const id = await start(rec)
    const job = await jobOf(id)
    expect([job.status, job.currentStep, stepsOf(job), job.planHash]).to.deep.equal([
      'awaiting_user',
      'approval',
      ['precondition succeeded', 'approval awaiting_user', 'execute pending', 'validate pending'],
      planHash,
    ])
    expect(await waiting()).to.include(id)
    expect(told(await f.send('POST', `/recommendations/${rec}/workflow`))).to.deep.equal([409, 'job_active'])
    expect(await callsOf(uid)).to.deep.equal([])
  })

  it('show which pause cannot be undone [WF-08] [WF-12]', async () => {
    for (const [type, provider, isReversible] of [
      ['gcp-dataflow-job', 'gcp', false],
      ['azure-synapse-sql-pool', 'azure', true],
    ] as const) {
      const uid = `${type}-${f.orgId}`
      await f.discover([uid], 'running', { type, provider })
      const own = { resource_uid: uid, resource_type: type, provider, cloud_account_id: f.accountId }
      const [rec] = await recommended(f, { ...own, action_type: 'pause', automation: 'pause_service' })
      const { data } = (await f.get(`/recommendations/${rec}/workflow`)).body
      expect(data, type).to.include({ template: 'pause', approvalRequired: true })
      expect(
        data.steps.map(({ kind, reversible }: any) => [kind, reversible]),
        type,
      ).to.deep.equal([
        ['precondition', true],
        ['approval', true],
        ['pause_service', isReversible],
        ['validate', true],
      ])
    }
  })

  it('end cancelled once they are rejected, and nothing is called [WF-07] [WF-14] [REM-04] [S-28]', async () => {
    const { uid, rec } = disk()
    const id = await start(rec)
    const reason = 'It is needed in February.'
    const rejected = await f.send('POST', `/remediation-jobs/${id}/steps-by-id/${approval}/reject`, { reason })
    expect([rejected.status, rejected.body.data.status]).to.deep.equal([200, 'cancelled'])
    const audit = (await f.get(`/remediation-jobs/${id}/audit`)).body.data
    expect(audit.at(-1)).to.deep.include({ stepName: 'approval', eventType: 'rejected', reason })
    expect(stepsOf(await jobOf(id)).slice(1)).to.deep.equal([
      'approval rejected',
      'execute skipped',
      'validate skipped',
    ])
    expect(await waiting()).to.not.include(id)
    expect(await callsOf(uid)).to.deep.equal([])
    for (const [path, code] of [
      [`steps-by-id/${approval}/approve`, 'not_awaiting'],
      ['steps/approval/reject', 'not_awaiting'],
      ['cancel', 'invalid_transition'],
    ])
      expect(told(await f.send('POST', `/workflows/${id}/${path}`)), path).to.deep.equal([409, code])
  })

  // In `npm test` a machine is stopped so (test/flows/workflow.test.ts); what a deletion does: test/actors/workflow/plan.test.ts.
  deepIt(
    'go on once they are approved, to the end, and the recommendation is applied [WF-04] [WF-06] [WF-15] [WF-17] [S-28]',
    async () => {
      for (const path of sample([`steps-by-id/${approval}/approve`, 'steps/approval/approve'], 1)) {
        const { uid, rec } = disk()
        const id = await start(rec)
        expect((await f.send('POST', `/workflows/${id}/${path}`, { reason: 'Agreed.' })).status).to.equal(200)
        const job = await over(id)
        expect([job.status, job.reason, stepsOf(job)]).to.deep.equal([
          'succeeded',
          undefined,
          ['precondition succeeded', 'approval succeeded', 'execute succeeded', 'validate succeeded'],
        ])
        expect(auditOf(job)).to.deep.equal([
          'precondition created',
          'precondition completed',
          'approval created',
          'approval approved',
          'execute created',
          'execute completed',
          'validate created',
          'validate completed',
        ])
        expect(await callsOf(uid)).to.deep.equal([`snapshot ${uid}`, `delete ${uid}`])
        const applied = async () => (await f.get(`/recommendations/${rec}/detail`)).body.data.status !== 'open'
        await until('the recommendation to be told', applied)
      }
    },
  )

  it('end where they are when they are cancelled [WF-03] [REM-02]', async () => {
    for (const family of sample(['/workflows', '/remediation-jobs'], 1)) {
      const { rec } = disk()
      const id = await start(rec)
      const { status, body } = await f.send('POST', `${family}/${id}/cancel`, { reason: 'Not this month.' })
      expect([status, body.data.status, body.data.reason]).to.deep.equal([200, 'cancelled', 'Not this month.'])
      expect(told(await f.send('POST', `${family}/${id}/cancel`))).to.deep.equal([409, 'invalid_transition'])
      expect((await f.send('POST', `/recommendations/${rec}/workflow`)).status).to.equal(202)
    }
  })

  it('are begun for a resource or a group that it is in, and for no other [REM-01]', async () => {
    const { uid, rec } = disk()
    const groupOf = async (...uids: string[]) => {
      const body = { name: uids.join() || 'None', members: uids.map((resourceUID) => ({ resourceUID })) }
      return (await f.send('POST', '/resource-groups', body)).body.data.id as string
    }
    const want = (subjectType: string, subjectID: string) =>
      f.send('POST', '/remediation-jobs', { recommendationID: rec, subjectType, subjectID })
    expect(told(await want('resource', 'another'))).to.deep.equal([422, 'wrong_subject'])
    for (const id of ['none', uid, await groupOf('another')])
      expect(told(await want('resource_group', id)), id).to.deep.equal([422, 'not_a_member'])
    const group = await groupOf(uid, 'another')
    const { status, headers, body } = await want('resource_group', group)
    expect([status, headers.get('location')]).to.deep.equal([202, `/remediation-jobs/${body.data.id}`])
    expect(body.data).to.include({ subjectType: 'resource_group', subjectID: group })
    expect(body.data).to.include({ resourceUid: uid, recommendationID: rec })
    await begun(body.data.id)
    expect((await jobOf(body.data.id)).status).to.equal('awaiting_user')
  })

  it('are one under an Idempotency-Key, however often it is sent', async () => {
    const { rec } = disk()
    const path = `/recommendations/${rec}/workflow`
    const send = () => ask('POST', path, { token: f.token, headers: { 'Idempotency-Key': `key-${rec}` } })
    const [one, other] = [await send(), await send()]
    expect([one.status, other.status, other.body]).to.deep.equal([202, 202, one.body])
    expect((await f.get(`/workflows?recommendation_id=${rec}`)).body.data.total).to.equal(1)
  })
})
