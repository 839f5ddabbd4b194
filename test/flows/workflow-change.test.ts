/** Workflows with several calls, with settings, schedules, and what people do themselves. */
import { expect } from 'chai'
import { advance, resetClock } from '#test/harness/people.ts'
import { until } from '#test/harness/product.ts'
import { findings, type Findings } from '#test/harness/findings.ts'
import { deepIt } from '#test/harness/tier.ts'

describe('a workflow with several calls', () => {
  let f: Findings
  let n = 0
  let uid: string
  beforeEach(async () => {
    f ??= await findings()
    uid = `i-change-${++n}`
  })
  afterEach(() => resetClock())
  after(() => f.end())
  const own = () => f.made().filter((call) => call.endsWith(` ${uid}`))
  const settings = async () => {
    const specs = { imds_v1_allowed: true, lifecycle: 'on-demand' }
    await f.tell(uid, { instanceType: 'm5.large', status: 'running', specs })
    return f.finding(uid, 'RC-1417')
  }

  deepIt('changes the size of a machine while it is off, and starts it again', async () => {
    const id = await f.oversized(uid)
    const preview = (await f.send('GET', `/recommendations/${id}/workflow`)).body.data
    expect([preview.template, preview.targetSpec.instance_type === 'm5.2xlarge']).to.deep.equal(['resize', false])
    const job = await f.begin(id)
    await f.approve(job)
    await f.reaches(job, 'succeeded')
    expect(own()).to.deep.equal([`stop ${uid}`, `resize ${uid}`, `start ${uid}`])
    const { body } = await f.send('GET', `/state-history?resource_uid=${uid}`)
    expect(body.data.items.map(({ state }: any) => state)).to.deep.equal(['running', 'stopped'])
  })

  deepIt('starts it again at its old size where the new one is refused, and says both', async () => {
    await f.fail([{ call: 'resize', resourceUid: uid, error: 'quota_exceeded', times: 3 }])
    const job = await f.begin(await f.oversized(uid))
    await f.approve(job)
    const over = await f.reaches(job, 'failed')
    expect(own()).to.deep.equal([`stop ${uid}`, `resize ${uid}`, `start ${uid}`])
    expect(over.steps[2].errorMessage).to.equal(
      'Simulated fault: quota_exceeded. The resource was started again without the change.',
    )
  })

  deepIt('has the machine to itself meanwhile: what others want waits, and people are told', async () => {
    await f.fail([{ call: 'resize', resourceUid: uid, settleSeconds: 30 }])
    const id = await f.oversized(uid)
    const job = await f.begin(id)
    await f.approve(job)
    await until('the resize', async () => own().includes(`resize ${uid}`))
    const start = await f.send('POST', '/actions', f.of(uid, 'start'))
    expect([start.status, start.body.code]).to.deep.equal([409, 'action_in_progress'])
    await advance(31)
    await f.reaches(job, 'succeeded')
    expect(own()).to.deep.equal([`stop ${uid}`, `resize ${uid}`, `start ${uid}`])
  })

  deepIt(
    'leaves a machine that was stopped as it is when it is cancelled, and records what became of the call [WF-16] [WF-03]',
    async () => {
      await f.fail([{ call: 'resize', resourceUid: uid, settleSeconds: 3600 }])
      const job = await f.begin(await f.oversized(uid))
      await f.approve(job)
      await until('the resize', async () => own().includes(`resize ${uid}`))
      const cancelled = await f.send('POST', `/workflows/${job}/cancel`)
      expect([cancelled.status, cancelled.body.data.status]).to.deep.equal([200, 'cancelled'])
      expect(cancelled.body.data.steps.map(({ name, status }: any) => `${name} ${status}`)).to.deep.equal([
        'precondition succeeded',
        'approval succeeded',
        'execute failed',
        'validate skipped',
      ])
      expect((await f.send('POST', `/workflows/${job}/cancel`)).status).to.equal(409)
      expect(own()).to.deep.equal([`stop ${uid}`, `resize ${uid}`])
      // Others have it again.
      await f.act(uid, 'start')
      expect(own()).to.deep.equal([`stop ${uid}`, `resize ${uid}`, `start ${uid}`])
    },
  )

  deepIt('sets what a rule says, once approved [WF-10]', async () => {
    const job = await f.begin(await settings())
    expect((await f.job(job)).template).to.equal('set')
    await f.approve(job)
    await f.reaches(job, 'succeeded')
    expect(own()).to.deep.equal([`set ${uid}`])
    // The inventory shows it before anybody scans.
    const [{ id }] = (await f.send('GET', `/resources?search=${uid}`)).body.data
    const { specs } = (await f.send('GET', `/resources/${id}/specs`)).body.data
    expect(specs).to.include({ imds_v1_allowed: false })
  })

  it('fails where the cloud refuses it, in its own words [WF-13]', async () => {
    await f.fail([{ call: 'set', resourceUid: uid, error: 'access_denied' }])
    const job = await f.begin(await settings())
    await f.approve(job)
    const over = await f.reaches(job, 'failed')
    expect(over.steps[2].errorMessage).to.equal('Simulated fault: access_denied.')
  })

  it('waits for people where the service has no call for it, and is done once they say so [REM-01]', async () => {
    const specs = { state: 'in-use', encrypted: false, volume_type: 'gp3' }
    await f.tell(uid, { type: 'aws-ebs-volume', instanceType: 'gp3', sizeGB: 100, status: 'running', specs })
    const id = await f.finding(uid, 'RC-1404')
    const body = { recommendationID: id, subjectType: 'resource', subjectID: uid }
    const begun = await f.send('POST', '/remediation-jobs', body)
    expect([begun.status, begun.body.data.template, begun.body.data.status]).to.deep.equal([
      202,
      'manual',
      'awaiting_user',
    ])
    const job = begun.body.data.id
    expect(begun.body.data.steps.map(({ kind }: any) => kind)).to.deep.equal(['precondition', 'approval', 'validate'])
    expect(begun.body.data.steps[1].output.instruction).to.match(/\w/)
    await f.approve(job)
    expect((await f.job(job)).status).to.equal('running')
    expect((await f.send('PATCH', `/recommendations/${id}`, { status: 'applied' })).status).to.equal(200)
    await f.reaches(job, 'succeeded')
    expect([await f.statusOf(id), own()]).to.deep.equal(['applied', []])
  })

  deepIt('fails in its validation where nobody has done it within thirty days', async () => {
    const specs = { state: 'in-use', encrypted: false, volume_type: 'gp3' }
    await f.tell(uid, { type: 'aws-ebs-volume', instanceType: 'gp3', sizeGB: 100, status: 'running', specs })
    const job = await f.begin(await f.finding(uid, 'RC-1404'))
    await f.approve(job)
    await until('the validation', async () => (await f.job(job)).currentStep === 'validate')
    await advance(30 * 86_400 + 60)
    expect((await f.reaches(job, 'failed')).steps[2].output.code).to.equal('not_as_planned')
  })

  deepIt('is about a group where the machine is in it, else 422 [REM-01]', async () => {
    const id = await settings()
    const group = async (members: object[]) =>
      (await f.send('POST', '/resource-groups', { name: `g ${Math.random()}`, members })).body.data.id
    const body = { recommendationID: id, subjectType: 'resource_group' }
    const [mine, other] = [await group([{ resourceUID: uid }]), await group([{ resourceUID: 'i-other' }])]
    expect((await f.send('POST', '/remediation-jobs', { ...body, subjectID: other })).status).to.equal(422)
    const wrong = { ...body, subjectType: 'resource', subjectID: 'i-other' }
    expect((await f.send('POST', '/remediation-jobs', wrong)).status).to.equal(422)
    const { status, body: answer } = await f.send('POST', '/remediation-jobs', { ...body, subjectID: mine })
    expect([status, answer.data.subjectType, answer.data.subjectID]).to.deep.equal([202, 'resource_group', mine])
  })
})
