/** An account at which something is provisioned. */
import { expect } from 'chai'
import { changedRow, plantedProvisionings } from '#test/harness/catalog-edge.ts'
import { tenant } from '#test/harness/product.ts'
import { connected } from '#test/harness/workflow.ts'

describe('a cloud account', () => {
  it('stays while something is provisioned at it that nobody has tried to take away [PROV-06]', async () => {
    const org = await tenant()
    const id = await connected(org.token)
    const [job] = (await plantedProvisionings(org, { cloud_account_id: id })) as [string]
    await plantedProvisionings(org, { cloud_account_id: 'acct-other' })
    const remove = async () => {
      const { status, body } = await org.send('DELETE', `/cloud-accounts/${id}`)
      return [status, body?.code]
    }
    for (const phase of ['ready', 'failed', 'deleting', 'queued']) {
      await changedRow(org, 'provisioning_job', job, { phase })
      expect(await remove(), phase).to.deep.equal([409, 'account_in_use'])
    }
    await changedRow(org, 'provisioning_job', job, { phase: 'delete_failed' })
    expect(await remove()).to.deep.equal([204, undefined])
  })
})
