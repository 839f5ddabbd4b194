// tier: deep
/** What is provisioned in a subscription of Azure, and deleted again, through the whole product. */
import { expect } from 'chai'
import { connect } from '#test/harness/connected.ts'
import { resetClock } from '#test/harness/people.ts'
import { tenant } from '#test/harness/product.ts'
import { tenant as tenantID, type Answer, type Question } from '#test/streams/cloud/azure/answer-server.ts'
import { cases } from '#test/streams/cloud/azure/provision/cases.ts'
import { FarArm } from '#test/streams/cloud/azure/provision/far-arm.ts'
import { root } from '#test/streams/cloud/azure/world.ts'
import { account, beside, type Azure } from './azure.ts'

/** Empty, with all rights; what is provisioned is not listed. */
const empty =
  (arm: FarArm) =>
  (question: Question): Answer => {
    const { path } = question
    if (path === root) return { body: { id: root, tenantId: tenantID, state: 'Enabled' } }
    if (path.endsWith('/Microsoft.Authorization/permissions')) return { body: { value: [{ actions: ['*'] }] } }
    const isProvisioning = /\/(resourceGroups\/tidemark-|operationresults\/|locations\/)/i.test(path)
    return isProvisioning ? arm.answer(question) : { body: { value: [] } }
  }

describe('what is provisioned at Azure, by the whole product', () => {
  const arm = new FarArm()
  let org: Azure
  let spaceID: string
  before(async () => {
    const { weather, end } = await beside(empty(arm))
    org = Object.assign(await connect(await tenant(), account, end), { weather })
    const space = { name: 'Production', cloudAccountID: org.accountId, region: 'westeurope' }
    spaceID = (await org.done('POST', '/spaces', space)).id
  })
  after(async () => {
    await org.end()
    await resetClock()
  })

  const phaseOf = async (id: string) => (await org.data(`/provisioning-jobs/${id}`)).phase as string
  const reach = (id: string, phase: string) => org.reached(phase, async () => (await phaseOf(id)) === phase)

  for (const title of ['a registry', 'a server of Postgres', 'a pool of machines'])
    it(`is there as configured, and leaves nothing: ${title}`, async () => {
      const { kind, config, created } = cases.find((one) => one.title === title)!
      const { id } = await org.done('POST', '/provisioning-jobs', { spaceID, kind, config })
      await reach(id, 'ready')
      // The resource group, and what the job is for.
      expect(arm.done.length).to.equal(1 + created.length)
      expect(await org.data(`/provisioning-jobs/${id}/drift`)).to.deep.equal({ jobID: id, exists: true, drift: [] })
      await org.done('DELETE', `/provisioning-jobs/${id}`)
      await reach(id, 'deleted')
      expect([...arm.kept.keys()]).to.deep.equal([])
      arm.done.length = 0
    })
})
