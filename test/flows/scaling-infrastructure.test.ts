import { expect } from 'chai'
import { tokens } from '#config/wiring/tokens.ts'
import { accountVerified } from '#streams/account/messages.ts'
import { infrastructureWanted } from '#streams/autoscaling.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'

describe('what policies of an account need', () => {
  let org: Tenant
  let id: string
  before(async () => {
    org = await tenant()
    const body = { name: 'Staging', provider: 'aws', externalID: 'sim-aws-staging' }
    id = (await org.send('POST', '/cloud-accounts', body)).body.data.id
  })

  const ask = () => {
    const asker = org.product.get(tokens.asker)
    return asker.ask(infrastructureWanted, org.orgId, { cloudAccountId: id, userId: 'u-1' })
  }
  const rows = async () => {
    const sql = 'select status, attempt, role, runtime, message from scaling_infrastructure where org_id = $1'
    return (await org.connections.store.pool.query(sql, [org.orgId])).rows
  }

  it('is made once through the lane, its call and the cloud, and a check of the account leaves no row [ASC-05] [ASC-06]', async () => {
    await org.publish(accountVerified, [{ id, verdict: 'read_write', missingPermissions: [], message: null }])
    expect(await rows()).to.deep.equal([])
    expect(await ask()).to.deep.equal({ cloudAccountId: id, isBegun: true })
    expect((await rows()).map(({ status }) => status)).to.deep.equal(['creating'])
    expect(await ask()).to.deep.equal({ cloudAccountId: id, isBegun: false })
    await until('it is ready', async () => (await rows())[0]?.status === 'ready')
    expect(await rows()).to.deep.equal([
      {
        status: 'ready',
        attempt: 1,
        role: 'simulated-aws-role/sim-aws-staging/tidemark-scaling',
        runtime: 'simulated-aws-function/sim-aws-staging/tidemark-scaling',
        message: '',
      },
    ])
    expect(await ask()).to.deep.equal({ cloudAccountId: id, isBegun: false })
    const made = org.product
      .get(tokens.clouds)
      .simulated.calls.filter(({ call, cloudAccountId }) => call === 'createInfrastructure' && cloudAccountId === id)
    expect(made.map(({ outcome, repeated }) => [outcome, repeated])).to.deep.equal([['ok', undefined]])
  })
})
