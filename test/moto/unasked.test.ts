import { expect } from 'chai'
import { absentConnector, fedConnector } from '#streams/cloud/passive-connector.ts'
import { ownClouds, tenant } from '#test/harness/product.ts'

describe('accounts that nothing can be asked of', () => {
  afterEach(() => ownClouds.clear())

  for (const [why, connector] of [
    ['without credentials', fedConnector()],
    ['at a cloud that there is no connector of', absentConnector()],
  ] as const)
    it(`are connected ${why}, say so, and refuse to be acted on`, async () => {
      const org = await tenant()
      ownClouds.set('fed-1', connector)
      const account = (await org.send('POST', '/cloud-accounts', { name: 'Fed', provider: 'gcp', externalID: 'fed-1' }))
        .body.data
      expect(account).to.include({ driver: 'none', status: 'connected', permissionVerdict: 'unknown' })
      expect(account.message).to.contain('sent by producers')
    })
})
