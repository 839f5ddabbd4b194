import { expect } from 'chai'
import { act } from '#streams/cloud/aws/act/act.ts'
import { look } from '#streams/cloud/aws/act/act.ts'
import type { CloudAction } from '#streams/cloud/connector.ts'
import { answerServer, ec2Answer, ec2Error, machineIn, type Answer, type AnswerServer } from './answer-server.ts'
import { account, fails } from './stub-session.ts'

const machine = { resourceUid: 'i-1', type: 'aws-ec2', region: 'us-east-1' }
const stop: CloudAction = { id: 'a-1', kind: 'stop', resource: machine }

describe('AWS as it answers', () => {
  let server: AnswerServer
  const answering = async (answers: (operation: string, times: number) => Answer) => {
    server = await answerServer(answers)
    return server
  }
  afterEach(() => server.close())

  it('that throttles is asked again, and an action is done once', async () => {
    const { options, asked } = await answering((operation, times) => {
      if (times < 2) return ec2Error(503, 'RequestLimitExceeded')
      if (operation === 'StopInstances') return ec2Answer(operation, '<instancesSet/>')
      return machineIn(times < 3 ? 'running' : 'stopping')
    })
    expect(await act(options, account, stop)).to.deep.equal({ status: 'running', observedState: 'stopping' })
    const count = (operation: string) => asked.filter((one) => one === operation).length
    expect([count('DescribeInstances'), count('StopInstances')]).to.deep.equal([4, 3])
  })

  it('that does not come to itself is given up as what passes', async () => {
    const { options, asked } = await answering(() => ec2Error(503, 'RequestLimitExceeded'))
    expect(await fails(act(options, account, stop))).to.equal('transient throttled')
    expect(asked.length).to.equal(4)
  })

  it('that takes credentials away in between says so, and is not asked again', async () => {
    const { options, asked } = await answering((operation) =>
      operation === 'DescribeInstances' ? machineIn('running') : ec2Error(401, 'AuthFailure'),
    )
    expect(await fails(act(options, account, stop))).to.equal('user_action credentials_refused')
    expect(asked).to.deep.equal(['DescribeInstances', 'StopInstances'])
  })

  it('that lets us look and not act names the permission', async () => {
    const { options } = await answering((operation) =>
      operation === 'DescribeInstances' ? machineIn('running') : ec2Error(403, 'UnauthorizedOperation'),
    )
    const error = await act(options, account, stop).catch((thrown: unknown) => thrown)
    expect(error).to.deep.include({ code: 'permission_missing' })
    expect((error as { detail: object }).detail).to.include({ permission: 'ec2:StopInstances' })
  })

  it('that makes something is not asked twice where it does not answer', async () => {
    const { options, asked } = await answering((operation) => {
      if (operation === 'DescribeInstances') return machineIn('running')
      return operation === 'DescribeImages' ? ec2Answer(operation, '<imagesSet/>') : ec2Error(500, 'InternalError')
    })
    expect(await fails(act(options, account, { ...stop, kind: 'snapshot' }))).to.equal('transient cloud_unavailable')
    expect(asked.filter((one) => one === 'CreateImage').length).to.equal(1)
  })

  it('tells a machine that is gone from one that cannot be looked at', async () => {
    const { options } = await answering((_, times) =>
      ec2Error(times === 0 ? 400 : 403, times === 0 ? 'InvalidInstanceID.NotFound' : 'UnauthorizedOperation'),
    )
    expect(await look(options, account, machine)).to.deep.equal({ exists: false })
    expect(await fails(look(options, account, machine))).to.equal('user_action permission_missing')
  })
})
