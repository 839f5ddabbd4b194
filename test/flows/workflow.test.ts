/** Workflows from outside: scenario S-28 and others of its kind, seen by the API, the mailboxes and the cloud's own record of calls. */
import { expect } from 'chai'
import { advance, mailsTo, resetClock, type Founder } from '#test/harness/people.ts'
import { testProduct, until } from '#test/harness/product.ts'
import { findings, type Findings } from '#test/harness/findings.ts'
import { deepDescribe, deepIt } from '#test/harness/tier.ts'

const kinds = (steps: any[]) => steps.map(({ kind }) => kind)
const states = ({ steps }: any) => steps.map(({ name, status }: any) => `${name} ${status}`)

describe('a workflow that stops a machine [S-28]', () => {
  let f: Findings
  let machine = 0
  let uid: string
  let id: string
  before(async () => void (f = await findings()))
  beforeEach(async () => {
    uid = `i-idle-${++machine}`
    id = await f.idle(uid)
  })
  afterEach(() => resetClock())
  after(() => f.end())

  const templates = async ({ email }: Founder) =>
    (await mailsTo(email)).filter(({ subject }) => subject.startsWith('Approval needed')).length
  /** How often the owner, the administrator and the viewer were asked for an approval. */
  const notified = () => Promise.all([f.owner, f.admin, f.viewer].map(templates))
  const notifiedOnceMore = async ([owner, admin, viewer]: readonly number[]) => {
    await until('both mails', async () => {
      const now = await notified()
      return now[0]! > owner! && now[1]! > admin!
    })
    expect(await notified()).to.deep.equal([owner! + 1, admin! + 1, viewer])
  }

  deepIt('is previewed without beginning [REC-14] [WF-08]', async () => {
    const { status, body } = await f.send('GET', `/recommendations/${id}/workflow`)
    expect(status).to.equal(200)
    expect([body.data.template, body.data.approvalRequired, kinds(body.data.steps)]).to.deep.equal([
      'stop',
      true,
      ['precondition', 'approval', 'execute', 'validate'],
    ])
    expect((await f.send('GET', '/workflows')).body.data.total).to.equal(0)
  })

  deepIt(
    'waits for an administrator, tells each of them once, and calls nothing [REC-15] [WF-01] [WF-10] [WF-18] [RBAC-06]',
    async () => {
      const before = await notified()
      const job = await f.begin(id)
      const shown = await f.job(job)
      expect([shown.status, shown.currentStep, states(shown)]).to.deep.equal([
        'awaiting_user',
        'approval',
        ['precondition succeeded', 'approval awaiting_user', 'execute pending', 'validate pending'],
      ])
      const items = (await f.send('GET', '/workflows/pending-approval')).body.data
      expect(items.map((one: any) => [one.jobID, one.stepID, one.resourceUid])).to.deep.include([
        job,
        'stop/approve/1',
        uid,
      ])
      await notifiedOnceMore(before)
      expect(f.made().filter((call) => call.endsWith(uid))).to.deep.equal([])
      expect((await f.approve(job, f.editor)).status).to.equal(403)
      const rejected = await f.send(
        'POST',
        `/workflows/${job}/steps-by-id/stop%2Fapprove%2F1/reject`,
        { reason: 'Needed in February' },
        f.admin.accessToken,
      )
      expect([rejected.status, rejected.body.data.status]).to.deep.equal([200, 'cancelled'])
      const audit = (await f.send('GET', `/remediation-jobs/${job}/audit`)).body.data
      expect(audit.at(-1)).to.include({ eventType: 'rejected', stepName: 'approval', reason: 'Needed in February' })
      expect(f.made().filter((call) => call.endsWith(uid))).to.deep.equal([])
      expect((await f.send('POST', `/workflows/${job}/cancel`)).status).to.equal(409)
    },
  )

  it('notifies each administrator once, changes nothing until one approves, then stops it and applies the recommendation [WF-04] [WF-10] [WF-11] [WF-15] [WF-17] [RBAC-06]', async () => {
    const before = await notified()
    const job = await f.begin(id)
    expect((await f.job(job)).status).to.equal('awaiting_user')
    expect((await f.approve(job, f.editor)).status).to.equal(403)
    await notifiedOnceMore(before)
    expect(f.made().filter((call) => call.endsWith(uid))).to.deep.equal([])
    const approved = await f.send('POST', `/workflows/${job}/steps/approval/approve`, {}, f.admin.accessToken)
    expect([approved.status, approved.headers.has('Deprecation')]).to.deep.equal([200, true])
    const over = await f.reaches(job, 'succeeded', 'failed')
    expect([over.status, states(over)]).to.deep.equal([
      'succeeded',
      ['precondition succeeded', 'approval succeeded', 'execute succeeded', 'validate succeeded'],
    ])
    expect(f.made().filter((call) => call.endsWith(uid))).to.deep.equal([`stop ${uid}`])
    expect(await f.statusOf(id)).to.equal('applied')
    const { items } = (await f.send('GET', `/state-history?resource_uid=${uid}`)).body.data
    expect(items.map((one: any) => [one.state, one.changedBy])).to.deep.equal([
      ['stopped', over.createdBy].map((x, i) => (i ? `manual:${x}` : x)),
    ])
  })

  deepIt('changes nothing where the machine is off already [WF-09]', async () => {
    await f.act(uid, 'stop')
    const job = await f.begin(id)
    const over = await f.job(job)
    expect([over.status, states(over)]).to.deep.equal([
      'succeeded',
      ['precondition succeeded', 'approval skipped', 'execute skipped', 'validate skipped'],
    ])
    expect(f.made().filter((call) => call.endsWith(uid))).to.deep.equal([`stop ${uid}`])
  })

  deepIt('is one a recommendation, and its recommendation waits for it [REC-15]', async () => {
    const [first, second] = await Promise.all([1, 2].map(() => f.send('POST', `/recommendations/${id}/workflow`)))
    expect([first!.status, second!.status]).to.have.members([202, 409])
    expect([first!, second!].find(({ status }) => status === 409)!.body.code).to.equal('job_active')
    const applied = await f.send('PATCH', `/recommendations/${id}`, { status: 'applied' })
    expect([applied.status, applied.body.code]).to.deep.equal([409, 'job_active'])
    const job = [first!, second!].find(({ status }) => status === 202)!.body.data.jobID
    expect((await f.send('PATCH', `/recommendations/${id}`, { status: 'dismissed' })).status).to.equal(200)
    expect((await f.reaches(job, 'cancelled')).reason).to.equal('The recommendation was dismissed.')
  })

  deepIt('fails in its validation where the cloud never shows it stopped [WF-13]', async () => {
    await f.fail([{ call: 'stop', resourceUid: uid, settleSeconds: 86_400, times: 3 }])
    const job = await f.begin(id)
    await f.approve(job)
    await until('the call', async () => f.made().includes(`stop ${uid}`))
    await until('the end', async () => {
      if ((await f.job(job)).status !== 'running') return true
      await advance(300)
      // Not so often that the day goes by after which it would be stopped.
      await new Promise((resolve) => setTimeout(resolve, 400))
      return false
    })
    const over = await f.reaches(job, 'failed')
    expect(states(over)).to.deep.equal([
      'precondition succeeded',
      'approval succeeded',
      'execute succeeded',
      'validate failed',
    ])
    expect(await f.statusOf(id)).to.equal('open')
  })
})

