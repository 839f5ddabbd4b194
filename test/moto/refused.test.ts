/** Accounts whose role nobody lets us assume: they end in error, with what to do. */
import { expect } from 'chai'
import { systemClock } from '#engine/clock.ts'
import { awsCloud } from '#streams/cloud/aws/connector.ts'
import { Caller } from '#streams/cloud/call/call.ts'
import { ownClouds, tenant, until, type Tenant } from '#test/harness/product.ts'
import { number, role } from './connected.ts'
import { refusing, type Refusal, type Refusing } from './refusing.ts'

describe('an account of AWS with invented credentials', () => {
  let org: Tenant
  let door: Refusing
  beforeEach(async () => {
    org = await tenant()
    door = await refusing()
    const caller = new Caller({ clock: systemClock, meter: { made: () => {} }, random: Math.random })
    const base = async () => ({ accessKeyId: 'AKIAINVENTED', secretAccessKey: 'invented' })
    ownClouds.set(number, awsCloud({ caller, clock: systemClock, allowPrivate: true, endpoint: door.url, base }))
  })
  afterEach(async () => {
    ownClouds.delete(number)
    await door.close()
  })

  const connect = async (refusal: Refusal) => {
    door.rule = () => refusal
    const { externalID } = (await org.get('/cloud-accounts/external-id')).body.data
    const body = { name: 'Invented', provider: 'aws', externalID: number, credentials: { roleARN: role, externalID } }
    const answer = await org.send('POST', '/cloud-accounts', body)
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201)
    return answer.body.data
  }
  const shown = async (id: string) => (await org.get(`/cloud-accounts/${id}`)).body.data

  it('ends in error, and says what its trust policy lacks', async () => {
    const made = await connect({ status: 403, code: 'AccessDenied' })
    const says = `AWS does not allow Tidemark to assume ${role}. Its trust policy must allow the account of Tidemark with the external ID. To print it, run tidemark account policy aws.`
    const facts = { driver: 'real', status: 'error', permissionVerdict: 'none', message: says, lastSyncedAt: null }
    expect(made).to.deep.include(facts)
    // Nothing that was begun for it says otherwise later.
    await until('the refresh is over', async () => {
      const { status } = (await org.get('/resources/refresh/status')).body.data
      return !['queued', 'running'].includes(status)
    })
    expect(await shown(made.id)).to.deep.include(facts)
    const check = await org.send('POST', `/cloud-accounts/${made.id}/check`)
    expect([check.status, check.body.data.verdict, check.body.data.message]).to.deep.equal([200, 'none', says])
    expect((await org.get('/resources')).body.data).to.deep.equal([])
    expect(new Set(door.asked.map(({ action }) => action))).to.deep.equal(new Set(['AssumeRole']))
  })

  it('says of keys of ours that AWS does not know where to mend them', async () => {
    const { status, message } = await connect({ status: 403, code: 'InvalidClientTokenId' })
    expect(status).to.equal('error')
    expect(message).to.match(/AssumeRole: Refused by the test\. Check /)
  })

  it('waits for a cloud that does not answer, rather than being in error', async () => {
    const { status, message } = await connect({ status: 503, code: 'ServiceUnavailable' })
    expect([status, message]).to.deep.equal(['pending', 'sts AssumeRole: Refused by the test.'])
  })
})
