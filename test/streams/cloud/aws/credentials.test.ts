import { expect } from 'chai'
import { look } from '#streams/cloud/aws/act/act.ts'
import { openAnew, openAws } from '#streams/cloud/aws/session/open.ts'
import { globalRegion } from '#streams/cloud/aws/session/session.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { answerServer, ec2Error, machineIn, type Answer, type AnswerServer } from './answer-server.ts'
import { account, fails } from './stub-session.ts'

const machine = { resourceUid: 'i-1', type: 'aws-ec2', region: 'us-east-1' }
const minuteMs = 60_000

describe('the role of an account of AWS', () => {
  const realNow = Date.now
  let server: AnswerServer
  const answering = async (answers: (operation: string, times: number) => Answer) => {
    server = await answerServer(answers)
    return (of: CloudAccount = account) => look(server.options, of, machine)
  }
  afterEach(async () => {
    Date.now = realNow
    await server.close()
  })

  it('is assumed once by all sessions of a quarter of an hour, side by side or one after the other', async () => {
    const ask = await answering(() => machineIn('running'))
    await Promise.all([ask(), ask(), ask()])
    Date.now = () => realNow() + 14 * minuteMs
    await ask()
    expect(server.signIns()).to.equal(1)
    Date.now = () => realNow() + 16 * minuteMs
    await ask()
    expect(server.signIns()).to.equal(2)
  })

  it('is nobody else’s: another organization, account, role or external id assumes its own', async () => {
    const ask = await answering(() => machineIn('running'))
    const { roleARN, externalID } = account.credentials as Record<string, string>
    const others: CloudAccount[] = [
      { ...account, orgId: 'another' },
      { ...account, id: 'another' },
      { ...account, credentials: { roleARN: `${roleARN}-2`, externalID } },
      { ...account, credentials: { roleARN, externalID: `${externalID}-2` } },
    ]
    for (const one of [account, ...others, account, ...others]) await ask(one)
    expect(server.signIns()).to.equal(5)
  })

  it('is assumed anew once the cloud takes it no more', async () => {
    const ask = await answering((_, times) => (times === 1 ? ec2Error(401, 'AuthFailure') : machineIn('running')))
    await ask()
    expect(await fails(ask())).to.equal('user_action credentials_refused')
    expect(server.signIns()).to.equal(1)
    await ask()
    expect(server.signIns()).to.equal(2)
  })

  it('is assumed anew by who checks it, and by others behind that no more', async () => {
    const ask = await answering(() => machineIn('running'))
    await ask()
    const session = openAnew(account, server.options)
    await session.credentials()
    session.close()
    expect(server.signIns()).to.equal(2)
    await openAws(account, server.options).credentials()
    expect(server.signIns()).to.equal(2)
  })

  it('says the partition, whose own region answers for services without one', async () => {
    await answering(() => ({ status: 200, body: '<GetCallerIdentityResponse/>' }))
    const { externalID } = account.credentials as Record<string, string>
    for (const partition of ['aws', 'aws-us-gov', 'aws-cn']) {
      const credentials = { roleARN: `arn:${partition}:iam::123456789012:role/tidemark`, externalID }
      const session = openAws({ ...account, credentials }, server.options)
      expect(session.partition).to.equal(partition)
      await session.ask('sts', globalRegion, (m) => new m.GetCallerIdentityCommand({}))
      session.close()
    }
    // Each signs in, then asks.
    expect(server.regions).to.deep.equal(
      ['us-east-1', 'us-gov-west-1', 'cn-north-1'].flatMap((region) => [region, region]),
    )
  })
})
