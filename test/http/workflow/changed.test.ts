/** An approval is of the plan that was read: where another one would be made by now, it says so, or is refused. */
import { expect } from 'chai'
import { until } from '#test/harness/product.ts'
import { approveStep, findings, type Findings } from '#test/harness/findings.ts'
import { deepIt, isDeep } from '#test/harness/tier.ts'

describe('the approval of a plan that would be another one by now', () => {
  let f: Findings
  let count = 0
  before(async () => {
    f = await findings()
  })
  after(() => f.end())
  const preview = async (rec: string) => (await f.get(`/recommendations/${rec}/workflow`)).body.data
  const begun = async (rec: string) => {
    const id = await f.begin(rec)
    const { planHash, template } = await f.job(id)
    expect((await preview(rec)).underWay).to.deep.equal({ jobID: id, planHash, changes: [] })
    const approve = (body: object = {}) =>
      f.send('POST', `/workflows/${id}/steps-by-id/${approveStep(template)}/approve`, body, f.admin.accessToken)
    return { id, planHash, approve, changes: async () => (await preview(rec)).underWay.changes }
  }
  const orphan = () => f.orphan(`vol-changed-${++count}`)
  const told = ({ status, body }: { status: number; body: any }) => [status, body.code, body.changes]
  const asking = (name: string, extraApprovals: number) =>
    f.send('POST', '/policies', {
      domain: 'workflow',
      name,
      targetType: 'organisation',
      enabled: true,
      spec: { match: { templates: ['delete'] }, extraApprovals },
    })

  it('is refused where policies add to it meanwhile, until the plan of now is named', async () => {
    const rec = await orphan()
    const { id, planHash, approve, changes } = await begun(rec)
    const policy = await asking('Two for deletes', 1)
    expect(policy.status, JSON.stringify(policy.body)).to.equal(201)
    expect(await changes()).to.deep.equal(['policies'])
    const now = (await preview(rec)).planHash
    const refused = await approve({ planHash })
    expect(told(refused)).to.deep.equal([409, 'plan_changed', ['policies']])
    expect([refused.body.planHash, refused.body.changedPlanHash]).to.deep.equal([planHash, now])
    expect(told(await approve({ changedPlanHash: planHash })).slice(0, 2)).to.deep.equal([409, 'plan_changed'])
    expect((await f.job(id)).audit.filter((one: any) => one.eventType === 'approved')).to.deep.equal([])
    expect(f.made().filter((call) => call.endsWith('vol-changed-1'))).to.deep.equal([])
    expect((await approve({ planHash, changedPlanHash: now })).status).to.equal(200)
    expect((await f.send('DELETE', `/policies/${policy.body.data.id}`)).status).to.equal(204)
    if (isDeep) await f.reaches(id, 'succeeded')
  })

  deepIt('is refused where the machine was stopped meanwhile, and says that it is the resource', async () => {
    const rec = await f.idle('i-changed')
    const { id, planHash, approve, changes } = await begun(rec)
    expect((await f.job(id)).plan.was).to.deep.equal({ exists: true, status: 'running', instanceType: 'm5.2xlarge' })
    await f.act('i-changed', 'stop')
    await until('the inventory to know', async () => (await changes()).length > 0)
    expect(await changes()).to.deep.equal(['resource'])
    expect((await preview(rec)).was.status).to.equal('stopped')
    expect(told(await approve({ planHash }))).to.deep.equal([409, 'plan_changed', ['resource']])
    // Rejecting it needs no knowledge of plans.
    const rejected = await f.send('POST', `/workflows/${id}/steps-by-id/${approveStep('stop')}/reject`, {})
    expect([rejected.status, rejected.body.data.status]).to.deep.equal([200, 'cancelled'])
  })

  deepIt(
    'counts where figures alone have moved, and of a workflow of before its plan said how the resource was',
    async () => {
      const { store } = f.connections
      const rec = await orphan()
      const { id, planHash, approve, changes } = await begun(rec)
      await store.pool.query('update recommendation set savings_usd = savings_usd + 1 where org_id = $1 and id = $2', [
        f.orgId,
        rec,
      ])
      expect(await changes()).to.deep.equal(['figures'])
      expect(told(await approve({ planHash: planHash.replace(/^./, 'g') })).slice(0, 2)).to.deep.equal([
        400,
        'validation_failed',
      ])
      const other = '0'.repeat(64)
      expect(told(await approve({ planHash: other })).slice(0, 2)).to.deep.equal([409, 'plan_changed'])
      expect((await approve({ planHash })).status).to.equal(200)
      await f.reaches(id, 'succeeded')
    },
  )

  deepIt('is answered once more as it was, whatever has become of it meanwhile', async () => {
    const rec = await orphan()
    const { id, approve } = await begun(rec)
    expect((await approve()).status).to.equal(200)
    await f.reaches(id, 'succeeded')
    expect(told(await approve()).slice(0, 2)).to.deep.equal([409, 'not_awaiting'])
  })
})
