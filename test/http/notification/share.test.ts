import { expect } from 'chai'
import { tenant } from '#test/harness/product.ts'

describe('sharing a recommendation', () => {
  it('takes 1 to 20 channels and 2,000 characters, and finds no recommendation yet', async () => {
    const org = await tenant()
    const share = async (body: object) => {
      const answer = await org.send('POST', '/notifications/share/recommendation/r-1', body)
      return [answer.status, answer.body.errors?.[0].name ?? answer.body.code]
    }
    const many = (count: number) => Array.from({ length: count }, (_, n) => `c-${n}`)
    expect(await share({ channelIDs: many(20), message: 'x'.repeat(2000) })).to.deep.equal([404, 'not_found'])
    expect(await share({ channelIDs: many(1) })).to.deep.equal([404, 'not_found'])
    expect(await share({ channelIDs: [] })).to.deep.equal([400, '/channelIDs'])
    expect(await share({ channelIDs: many(21) })).to.deep.equal([400, '/channelIDs'])
    expect(await share({ channelIDs: many(1), message: 'x'.repeat(2001) })).to.deep.equal([400, '/message'])
    expect(await share({})).to.deep.equal([400, '/channelIDs'])
  })
})