deepDescribe('a workflow that changes or deletes', () => {
  let f: Findings
  let disk = 0
  let uid: string
  beforeEach(async () => {
    f ??= await findings()
    uid = `vol-${++disk}`
  })
  afterEach(() => resetClock())
  after(() => f.end())
  const own = () => f.made().filter((call) => call.endsWith(` ${uid}`))
  const policy = (domain: string, name: string, spec: object, token = f.token) =>
    f.send('POST', '/policies', { domain, targetType: 'organisation', name, spec, enabled: true }, token)

  it('takes a snapshot first, and is seen to be gone [WF-15]', async () => {
    const id = await f.orphan(uid)
    const job = await f.begin(id)
    expect((await f.job(job)).steps[2]).to.include({ kind: 'execute', reversible: false })
    await f.approve(job)
    await f.reaches(job, 'succeeded')
    expect(own()).to.deep.equal([`snapshot ${uid}`, `delete ${uid}`])
    expect(await f.statusOf(id)).to.equal('applied')
  })

  it('deletes nothing where the snapshot fails', async () => {
    await f.fail([{ call: 'snapshot', resourceUid: uid, error: 'access_denied', times: 5 }])
    const job = await f.begin(await f.orphan(uid))
    await f.approve(job)
    const over = await f.reaches(job, 'failed')
    expect([own(), over.steps[2].errorMessage]).to.deep.equal([[`snapshot ${uid}`], 'Simulated fault: access_denied.'])
  })

  it('tries thrice what is throttled, and does it once', async () => {
    await f.fail([{ call: 'delete', resourceUid: uid, error: 'throttled', times: 2 }])
    const job = await f.begin(await f.orphan(uid))
    await f.approve(job)
    const { pool } = (await testProduct()).connections.store
    const pauses = async () =>
      (await pool.query(`select from reminder where org_id = $1 and key = $2 and name = 'retry'`, [f.orgId, job]))
        .rowCount
    for (const [n, seconds] of [31, 121].entries()) {
      const tries = () => own().filter((call) => call.startsWith('delete')).length
      await until('the pause', async () => tries() > n && (await pauses()) === 1)
      await advance(seconds)
    }
    await f.reaches(job, 'succeeded')
    expect(own()).to.deep.equal([`snapshot ${uid}`, ...Array.from({ length: 3 }, () => `delete ${uid}`)])
  })

  it('calls nothing where whoever approved it is no administrator any more', async () => {
    const frozenUntil = new Date(Date.now() + 3_600_000).toISOString()
    const made = (await policy('guardrail', 'Freeze', { frozenUntil })).body.data
    const job = await f.begin(await f.orphan(uid))
    await f.approve(job)
    await until('the freeze', async () => (await f.job(job)).steps[2].output?.waitingFor?.code === 'frozen')
    await f.send('PATCH', `/members/${f.admin.userId}`, { roleID: 'viewer' })
    await f.send('DELETE', `/policies/${made.id}`)
    await advance(3600)
    const over = await f.reaches(job, 'failed')
    expect([own(), over.steps[2].output.code]).to.deep.equal([[], 'unapproved'])
    await f.send('PATCH', `/members/${f.admin.userId}`, { roleID: 'admin' })
  })

  it('calls nothing where the disk was attached since it was approved', async () => {
    const made = (await policy('guardrail', 'Freeze', { frozenUntil: new Date(Date.now() + 3_600_000).toISOString() }))
      .body.data
    const job = await f.begin(await f.orphan(uid))
    await f.approve(job)
    await until('the freeze', async () => (await f.job(job)).steps[2].output?.waitingFor?.code === 'frozen')
    const specs = { state: 'in-use', days_detached: 0, volume_type: 'gp3', encrypted: true }
    await f.tell(uid, { type: 'aws-ebs-volume', instanceType: 'gp3', sizeGB: 500, status: 'running', specs })
    const over = await f.reaches(job, 'cancelled', 'failed')
    expect([own(), over.reason]).to.deep.equal([[], 'The recommendation is now optimised.'])
    await f.send('DELETE', `/policies/${made.id}`)
  })

  it('calls nothing where the disk is of another kind than was approved', async () => {
    const job = await f.begin(await f.orphan(uid))
    const specs = { state: 'available', days_detached: 40, volume_type: 'io2', encrypted: true }
    await f.tell(uid, { type: 'aws-ebs-volume', instanceType: 'io2', sizeGB: 500, status: 'running', specs })
    await f.approve(job)
    const over = await f.reaches(job, 'failed')
    expect([own(), over.steps[2].output.code]).to.deep.equal([[], 'changed_since_approval'])
  })

  it('waits while the kill switch is on, and goes on once it is off', async () => {
    const spec = { killSwitch: true }
    const made = (await policy('guardrail', 'Stop', spec)).body.data
    const job = await f.begin(await f.orphan(uid))
    await f.approve(job)
    await until('the halt', async () => (await f.job(job)).steps[2].output?.waitingFor?.code === 'halted')
    expect(own()).to.deep.equal([])
    await f.send('PUT', `/policies/${made.id}`, {
      domain: 'guardrail',
      targetType: 'organisation',
      name: 'Stop',
      spec: { killSwitch: false },
      enabled: true,
    })
    await advance(31)
    await f.reaches(job, 'succeeded')
    expect(own()).to.deep.equal([`snapshot ${uid}`, `delete ${uid}`])
    await f.send('DELETE', `/policies/${made.id}`)
  })

  it('is cancelled when nobody approves it within a week [REM-02]', async () => {
    const job = await f.begin(await f.orphan(uid))
    await advance(7 * 86_400 + 60)
    const over = await f.reaches(job, 'cancelled')
    expect([own(), over.reason]).to.deep.equal([[], 'The step was not approved in time.'])
  })

  it('leaves a protected disk alone', async () => {
    const job = await f.begin(await f.orphan(uid, { tags: { 'Do-Not-Delete': 'yes' } }))
    const over = await f.job(job)
    expect([over.status, over.steps[0].output.code, own()]).to.deep.equal(['failed', 'protected', []])
  })

  it('asks as many as a policy wants, and not the one who began it', async () => {
    const spec = { match: { templates: ['delete'] }, extraApprovals: 1, fourEyes: true }
    const made = await policy('workflow', 'Four eyes', spec)
    expect((await policy('workflow', 'By an editor', spec, f.editor.accessToken)).status).to.equal(403)
    const id = await f.orphan(uid)
    const job = (await f.send('POST', `/recommendations/${id}/workflow`, undefined, f.owner.accessToken)).body.data
      .jobID
    expect((await f.approve(job, f.owner)).body.code).to.equal('four_eyes')
    await f.approve(job, f.admin)
    expect((await f.approve(job, f.admin)).body.code).to.equal('already_approved')
    expect((await f.job(job)).status).to.equal('awaiting_user')
    await f.send('DELETE', `/policies/${made.body.data.id}`)
    // What it began with stays.
    expect((await f.approve(job, { ...f.admin, accessToken: f.token } as never)).status).to.equal(200)
    await f.reaches(job, 'succeeded')
    expect(own()).to.deep.equal([`snapshot ${uid}`, `delete ${uid}`])
    expect(await f.statusOf(id)).to.equal('applied')
  })
})
