import { expect } from 'chai'
import { openAws } from '#streams/cloud/aws/session/open.ts'
import { Fault } from '#engine/value/fault.ts'
import { answerServer, ec2Error, type AnswerServer } from './answer-server.ts'
import { account } from './stub-session.ts'

describe('a fault of AWS', () => {
  let server: AnswerServer
  afterEach(() => server.close())

  /** What people are told where EC2 answers so. */
  const saidTo = async (status: number, body: string): Promise<string> => {
    server = await answerServer(() => ({ status, body }), { tries: 1 })
    const session = openAws(account, server.options)
    try {
      await session.ask('ec2', 'us-east-1', (m) => new m.DescribeInstancesCommand({}))
      return 'answered'
    } catch (error) {
      const { code, message } = Fault.from(error)
      return `${code} ${message}`
    } finally {
      session.close()
    }
  }
  const asked = 'ec2 DescribeInstances in us-east-1:'

  for (const [what, status, body, said] of [
    ['what AWS says', 400, ec2Error(400, 'InvalidState').body, `rejected ${asked} InvalidState`],
    ['a page of a proxy', 200, '<html><body>Sign in', `unknown_answer ${asked} its response cannot be read (HTTP 200)`],
    ['the refusal of a proxy', 403, 'Forbidden by proxy', `rejected ${asked} its response cannot be read (HTTP 403)`],
    [
      'nothing but a status',
      503,
      '',
      `cloud_unavailable ${asked} AWS rejected the request without giving a reason (HTTP 503)`,
    ],
    [
      'a status and a page',
      502,
      '<html><h1>Bad</h1></html>',
      `cloud_unavailable ${asked} AWS rejected the request without giving a reason (HTTP 502)`,
    ],
  ] as const)
    it(`is told in words for people where it is ${what}`, async () => {
      expect(await saidTo(status, body)).to.equal(said)
    })

  it('is told in words for people where nothing answers', async () => {
    server = await answerServer(() => ({ status: 200, body: '' }), { tries: 1 })
    const session = openAws(account, server.options)
    await session.credentials()
    await server.close()
    const fault = await session
      .ask('ec2', 'us-east-1', (m) => new m.DescribeInstancesCommand({}))
      .catch((error: unknown) => Fault.from(error))
    expect(fault).to.include({
      code: 'cloud_unavailable',
      message: `${asked} the connection to AWS failed (ECONNREFUSED)`,
    })
    server = await answerServer(() => ({ status: 200, body: '' }))
    session.close()
  })
})
